"""Read model of knowledge: the contributions of living episodes folded into entities and facts.

Each contribution is kept by what it is about and which episode made it. One more of them folds
onto its row; where one goes (forgotten, found to be no operator's, extracted again) what it was
about is folded anew from those that remain. So what is live equals what a rebuild gives.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, ClassVar, Final, Literal, NamedTuple, cast

import apsw

from edge.domain import curated
from edge.domain.chat import text_of
from edge.domain.curated import Curation
from edge.domain.episodes import CAPTURED, FORGOTTEN, RECLASSIFIED, Range, covers, said_at
from edge.domain.events import Data, Event
from edge.domain.knowledge import EXTRACTED, Entity, Fact, with_mention, with_statement, words_hash
from projections.documents import read, written
from projections.knowledge_tables import BESIDE, TABLES
from projections.model import ReadModel

EXTRACTION_FORGOTTEN: Final = "extraction.forgotten"
SHOWN: Final = ("hypothesis", "contested", "curated")
"""The tiers of facts that are shown; the others are retired, merged, or said by a curated one."""

Kind = Literal["entity", "fact"]
_KINDS: Final[tuple[tuple[Kind, str], ...]] = (("entity", "entities"), ("fact", "facts"))
_Cost = tuple[str, str, int, int, int]


class _Episode(NamedTuple):
    id: str
    range: Range
    state: Literal["alive", "absent", "forgotten"]
    costs: list[_Cost]
    """(day, model, calls, tokens, ms) of each time it was extracted."""


class Knowledge(ReadModel):
    """Of a page's captured episodes the rows are held back; the rest is written as it comes."""

    NAME = "knowledge"
    VERSION = 1
    TYPES = frozenset((CAPTURED, RECLASSIFIED, FORGOTTEN, EXTRACTED, EXTRACTION_FORGOTTEN, *curated.TYPES))
    TABLES: ClassVar[dict[str, str]] = TABLES

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._captured: list[tuple[Any, ...]] = []

    def apply(self, event: Event) -> None:
        if event.type == CAPTURED:
            self._capture(event)
            return
        self._write_captured()
        if event.type == EXTRACTED:
            self._extract(event)
        elif event.type == RECLASSIFIED:
            self._reclassify(event)
        elif event.type == FORGOTTEN:
            for episode in self._episodes("stream = ?", event.stream):
                if episode.state != "forgotten":
                    self._forget(episode.id, event.position)
        elif event.type == EXTRACTION_FORGOTTEN:
            self._forget(event.stream.partition(".")[2], event.position)
        else:
            self._curate(event)

    def flush(self) -> None:
        self._write_captured()

    def discard(self) -> None:
        self._captured.clear()

    # -- episodes ---------------------------------------------------------------------------

    def _capture(self, event: Event) -> None:
        data = event.data
        said = said_at(data["turns"], event.recorded_at)
        self._captured.append(
            (
                *(event.id, event.stream, data["session"], data.get("project"), said),
                *(data["from"], data["to"], data["presence"], _state(data["presence"])),
                *("", 0, "", "[]", event.position),
            )
        )

    def _write_captured(self) -> None:
        if self._captured:
            marks = ", ".join("?" * len(self._captured[0]))
            self.connection.executemany(
                f"INSERT OR REPLACE INTO knowledge_episodes VALUES ({marks})", self._captured
            )
            self._captured.clear()

    def _episodes(self, where: str, binding: str) -> list[_Episode]:
        rows = self.connection.execute(
            f'SELECT id, "from", "to", presence, state, costs FROM knowledge_episodes WHERE {where}',
            (binding,),
        )
        return [
            _Episode(id_, Range(from_, to, presence), state, [cast("_Cost", tuple(c)) for c in read(costs)])
            for id_, from_, to, presence, state, costs in cast("list[tuple[Any, ...]]", list(rows))
        ]

    def _reclassify(self, event: Event) -> None:
        told = Range(event.data["from"], event.data["to"], event.data["presence"])
        for episode in self._episodes("stream = ?", event.stream):
            if episode.state == "forgotten" or not covers(told, episode.range):
                continue
            state = _state(told.presence)
            self.connection.execute(
                "UPDATE knowledge_episodes SET presence = ?, state = ?, changed = ? WHERE id = ?",
                (told.presence, state, event.position, episode.id),
            )
            if state != episode.state:
                self._refold(self._about(episode.id), event.position)

    def _forget(self, episode_id: str, position: int) -> None:
        """Nothing of the episode stays but its id, whether it was ever seen here or not."""
        for episode in self._episodes("id = ?", episode_id):
            self._tally(episode.costs, -1)
        about = self._about(episode_id)
        self.connection.execute("DELETE FROM knowledge_contributions WHERE episode = ?", (episode_id,))
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_episodes VALUES"
            " (?, '', '', NULL, '', 0, 0, 'absent', 'forgotten', '', 0, '', '[]', ?)",
            (episode_id, position),
        )
        self._refold(about, position)

    # -- contributions ----------------------------------------------------------------------

    def _extract(self, event: Event) -> None:
        data = event.data
        id_ = str(data["episode"])
        episode = next(iter(self._episodes("id = ?", id_)), None)
        if episode is None:  # a foreign log may hold extractions alone
            self._captured.append(
                (id_, "", "", None, event.recorded_at, 0, 0, "unknown", "alive", "", 0, "", "[]", 0)
            )
            self._write_captured()
            episode = _Episode(id_, Range(0, 0, "unknown"), "alive", [])
        if episode.state == "forgotten":
            return
        before = self._about(id_)
        cost = _cost(event)
        self._tally([cost], +1)
        self.connection.execute("DELETE FROM knowledge_contributions WHERE episode = ?", (id_,))
        self.connection.execute(
            "UPDATE knowledge_episodes SET extraction = ?, extracted = ?, gist = ?, costs = ?, changed = ?"
            " WHERE id = ?",
            (
                *(event.id, event.position, str(data.get("gist") or "")),
                *(written([*episode.costs, cost]), event.position, id_),
            ),
        )
        for kind, field in _KINDS:
            said = {str(one["id"]): one for one in data.get(field) or ()}
            self.connection.executemany(
                "INSERT OR REPLACE INTO knowledge_contributions VALUES (?, ?, ?, ?, ?)",
                [(owner, id_, kind, event.position, written(one)) for owner, one in said.items()],
            )
            if episode.state == "alive":
                for owner, one in said.items():
                    if (kind, owner) not in before:
                        self._one_more(kind, owner, one, id_, event.position)
        self._refold(before, event.position, forgetting=False)

    def _about(self, episode_id: str) -> list[tuple[Kind, str]]:
        """What the episode's contributions are about."""
        rows = self.connection.execute(
            "SELECT kind, owner FROM knowledge_contributions WHERE episode = ?", (episode_id,)
        )
        return cast("list[tuple[Kind, str]]", list(rows))

    def _one_more(self, kind: Kind, id_: str, said: Data, episode: str, position: int) -> None:
        """Fold one contribution, later than all others, onto the row there is."""
        table = "knowledge_entities" if kind == "entity" else "knowledge_facts"
        row = self.connection.execute(f"SELECT doc, episodes, first FROM {table} WHERE id = ?", (id_,)).get
        doc, episodes, first = cast("tuple[str, int, int]", row) if row else ("", 0, 0)
        first = first if episodes else position
        if kind == "entity":
            entity = with_mention(entity_of(id_, doc) if episodes else None, said, episode)
            self._put_entity(entity, episodes + 1, first, position)
        else:
            fact = with_statement(fact_of(id_, doc) if episodes else None, said, episode)
            self._put_fact(fact, episodes + 1, first, position)

    def _refold(self, about: Iterable[tuple[Kind, str]], position: int, *, forgetting: bool = True) -> None:
        """Fold what remains about each of these. ``forgetting``: what is gone is to be forgotten."""
        for kind, id_ in about:
            rows = self.connection.execute(
                "SELECT c.episode, c.position, c.doc FROM knowledge_contributions c"
                " JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
                " WHERE c.owner = ? AND c.kind = ? ORDER BY c.position",
                (id_, kind),
            )
            remaining = cast("list[tuple[str, int, str]]", list(rows))
            first = remaining[0][1] if remaining else 0
            if kind == "entity":
                entity = Entity(id_)
                for episode, _, doc in remaining:
                    entity = with_mention(entity, read(doc), episode)
                self._put_entity(entity, len(remaining), first, position)
            else:
                if forgetting and not remaining:
                    self._unsay(id_)
                fact = Fact(id_)
                for episode, _, doc in remaining:
                    fact = with_statement(fact, read(doc), episode)
                self._put_fact(fact, len(remaining), first, position)

    # -- rows -------------------------------------------------------------------------------

    def _put_entity(self, entity: Entity, episodes: int, first: int, position: int) -> None:
        if not episodes:
            self.connection.execute("DELETE FROM knowledge_entities WHERE id = ?", (entity.id,))
            self._gone("entity", entity.id, position)
            return
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_entities VALUES (?, ?, ?, ?, ?)",
            (entity.id, episodes, first, position, _doc(entity)),
        )

    def _put_fact(self, fact: Fact, episodes: int, first: int, position: int) -> None:
        own = self._curation("id = ?1", fact.id)
        said = words_hash(fact.statement) if episodes else ""
        if not episodes:
            self._gone("fact", fact.id, position)
            if own is None or own["standing"] != "curated":
                self._take_out(fact.id)
                return
            first, said = own["position"], words_hash(own["statement"] or "")
        curation = own or self._curation("words = ?1 OR about = ?1", said)
        tier = _tier(fact, curation)
        words = (curation["statement"] if curation and tier == "curated" else None) or fact.statement
        num = _row_number(fact.id)
        self._index_words(num, words, shown=tier in SHOWN)
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(num, fact.id, fact.source, fact.target, said, tier, words),
                *(episodes, first, position, _doc(fact)),
            ),
        )

    def _take_out(self, id_: str) -> None:
        num = _row_number(id_)
        self._index_words(num, "", shown=False)
        self.connection.execute("DELETE FROM knowledge_facts WHERE num = ?", (num,))

    def _index_words(self, num: int, words: str, *, shown: bool) -> None:
        """Keep the full-text index to what is shown. What leaves it is deleted there for good."""
        before = cast(
            "str | None",
            self.connection.execute("SELECT words FROM knowledge_words WHERE num = ?", (num,)).get,
        )
        if shown and before == words:
            return
        if before is not None:
            self.connection.execute(
                "INSERT INTO knowledge_fts (knowledge_fts, rowid, words) VALUES ('delete', ?, ?)",
                (num, before),
            )
            self.connection.execute("DELETE FROM knowledge_words WHERE num = ?", (num,))
        if shown:
            self.connection.execute("INSERT INTO knowledge_words VALUES (?, ?)", (num, words))
            self.connection.execute("INSERT INTO knowledge_fts (rowid, words) VALUES (?, ?)", (num, words))

    def _gone(self, kind: Kind, id_: str, position: int) -> None:
        """Remember on this host what to take out of what is kept beside the read models."""
        self.connection.execute(BESIDE)
        self.connection.execute("DELETE FROM knowledge_vectors WHERE owner = ?", (id_,))
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_gone VALUES (?, ?, ?)", (id_, kind, position)
        )

    def _tally(self, costs: Iterable[_Cost], sign: int) -> None:
        for day, model, calls, tokens, ms in costs:
            self.connection.execute(
                "INSERT INTO knowledge_costs VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (day, model)"
                " DO UPDATE SET episodes = episodes + ?3, calls = calls + ?4, tokens = tokens + ?5,"
                " ms = ms + ?6",
                (day, model, sign, sign * calls, sign * tokens, sign * ms),
            )
            self.connection.execute(
                "DELETE FROM knowledge_costs WHERE day = ? AND model = ? AND episodes <= 0", (day, model)
            )

    # -- curation ---------------------------------------------------------------------------

    def _curation(self, where: str, binding: str) -> Curation | None:
        """The latest that matches; nothing matches the empty text."""
        row = self.connection.execute(
            f"SELECT doc FROM knowledge_curations WHERE ({where}) AND ?1 != ''"
            " ORDER BY position DESC LIMIT 1",
            (binding,),
        ).get
        return cast("Curation", read(cast("str", row))) if row else None

    def _curate(self, event: Event) -> None:
        id_ = text_of(event.data, "id")
        if id_ is None:
            return
        before = self._curation("id = ?1", id_)
        subject = subject_of(self.connection, id_)
        after = curated.evolve(before, event, words_hash(subject.words) if subject else None)
        self._put_curation(after)
        hashes = {*_hashes(before), *_hashes(after)} - {""}
        rows = self.connection.execute(
            f"SELECT id FROM knowledge_facts WHERE words_hash IN ({', '.join('?' * len(hashes))})",
            tuple(hashes),
        )
        same = {cast("str", row[0]) for row in list(rows)}
        if after["standing"] == "curated" or (subject and subject.kind == "fact"):
            same.add(id_)
        self._refold([("fact", fact_id) for fact_id in sorted(same)], event.position, forgetting=False)

    def _put_curation(self, curation: Curation) -> None:
        words, about = _hashes(curation)
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_curations VALUES (?, ?, ?, ?, ?, ?)",
            (
                *(curation["id"], words, about, curation["into"] or ""),
                *(curation["position"], written(curation)),
            ),
        )

    def _unsay(self, fact_id: str) -> None:
        """No curation keeps what stood for words that are gone."""
        row = self.connection.execute("SELECT words_hash FROM knowledge_facts WHERE id = ?", (fact_id,)).get
        rows = self.connection.execute(
            "SELECT doc FROM knowledge_curations WHERE id = ? OR (about = ? AND about != '')",
            (fact_id, cast("str | None", row) or ""),
        )
        for (doc,) in cast("list[tuple[str]]", list(rows)):
            curation = cast("Curation", read(doc))
            self._put_curation({**curation, "about": None})


