"""Clusters over the knowledge tables, kept beside them as long as nothing they follow from changed.

What is kept holds ids and no words: words are read where they stand, so what is forgotten there is
not kept here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePath
from typing import Any, Final, cast

from edge.domain.clusters import Cluster, Named, Stated, clustered, resolved
from edge.domain.refusal import Failed
from edge.ports_knowledge import ClusterFact, ClusterView, Promoted
from projections.documents import read, written
from projections.knowledge_rows import entity_of
from projections.store import ReadStore

VERSION: Final = 1
"""Of how clusters are computed; other code computes them anew."""
_SHOWN: Final = "('hypothesis', 'contested', 'curated')"


class Clusters:
    """The clusters of one read store, computed when they are asked for and something changed."""

    def __init__(self, store: ReadStore) -> None:
        self._store = store
        self._connection = store.connection

    def key(self) -> str:
        """What the clusters follow from, told by what changed last: a few look-ups, whatever is known."""
        told = [
            *(str(VERSION), self._store.log_id),
            *self._connection.execute("SELECT max(changed) FROM knowledge_changes WHERE kind = 'entity'"),
            *self._connection.execute("SELECT max(changed) FROM knowledge_changes WHERE kind = 'fact'"),
            *self._connection.execute(
                "SELECT id, state, extraction, changed FROM knowledge_episodes"
                " ORDER BY changed DESC, id DESC LIMIT 1"
            ),
            *self._connection.execute("SELECT count(*), max(position) FROM knowledge_curations"),
        ]
        return hashlib.blake2b(json.dumps(told).encode(), digest_size=16).hexdigest()

    def refresh(self) -> bool:
        """Keep the clusters as they are now; False where they were kept already, or cannot be."""
        with self._store.snapshot():
            key = self.key()
            if self._kept(key):
                return False
            found = self._computed()
        try:
            with self._store.transaction():
                self._keep(found, key)
        except Failed:  # a disk that takes nothing costs time only: they are computed when asked for
            return False
        return True

    def ranked(self, limit: int | None = None) -> list[Cluster]:
        """The clusters, those that matter now first. Writes nothing."""
        if not self._kept(self.key()):
            return self._computed()[:limit]
        rows = self._connection.execute(
            "SELECT id, doc FROM knowledge_clusters ORDER BY place LIMIT ?",
            (-1 if limit is None else limit,),
        )
        return [_cluster_of(id_, doc) for id_, doc in cast("list[tuple[str, str]]", list(rows))]

    def views(self, limit: int | None = None, facts: int | None = None) -> list[ClusterView]:
        """The clusters in words, each with its ``facts`` weightiest facts, or all of them."""
        found = self.ranked(limit)
        names = self.names({id_ for c in found for id_ in (*c.entities, *c.hubs, *c.telling)})
        stated = self._stated({id_ for c in found for id_ in c.facts[:facts]})
        return [
            ClusterView(
                id=c.id,
                label=" · ".join(names[id_] for id_ in c.telling),
                entities=[(id_, names[id_]) for id_ in c.entities],
                hubs=[(id_, names[id_]) for id_ in c.hubs],
                facts=[stated[id_] for id_ in c.facts[:facts]],
                told=len(c.facts),
                related=list(c.related),
            )
            for c in found
        ]

    def curated(self, limit: int) -> list[Promoted]:
        """What the operator promoted, the latest first."""
        rows = self._connection.execute(
            "SELECT f.id, f.words, c.doc FROM knowledge_facts f JOIN knowledge_curations c ON c.id = f.id"
            " WHERE f.tier = 'curated' ORDER BY c.position DESC, f.id LIMIT ?",
            (limit,),
        )
        return [
            Promoted(id_, words, list(read(doc)["events"]))
            for id_, words, doc in cast("list[tuple[str, str, str]]", list(rows))
        ]

    def curated_count(self) -> int:
        found = self._connection.execute("SELECT count(*) FROM knowledge_facts WHERE tier = 'curated'").get
        return cast("int", found)

    def names(self, ids: Collection[str]) -> dict[str, str]:
        """The names of entities that live."""
        rows = self._connection.execute(
            "SELECT id, doc FROM knowledge_entities WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(ids)),),
        )
        return {id_: entity_of(id_, doc).name for id_, doc in cast("Iterable[tuple[str, str]]", rows)}

    def events_of(self, fact: str, limit: int) -> list[str]:
        """The events a fact came from: its latest extractions, and what was curated of it."""
        rows = self._connection.execute(
            "SELECT e.extraction FROM knowledge_contributions c"
            " JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
            " WHERE c.owner = ? AND c.kind = 'fact' AND c.supports ORDER BY c.position DESC LIMIT ?",
            (fact, limit),
        )
        found = [cast("str", event) for (event,) in rows]
        doc = self._connection.execute("SELECT doc FROM knowledge_curations WHERE id = ?", (fact,)).get
        return [*(read(cast("str", doc))["events"] if doc else ()), *found]

    # -- computing --------------------------------------------------------------------------

    def _keep(self, found: Sequence[Cluster], key: str) -> None:
        self._connection.execute("DELETE FROM knowledge_clusters")
        self._connection.executemany(
            "INSERT INTO knowledge_clusters VALUES (?, ?, ?)",
            [(c.id, place, written(list(c[1:]))) for place, c in enumerate(found)],
        )
        self._connection.execute("INSERT OR REPLACE INTO knowledge_clusters_of VALUES (1, ?)", (key,))

    def _kept(self, key: str) -> bool:
        return bool(self._connection.execute("SELECT key FROM knowledge_clusters_of").get == key)

    def _computed(self) -> list[Cluster]:
        rows = self._connection.execute("SELECT id, doc, first FROM knowledge_entities")
        entities = [
            Named(id_, entity_of(id_, doc).name, first)
            for id_, doc, first in cast("Iterable[tuple[str, str, int]]", rows)
        ]
        merged, gone = self._merged()
        return clustered(
            [entity for entity in entities if entity.id not in gone],
            self._facts(merged),
            merged,
            self._projects(),
        )

    def _merged(self) -> tuple[dict[str, str], set[str]]:
        """What counts as what, by the operator, and which ids the operator took out."""
        rows = self._connection.execute('SELECT id, "into", doc FROM knowledge_curations')
        merged: dict[str, str] = {}
        gone: set[str] = set()
        for id_, into, doc in cast("Iterable[tuple[str, str, str]]", rows):
            standing = read(doc)["standing"]
            if standing == "merged" and into:
                merged[id_] = into
            elif standing == "retired":
                gone.add(id_)
        return merged, gone

    def _facts(self, merged: dict[str, str]) -> list[Stated]:
        """The facts shown; what a merged one had in support counts for the one it is merged into."""
        rows = self._connection.execute(
            "SELECT f.id, f.source, f.target, f.tier, f.episodes, max(e.at) FROM knowledge_facts f"
            " LEFT JOIN knowledge_contributions c ON c.owner = f.id AND c.kind = 'fact' AND c.supports"
            " LEFT JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
            f" WHERE f.tier IN {_SHOWN} OR f.tier = 'merged' GROUP BY f.num"
        )
        found = {
            id_: Stated(id_, source, target, tier, episodes, last or "")
            for id_, source, target, tier, episodes, last in cast("Iterable[tuple[Any, ...]]", rows)
        }
        for id_ in sorted(id_ for id_, fact in found.items() if fact.tier == "merged"):
            fact = found.pop(id_)
            into = found.get(resolved(id_, merged, found))
            if into is not None:
                found[into.id] = into._replace(
                    support=into.support + fact.support, last=max(into.last, fact.last)
                )
        return list(found.values())

    def _projects(self) -> set[str]:
        rows = self._connection.execute(
            "SELECT DISTINCT project FROM knowledge_episodes WHERE extracted > 0 AND project IS NOT NULL"
        )
        return {PurePath(cast("str", project).replace("\\", "/")).name for (project,) in rows}

    def _stated(self, ids: Collection[str]) -> dict[str, ClusterFact]:
        rows = self._connection.execute(
            "SELECT id, words, tier, episodes, source, target FROM knowledge_facts"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(ids)),),
        )
        return {row[0]: ClusterFact(*row) for row in cast("Iterable[tuple[Any, ...]]", rows)}


def _cluster_of(id_: str, doc: str) -> Cluster:
    *lists, heat = cast("list[Any]", read(doc))
    telling, entities, facts, hubs, related = map(tuple, lists)
    return Cluster(id_, telling, entities, facts, hubs, related, heat)
