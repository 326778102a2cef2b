"""Reads and subscriptions: of a stream or of all, either way, filtered, with links resolved."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from esdbclient.protos.Grpc import streams_pb2

from tests.support.esdb.faults import Faults
from tests.support.esdb.messages import (
    BadRequestError,
    caught_up,
    checkpoint,
    confirmation,
    delivered,
    not_found,
)
from tests.support.esdb.records import Record, Records, TombstonedError

PAGE = 200
BEYOND = 2**62

Response = streams_pb2.ReadResp
Open = Callable[[], bool]
"""Whether somebody still listens."""


class InvalidPositionError(Exception):
    """A position at which no record begins."""


def responses(records: Records, faults: Faults, options: Any, is_open: Open) -> Iterator[Response]:
    """The answer to a Read request. Raises where a server would refuse it."""
    subscribing = options.WhichOneof("count_option") == "subscription"
    backwards = options.read_direction == streams_pb2.ReadReq.Options.Backwards
    filtering = options.WhichOneof("filter_option") == "filter"
    if options.WhichOneof("stream_option") == "stream":
        if filtering:
            raise BadRequestError("a stream is not filtered")
        reading: Any = _StreamReading(records, options, backwards)
    else:
        reading = _AllReading(records, options, backwards)
    if not subscribing:
        if not options.count:
            raise BadRequestError("a count of 0")
        found: Iterator[Response] = reading.read(options.count)
        return found
    if backwards:
        raise BadRequestError("a subscription goes forwards")
    return _followed(records, faults, reading, options.filter if filtering else None, is_open)


def _followed(
    records: Records, faults: Faults, reading: Any, filtering: Any, is_open: Open
) -> Iterator[Response]:
    """Catch up, say so, go on live. Checkpoints are for filtered subscriptions only."""
    interval = (filtering.max or 32) * filtering.checkpointIntervalMultiplier if filtering else 0
    if filtering and not interval:
        raise BadRequestError("a checkpoint interval of 0")
    yield confirmation(str(uuid.uuid4()))
    considered, last, told, live = 0, 0, 0, False
    while is_open():
        page = reading.page()
        for record in page:
            considered, last = considered + 1, record.position
            if reading.wants(record):
                yield reading.delivery(record)
            if interval and considered % interval == 0:
                told = last
                yield checkpoint(last)
        if page:
            continue
        if not live:
            live = True
            if interval and last > told and not faults.quiet:
                yield checkpoint(last)
            yield caught_up()
        with records.changed:
            if not reading.page(peek=True):
                records.changed.wait(0.1)


class _StreamReading:
    def __init__(self, records: Records, options: Any, backwards: bool) -> None:
        self._records = records
        self._backwards = backwards
        self._resolve = options.resolve_links
        self._stream = options.stream.stream_identifier.stream_name.decode()
        if not self._stream:
            raise BadRequestError("a stream without a name")
        where = options.stream.WhichOneof("revision_option")
        self._start = options.stream.revision if where == "revision" else 0
        subscribing = options.WhichOneof("count_option") == "subscription"
        if where == "end":
            self._start = records.last_revision(self._stream) + (1 if subscribing else 0)
        elif subscribing and where == "revision":
            self._start += 1  # a subscription begins after what it is given
        if records.tombstoned(self._stream):
            raise TombstonedError(self._stream)

    def read(self, count: int) -> Iterator[Response]:
        if self._records.last_revision(self._stream) < 0 or self._records.soft_deleted(self._stream):
            yield not_found(self._stream)
            return
        while count > 0 and self._start >= 0:
            page = self._page(min(PAGE, count))
            if not page:
                return
            for record in page:
                yield self.delivery(record)
            count -= len(page)
            self._start = page[-1].revision + (-1 if self._backwards else 1)

    def _page(self, most: int) -> list[Record]:
        return self._records.in_stream(self._stream, self._start, self._backwards, most)

    def page(self, peek: bool = False) -> list[Record]:
        page = self._page(1 if peek else PAGE)
        if page and not peek:
            self._start = page[-1].revision + 1
        return page

    def wants(self, _record: Record) -> bool:
        return True

    def delivery(self, record: Record) -> Response:
        return delivered(record, _target(self._records, record), self._resolve)


class _AllReading:
    def __init__(self, records: Records, options: Any, backwards: bool) -> None:
        self._records = records
        self._backwards = backwards
        self._resolve = options.resolve_links
        self.wants = _filter(options)
        where = options.all.WhichOneof("all_option")
        position = options.all.position.commit_position
        subscribing = options.WhichOneof("count_option") == "subscription"
        if where == "position":
            last = records.last_position()
            if 0 < position <= last and not records.has_position(position):
                raise InvalidPositionError
            self._start = position + (1 if subscribing and position else 0)
        elif where == "end":
            self._start = BEYOND if backwards else records.last_position() + 1
        else:
            self._start = 0

    def read(self, count: int) -> Iterator[Response]:
        while True:
            page = self._page(PAGE)
            if not page:
                return
            for record in page:
                if self.wants(record):
                    yield self.delivery(record)
                    count -= 1
                    if not count:
                        return
            self._start = page[-1].position + (0 if self._backwards else 1)

    def _page(self, most: int) -> list[Record]:
        return self._records.in_all(self._start, self._backwards, most)

    def page(self, peek: bool = False) -> list[Record]:
        page = self._page(1 if peek else PAGE)
        if page and not peek:
            self._start = page[-1].position + 1
        return page

    def delivery(self, record: Record) -> Response:
        return delivered(record, _target(self._records, record), self._resolve)


def _target(records: Records, record: Record) -> Record | None:
    if record.type != "$>":
        return None
    revision, _, stream = record.data.decode().partition("@")
    return records.at(stream, int(revision)) if revision.isdecimal() else None


def _filter(options: Any) -> Callable[[Record], bool]:
    """What a read wants; a filter looks at the link, not at what it leads to."""
    if options.WhichOneof("filter_option") != "filter":
        return lambda _record: True
    by = options.filter.WhichOneof("filter")
    if by is None:
        raise BadRequestError("a filter without an expression")
    expression = getattr(options.filter, by)
    prefixes, pattern = tuple(expression.prefix), re.compile(expression.regex)

    def wanted(record: Record) -> bool:
        value = record.stream if by == "stream_identifier" else record.type
        return value.startswith(prefixes) if prefixes else bool(pattern.search(value))

    return wanted
