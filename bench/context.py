"""What every measure gets: sizes to measure at, histories, and a place to write."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from bench.clock import ROUNDS
from bench.histories import SIZES, Histories


@dataclass
class Context:
    """``quick`` stays at 1k and 100k events and smaller stores."""

    memory: Path
    """Where files do not wait for a disk, if the machine has such a place."""
    disk: Path
    quick: bool
    histories: Histories
    rounds: int = ROUNDS
    notes: list[str] = field(default_factory=list)

    @property
    def sizes(self) -> tuple[int, ...]:
        return (SIZES[0], SIZES[2]) if self.quick else SIZES

    @property
    def largest(self) -> int:
        return self.sizes[-1]


def size_name(events: int) -> str:
    return f"{events // 1_000_000}M" if events >= 1_000_000 else f"{events // 1_000}k"
