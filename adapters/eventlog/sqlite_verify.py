"""What can be wrong with an embedded log, looked at row by row."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

import apsw

from adapters.eventlog.batch import decoded
from edge.domain.events import Event, batch_of

MOST: Final = 100
"""Problems told at most: a damaged log has no end of them."""


def problems(connection: apsw.Connection) -> list[str]:
    """The log's faults, a line each, at most :data:`MOST`. Reads the whole log."""
    found: list[str] = []
    try:
        for problem in itertools.chain(_file(connection), _revisions(connection), _batches(connection)):
            found.append(problem)
            if len(found) == MOST:
                break
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
        found.append(f"file: {error}; what follows cannot be read")
    return found


def _file(connection: apsw.Connection) -> Iterator[str]:
    for (line,) in connection.execute(f"PRAGMA integrity_check({MOST})"):
        if line != "ok":
            yield f"file: {line}"


def _revisions(connection: apsw.Connection) -> Iterator[str]:
    """Gaps inside a stream; its front may be truncated."""
    query = "SELECT stream, min(revision), max(revision), count(*) FROM event GROUP BY stream"
    for stream, first, last, count in connection.execute(query):
        if count != last - first + 1:
            yield f"stream {stream}: {count} events stand between revisions {first} and {last}"


def _batches(connection: apsw.Connection) -> Iterator[str]:
    """Appends that are not whole, and what the log begins with."""
    last: Event | None = None
    rows = connection.execute(
        "SELECT id, type, stream, revision, position, metadata,"
        " EXISTS (SELECT 1 FROM event AS earlier"
        "         WHERE earlier.stream = event.stream AND earlier.revision = event.revision - 1),"
        " CASE WHEN json_valid(data) THEN json_type(data) = 'object' END FROM event ORDER BY position"
    )
    for id_, type_, stream, revision, position, metadata, has_earlier, has_data in rows:
        try:
            event = Event(id_, type_, stream, revision, position, {}, decoded(metadata))
        except ValueError:
            yield f"position {position}: the metadata is no JSON"
            continue
        if not has_data:
            yield f"position {position}: the data is no JSON object"
        if last is None and type_ != "log.created":
            yield f"the log begins with {type_}, not with log.created"
        yield from _joint(last, event, front_was_truncated=revision > 0 and not has_earlier)
        last = event
    if last is None:
        yield "the log is empty: not even log.created is there"
        return
    index, size = batch_of(last)
    if index != size - 1:
        yield f"position {last.position}: the append ends at event {index + 1} of {size}"


def _joint(last: Event | None, event: Event, front_was_truncated: bool) -> Iterator[str]:
    """Whether an event rightly follows the one before it in the log."""
    index, size = batch_of(event)
    before = batch_of(last) if last else (0, 1)
    if last and last.stream == event.stream and before == (index - 1, size):
        return
    if before[0] != before[1] - 1 and last:
        yield f"position {last.position}: the append ends at event {before[0] + 1} of {before[1]}"
    if index and not front_was_truncated:
        yield f"position {event.position}: the append begins at event {index + 1} of {size}"
