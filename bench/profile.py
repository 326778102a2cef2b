"""Where the time of a missed bar goes: samples of the running function, some hundred a second.

What C code takes (SQLite, JSON) counts for the Python function that called it or the next one.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Final

SHOWN: Final = 12


def shares(works: Iterable[Callable[[], object]]) -> str:
    """The functions in which the works were most often met, with their share.

    What happens between one work and the next, as they are drawn, is not looked at.
    """
    met: Counter[str] = Counter()

    def on_tick(_signal: int, frame: FrameType | None) -> None:
        if frame is not None:
            met[f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_name}"] += 1

    before = signal.signal(signal.SIGPROF, on_tick)
    try:
        for work in works:
            signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
            work()
            signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    total = sum(met.values()) or 1
    return ", ".join(f"{name} {100 * n / total:.0f} %" for name, n in met.most_common(SHOWN))
