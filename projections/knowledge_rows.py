"""The rows of the knowledge model: one an entity, one a fact, one a curated id, and the words' index."""

from __future__ import annotations

import hashlib
from typing import Any, Final, Literal, cast

import apsw

from edge.domain import curated
from edge.domain.clusters import resolved
from edge.domain.curated import Curation
from edge.domain.knowledge import Entity, Fact, words_hash
from projections.documents import read, written

SHOWN: Final = ("hypothesis", "contested", "curated")
"""The tiers of facts that are shown; the others are retired, merged, or said by a curated one."""

Kind = Literal["entity", "fact"]


class KnowledgeRows:
    """Writes what has been folded; the tier of a fact follows from the curation of its id or its words."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def put_entity(self, entity: Entity, episodes: int, first: int, position: int) -> None:
        self._changed("entity", entity.id, position)
        if not episodes:
            self.connection.execute("DELETE FROM knowledge_entities WHERE id = ?", (entity.id,))
            self._forget_vector(entity.id)
            return
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_entities VALUES (?, ?, ?, ?)",
            (entity.id, episodes, first, _doc(entity)),
        )

    def put_fact(self, fact: Fact, episodes: int, first: int, position: int) -> list[str]:
        """Write a fact as it is now; the other facts whose tier may follow from that."""
        stood = self._stands(fact.id)
        said = words_hash(fact.statement) if episodes else ""
        told = self._told_about(fact.id, said)
        self._put_fact(fact, said, episodes, first, position)
        moved = told or stood != self._stands(fact.id)
        return self.following(fact.id) if moved else []

    def _told_about(self, fact_id: str, said: str) -> bool:
        """Note with a fact's curation what is said under its id, whether before or after it was curated."""
        curation = self.curation(fact_id) if said else None
        if curation is None or curation["about"] == said:
            return False
        self.put_curation({**curation, "about": said})
        return True

    def _put_fact(self, fact: Fact, said: str, episodes: int, first: int, position: int) -> None:
        self._changed("fact", fact.id, position)
        curation = self._curation_of(fact.id, said)
        if not episodes:
            self._forget_vector(fact.id)
            if curation is None or (curation["id"], curation["standing"]) != (fact.id, "curated"):
                self._take_out(fact.id)
                return
            first, said = curation["position"], words_hash(curation["statement"] or "")
        if curation and curation["standing"] == "merged" and not self._has_heir(curation):
            curation = None  # what it was merged into is gone: it stands for itself again
        tier = _tier(fact, curation)
        words = (curation["statement"] if curation and tier == "curated" else None) or fact.statement
        num = _row_number(fact.id)
        self._index_words(num, words, shown=tier in SHOWN)
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(num, fact.id, fact.source, fact.target, said, tier, words),
                *(episodes, first, _doc(fact)),
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

    def _forget_vector(self, owner: str) -> None:
        self.connection.execute("DELETE FROM knowledge_vectors WHERE owner = ?", (owner,))

    def _changed(self, kind: Kind, id_: str, position: int) -> None:
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_changes VALUES (?, ?, ?)", (id_, kind, position)
        )

    def curation(self, id_: str) -> Curation | None:
        row = self.connection.execute("SELECT doc FROM knowledge_curations WHERE id = ?", (id_,)).get
        return cast("Curation", read(cast("str", row))) if row else None

    def _curation_of(self, id_: str, said: str) -> Curation | None:
        """The curation of a fact's own id, else the latest of what says the same."""
        row = self.connection.execute(
            "SELECT doc FROM knowledge_curations WHERE id = ?1 OR (?2 != '' AND (words = ?2 OR about = ?2))"
            " ORDER BY id = ?1 DESC, position DESC LIMIT 1",
            (id_, said),
        ).get
        return cast("Curation", read(cast("str", row))) if row else None

    def _has_heir(self, merged: Curation) -> bool:
        """Whether what an id was merged into still stands, or was taken out by the operator."""
        into: dict[str, str] = {}
        alive = {merged["id"]}
        at: Curation | None = merged
        while at and at["standing"] == "merged" and at["into"] and at["id"] not in into:
            heir = into[at["id"]] = at["into"]
            at = self.curation(heir)
            if self._stands(heir) or (at and at["standing"] == "retired"):
                alive.add(heir)
        return resolved(merged["id"], into, alive) != merged["id"]

    def following(self, id_: str) -> list[str]:
        """The other facts whose tier may follow from an id's: what was merged into it, however many times,
        and what says the same as it or these."""
        rows = self.connection.execute(
            "WITH RECURSIVE merged (id) AS (SELECT ?1"
            ' UNION SELECT c.id FROM merged JOIN knowledge_curations c ON c."into" = merged.id'
            " AND c.doc ->> 'standing' = 'merged')"
            " SELECT f.id FROM merged JOIN knowledge_facts f USING (id) WHERE f.id != ?1"
            " UNION SELECT f.id FROM merged JOIN knowledge_curations c USING (id) JOIN knowledge_facts f"
            " ON f.words_hash IN (c.words, c.about) AND f.words_hash != '' WHERE f.id != ?1 ORDER BY 1",
            (id_,),
        )
        return [cast("str", row[0]) for row in list(rows)]

    def _stands(self, fact_id: str) -> bool:
        return bool(self.connection.execute("SELECT 1 FROM knowledge_facts WHERE id = ?", (fact_id,)).get)

    def put_curation(self, curation: Curation) -> None:
        words, about = hashes(curation)
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_curations VALUES (?, ?, ?, ?, ?, ?)",
            (
                *(curation["id"], words, about, curation["into"] or ""),
                *(curation["position"], written(curation)),
            ),
        )

    def unsay(self, fact_id: str) -> None:
        """No curation keeps what stood for words that are gone."""
        row = self.connection.execute("SELECT words_hash FROM knowledge_facts WHERE id = ?", (fact_id,)).get
        rows = self.connection.execute(
            "SELECT doc FROM knowledge_curations WHERE id = ? OR (about = ? AND about != '')",
            (fact_id, cast("str | None", row) or ""),
        )
        for (doc,) in cast("list[tuple[str]]", list(rows)):
            curation = cast("Curation", read(doc))
            self.put_curation({**curation, "about": None})

    def unsay_gone(self) -> None:
        """The same of words that no fact says any more, by whatever id: an extraction anew may have left them
        out before what it was of was forgotten."""
        rows = self.connection.execute(
            "SELECT doc FROM knowledge_curations WHERE about != '' AND NOT EXISTS ("
            "SELECT 1 FROM knowledge_facts WHERE words_hash = about AND episodes > 0)"
        )
        for (doc,) in cast("list[tuple[str]]", list(rows)):
            self.put_curation({**cast("Curation", read(doc)), "about": None})


def hashes(curation: Curation | None) -> tuple[str, str]:
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
