"""What the double does wrong, when it is told to."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, Literal

import grpc

When = Literal["before", "after"]


@dataclass
class Fault:
    """Strikes the calls of one kind: after ``skip`` of them, ``count`` times (None: always)."""

    on: Literal["append", "read"]
    code: str = "UNAVAILABLE"
    details: str = "injected"
    when: When = "before"
    """For an append: before or after it is committed."""
    skip: int = 0
    count: int | None = 1
    after: int = 0
    """For a read: how many messages go out first."""
    delay: float = 0.0
    """Seconds it takes; with code OK nothing else happens."""

    @property
    def status(self) -> Any:
        return grpc.StatusCode[self.code]


@dataclass
class Faults:
    """The faults to come, and which node is said to lead."""

    planned: list[Fault] = field(default_factory=list)
    leader: tuple[str, int] | None = None
    """Another node: this one is a follower then, and says so to who requires the leader."""
    quiet: bool = False
    """Send no checkpoint before CaughtUp, as some server versions do not."""
    drops: int = 0
    """How often every open subscription was dropped."""
    open: int = 0
    """How many subscriptions are open."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, on: str) -> Fault | None:
        """The fault that strikes this call."""
        with self.lock:
            for fault in self.planned:
                if fault.on != on:
                    continue
                if fault.skip:
                    fault.skip -= 1
                    continue
                if fault.count is not None:
                    fault.count -= 1
                    if not fault.count:
                        self.planned.remove(fault)
                return fault
        return None