def _state(presence: str) -> Literal["alive", "absent"]:
    return "absent" if presence == "absent" else "alive"


def _cost(event: Event) -> _Cost:
    cost, by = event.data.get("cost") or {}, event.data.get("by") or {}
    seconds = cost.get("seconds") or 0
    return (
        *(event.recorded_at[:10], str(by.get("model") or "")),
        *(int(cost.get("calls") or 0), int(cost.get("tokens") or 0), round(seconds * 1000)),
    )


def _hashes(curation: Curation | None) -> tuple[str, str]:
    if curation is None:
        return "", ""
    words = curation["statement"]
    return words_hash(words) if words else "", curation["about"] or ""


def _tier(fact: Fact, curation: Curation | None) -> str:
    if curation is None:
        return "contested" if fact.closed else "hypothesis"
    if curation["standing"] == "curated" and curation["id"] != fact.id:
        return "said"  # the curated item says it already
    return curation["standing"]


def _row_number(id_: str) -> int:
    """The same in every store, so that full text finds its row after a rebuild."""
    digest = hashlib.blake2b(id_.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _doc(one: Entity | Fact) -> str:
    """Everything but the id and the episodes, which the contributions tell."""
    return written(list(one[1:-1]))


def entity_of(id_: str, doc: str, episodes: tuple[str, ...] = ("",)) -> Entity:
    name, labels, summary, attributes = cast("list[Any]", read(doc))
    return Entity(id_, name, tuple(labels), summary, attributes, episodes)


def fact_of(id_: str, doc: str, episodes: tuple[str, ...] = ("",)) -> Fact:
    source, target, relation, statement, valid_from, reference_time, attributes, closed = cast(
        "list[Any]", read(doc)
    )
    shut = (closed[0], closed[1]) if closed else None
    said = (source, target, relation, statement, valid_from, reference_time, attributes)
    return Fact(id_, *said, shut, episodes)


def subject_of(connection: apsw.Connection, id_: str) -> curated.Subject | None:
    """What extraction has under an id just now."""
    row = connection.execute("SELECT doc FROM knowledge_facts WHERE id = ? AND episodes > 0", (id_,)).get
    if row:
        return curated.Subject("fact", fact_of(id_, cast("str", row)).statement)
    row = connection.execute("SELECT doc FROM knowledge_entities WHERE id = ?", (id_,)).get
    return curated.Subject("entity", entity_of(id_, cast("str", row)).name) if row else None
