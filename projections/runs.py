"""Read models of the work: grill runs, dispatches and the Briefings they were shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import apsw

from edge.domain import dispatch, grill
from edge.domain.chat import text_of
from edge.domain.events import Event
from edge.domain.streams import category
from projections.documents import Documents, written
from projections.model import ReadModel


class Runs(ReadModel):
    NAME = "runs"
    VERSION = 1
    REFOLDED_AFTER = frozenset(("grill.forgotten",))
    TYPES = frozenset(("grill.started", "grill.planned", "grill.closed", "grill.finished", "grill.abandoned"))
    TABLES: ClassVar[dict[str, str]] = {
        "runs": """
            CREATE TABLE runs (
                run_id TEXT PRIMARY KEY, position INTEGER NOT NULL, state TEXT NOT NULL, doc TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX runs_open ON runs (position) WHERE state = 'open';
            CREATE INDEX runs_finished ON runs (position) WHERE state = 'finished';
            CREATE INDEX runs_position ON runs (position);
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._runs: Documents[grill.Run] = Documents(
            connection, "runs", "run_id", ("position", "state"), lambda r: (r["position"], r["state"])
        )

    def expect(self, events: Sequence[Event]) -> None:
        self._runs.expect({run_id for event in events if (run_id := _run_of(event))})

    def apply(self, event: Event) -> None:
        run_id = _run_of(event)
        if run_id is None:
            return
        self._runs.put(run_id, grill.evolve(self._runs.get(run_id) or grill.initial(run_id), event))

    def flush(self) -> None:
        self._runs.flush()

    def discard(self) -> None:
        self._runs.discard()


def _run_of(event: Event) -> str | None:
    return event.stream.partition(".")[2] if category(event.stream) == "grill" else None


class Dispatches(ReadModel):
    NAME = "dispatches"
    VERSION = 1
    TYPES = frozenset(
        "dispatch.opened briefing.presented dispatch.closed dispatch.forgotten voz.disposition"
        " artefato.published".split()
    )
    REFOLDED_AFTER = frozenset(("dispatch.forgotten", "voz.forgotten", "artefato.forgotten"))
    TABLES: ClassVar[dict[str, str]] = {
        "dispatches": """
            CREATE TABLE dispatches (
                dispatch_id TEXT PRIMARY KEY, position INTEGER NOT NULL, state TEXT NOT NULL,
                doc TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX dispatches_open ON dispatches (position) WHERE state = 'open';
            CREATE INDEX dispatches_position ON dispatches (position);
        """,
        "presentations": """
            CREATE TABLE presentations (
                position INTEGER PRIMARY KEY, cursor INTEGER NOT NULL, dispatch_id TEXT NOT NULL,
                doc TEXT NOT NULL
            );
            CREATE INDEX presentations_cursor ON presentations (cursor);
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._dispatches: Documents[dispatch.Dispatch] = Documents(
            connection,
            "dispatches",
            "dispatch_id",
            ("position", "state"),
            lambda d: (d["position"], d["state"]),
        )
        self._presentations: list[tuple[int, int, str, str]] = []

    def expect(self, events: Sequence[Event]) -> None:
        self._dispatches.expect({id_ for event in events if (id_ := dispatch.id_of(event))})

    def apply(self, event: Event) -> None:
        dispatch_id = dispatch.id_of(event)
        if not dispatch_id:
            return
        state = self._dispatches.get(dispatch_id) or dispatch.initial(dispatch_id)
        self._dispatches.put(dispatch_id, dispatch.evolve(state, event))
        cursor = event.data.get("position")
        if event.type == "briefing.presented" and isinstance(cursor, int):
            shown = {"text": text_of(event.data, "text"), "items": event.data.get("items") or []}
            self._presentations.append((event.position, cursor, dispatch_id, written(shown)))

    def flush(self) -> None:
        self._dispatches.flush()
        self.connection.executemany(
            "INSERT OR REPLACE INTO presentations VALUES (?, ?, ?, ?)", self._presentations
        )
        self._presentations.clear()

    def discard(self) -> None:
        self._dispatches.discard()
        self._presentations.clear()
