"""Read model of activity: how much of what happened when, for the picture of it."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import ClassVar, Final

import apsw

from edge.domain.events import Event
from projections.model import ReadModel

KIND_OF: Final = {
    "voz.comment": "voz",
    "voz.vote": "voz",
    "voz.clarify_answer": "voz",
    "voz.reply": "reply",
    "voz.clarify": "reply",
    "episode.captured": "episode",
    "artefato.published": "artefato",
    "direction.set": "direction",
    "direction.dropped": "direction",
}
"""What is counted, and as what."""


class Activity(ReadModel):
    """One row a kind and quarter of an hour: the days of any time zone are whole quarters."""

    NAME = "activity"
    VERSION = 1
    TYPES = frozenset(KIND_OF)
    REFOLDED_AFTER = frozenset(("voz.forgotten", "episode.forgotten", "artefato.forgotten"))
    TABLES: ClassVar[dict[str, str]] = {
        "activity": """
            CREATE TABLE activity (
                quarter TEXT NOT NULL, kind TEXT NOT NULL, events INTEGER NOT NULL,
                PRIMARY KEY (quarter, kind)
            ) WITHOUT ROWID;
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._counted: Counter[tuple[str, str]] = Counter()

    def apply(self, event: Event) -> None:
        self._counted[quarter_of(event.recorded_at), KIND_OF[event.type]] += 1

    def flush(self) -> None:
        self.connection.executemany(
            "INSERT INTO activity VALUES (?, ?, ?) ON CONFLICT (quarter, kind)"
            " DO UPDATE SET events = events + excluded.events",
            [(quarter, kind, events) for (quarter, kind), events in self._counted.items()],
        )
        self._counted.clear()

    def discard(self) -> None:
        self._counted.clear()


@lru_cache(maxsize=8)  # events that follow each other mostly share theirs
def quarter_of(at: str) -> str:
    """The quarter of an hour of an ISO time in UTC, like ``2026-11-30T17:15``."""
    minute = at[14:16]
    return f"{at[:14]}{int(minute) // 15 * 15:02d}" if minute.isdecimal() else at[:16]
