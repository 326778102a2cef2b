"""Events, streams and a follower for tests of a log."""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from edge.domain.events import Event, NewEvent
from edge.ports import CaughtUp, Checkpoint, EventLog

PATIENCE = 20.0
"""Seconds after which a test that waits has failed; none of them takes a fraction of it."""


def event(type_: str = "probe.noted", **data: Any) -> NewEvent:
    return NewEvent(str(uuid.uuid4()), type_, data, {"actor": "operator", "batch": [0, 1]})


def events(count: int, type_: str = "probe.noted") -> list[NewEvent]:
    return [event(type_, n=n)._replace(metadata={"batch": [n, count]}) for n in range(count)]


def fresh_category() -> str:
    return f"probe{uuid.uuid4().hex[:12]}"


def fresh_stream(category: str | None = None) -> str:
    return f"{category or fresh_category()}-g.{uuid.uuid4().hex}"


def ids(found: Iterator[Event] | Sequence[NewEvent]) -> list[str]:
    return [e.id for e in found]


class Follower:
    """A subscription read in a thread of its own; what it delivers is waited for, never slept for."""

    def __init__(self, log: EventLog, after: int | None, categories: Sequence[str] | None) -> None:
        self.subscription = log.subscribe(after=after, categories=categories)
        self.delivered: queue.Queue[Event | CaughtUp | Checkpoint | None] = queue.Queue()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        for item in self.subscription:
            self.delivered.put(item)
        self.delivered.put(None)

    def next(self) -> Event | CaughtUp | Checkpoint | None:
        return self.delivered.get(timeout=PATIENCE)

    def until_caught_up(self) -> tuple[list[Event | CaughtUp | Checkpoint | None], int]:
        before: list[Event | CaughtUp | Checkpoint | None] = []
        while not isinstance(item := self.next(), CaughtUp):
            before.append(item)
        return before, item.position

    def next_event(self) -> Event:
        while not isinstance(item := self.next(), Event):
            assert isinstance(item, Checkpoint), f"{item} instead of an event"
        return item

    def stop(self) -> None:
        self.subscription.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
