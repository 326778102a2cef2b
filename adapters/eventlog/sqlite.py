"""The embedded log: one SQLite file that several processes append to and read at once.

Writes take turns (``BEGIN IMMEDIATE``), and each is on the disk when ``append`` returns.
Every read has a connection of its own, so it sees one state of the log from its first event
to its last, whatever is appended meanwhile.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import apsw

from adapters.eventlog.batch import Row, decoded, decoder_of_many, encoded
from adapters.eventlog.polling import PollingSubscription
from adapters.eventlog.sqlite_file import (
    WAIT_SECONDS,
    connect,
    copy,
    create,
    empty_wal,
    explained,
    restore,
    unreadable,
)
from adapters.eventlog.sqlite_verify import problems
from edge import quick_json
from edge.domain.events import NO_STREAM, Appended, Event, NewEvent
from edge.domain.refusal import Failed
from edge.ports import WrongRevision

__all__ = ["SqliteEventLog", "restore"]

SPARE: Final = 4
"""Idle connections kept for the next reads and writes."""
MANY: Final = 100
"""Events of one read from which on a faster decoder is worth its import."""

_HEAD_OF_STREAM: Final = "SELECT revision FROM event WHERE stream = ? ORDER BY revision DESC LIMIT 1"
_INSERT: Final = "INSERT INTO event (stream, revision, id, type, metadata, data) VALUES (?, ?, ?, ?, ?, ?)"
_STANDING: Final = (
    "SELECT id, position FROM event WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision"
)
_EVENT: Final = "SELECT id, type, stream, revision, position, data, metadata FROM event WHERE "


class SqliteEventLog:
    """An :class:`~edge.ports.EventLog` in the file at ``path``, which must be there.

    Safe to use from several threads; not across a fork. Raises
    :class:`~edge.domain.refusal.Failed` with one line where the file is missing, no edge log,
    damaged, not writable or the disk is full, or where a write has waited ``wait`` seconds.
    """

    def __init__(self, path: Path, *, wait: float = WAIT_SECONDS) -> None:
        self.path = path
        self._wait = wait
        self._closed = False
        self._writing = threading.Lock()
        self._idle = [connect(path, wait)]
        self._writer: apsw.Connection | None = None  # the connection that wrote last
        self._subscriptions: weakref.WeakSet[PollingSubscription] = weakref.WeakSet()

    @classmethod
    def create(cls, path: Path) -> SqliteEventLog:
        """Make an empty log and open it. Raises Failed where the path is taken."""
        create(path)
        return cls(path)

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        rows = encoded(events)
        with self._writing:
            writer = self._borrow_to_write()
            try:
                writer.execute("BEGIN IMMEDIATE")
                current = self._current(writer, stream)
                if current != expected:
                    return self._standing(writer, stream, rows, expected, current)
                writer.executemany(
                    _INSERT, [(stream, revision, *row) for revision, row in enumerate(rows, expected + 1)]
                )
                position = writer.last_insert_rowid()
                writer.execute("COMMIT")
                return Appended(expected + len(rows), position, written=True)
            except apsw.Error as error:
                raise explained(self.path, error) from error
            finally:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                self._give_back(writer)

    @staticmethod
    def _current(connection: apsw.Connection, stream: str) -> int:
        found = connection.execute(_HEAD_OF_STREAM, (stream,)).get
        return found if isinstance(found, int) else NO_STREAM

    @staticmethod
    def _standing(
        connection: apsw.Connection, stream: str, rows: list[Row], expected: int, current: int
    ) -> Appended:
        """Where the batch stands already. Raises WrongRevision where it does not, or only partly."""
        last = expected + len(rows)
        found: list[tuple[Any, ...]] = connection.execute(_STANDING, (stream, expected + 1, last)).fetchall()
        if [id_ for id_, _ in found] != [row.id for row in rows]:
            raise WrongRevision(stream, expected, current)
        return Appended(last, found[-1][1], written=False)

    def read(
        self,
        stream: str,
        *,
        from_revision: int | None = None,
        backwards: bool = False,
        limit: int | None = None,
    ) -> Iterator[Event]:
        terms: list[str] = ["stream = ?"]
        values: list[str | int] = [stream]
        if from_revision is not None:
            terms.append("revision <= ?" if backwards else "revision >= ?")
            values.append(from_revision)
        return self._events(terms, values, "revision", backwards, limit)

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
        terms: list[str] = ["TRUE"]
        values: list[str | int] = []
        if after is not None:
            terms.append("position > ?")
            values.append(after)
        if before is not None:
            terms.append("position < ?")
            values.append(before)
        if categories is not None:
            # A category is a range of stream names; '.' follows '-'. The + keeps SQLite off the
            # index on streams, which would have it sort the log by position again.
            ranges = ["(+stream >= ? AND +stream < ? OR +stream = ?)"] * len(categories)
            terms.append(f"({' OR '.join(ranges) or 'FALSE'})")
            values.extend(bound for name in categories for bound in (f"{name}-", f"{name}.", name))
        if types is not None:
            terms.append(f"type IN ({', '.join('?' * len(types))})")
            values.extend(types)
        return self._events(terms, values, "position", backwards, limit)

    def _events(
        self, terms: list[str], values: Sequence[str | int], by: str, backwards: bool, limit: int | None
    ) -> Iterator[Event]:
        """The rows that meet the terms, as they stand now: SQLite reads the first row at once."""
        order = f" ORDER BY {by}{' DESC' if backwards else ''}"
        most = "" if limit is None else f" LIMIT {int(limit)}"
        reader = self._borrow()
        try:
            rows = reader.execute(_EVENT + " AND ".join(terms) + order + most, values)
        except apsw.Error as error:
            raise explained(self.path, error) from error
        return self._decoded(reader, rows)

    def _decoded(self, reader: apsw.Connection, rows: apsw.Cursor) -> Iterator[Event]:
        try:
            decode: Callable[[str], Any] = decoder_of_many() if quick_json.is_at_hand() else decoded
            for nth, (id_, type_, stream, revision, position, data, metadata) in enumerate(rows):
                if nth == MANY:
                    decode = decoder_of_many()
                yield Event(id_, type_, stream, revision, position, decode(data), decode(metadata))
        except apsw.Error as error:
            raise explained(self.path, error) from error
        except ValueError as error:  # no JSON, or no UTF-8
            raise unreadable(self.path, error) from error
        finally:
            rows.close(force=True)
            self._give_back(reader)

    def subscribe(
        self, *, after: int | None = None, categories: Sequence[str] | None = None
    ) -> PollingSubscription:
        subscription = PollingSubscription(self, after, categories)
        self._subscriptions.add(subscription)
        return subscription

    def find(self, id_: str) -> Event | None:
        """The event with an id. The log has no index by id: this looks at every row's small columns."""
        return next(self._events(["id = ?"], [id_], "position", backwards=True, limit=1), None)

    def head(self) -> int:
        reader = self._borrow()
        try:
            return reader.execute("SELECT max(position) FROM event").get or 0
        except apsw.Error as error:
            raise explained(self.path, error) from error
        finally:
            self._give_back(reader)

    def truncate_before(self, stream: str, revision: int) -> None:
        with self._writing:
            writer = self._borrow_to_write()
            try:
                writer.execute("BEGIN IMMEDIATE")
                current = self._current(writer, stream)
                if revision > max(current, 0):  # the last event stays: it holds the stream's revision
                    raise Failed(f"stream {stream} ends at revision {current}, before {revision}")
                writer.execute("DELETE FROM event WHERE stream = ? AND revision < ?", (stream, revision))
                writer.execute("COMMIT")
                empty_wal(writer, self.path)
            except apsw.Error as error:
                raise explained(self.path, error) from error
            finally:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                self._give_back(writer)

    def scrub(self) -> None:
        """Write the file anew, so that no page of it holds what was truncated, and empty its -wal."""
        with self._writing:
            writer = self._borrow_to_write()
            try:
                writer.execute("VACUUM")
                empty_wal(writer, self.path)
            except apsw.Error as error:
                raise explained(self.path, error) from error
            finally:
                self._give_back(writer)

    def backup(self, target: Path) -> None:
        """Copy the log as it stands into a new file, while others write. Refuses to overwrite."""
        reader = self._borrow()
        try:
            copy(reader, target)
        finally:
            self._give_back(reader)

    def verify(self) -> list[str]:
        """What is wrong with the log, a line each; empty where it is sound."""
        reader = self._borrow()
        try:
            return problems(reader)
        except apsw.Error as error:
            raise explained(self.path, error) from error
        finally:
            self._give_back(reader)

    def close(self) -> None:
        """End subscriptions and let go of the file. Reads under way may finish."""
        with self._writing:
            self._closed = True
            for subscription in list(self._subscriptions):
                subscription.stop()
            while self._idle:
                self._idle.pop().close()

    def _borrow_to_write(self) -> apsw.Connection:
        """The connection that wrote last, where no read is using it, else another.

        What one connection writes takes nothing from its own cache: a decision that reads a
        stream and appends to it finds there what the last one left.
        """
        if self._writer is not None and not self._closed:
            try:
                self._idle.remove(self._writer)
            except ValueError:
                pass
            else:
                return self._writer
        self._writer = self._borrow()
        return self._writer

    def _borrow(self) -> apsw.Connection:
        """A connection nothing else is using, rather the one used last."""
        if self._closed:
            raise Failed(f"log {self.path}: it was closed")
        try:
            return self._idle.pop()
        except IndexError:
            return connect(self.path, self._wait)

    def _give_back(self, connection: apsw.Connection) -> None:
        if self._closed or len(self._idle) >= SPARE:
            connection.close()
        else:
            self._idle.append(connection)
