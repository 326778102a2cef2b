"""How much is tried: what every run of the tests has time for, or many times that, for ``make soak``."""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import Final

_GIVEN: Final = os.environ.get("SOAK_SEED")
SOAKING: Final = _GIVEN is not None
SEED: Final = int(_GIVEN or 0)
"""What chance begins with; the same in each run that is no soak."""

_COUNTS: Final[Counter[str]] = Counter()


def more(times: int, factor: int = 10) -> int:
    """``times``, or so many times that where there is time."""
    return times * factor if SOAKING else times


def every(nth: int) -> int:
    """Every ``nth`` of all that could be tried, or all of it where there is time."""
    return 1 if SOAKING else nth


def chance_of(name: str) -> Random:
    """Chance for what has that name; the same in each process that has the same seed."""
    return Random(f"{SEED} {name}")


def counted(what: str, n: int) -> None:
    """Something was tried so many times; the end of the run adds all of it up."""
    _COUNTS[what] += n


def taken() -> list[tuple[str, object]]:
    """What was counted since this was asked last."""
    found: list[tuple[str, object]] = [*_COUNTS.items()]
    _COUNTS.clear()
    return found
