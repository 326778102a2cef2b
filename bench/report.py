"""What was measured, as the Markdown of ``RESULTS.md``."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from bench.clock import Times


@dataclass
class Row:
    """One line of the table. ``met`` None: there is no bar, the figure is reported only."""

    measure: str
    what: str
    ours: str
    floor: str = ""
    peer: str = ""
    ratio: str = ""
    bar: str = ""
    met: bool | None = None
    sizes: str = ""


def shown(times: Times) -> str:
    """Least and median CPU, and the wall clock beside them."""
    return f"{span(times.least)} / {span(times.median)} ({span(times.wall_median)})"


def span(seconds: float) -> str:
    """Seconds in the unit that keeps three digits readable."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} µs"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def times_over(ours: Times, other: Times) -> float:
    """How many times as much CPU ours takes: the median over the rounds, each a pair run in turn."""
    return statistics.median(a / b for a, b in zip(ours.cpu, other.cpu, strict=True))


def document(rows: Sequence[Row], command: str, notes: Sequence[str]) -> str:
    """The whole of ``RESULTS.md``."""
    head = ("measure", "what", "ours", "floor", "peer", "ratio", "bar", "result", "sizes")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        result = "reported" if row.met is None else "met" if row.met else "**missed**"
        cells = (row.measure, row.what, row.ours, row.floor, row.peer, row.ratio, row.bar, result, row.sizes)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    parts = [
        "# Measured",
        f"`{command}`",
        "Times are CPU of the process and its children, least / median of 5 rounds in which each"
        " contender ran in turn, wall-clock median in brackets; a ratio is the median of the rounds' own"
        " ratios. Files on memory where the row does not say disk.",
        _versions(),
        "\n".join(lines),
    ]
    if notes:
        parts.append("## Notes\n\n" + "\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts) + "\n"


def _versions() -> str:
    import apsw

    names = ("apsw", "esdbclient", "eventsourcing", "pydantic", "typer")
    found = [f"Python {platform.python_version()}", f"SQLite {apsw.sqlite_lib_version()}"]
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    machine = f"{os.cpu_count()} CPUs, {platform.system()} {platform.machine()}"
    return f"{', '.join(found)}; {machine}, load {os.getloadavg()[2]:.1f} in the last quarter of an hour"
