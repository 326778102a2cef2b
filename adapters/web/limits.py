"""How often something may be done: a bucket of turns that fills again with time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

MOST_KEYS: Final = 1_024


class Limit:
    """At most ``burst`` at once and ``per_minute`` in the long run, for each key on its own.

    Counts on the monotonic clock: a changed clock neither locks out nor lets in.
    """

    def __init__(self, burst: int, per_minute: float, now: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._rate = per_minute / 60
        self._now = now
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> bool:
        """Whether there is a turn left; it is used up then."""
        now = self._now()
        with self._lock:
            left, since = self._left.pop(key, (float(self._burst), now))
            left = min(self._burst, left + (now - since) * self._rate)
            allowed = left >= 1
            self._left[key] = (left - 1 if allowed else left, now)
            if len(self._left) > MOST_KEYS:
                del self._left[next(iter(self._left))]  # the one used longest ago
        return allowed
