"""Read model of sources: what the operator holds of each, and what its signals add up to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final, cast

import apsw

from edge.domain import credit, dispatch
from edge.domain.chat import text_of
from edge.domain.credit import Change, Citing, Offer
from edge.domain.direction import proposal_id
from edge.domain.events import Event
from edge.domain.refs import normal
from edge.domain.sources import Source, evolve, half_lives, initial, weigh
from projections.documents import Documents
from projections.model import ReadModel

_FOLDED: Final = "folded-to-direction"
_ASKS_FOR: Final = {
    "voz.comment": ("comment_id",),
    "voz.resolved": ("comment_id",),
    "voz.vote": ("slug",),
    "direction.proposed": ("id",),
    "direction.set": ("id",),
    "direction.dropped": ("id",),
    "artefato.published": ("slug", "dispatch"),
    "briefing.presented": ("dispatch",),
    "dispatch.closed": ("dispatch",),
}
"""The fields by which each type finds what is known already."""


class Sources(ReadModel):
    NAME = "sources"
    VERSION = 4
    TYPES = frozenset(
        "source.curated source.retired artefato.published direction.proposed direction.set"
        " direction.dropped voz.comment voz.resolved voz.vote briefing.presented dispatch.closed".split()
    )
    REFOLDED_AFTER = frozenset(("artefato.forgotten", "dispatch.forgotten", "voz.forgotten"))
    TABLES: ClassVar[dict[str, str]] = {
        "sources": """
            CREATE TABLE sources (
                ref TEXT PRIMARY KEY, curated INTEGER NOT NULL, faded REAL NOT NULL, doc TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX sources_rank ON sources (curated DESC, faded DESC, ref);
        """,
        "source_signals": """
            CREATE TABLE source_signals (
                ref TEXT NOT NULL, kind TEXT NOT NULL, about TEXT NOT NULL, position INTEGER NOT NULL,
                weight REAL NOT NULL, at TEXT NOT NULL, event TEXT NOT NULL, since REAL NOT NULL,
                PRIMARY KEY (ref, kind, about, event)
            ) WITHOUT ROWID;
            CREATE INDEX source_signals_since ON source_signals (since);
            CREATE INDEX source_signals_newest ON source_signals (ref, position DESC);
        """,
        "source_artefatos": """
            CREATE TABLE source_artefatos (slug TEXT PRIMARY KEY, doc TEXT NOT NULL) WITHOUT ROWID;
        """,
        "source_offers": """
            CREATE TABLE source_offers (dispatch_id TEXT PRIMARY KEY, doc TEXT NOT NULL) WITHOUT ROWID;
        """,
        "source_steers": """
            CREATE TABLE source_steers (
                id TEXT PRIMARY KEY, slug TEXT NOT NULL, credited INTEGER NOT NULL
            ) WITHOUT ROWID;
        """,
        "source_chats": """
            CREATE TABLE source_chats (
                comment_id TEXT PRIMARY KEY, slug TEXT NOT NULL, credited INTEGER NOT NULL
            ) WITHOUT ROWID;
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._sources: Documents[Source] = Documents(
            connection, "sources", "ref", ("curated", "faded"), lambda s: (int(s["curated"]), s["faded"])
        )
        self._artefatos: Documents[Citing] = Documents(
            connection, "source_artefatos", "slug", (), lambda _: ()
        )
        self._offers: Documents[Offer] = Documents(
            connection, "source_offers", "dispatch_id", (), lambda _: ()
        )
        self._steers = _Artefatos(connection, "source_steers", "id")
        self._chats = _Artefatos(connection, "source_chats", "comment_id")
        self._signals: dict[tuple[str, str, str, str], tuple[Any, ...] | None] = {}

    def expect(self, events: Sequence[Event]) -> None:
        ids: dict[str, set[str]] = {name: set() for name in ("comment_id", "id", "slug", "dispatch")}
        for event in events:
            for name in _ASKS_FOR.get(event.type, ()):
                id_ = dispatch.id_of(event) if name == "dispatch" else text_of(event.data, name)
                ids[name].add(id_ or "")
        self._chats.expect(ids["comment_id"])
        self._steers.expect(ids["id"])
        self._artefatos.expect(ids["slug"])
        self._offers.expect(ids["dispatch"])

    def apply(self, event: Event) -> None:
        match event.type:
            case "voz.comment" | "direction.proposed":
                self._owned(event)
            case "voz.resolved":
                if _folds(event):
                    self._credit(self._chats, text_of(event.data, "comment_id"), credit.FOLDED, event)
            case "direction.set":
                self._credit(self._steers, text_of(event.data, "id"), credit.ACCEPTED, event)
            case "direction.dropped":
                self._steers.disown(text_of(event.data, "id"))
            case "voz.vote":
                self._voted(event)
            case "artefato.published":
                self._published(event)
                self._dispatched(event)
            case "briefing.presented" | "dispatch.closed":
                self._dispatched(event)
            case _:
                ref = normal(text_of(event.data, "ref"))
                if ref:
                    self._sources.put(ref, evolve(self._source(ref), event))

    def _owned(self, event: Event) -> None:
        """Note what a comment is about, or which artefato a proposal came from."""
        data = event.data
        if event.type == "voz.comment":
            self._chats.owned(text_of(data, "comment_id"), text_of(data, "target_ref"))
        else:
            self._steers.owned(text_of(data, "id"), text_of(data, "from_artefato"))

    def _voted(self, event: Event) -> None:
        slug = text_of(event.data, "slug")
        if slug:
            artefato = self._artefato(slug)
            self._change(credit.voted(artefato, event), event)
            self._artefatos.put(slug, artefato)

    def _published(self, event: Event) -> None:
        slug = text_of(event.data, "slug")
        if not slug:
            return
        artefato = self._artefato(slug)
        self._change(credit.published(artefato, event), event)
        self._artefatos.put(slug, artefato)
        for ref, (kind, _) in credit.cites_of(event.data).items():
            source = self._source(ref)
            if kind is not None and source["kind"] != kind:
                source["kind"] = kind
                self._sources.put(ref, source)
        proposes = event.data.get("proposes")
        for proposal in proposes if isinstance(proposes, list) else []:
            if isinstance(proposal, dict):
                title, body = text_of(proposal, "title"), text_of(proposal, "body")
                self._steers.owned(proposal_id(slug, title, body), slug)

    def _dispatched(self, event: Event) -> None:
        dispatch_id = dispatch.id_of(event)
        if not dispatch_id:
            return
        offer = self._offers.get(dispatch_id) or credit.offer(dispatch_id)
        if event.type == "briefing.presented":
            credit.presented(offer, event)
        elif event.type == "artefato.published":
            credit.cited_in(offer, event)
        else:
            self._change(credit.settled(offer, event), event)
        self._offers.put(dispatch_id, offer)

    def _credit(self, owned: _Artefatos, id_: str, whole: float, event: Event) -> None:
        """Credit the artefato that an id came from, once for ever."""
        slug = owned.take(id_)
        if slug is not None:
            self._change(credit.credited(self._artefato(slug), whole, id_, event), event)

    def _change(self, changes: Iterable[Change], event: Event) -> None:
        for sign, signal in changes:
            self._sources.put(signal.ref, weigh(self._source(signal.ref), signal, sign))
            row = (*signal[:3], event.position, *signal[3:], half_lives(signal.at))
            self._signals[*signal[:3], signal.event] = row if sign > 0 else None

    def _source(self, ref: str) -> Source:
        return self._sources.get(ref) or initial(ref)

    def _artefato(self, slug: str) -> Citing:
        return self._artefatos.get(slug) or credit.citing(slug)

    def flush(self) -> None:
        for held in (self._sources, self._artefatos, self._offers, self._steers, self._chats):
            held.flush()
        execute = self.connection.executemany
        gone = [key for key, row in self._signals.items() if row is None]
        execute("DELETE FROM source_signals WHERE ref = ? AND kind = ? AND about = ? AND event = ?", gone)
        rows = [row for row in self._signals.values() if row is not None]
        execute("INSERT OR REPLACE INTO source_signals VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._signals.clear()

    def discard(self) -> None:
        for held in (self._sources, self._artefatos, self._offers, self._steers, self._chats):
            held.discard()
        self._signals.clear()


class _Artefatos:
    """Ids that came from an artefato, each credited once at most: a table of (id, slug, credited)."""

    def __init__(self, connection: apsw.Connection, table: str, key: str) -> None:
        self._connection = connection
        self._select = (
            f"SELECT {key}, slug, credited FROM {table} WHERE {key} IN (SELECT value FROM json_each(?))"
        )
        self._write = f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)"
        self._held: dict[str, tuple[str, int] | None] = {}
        self._changed: set[str] = set()

    def expect(self, ids: set[str]) -> None:
        wanted = [id_ for id_ in ids if id_ not in self._held]
        if wanted:
            self._held.update(dict.fromkeys(wanted))
            rows = self._connection.execute(self._select, (json.dumps(wanted),))
            for id_, slug, credited in cast("Iterable[tuple[str, str, int]]", rows):
                self._held[id_] = (slug, credited)

    def owned(self, id_: str, slug: str) -> None:
        """The id came from this artefato; the first that says so stands."""
        if id_ and slug and not (self._get(id_) or ("", 0))[0]:
            self._put(id_, slug, 0)

    def take(self, id_: str) -> str | None:
        """The artefato an id came from, the first time it is asked for; else None."""
        held = self._get(id_)
        if held is None or not held[0] or held[1]:
            return None
        self._put(id_, held[0], 1)
        return held[0]

    def disown(self, id_: str) -> None:
        """What becomes of the id from now on is not the artefato's, until one says it is its own again."""
        held = self._get(id_)
        if held is not None and not held[1]:
            self._put(id_, "", 0)

    def _get(self, id_: str) -> tuple[str, int] | None:
        if id_ not in self._held:
            self.expect({id_})
        return self._held[id_]

    def _put(self, id_: str, slug: str, credited: int) -> None:
        self._held[id_] = (slug, credited)
        self._changed.add(id_)

    def flush(self) -> None:
        rows = [(id_, *held) for id_ in sorted(self._changed) if (held := self._held[id_]) is not None]
        self._connection.executemany(self._write, rows)
        self.discard()

    def discard(self) -> None:
        self._held.clear()
        self._changed.clear()


def _folds(event: Event) -> bool:
    return text_of(event.data, "outcome") == _FOLDED
