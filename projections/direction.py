"""Read model of Direction: one row a steer, those gone kept for their history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import apsw

from edge.domain.direction import Item, changes, evolve
from edge.domain.events import Event
from projections.documents import Documents
from projections.model import ReadModel


class Direction(ReadModel):
    NAME = "direction"
    VERSION = 3
    REFOLDED_AFTER = frozenset(("voz.forgotten", "artefato.forgotten"))
    TYPES = frozenset(("direction.proposed", "direction.set", "direction.dropped", "artefato.published"))
    TABLES: ClassVar[dict[str, str]] = {
        "direction": """
            CREATE TABLE direction (
                id TEXT PRIMARY KEY, tier TEXT NOT NULL, first INTEGER NOT NULL, place INTEGER NOT NULL,
                conflict INTEGER NOT NULL, doc TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX direction_live ON direction (first, place) WHERE tier != 'gone';
            CREATE INDEX direction_conflict ON direction (first) WHERE conflict;
        """,
        "direction_touched": """
            CREATE TABLE direction_touched (yes INTEGER PRIMARY KEY);
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._items: Documents[Item] = Documents(
            connection,
            "direction",
            "id",
            ("tier", "first", "place", "conflict"),
            lambda i: (i["tier"], i["first"], i["place"], i["conflict"] or i["unauthorised_drop"]),
        )
        self._touched = False

    def expect(self, events: Sequence[Event]) -> None:
        self._items.expect({change.id for event in events for change in changes(event)})

    def apply(self, event: Event) -> None:
        self._touched = self._touched or event.type != "artefato.published"
        for change in changes(event):
            self._touched = True
            item = evolve(self._items.get(change.id), change)
            if item is not None:
                self._items.put(change.id, item)

    def flush(self) -> None:
        self._items.flush()
        if self._touched:
            self.connection.execute("INSERT OR IGNORE INTO direction_touched VALUES (1)")
            self._touched = False

    def discard(self) -> None:
        self._items.discard()
        self._touched = False
