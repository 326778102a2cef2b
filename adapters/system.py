"""The machine's clock and its source of ids."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from uuid import UUID


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still, for runs that must give the same bytes again."""

    def __init__(self, at: datetime) -> None:
        self._at = at.astimezone(UTC)

    def now(self) -> datetime:
        return self._at


class TimeOrderedIds:
    """UUIDs of version 7: 48 bits of milliseconds, then randomness, so that an index grows at its end."""

    def new(self) -> str:
        value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
        value = value & ~(0xF << 76) | 0x7 << 76
        value = value & ~(0x3 << 62) | 0x2 << 62
        return str(UUID(int=value))
