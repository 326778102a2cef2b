"""Installs with a long history and few open items: 50 open chats, 30 steers, 40 artefatos.

What is open stands at the beginning; after it the same day repeats until there are as many
events as asked for: chats that open and close, votes and receipts, dispatches, artefatos,
episodes, grill runs. Rows are written straight into the log, as an append would store them.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import apsw
from pydantic_core import to_json

from bench import days
from edge.init import initialise
from edge.settings import Settings
from edge.wiring import Edge

GROUP: Final = "bench"
SIZES: Final = (1_000, 10_000, 100_000, 1_000_000)
_INSERT: Final = "INSERT INTO event (stream, revision, id, type, metadata, data) VALUES (?, ?, ?, ?, ?, ?)"
_LAST: Final = "SELECT revision FROM event WHERE stream = ? ORDER BY revision DESC LIMIT 1"
_BEGAN: Final = datetime(2025, 1, 1, tzinfo=UTC)


class Histories:
    """Homes by number of events, each made once, from the largest smaller one, below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._made: dict[int, Path] = {}

    def home(self, events: int) -> Path:
        """A home whose log has (at least) that many events, its read models caught up."""
        if events not in self._made:
            self._made[events] = self._make(events)
        return self._made[events]

    @contextlib.contextmanager
    def copy(self, events: int, into: Path | None = None) -> Iterator[Path]:
        """A copy of such a home to write to; gone afterwards."""
        target = (into or self.root) / f"copy-{events}"
        shutil.copytree(self.home(events), target)
        try:
            yield target
        finally:
            shutil.rmtree(target)

    def _make(self, events: int) -> Path:
        home = self.root / f"home-{events}"
        smaller = [size for size in self._made if size < events]
        if smaller:
            shutil.copytree(self._made[max(smaller)], home)
        else:
            store = self.root / "no-transcripts"
            store.mkdir(exist_ok=True)
            initialise(Settings(home=home, group=GROUP, root=str(store)))
        grow(home / "log.db", events)
        with contextlib.closing(Edge.at_home(home)) as edge:
            edge.briefing()  # notes of clusters and Recap, as an open or a worker leaves them
        for name in ("log.db", "read.db"):
            _settle(home / name)
        return home


def _settle(path: Path) -> None:
    """Move the -wal into the file, so that a copy is whole and every size starts alike."""
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def append_all(log: Path, appends: Iterator[days.Append]) -> None:
    """Write appends to the end of a log."""
    with contextlib.closing(apsw.Connection(str(log))) as connection, connection:
        position = connection.execute("SELECT max(position) FROM event").get
        assert isinstance(position, int)
        _written(connection, appends, position, days.first_after(position))


def grow(log: Path, events: int) -> None:
    """Append days to a log until it has that many events."""
    with contextlib.closing(apsw.Connection(str(log))) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        position = connection.execute("SELECT max(position) FROM event").get
        assert isinstance(position, int)
        if position < days.OPEN_EVENTS:
            position = _written(connection, days.opened(), position, day=0)
        day = days.first_after(position)
        while position < events:
            with connection:  # some thousand events a transaction
                for _ in range(100):
                    position = _written(connection, days.day(day, position), position, day)
                    day += 1
                    if position >= events:
                        break


def _written(connection: apsw.Connection, appends: Iterator[days.Append], position: int, day: int) -> int:
    """Write the appends as rows; returns the position of the last."""
    at = (_BEGAN + timedelta(minutes=30 * day)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    revisions: dict[str, int] = {}
    rows = []
    for append in appends:
        if append.stream not in revisions:
            found = connection.execute(_LAST, (append.stream,)).get
            revisions[append.stream] = found if isinstance(found, int) else -1
        size = len(append.events)
        for index, (type_, data) in enumerate(append.events):
            revisions[append.stream] += 1
            position += 1
            id_ = days.event_id(position)
            metadata = {
                "recorded_at": at,
                "actor": append.actor,
                "batch": [index, size],
                **append.metadata,
                "$correlationId": next(iter(append.metadata.values()), id_),
                "schema": 1,
            }
            row = (append.stream, revisions[append.stream], id_, type_)
            rows.append((*row, to_json(metadata).decode(), to_json(data).decode()))
    connection.executemany(_INSERT, rows)
    return position
