"""Reads: of one stream or of all, resumed where a connection is lost, ending where they began."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from esdbclient import RecordedEvent
from esdbclient import exceptions as esdb

from adapters.eventlog.eventstoredb.connection import Connection, Node
from adapters.eventlog.eventstoredb.errors import ConnectionLostError, no_such_position
from adapters.eventlog.eventstoredb.events import Filter, event_of
from edge.domain.events import Event

UNLIMITED: Final = sys.maxsize


def read_stream(
    connection: Connection, stream: str, start: int | None, backwards: bool, limit: int | None
) -> Iterator[Event]:
    """A stream's events as it stood when reading began; a missing stream is empty."""
    timeout = connection.timeout
    end: int | None = None  # the last revision there was, where a forward read must stop
    left = UNLIMITED if limit is None else limit

    def opened(node: Node, last: RecordedEvent | None) -> Iterator[RecordedEvent]:
        nonlocal end
        first = start if last is None else last.stream_position + (-1 if backwards else 1)
        if first is not None and first < 0:
            return
        endless = not backwards and end is None and left > 1
        # Both requests go out before either is answered: they cost one round trip.
        tail = node.read(stream_name=stream, backwards=True, limit=1, timeout=timeout) if endless else None
        with node.read(
            stream_name=stream, stream_position=first, backwards=backwards, limit=left, timeout=timeout
        ) as response:
            for newest in tail or ():
                end = newest.stream_position
            for record in response:
                if end is not None and record.stream_position > end:
                    return
                yield record
        if node.retired:
            raise ConnectionLostError("the connection was closed")

    try:
        for record in connection.events(opened):
            left -= 1
            yield event_of(record)
            if not left or record.stream_position == end:
                return
    except esdb.NotFound:
        return


def read_all(
    connection: Connection,
    after: int | None,
    before: int | None,
    wanted: Filter,
    backwards: bool,
    limit: int | None,
) -> Iterator[Event]:
    """Events of all streams, strictly between two positions, as the log stood when reading began."""
    reading = _AllReading(connection, after, before, wanted, backwards, limit)
    left = limit
    for record in connection.events(reading.opened):
        position = record.commit_position or 0
        if reading.is_past(position):
            return
        if (after is not None and position <= after) or (before is not None and position >= before):
            continue  # the server's bounds are inclusive forwards
        if wanted.wants(record):
            yield event_of(record)
            if left is not None:
                left -= 1
                if not left:
                    return


class _AllReading:
    """A read of ``$all``, opened as often as it takes."""

    def __init__(
        self,
        connection: Connection,
        after: int | None,
        before: int | None,
        wanted: Filter,
        backwards: bool,
        limit: int | None,
    ) -> None:
        self._timeout = connection.timeout
        self._after, self._before = after, before
        self._wanted = wanted
        self._backwards = backwards
        self._start = (before if backwards else after) or None
        self._page = UNLIMITED if limit is None else limit + 1
        self._tail: int | None = None

    def is_past(self, position: int) -> bool:
        """Whether all that is wanted stands before this."""
        if self._backwards:
            return self._after is not None and position <= self._after
        if self._tail is not None and position > self._tail:
            return True
        return self._before is not None and position >= self._before

    def opened(self, node: Node, last: RecordedEvent | None) -> Iterator[RecordedEvent]:
        """The records from where the read stands; page by page where only few are wanted."""
        if last is not None:
            self._start = last.commit_position
        if self._tail is None and not self._backwards:
            self._tail = node.tail(self._timeout)
        while True:
            got = 0
            try:
                for record in self._read(node):
                    # Forwards the server begins with the record it is to go on after.
                    if self._backwards or last is None or record.commit_position != last.commit_position:
                        yield record
                    got, last = got + 1, record
            except (esdb.UnknownError, esdb.GrpcError) as error:
                if last is not None or self._start is None or not no_such_position(error):
                    raise
                self._start = None  # between two records: found by reading from the end instead
                continue
            if last is None or got < self._page:
                return
            self._start, self._page = last.commit_position, self._page * 2

    def _read(self, node: Node) -> Iterator[RecordedEvent]:
        return node.records(
            commit_position=self._start,
            backwards=self._backwards,
            limit=self._page,
            timeout=self._timeout,
            **self._wanted.options(),
        )
