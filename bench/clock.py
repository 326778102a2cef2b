"""CPU time of this process and its children, each contender in turn so that noise falls on all."""

from __future__ import annotations

import gc
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROUNDS = 5


def _nothing() -> None:
    return None


@dataclass
class Contender:
    """Something to be timed. ``prepare`` is not timed; ``run`` gets what it made, ``clear`` ends it.

    ``units`` is how many things one run does: times are given per unit.
    """

    name: str
    run: Callable[[Any], object]
    prepare: Callable[[], Any] = _nothing
    clear: Callable[[Any], object] = lambda _prepared: None
    units: int = 1


@dataclass
class Times:
    """Seconds per unit, one of each a round."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    @property
    def least(self) -> float:
        return min(self.cpu)

    @property
    def median(self) -> float:
        return statistics.median(self.cpu)

    @property
    def wall_median(self) -> float:
        return statistics.median(self.wall)


def cpu() -> float:
    """CPU seconds spent so far by this process and by children it has waited for."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(contenders: Sequence[Contender], rounds: int = ROUNDS) -> dict[str, Times]:
    """Every contender once a round, in turn; what the first round warms is left out."""
    times = {contender.name: Times() for contender in contenders}
    for nth in range(rounds + 1):
        for contender in contenders:
            spent = _once(contender)
            if nth:
                times[contender.name].cpu.append(spent[0] / contender.units)
                times[contender.name].wall.append(spent[1] / contender.units)
    return times


def _once(contender: Contender) -> tuple[float, float]:
    prepared = contender.prepare()
    gc.collect()
    wall_before, cpu_before = time.perf_counter(), cpu()
    contender.run(prepared)
    spent = cpu() - cpu_before, time.perf_counter() - wall_before
    contender.clear(prepared)
    return spent


def peak_memory() -> float:
    """This process's peak in MB: since it began to run this program, where the system tells that."""
    status = Path("/proc/self/status")
    if status.exists():
        told = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(told.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
