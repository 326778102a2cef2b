"""P5: a sweep of a large store in which nothing changed, against walking and stat-ing it."""

from __future__ import annotations

import contextlib
import os
import shutil

from bench import transcripts
from bench.clock import Contender, timed
from bench.context import Context
from bench.p4_sweep import Homes
from bench.report import Row, shown, times_over
from edge.wiring import Edge

FILES, QUICK_FILES = 10_000, 1_000
_BAR = 5.0


def measure(context: Context) -> list[Row]:
    root = context.memory / "many"
    files = QUICK_FILES if context.quick else FILES
    transcripts.many(root, files)
    home = Homes(context.memory, root).make()
    with contextlib.closing(Edge.at_home(home)) as edge:
        first = edge.sweep()
        assert first["turns"], "the first sweep found nothing"

        def again(_prepared: object) -> None:
            swept = edge.sweep()
            assert not swept["bytes"], "a sweep with nothing new read something"

        times = timed(
            [Contender("edge", again), Contender("walk", lambda _: _walked(str(root)))], context.rounds
        )
    shutil.rmtree(root)
    shutil.rmtree(home)
    ratio = times_over(times["edge"], times["walk"])
    return [
        Row(
            "P5",
            "sweep with nothing new",
            shown(times["edge"]),
            floor=f"{shown(times['walk'])} walk and stat",
            ratio=f"{ratio:.2f}×",
            bar=f"≤ {_BAR:g}×",
            met=ratio <= _BAR,
            sizes=f"{files:,} transcripts, a third of them autonomous",
        )
    ]


def _walked(top: str) -> int:
    """Every file below, with its size and time: what anything must do that looks for changes."""
    total = 0
    directories = [top]
    while directories:
        with os.scandir(directories.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    directories.append(entry.path)
                elif entry.name.endswith(".jsonl"):
                    total += entry.stat().st_size
    return total
