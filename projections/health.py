"""Read model of consistency: which comments' closings do not match Direction.

Only the comments a page touched are looked at again, so the cost follows what is new.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, cast

import apsw

from edge.domain.chat import text_of
from edge.domain.events import Event
from edge.domain.health import Resolution, SteerEvent, closing_errors
from projections.model import ReadModel


class Health(ReadModel):
    NAME = "health"
    VERSION = 1
    TYPES = frozenset(("voz.comment", "voz.resolved", "direction.set", "direction.dropped"))
    TABLES: ClassVar[dict[str, str]] = {
        "health_comments": """
            CREATE TABLE health_comments (
                comment_id TEXT PRIMARY KEY, position INTEGER NOT NULL
            ) WITHOUT ROWID;
        """,
        "health_resolutions": """
            CREATE TABLE health_resolutions (
                position INTEGER PRIMARY KEY, comment_id TEXT NOT NULL, outcome TEXT NOT NULL,
                direction_id TEXT
            );
            CREATE INDEX health_resolutions_comment ON health_resolutions (comment_id);
            CREATE INDEX health_resolutions_item ON health_resolutions (direction_id)
                WHERE direction_id IS NOT NULL;
        """,
        "health_steers": """
            CREATE TABLE health_steers (
                position INTEGER PRIMARY KEY, direction_id TEXT NOT NULL, op TEXT NOT NULL, origin TEXT
            );
            CREATE INDEX health_steers_item ON health_steers (direction_id);
            CREATE INDEX health_steers_origin ON health_steers (origin) WHERE origin IS NOT NULL;
        """,
        "health_errors": """
            CREATE TABLE health_errors (
                comment_id TEXT NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL,
                PRIMARY KEY (comment_id, kind)
            ) WITHOUT ROWID;
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._clear()

    def _clear(self) -> None:
        self._comments: list[tuple[str, int]] = []
        self._resolutions: list[tuple[int, str, str, str | None]] = []
        self._steers: list[tuple[int, str, str, str | None]] = []

    def apply(self, event: Event) -> None:
        data = event.data
        match event.type:
            case "voz.comment":
                self._comments.append((text_of(data, "comment_id"), event.position))
            case "voz.resolved":
                direction_id = text_of(data, "direction_id") or None
                self._resolutions.append(
                    (event.position, text_of(data, "comment_id"), text_of(data, "outcome"), direction_id)
                )
            case "direction.set" | "direction.dropped":
                op, origin = event.type.partition(".")[2], text_of(data, "origin_comment_id") or None
                self._steers.append((event.position, text_of(data, "id"), op, origin))

    def flush(self) -> None:
        if self._comments or self._resolutions or self._steers:
            write = self.connection.executemany
            write("INSERT OR IGNORE INTO health_comments VALUES (?, ?)", self._comments)
            write("INSERT OR REPLACE INTO health_resolutions VALUES (?, ?, ?, ?)", self._resolutions)
            write("INSERT OR REPLACE INTO health_steers VALUES (?, ?, ?, ?)", self._steers)
            for comment_id in self._to_check():
                self._check(comment_id)
        self._clear()

    def discard(self) -> None:
        self._clear()

    def _to_check(self) -> set[str]:
        touched = {comment_id for _, comment_id, _, _ in self._resolutions}
        touched |= {origin for _, _, _, origin in self._steers if origin}
        touched |= self._erring(comment_id for comment_id, _ in self._comments)
        for direction_id in {direction_id for _, direction_id, _, _ in self._steers}:
            touched |= {
                cast("str", row[0])
                for row in self._rows(
                    "SELECT comment_id FROM health_resolutions WHERE direction_id = ?", direction_id
                )
            }
        touched.discard("")
        return touched

    def _erring(self, comment_ids: Iterable[str]) -> set[str]:
        """Of new comments, those something was said about before they came."""
        return {
            id_
            for id_ in comment_ids
            if self.connection.execute("SELECT 1 FROM health_errors WHERE comment_id = ?", (id_,)).fetchone()
        }

    def _rows(self, sql: str, key: str) -> list[tuple[Any, ...]]:
        return list(self.connection.execute(sql, (key,)))

    def _check(self, comment_id: str) -> None:
        commented = self._rows("SELECT position FROM health_comments WHERE comment_id = ?", comment_id)
        resolutions = [
            Resolution(*row)
            for row in self._rows(
                "SELECT outcome, direction_id FROM health_resolutions WHERE comment_id = ? ORDER BY position",
                comment_id,
            )
        ]
        steers = "SELECT direction_id, op, origin FROM health_steers WHERE "
        claimed = {r.direction_id for r in resolutions if r.direction_id}
        of_directions = [
            SteerEvent(*row) for item in claimed for row in self._rows(steers + "direction_id = ?", item)
        ]
        of_comment = [SteerEvent(*row) for row in self._rows(steers + "origin = ?", comment_id)]
        errors = closing_errors(comment_id, bool(commented), resolutions, of_directions, of_comment)
        self.connection.execute("DELETE FROM health_errors WHERE comment_id = ?", (comment_id,))
        position = commented[0][0] if commented else 0
        self.connection.executemany(
            "INSERT INTO health_errors VALUES (?, ?, ?)", [(comment_id, kind, position) for kind in errors]
        )
