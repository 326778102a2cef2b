"""How much is tried: what every run of the tests has time for, or many times that, for ``make soak``.

What was tried is counted by ``record_property``; the end of a run adds the counts up.
"""

from __future__ import annotations

import os
from typing import Final

_GIVEN: Final = os.environ.get("SOAK_SEED")
SOAKING: Final = _GIVEN is not None
SEED: Final = int(_GIVEN or 0)
"""What chance begins with; the same in each run that is no soak."""


def more(times: int, factor: int = 10) -> int:
    """``times``, or so many times that where there is time."""
    return times * factor if SOAKING else times
