"""Read model of consistency: which comments' closings do not match Direction.

Only the comments a page touched are looked at again, so the cost follows what is new.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, ClassVar, Final, cast

import apsw

from edge.domain.chat import text_of
from edge.domain.events import Event
from edge.domain.health import Resolution, SteerEvent, closing_errors
from projections.model import ReadModel

_AMONG: Final = " IN (SELECT value FROM json_each(?))"
_ERRORS: Final = "SELECT comment_id FROM health_errors WHERE comment_id"
_CLAIMS: Final = "SELECT direction_id, comment_id FROM health_resolutions WHERE direction_id"
_COMMENTS: Final = "SELECT comment_id, position FROM health_comments WHERE comment_id"
_RESOLUTIONS: Final = (
    "SELECT comment_id, position, outcome, direction_id FROM health_resolutions WHERE comment_id"
)
_STEERS_OF: Final = "SELECT direction_id, op, origin FROM health_steers WHERE direction_id"
_STEERS_FROM: Final = "SELECT origin, direction_id, op FROM health_steers WHERE origin"

_GONE: Final = "SELECT comment_id FROM health_forgotten WHERE comment_id"
_FORGET: Final = "INSERT OR IGNORE INTO health_forgotten VALUES (?)"


class Health(ReadModel):
    NAME = "health"
    VERSION = 2
    TYPES = frozenset(("voz.comment", "voz.resolved", "direction.set", "direction.dropped", "voz.forgotten"))
    REFOLDED_AFTER = frozenset(("voz.forgotten",))
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
        "health_forgotten": """
            CREATE TABLE health_forgotten (comment_id TEXT PRIMARY KEY) WITHOUT ROWID;
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
        self._forgotten: list[tuple[str]] = []

    def learn(self, event: Event) -> None:
        """A steer may name a forgotten comment as its origin, before that is read of."""
        if event.type == "voz.forgotten":
            self.connection.execute(_FORGET, (_comment_of(event),))

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
            case "voz.forgotten":
                self._forgotten.append((_comment_of(event),))

    def flush(self) -> None:
        if self._comments or self._resolutions or self._steers or self._forgotten:
            write = self.connection.executemany
            write(_FORGET, self._forgotten)
            write("INSERT OR IGNORE INTO health_comments VALUES (?, ?)", self._comments)
            write("INSERT OR REPLACE INTO health_resolutions VALUES (?, ?, ?, ?)", self._resolutions)
            write("INSERT OR REPLACE INTO health_steers VALUES (?, ?, ?, ?)", self._steers)
            self._check(self._to_check())
        self._clear()

    def discard(self) -> None:
        self._clear()

    def _to_check(self) -> set[str]:
        touched = {comment_id for _, comment_id, _, _ in self._resolutions}
        touched |= {origin for _, _, _, origin in self._steers if origin}
        touched |= set(self._found(_ERRORS, {comment_id for comment_id, _ in self._comments}))
        claims = self._found(_CLAIMS, {direction_id for _, direction_id, _, _ in self._steers})
        touched |= {comment_id for rows in claims.values() for (comment_id,) in rows}
        touched |= {comment_id for (comment_id,) in self._forgotten}
        touched.discard("")
        return touched

    def _found(self, sql: str, keys: Collection[str]) -> dict[str, list[tuple[Any, ...]]]:
        """The rows of many keys, read at once, by key: the query's first column, asked for last."""
        found: dict[str, list[tuple[Any, ...]]] = {}
        if keys:
            for key, *row in self.connection.execute(sql + _AMONG, (json.dumps(list(keys)),)):
                found.setdefault(cast("str", key), []).append(tuple(row))
        return found

    def _check(self, comment_ids: Collection[str]) -> None:
        comments = self._found(_COMMENTS, comment_ids)
        resolutions = {
            comment_id: [Resolution(*row) for _, *row in sorted(rows)]
            for comment_id, rows in self._found(_RESOLUTIONS, comment_ids).items()
        }
        claimed = {r.direction_id for said in resolutions.values() for r in said if r.direction_id}
        gone = self._found(_GONE, comment_ids)
        of_items, of_comments = self._found(_STEERS_OF, claimed), self._found(_STEERS_FROM, comment_ids)
        erring = []
        for comment_id in comment_ids:
            if comment_id in gone:
                continue
            said = resolutions.get(comment_id, [])
            items = {r.direction_id for r in said if r.direction_id}
            kinds = closing_errors(
                comment_id,
                comment_id in comments,
                said,
                [SteerEvent(item, op, origin) for item in items for op, origin in of_items.get(item, ())],
                [SteerEvent(item, op, comment_id) for item, op in of_comments.get(comment_id, ())],
            )
            position = comments[comment_id][0][0] if comment_id in comments else 0
            erring += [(comment_id, kind, position) for kind in kinds]
        gone_over = json.dumps(list(comment_ids))
        self.connection.execute("DELETE FROM health_errors WHERE comment_id" + _AMONG, (gone_over,))
        self.connection.executemany("INSERT INTO health_errors VALUES (?, ?, ?)", erring)


def _comment_of(event: Event) -> str:
    """The comment of a forgotten chat: the name of its stream, all that is left of it."""
    return event.stream.partition(".")[2]
