"""P4: a first sweep of a store of transcripts, against decoding its lines and nothing more."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import transcripts
from bench.clock import Contender, peak_memory, timed
from bench.context import Context
from bench.report import Row, shown, times_over
from edge.init import initialise
from edge.settings import Settings
from edge.wiring import Edge

FILES, SIZE = 74, 150_000_000
QUICK_FILES, QUICK_SIZE = 15, 30_000_000
_BAR = 3.5
_MEMORY_BAR = 120


def measure(context: Context) -> list[Row]:
    root = context.memory / "transcripts"
    files, asked = (QUICK_FILES, QUICK_SIZE) if context.quick else (FILES, SIZE)
    size = transcripts.store(root, files, asked)
    fresh = Homes(context.memory, root)
    times = timed(
        [
            Contender("edge", sweep, fresh.make, shutil.rmtree),
            Contender("loads", lambda _: _decoded(root)),
        ],
        context.rounds,
    )
    home = fresh.make(None)
    peak = _peak(home)
    shutil.rmtree(home)
    shutil.rmtree(root)
    ratio = times_over(times["edge"], times["loads"])
    sizes = f"{size / 1e6:.0f} MB in {files} files"
    return [
        Row(
            "P4",
            "cold sweep, redaction included",
            shown(times["edge"]),
            floor=f"{shown(times['loads'])} json.loads over every line",
            ratio=f"{ratio:.2f}×",
            bar=f"≤ {_BAR}×",
            met=ratio <= _BAR,
            sizes=sizes,
        ),
        Row(
            "P4",
            "peak memory of a process that sweeps",
            f"{peak:.0f} MB",
            bar=f"≤ {_MEMORY_BAR} MB",
            met=peak <= _MEMORY_BAR,
            sizes=sizes,
        ),
    ]


class Homes:
    """Installs that never swept, over one store."""

    def __init__(self, directory: Path, root: Path) -> None:
        self._directory = directory
        self._root = root
        self._made = 0

    def make(self, _prepared: object = None) -> Path:
        self._made += 1
        home = self._directory / f"sweep-{self._made}"
        initialise(Settings(home=home, group="bench", root=str(self._root)))
        return home


def sweep(home: Path) -> dict[str, object]:
    with contextlib.closing(Edge.at_home(home)) as edge:
        return edge.sweep()


def _decoded(root: Path) -> int:
    return sum(1 for line in _lines(root) if json.loads(line))


def _lines(root: Path) -> Iterator[bytes]:
    for path in sorted(root.rglob("*.jsonl")):
        with path.open("rb") as file:
            yield from file


def _peak(home: Path) -> float:
    """MB at the peak of a process of its own that sweeps."""
    said = subprocess.run(
        [sys.executable, "-m", "bench.p4_sweep", str(home)], check=True, capture_output=True, text=True
    )
    return float(said.stdout)


if __name__ == "__main__":
    done = sweep(Path(sys.argv[1]))
    assert done["turns"], "the sweep found nothing"
    print(peak_memory())
