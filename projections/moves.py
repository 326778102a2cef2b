"""Read model of Direction's history: what each steer became with each change, in log order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final, cast

import apsw

from edge.domain.direction import changes
from edge.domain.events import Event
from edge.domain.steer_history import Move
from projections.documents import written
from projections.model import ReadModel

MOVE: Final = "SELECT position, place, id, op, at, doc FROM moves"


def moves_in(rows: Iterable[Any]) -> list[Move]:
    """The rows of :data:`MOVE` as moves."""
    return [
        Move(position, place, id_, op, at, json.loads(doc))
        for position, place, id_, op, at, doc in cast("list[tuple[int, int, str, str, str, str]]", list(rows))
    ]


class Moves(ReadModel):
    """One row a change, as its event says it; what holds after all of them is Direction's to say."""

    NAME = "moves"
    VERSION = 3  # a row's JSON has no blanks
    TYPES = frozenset(("direction.proposed", "direction.set", "direction.dropped", "artefato.published"))
    REFOLDED_AFTER = frozenset(("voz.forgotten", "artefato.forgotten"))
    TABLES: ClassVar[dict[str, str]] = {
        "moves": """
            CREATE TABLE moves (
                position INTEGER NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, op TEXT NOT NULL,
                at TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (position, place, id)
            ) WITHOUT ROWID;
            CREATE INDEX moves_id ON moves (id, position);
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._rows: list[tuple[Any, ...]] = []

    def expect(self, events: Sequence[Event]) -> None:
        """Nothing of before is needed."""

    def apply(self, event: Event) -> None:
        for change in changes(event):
            told = {
                "title": str(change.data.get("title") or ""),
                "body": str(change.data.get("body") or ""),
                "kind": str(change.data.get("kind") or ""),
                "expires_at": change.data.get("expires_at"),
                "basis": change.data.get("basis"),
                "reason": change.data.get("reason"),
                "origin_comment_id": change.data.get("origin_comment_id"),
                "from_artefato": change.data.get("from_artefato"),
                "actor": event.actor,
                "event": event.id,
                "stream": event.stream,
            }
            if change.op == "supersede":  # its data is the successor's
                told |= {"title": "", "body": "", "reason": change.data.get("id")}
            self._rows.append(
                (
                    *(event.position, change.place, change.id, change.op),
                    *(event.recorded_at, written(told)),
                )
            )

    def flush(self) -> None:
        self.connection.executemany("INSERT OR REPLACE INTO moves VALUES (?, ?, ?, ?, ?, ?)", self._rows)
        self._rows.clear()

    def discard(self) -> None:
        self._rows.clear()
