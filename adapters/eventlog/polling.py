"""A subscription to a log in this process: it looks at the head, reads up to it, and waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Final

from edge.domain.events import Event
from edge.domain.refusal import Failed
from edge.ports import CaughtUp, Checkpoint, EventLog

POLL_SECONDS: Final = 0.025
"""How long an event may stand in the log before a waiting subscription sees it."""

PAGE: Final = 64
"""Events read at a time. Between pages no read is open, so a slow consumer never keeps the
log from shrinking, and at most this many appends' worth of memory is held."""


class PollingSubscription:
    """Everything after a position, then what comes.

    Checkpoints are given only at a head, which is always the end of an append, and only once
    all that matched before it has been delivered.
    """

    def __init__(self, log: EventLog, after: int | None, categories: Sequence[str] | None) -> None:
        self._log = log
        self._position = after or 0
        self._categories = categories
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End the iteration, at once where it waits. Callable from any thread, more than once."""
        self._stopped.set()

    def __iter__(self) -> Iterator[Event | CaughtUp | Checkpoint]:
        try:
            yield from self._followed()
        except Failed:
            if not self._stopped.is_set():  # closing the log stops its subscriptions first
                raise

    def _followed(self) -> Iterator[Event | CaughtUp | Checkpoint]:
        caught_up = False
        while not self._stopped.is_set():
            head = self._log.head()
            if head > self._position:
                yield from self._up_to(head)
            if self._stopped.is_set():
                return
            if not caught_up:
                caught_up = True
                self._position = max(self._position, head)
                yield CaughtUp(self._position)
            elif head > self._position:
                self._position = head
                yield Checkpoint(head)
            self._stopped.wait(POLL_SECONDS)

    def _up_to(self, head: int) -> Iterator[Event]:
        """What matches after the position up to the head, page by page."""
        full = True
        while full:
            page = list(
                self._log.read_all(
                    after=self._position, before=head + 1, categories=self._categories, limit=PAGE
                )
            )
            full = len(page) == PAGE
            for event in page:
                if self._stopped.is_set():
                    return
                self._position = event.position
                yield event
