"""Read model of sources: what the operator holds of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import apsw

from edge.domain.chat import text_of
from edge.domain.events import Event
from edge.domain.sources import Source, evolve, initial
from projections.documents import Documents
from projections.model import ReadModel


class Sources(ReadModel):
    NAME = "sources"
    VERSION = 1
    TYPES = frozenset(("source.curated", "source.retired"))
    TABLES: ClassVar[dict[str, str]] = {
        "sources": """
            CREATE TABLE sources (
                ref TEXT PRIMARY KEY, position INTEGER NOT NULL, curated INTEGER NOT NULL, doc TEXT NOT NULL
            ) WITHOUT ROWID;
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._sources: Documents[Source] = Documents(
            connection,
            "sources",
            "ref",
            ("position", "curated"),
            lambda s: (s["position"], int(s["curated"])),
        )

    def expect(self, events: Sequence[Event]) -> None:
        self._sources.expect({ref for event in events if (ref := _ref(event))})

    def apply(self, event: Event) -> None:
        ref = _ref(event)
        if ref:
            self._sources.put(ref, evolve(self._sources.get(ref) or initial(ref), event))

    def flush(self) -> None:
        self._sources.flush()

    def discard(self) -> None:
        self._sources.discard()


def _ref(event: Event) -> str:
    return (text_of(event.data, "ref") or "").strip()
