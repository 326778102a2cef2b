"""The records of the double: one SQLite file, positions that grow by the size of what they hold."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import apsw

NO_STREAM, ANY, EXISTS = -1, -2, -4
"""Expectations other than a revision."""

REMEMBERED_IDS = 2_000
"""How many ids the cache behind ANY and EXISTS holds. The server's has 8 MiB; both are bounded
and gone with the process, which is the point."""

DELETED = 2**63 - 1
"""``$tb`` of a soft-deleted stream."""

_COLUMNS = "position, stream, revision, id, type, content_type, metadata, data, created"


class Proposed(NamedTuple):
    """An event as a client sends it."""

    id: str
    type: str
    content_type: str
    metadata: bytes
    data: bytes


class Record(NamedTuple):
    """An event as it stands."""

    position: int
    stream: str
    revision: int
    id: str
    type: str
    content_type: str
    metadata: bytes
    data: bytes
    created: int


class WrongExpectationError(Exception):
    """The stream ends at ``current`` instead."""

    def __init__(self, current: int) -> None:
        super().__init__(f"at {current}")
        self.current = current


class TombstonedError(Exception):
    """The stream was deleted for good."""


class Place(NamedTuple):
    revision: int
    position: int


class Records:
    """All streams. Every method may be called from any thread; ``changed`` is notified of each write."""

    def __init__(self, path: Path) -> None:
        self.changed = threading.Condition(threading.RLock())
        self._db = apsw.Connection(str(path))
        # A killed process loses nothing the system holds; only a power cut would.
        for pragma in ("journal_mode=WAL", "synchronous=OFF", "locking_mode=NORMAL"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute("""
            CREATE TABLE IF NOT EXISTS event (position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER,
                id TEXT, type TEXT, content_type TEXT, metadata BLOB, data BLOB, created INTEGER,
                UNIQUE (stream, revision));
            CREATE TABLE IF NOT EXISTS tombstone (stream TEXT PRIMARY KEY);
            CREATE TABLE IF NOT EXISTS linked (only INTEGER PRIMARY KEY CHECK (only = 1), position INTEGER);
            INSERT OR IGNORE INTO linked VALUES (1, 0)""")
        self._remembered: OrderedDict[tuple[str, str], Place] = OrderedDict()
        self._begin_epoch()  # a server's log is never quite empty

    def _begin_epoch(self) -> Place:
        epoch = Proposed(str(uuid.uuid4()), "$epoch-information", "application/json", b"", b"{}")
        return self.append("$epoch-information", [epoch], ANY)

    # Writing

    def append(self, stream: str, events: Sequence[Proposed], expected: int) -> Place:
        """All events or none; the place of what stands already where that is the same append again."""
        with self.changed:
            self._refuse_tombstoned(stream)
            current = self.last_revision(stream)
            place = self._standing(stream, events, expected, current)
            return place or self._write(stream, events, current)

    def _standing(self, stream: str, events: Sequence[Proposed], expected: int, current: int) -> Place | None:
        if expected in {ANY, EXISTS}:
            if expected == EXISTS and (current == NO_STREAM or self.soft_deleted(stream)):
                raise WrongExpectationError(NO_STREAM)
            return self._remembered_place(stream, events, current)
        if expected == current or (expected == NO_STREAM and self.soft_deleted(stream)):
            return None  # at the head no id is looked for
        if expected > current:
            raise WrongExpectationError(current)
        places: list[Any] = self._db.execute(
            "SELECT id, revision, position FROM event WHERE stream = ? AND revision BETWEEN ? AND ?"
            " ORDER BY revision",
            (stream, expected + 1, expected + len(events)),
        ).fetchall()
        if not events or [id_ for id_, _, _ in places] != [e.id for e in events]:
            raise WrongExpectationError(current)
        return Place(*places[-1][1:])

    def _remembered_place(self, stream: str, events: Sequence[Proposed], current: int) -> Place | None:
        places = [self._remembered.get((stream, e.id)) for e in events]
        if not places or places[0] is None:
            return None  # known ids after an unknown one are written again
        if places[-1] is None or None in places:
            raise WrongExpectationError(current)
        return places[-1]

    def _write(self, stream: str, events: Sequence[Proposed], current: int) -> Place:
        position, now = self.last_position(), int(time.time() * 10_000_000)
        place = Place(current, position)
        with self._db:
            if self.soft_deleted(stream):  # written to again, it begins after what was deleted
                self._set_metadata(stream, {**self.metadata(stream), "$tb": current + 1})
                position = self.last_position()
            for revision, e in enumerate(events, current + 1):
                position += 180 + len(stream) + len(e.type) + len(e.metadata) + len(e.data)
                row = (position, stream, revision, *e, now)
                self._db.execute(f"INSERT INTO event ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
                place = Place(revision, position)
                self._remember(stream, e.id, place)
        self.changed.notify_all()
        return place

    def _remember(self, stream: str, id_: str, place: Place) -> None:
        self._remembered[stream, id_] = place
        while len(self._remembered) > REMEMBERED_IDS:
            self._remembered.popitem(last=False)

    def delete(self, stream: str, expected: int) -> Place:
        """Hide what stands; the stream may be written to again."""
        with self.changed:
            self._check_for_deletion(stream, expected)
            self._set_metadata(stream, {**self.metadata(stream), "$tb": DELETED})
            self.changed.notify_all()
            return Place(self.last_revision(stream), self.last_position())

    def tombstone(self, stream: str, expected: int) -> Place:
        """End a stream for good."""
        with self.changed:
            self._check_for_deletion(stream, expected)
            self._db.execute("INSERT INTO tombstone VALUES (?)", (stream,))
            ended = Proposed(str(uuid.uuid4()), "$streamDeleted", "application/json", b"", b"{}")
            return self._write(stream, [ended], self.last_revision(stream))

    def _check_for_deletion(self, stream: str, expected: int) -> None:
        self._refuse_tombstoned(stream)
        current = NO_STREAM if self.soft_deleted(stream) else self.last_revision(stream)
        if expected != ANY and (current == NO_STREAM if expected == EXISTS else current != expected):
            raise WrongExpectationError(current)

    def _refuse_tombstoned(self, stream: str) -> None:
        if self.tombstoned(stream):
            raise TombstonedError

    def _set_metadata(self, stream: str, metadata: dict[str, Any]) -> None:
        event = Proposed(
            str(uuid.uuid4()), "$metadata", "application/json", b"", json.dumps(metadata).encode()
        )
        self._write(f"$${stream}", [event], self.last_revision(f"$${stream}"))

    def scavenge(self) -> None:
        """Take out what metadata hides; before it, ``$all`` still shows that. A last event stays."""
        with self.changed, self._db:
            streams: list[Any] = self._db.execute(
                "SELECT substr(stream, 3) FROM event WHERE stream LIKE '$$%' GROUP BY stream"
            ).fetchall()
            for (stream,) in streams:
                first = min(self.first_revision(stream), self.last_revision(stream))
                self._db.execute("DELETE FROM event WHERE stream = ? AND revision < ?", (stream, first))

    def reset(self) -> None:
        """Begin anew, further on: as good as a server of its own for the next test."""
        with self.changed:
            begun = self._begin_epoch().position
            self._db.execute("DELETE FROM event WHERE position < ?", (begun,))
            self._db.execute("DELETE FROM tombstone")
            self._remembered.clear()

    # Reading

    def tombstoned(self, stream: str) -> bool:
        return self._value("SELECT count(*) FROM tombstone WHERE stream = ?", stream) == 1

    def soft_deleted(self, stream: str) -> bool:
        return bool(self.metadata(stream).get("$tb") == DELETED)

    def last_revision(self, stream: str) -> int:
        """Of what was written, hidden or not; NO_STREAM where nothing was."""
        return self._value(
            "SELECT revision FROM event WHERE stream = ? ORDER BY revision DESC LIMIT 1", stream, NO_STREAM
        )

    def first_revision(self, stream: str) -> int:
        """The first that metadata lets be seen."""
        metadata, first = self.metadata(stream), 0
        if "$maxCount" in metadata:
            first = self.last_revision(stream) - int(metadata["$maxCount"]) + 1
        return max(first, int(metadata.get("$tb", 0)))

    def metadata(self, stream: str) -> dict[str, Any]:
        if stream.startswith("$$"):
            return {}
        with self.changed:
            found = self._db.execute(
                "SELECT data FROM event WHERE stream = ? ORDER BY revision DESC LIMIT 1", (f"$${stream}",)
            ).get
        return dict(json.loads(found)) if isinstance(found, bytes) else {}

    def last_position(self) -> int:
        return self._value("SELECT max(position) FROM event WHERE 1 OR ?", "")

    def has_position(self, position: int) -> bool:
        return self._value("SELECT count(*) FROM event WHERE position = ?", position) == 1

    def linked(self) -> int:
        """The position up to which links were written."""
        return self._value("SELECT position FROM linked WHERE 1 OR ?", "")

    def link(self, links: Sequence[tuple[str, Proposed]], through: int) -> None:
        """Write links and how far they reach, as one."""
        with self.changed, self._db:
            for stream, link in links:
                self._write(stream, [link], self.last_revision(stream))
            self._db.execute("UPDATE linked SET position = ?", (through,))

    def at(self, stream: str, revision: int) -> Record | None:
        found = self._records("stream = ? AND revision = ?", (stream, revision), "revision", 1)
        return found[0] if found and revision >= self.first_revision(stream) else None

    def in_stream(self, stream: str, start: int, backwards: bool, most: int) -> list[Record]:
        """Visible events from a revision on."""
        first = self.first_revision(stream)
        if backwards:
            where = "stream = ? AND revision BETWEEN ? AND ?"
            return self._records(where, (stream, first, start), "revision DESC", most)
        return self._records("stream = ? AND revision >= ?", (stream, max(first, start)), "revision", most)

    def in_all(self, start: int, backwards: bool, most: int) -> list[Record]:
        """Events of all streams: forwards from ``start`` on, backwards from just before it."""
        if backwards:
            return self._records("position < ?", (start,), "position DESC", most)
        return self._records("position >= ?", (start,), "position", most)

    def _records(self, where: str, values: tuple[Any, ...], order: str, most: int) -> list[Record]:
        with self.changed:
            rows = self._db.execute(
                f"SELECT {_COLUMNS} FROM event WHERE {where} ORDER BY {order} LIMIT {most}", values
            )
            return [Record(*row) for row in rows]

    def _value(self, query: str, value: str | int, otherwise: int = 0) -> int:
        with self.changed:
            found = self._db.execute(query, (value,)).get
        return found if isinstance(found, int) else otherwise
