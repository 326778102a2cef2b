"""Read model of what was forgotten: where each stream begins now, and which Briefings went.

And what forgetting asks of the read models: the sessions there are, and their streams.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

import apsw

from edge.domain.events import Event
from edge.domain.forgetting import FORGOTTEN, boundary, is_forgotten
from edge.ports_forget import CapturedSession, ForgottenStream
from projections.model import ReadModel

if TYPE_CHECKING:
    from projections.store import ReadStore


class Forgotten(ReadModel):
    """One row a stream; written at once, since it is few and others of its page may ask."""

    NAME = "forgotten"
    VERSION = 1
    TYPES = frozenset(FORGOTTEN)
    TABLES: ClassVar[dict[str, str]] = {
        "forgotten": """
            CREATE TABLE forgotten (
                stream TEXT PRIMARY KEY, first INTEGER NOT NULL, position INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX forgotten_position ON forgotten (position);
        """,
        "forgotten_briefings": """
            CREATE TABLE forgotten_briefings (
                stream TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (stream, position)
            ) WITHOUT ROWID;
        """,
    }

    def learn(self, event: Event) -> None:
        self.apply(event)

    def apply(self, event: Event) -> None:
        if not is_forgotten(event):
            return
        write = self.connection.execute
        write(
            "INSERT OR REPLACE INTO forgotten VALUES (?, ?, ?)",
            (event.stream, boundary(event), event.position),
        )
        write("DELETE FROM forgotten_briefings WHERE stream = ?", (event.stream,))
        shown = event.data.get("shown")
        for position in shown if isinstance(shown, list) else ():
            if isinstance(position, int):
                write("INSERT OR IGNORE INTO forgotten_briefings VALUES (?, ?)", (event.stream, position))

    def flush(self) -> None:
        """Nothing is held back."""

    def discard(self) -> None:
        """Nothing is held back."""


def first_revisions(connection: apsw.Connection) -> dict[str, int]:
    """By stream, the first revision that counts; empty where the store keeps no such table."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'forgotten'").fetchone():
        return {}
    return dict(cast("Iterable[tuple[str, int]]", connection.execute("SELECT stream, first FROM forgotten")))


class ForgettingIndex:
    """See :class:`edge.ports_forget.ForgetIndex`."""

    def __init__(self, store: ReadStore) -> None:
        self._store = store
        self._connection = store.connection

    def noted(self, name: str) -> str | None:
        return self._store.noted(name)

    def note(self, name: str, value: str) -> None:
        self._store.note(name, value)

    def last(self) -> int:
        return cast("int | None", self._connection.execute("SELECT max(position) FROM forgotten").get) or 0

    def streams(self, after: int = 0) -> list[ForgottenStream]:
        rows = self._connection.execute(
            "SELECT stream, first, position FROM forgotten WHERE position > ? ORDER BY position", (after,)
        )
        return [ForgottenStream(*row) for row in cast("Iterable[tuple[str, int, int]]", rows)]

    def beginning(self, prefix: str) -> list[str]:
        rows = self._connection.execute(
            "SELECT stream FROM forgotten WHERE stream BETWEEN ? AND ? ORDER BY stream LIMIT 3",
            (prefix, prefix + "\U0010ffff"),
        )
        return [stream for (stream,) in cast("Iterable[tuple[str]]", rows)]

    def briefing(self, position: int) -> bool:
        sql = "SELECT 1 FROM forgotten_briefings WHERE position = ?"
        return self._connection.execute(sql, (position,)).fetchone() is not None

    def sessions(self) -> list[CapturedSession]:
        rows = self._connection.execute("SELECT DISTINCT session, stream, project FROM episodes")
        return [CapturedSession(*row) for row in cast("Iterable[tuple[str, str, str | None]]", rows)]

    def episode_streams(self, stream: str) -> list[str]:
        """The session's own stream and those whose names go on after it with a point."""
        rows = self._connection.execute(
            "SELECT stream FROM episode_streams WHERE stream = ?1 OR stream BETWEEN ?1 || '.' AND ?1 || '/'",
            (stream,),
        )
        return [name for (name,) in cast("Iterable[tuple[str]]", rows)]
