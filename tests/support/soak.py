"""How much is tried: what every run of the tests has time for, or many times that, for ``make soak``."""

from __future__ import annotations

import os
from collections import Counter
from typing import Final

_GIVEN: Final = os.environ.get("SOAK_SEED")
SOAKING: Final = _GIVEN is not None
SEED: Final = int(_GIVEN or 0)
"""What chance begins with; the same in each run that is no soak."""

_COUNTS: Final[Counter[str]] = Counter()


def more(times: int, factor: int = 10) -> int:
    """``times``, or so many times that where there is time."""
    return times * factor if SOAKING else times


def counted(what: str, n: int) -> None:
    """Something was tried so many times; the end of the run adds all of it up."""
    _COUNTS[what] += n


def taken() -> list[tuple[str, object]]:
    """What was counted since this was asked last."""
    found: list[tuple[str, object]] = [*_COUNTS.items()]
    _COUNTS.clear()
    return found
