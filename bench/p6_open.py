"""P6: ``edge open`` with nothing new, from an interpreter's start to its end."""

from __future__ import annotations

from bench.clock import Contender, Times, timed
from bench.commands import IMPORTS, edge, run
from bench.context import Context, size_name
from bench.report import Row, shown, span, times_over

_BAR = 5.0


def measure(context: Context) -> list[Row]:
    by_size: dict[int, Times] = {}
    imports: dict[int, Times] = {}
    for size in context.sizes:
        with context.histories.copy(size) as home:
            command = edge(home, "open", "report")
            times = timed(
                [
                    Contender("imports", lambda _: run(IMPORTS)),
                    Contender("open", lambda _, command=command: run(command)),  # type: ignore[misc]
                ],
                context.rounds,
            )
        by_size[size], imports[size] = times["open"], times["imports"]
    at = 100_000
    ratio, flat = times_over(by_size[at], imports[at]), _flatness(context, by_size, imports)
    sizes = "nothing new: no transcript changed, no event since the last fold"
    return [
        Row(
            "P6",
            f"`edge open`, whole process, {size_name(at)} events",
            shown(by_size[at]),
            floor=shown(imports[at]),
            ratio=f"{ratio:.2f}×",
            bar=f"≤ {_BAR:g}× importing typer, pydantic, sqlite3",
            met=ratio <= _BAR,
            sizes=sizes,
        ),
        Row(
            "P6",
            "the same, flat",
            " · ".join(f"{size_name(size)}: {span(times.least)}" for size, times in by_size.items()),
            ratio=f"{flat:.2f}",
            bar=f"{size_name(context.largest)} ≤ 1.5 × 1k, each over its own floor",
            met=flat <= 1.5,
            sizes=sizes,
        ),
    ]


def _flatness(context: Context, opened: dict[int, Times], imports: dict[int, Times]) -> float:
    """How much dearer the largest is, each measured against the imports timed beside it."""
    small, large = context.sizes[0], context.largest
    return times_over(opened[large], imports[large]) / times_over(opened[small], imports[small])
