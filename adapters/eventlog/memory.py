"""A log in memory, for specs: the same contract, gone with its process."""

from __future__ import annotations

import threading
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from adapters.eventlog.batch import Row, decoded, encoded
from adapters.eventlog.polling import PollingSubscription
from edge.domain.events import NO_STREAM, Appended, Event, NewEvent
from edge.domain.refusal import Failed
from edge.domain.streams import category
from edge.ports import WrongRevision


class _Stored(NamedTuple):
    position: int
    stream: str
    revision: int
    row: Row

    def event(self) -> Event:
        id_, type_, metadata, data = self.row
        return Event(id_, type_, self.stream, self.revision, self.position, decoded(data), decoded(metadata))


class MemoryEventLog:
    """An :class:`~edge.ports.EventLog` without a file. Events are kept as JSON text, so that
    nothing comes back which a real log could not give. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Both only ever grow, and truncation replaces them: a read keeps what it began with.
        self._all: list[_Stored] = []
        self._streams: dict[str, list[_Stored]] = {}
        self._closed = False
        self._subscriptions: weakref.WeakSet[PollingSubscription] = weakref.WeakSet()

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        rows = encoded(events)
        with self._lock:
            self._check_open()
            standing = self._streams.get(stream, [])
            current = standing[-1].revision if standing else NO_STREAM
            if current != expected:
                return self._standing(stream, rows, expected, current)
            stored = []
            position = self._all[-1].position if self._all else 0
            for revision, row in enumerate(rows, expected + 1):
                position += 1 + position % 7  # uneven gaps: nobody may count or add positions
                stored.append(_Stored(position, stream, revision, row))
            self._all.extend(stored)
            self._streams.setdefault(stream, []).extend(stored)
            return Appended(stored[-1].revision, position, written=True)

    def _standing(self, stream: str, rows: list[Row], expected: int, current: int) -> Appended:
        last = expected + len(rows)
        found = [s for s in self._streams.get(stream, []) if expected < s.revision <= last]
        if [s.row.id for s in found] != [row.id for row in rows]:
            raise WrongRevision(stream, expected, current)
        return Appended(last, found[-1].position, written=False)

    def read(
        self,
        stream: str,
        *,
        from_revision: int | None = None,
        backwards: bool = False,
        limit: int | None = None,
    ) -> Iterator[Event]:
        with self._lock:
            self._check_open()
            stored = self._streams.get(stream, [])
            first, end = 0, len(stored)
        if from_revision is not None and backwards:
            end = bisect_right(stored, from_revision, 0, end, key=lambda s: s.revision)
        elif from_revision is not None:
            first = bisect_left(stored, from_revision, 0, end, key=lambda s: s.revision)
        return (stored[i].event() for i in islice(_indexes(first, end, backwards), limit))

    def read_all(
        self,
        *,
        after: int | None = None,
        before: int | None = None,
        categories: Sequence[str] | None = None,
        types: Sequence[str] | None = None,
        backwards: bool = False,
        limit: int | None = None,
    ) -> Iterator[Event]:
        with self._lock:
            self._check_open()
            stored, first, end = self._all, 0, len(self._all)
        if after is not None:
            first = bisect_right(stored, after, 0, end, key=lambda s: s.position)
        if before is not None:
            end = bisect_left(stored, before, 0, end, key=lambda s: s.position)
        found = (
            stored[i]
            for i in _indexes(first, end, backwards)
            if (categories is None or category(stored[i].stream) in categories)
            and (types is None or stored[i].row.type in types)
        )
        return (s.event() for s in islice(found, limit))

    def subscribe(
        self, *, after: int | None = None, categories: Sequence[str] | None = None
    ) -> PollingSubscription:
        subscription = PollingSubscription(self, after, categories)
        with self._lock:
            self._subscriptions.add(subscription)
        return subscription

    def head(self) -> int:
        with self._lock:
            self._check_open()
            return self._all[-1].position if self._all else 0

    def truncate_before(self, stream: str, revision: int) -> None:
        with self._lock:
            self._check_open()
            standing = self._streams.get(stream, [])
            current = standing[-1].revision if standing else NO_STREAM
            if revision > max(current, 0):  # the last event stays: it holds the stream's revision
                raise Failed(f"stream {stream} ends at revision {current}, before {revision}")
            self._streams[stream] = [s for s in standing if s.revision >= revision]
            self._all = [s for s in self._all if s.stream != stream or s.revision >= revision]

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for subscription in list(self._subscriptions):
                subscription.stop()

    def _check_open(self) -> None:
        if self._closed:
            raise Failed("the log was closed")


def _indexes(first: int, end: int, backwards: bool) -> range:
    return range(end - 1, first - 1, -1) if backwards else range(first, end)
