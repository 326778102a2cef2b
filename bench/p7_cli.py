"""P7: whole commands that only read, from an interpreter's start to its end."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.clock import Contender, timed
from bench.commands import IMPORTS, edge, run
from bench.context import Context, size_name
from bench.report import Row, shown, times_over

COMMANDS = {
    "voz list --open": ("voz", "list", "--open"),
    "voz list": ("voz", "list"),
    "status": ("status",),
    "hook session-start": ("hook", "session-start"),
}
_BAR = 2.2
_EMPTY = "hook session-start, empty"
_HOOK_BAR = 1.5


def measure(context: Context) -> list[Row]:
    size = 1_000
    home = context.histories.home(size)
    with tempfile.TemporaryDirectory() as place:
        empty = Path(place) / "home"
        run(edge(empty, "init", "--group", "bench", "--store", place))
        run(edge(empty, "status"))
        contenders = [Contender("imports", lambda _: run(IMPORTS))]
        contenders += [Contender(name, _running(edge(home, *args))) for name, args in COMMANDS.items()]
        contenders.append(Contender(_EMPTY, _running(edge(empty, "hook", "session-start"))))
        times = timed(contenders, context.rounds)
    named = [(f"`edge {name}`, whole process", name, _BAR, size_name(size)) for name in COMMANDS]
    named.append(("`edge hook session-start`, whole process", _EMPTY, _HOOK_BAR, "an empty store"))
    rows = []
    for said, name, bar, sizes in named:
        ratio = times_over(times[name], times["imports"])
        rows.append(
            Row(
                "P7",
                said,
                shown(times[name]),
                floor=shown(times["imports"]),
                ratio=f"{ratio:.2f}×",
                bar=f"≤ {bar}× importing typer, pydantic, sqlite3",
                met=ratio <= bar,
                sizes=sizes,
            )
        )
    return rows


def _running(command: list[str]) -> Callable[[object], object]:
    return lambda _prepared: run(command)
