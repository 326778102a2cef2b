"""Read model of the corpus: artefatos with their why, the vote on each, and breadcrumbs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar, cast

import apsw

from edge.domain.chat import text_of
from edge.domain.corpus import Artefato, Breadcrumb, evolve, in_debt, initial
from edge.domain.events import Event
from projections.documents import Documents
from projections.model import ReadModel


class Corpus(ReadModel):
    NAME = "corpus"
    VERSION = 2
    REFOLDED_AFTER = frozenset(
        (
            "artefato.forgotten",
            "voz.forgotten",
            "dispatch.forgotten",
            "grill.forgotten",
        )  # kernels stand there
    )
    TYPES = frozenset(("artefato.published", "intent.kernel", "voz.vote"))
    TABLES: ClassVar[dict[str, str]] = {
        "artefatos": """
            CREATE TABLE artefatos (
                slug TEXT PRIMARY KEY, first INTEGER NOT NULL, position INTEGER NOT NULL,
                debt INTEGER NOT NULL, doc TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX artefatos_first ON artefatos (first) WHERE first > 0;
            CREATE INDEX artefatos_debt ON artefatos (first) WHERE debt;
        """,
        "artefato_bodies": """
            CREATE TABLE artefato_bodies (slug TEXT PRIMARY KEY, body TEXT NOT NULL);
        """,
        "artefato_votes": """
            CREATE TABLE artefato_votes (slug TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        """,
        "breadcrumbs": """
            CREATE TABLE breadcrumbs (position INTEGER PRIMARY KEY, doc TEXT NOT NULL);
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._artefatos: Documents[Artefato] = Documents(
            connection,
            "artefatos",
            "slug",
            ("first", "position", "debt"),
            lambda a: (a["first"], a["position"], in_debt(a)),
        )
        self._bodies: dict[str, str] = {}
        self._votes: dict[str, int] = {}
        self._breadcrumb: tuple[int, Breadcrumb] | None = None

    def expect(self, events: Sequence[Event]) -> None:
        self._artefatos.expect({slug for event in events if (slug := text_of(event.data, "slug"))})

    def apply(self, event: Event) -> None:
        slug = text_of(event.data, "slug")
        if event.type == "voz.vote":
            value = event.data.get("value")
            if slug and isinstance(value, int):
                self._votes[slug] = value
            return
        if event.type == "intent.kernel":
            self._leave_breadcrumb(event, slug)
        if slug:
            self._artefatos.put(slug, evolve(self._artefatos.get(slug) or initial(slug), event))
            if event.type == "artefato.published":
                self._bodies[slug] = text_of(event.data, "body")

    def _leave_breadcrumb(self, event: Event, slug: str) -> None:
        intent = text_of(event.data, "intent").strip()
        if intent:
            self._breadcrumb = (
                event.position,
                Breadcrumb(
                    intent=intent,
                    at=event.recorded_at,
                    event=event.id,
                    slug=slug or None,
                    dispatch_id=text_of(event.data, "dispatch_id") or None,
                ),
            )

    def flush(self) -> None:
        execute = self.connection.executemany
        self._artefatos.flush()
        execute("INSERT OR REPLACE INTO artefato_bodies VALUES (?, ?)", list(self._bodies.items()))
        execute("INSERT OR REPLACE INTO artefato_votes VALUES (?, ?)", list(self._votes.items()))
        if self._breadcrumb is not None:
            position, doc = self._breadcrumb
            self.connection.execute("DELETE FROM breadcrumbs")
            self.connection.execute("INSERT INTO breadcrumbs VALUES (?, ?)", (position, json.dumps(doc)))
        self._clear()

    def discard(self) -> None:
        self._artefatos.discard()
        self._clear()

    def _clear(self) -> None:
        self._bodies.clear()
        self._votes.clear()
        self._breadcrumb = None


def breadcrumb(connection: apsw.Connection) -> Breadcrumb | None:
    row = connection.execute("SELECT doc FROM breadcrumbs").fetchone()
    return None if row is None else cast("Breadcrumb", json.loads(cast("str", row[0])))
