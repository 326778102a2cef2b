"""P7: whole commands that only read, from an interpreter's start to its end."""

from __future__ import annotations

from collections.abc import Callable

from bench.clock import Contender, timed
from bench.commands import IMPORTS, edge, run
from bench.context import Context, size_name
from bench.report import Row, shown, times_over

COMMANDS = {"voz list --open": ("voz", "list", "--open"), "voz list": ("voz", "list"), "status": ("status",)}
_BAR = 2.2


def measure(context: Context) -> list[Row]:
    size = 1_000
    home = context.histories.home(size)
    contenders = [Contender("imports", lambda _: run(IMPORTS))]
    contenders += [Contender(name, _running(edge(home, *args))) for name, args in COMMANDS.items()]
    times = timed(contenders, context.rounds)
    rows = []
    for name in COMMANDS:
        ratio = times_over(times[name], times["imports"])
        rows.append(
            Row(
                "P7",
                f"`edge {name}`, whole process",
                shown(times[name]),
                floor=shown(times["imports"]),
                ratio=f"{ratio:.2f}×",
                bar=f"≤ {_BAR}× importing typer, pydantic, sqlite3",
                met=ratio <= _BAR,
                sizes=size_name(size),
            )
        )
    return rows


def _running(command: list[str]) -> Callable[[object], object]:
    return lambda _prepared: run(command)
