"""The hypothesis tier as the graph's index and Neo4j follow it: what changed after a position."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Final, cast

import apsw

from edge.domain.knowledge import Entity, Fact
from edge.ports_knowledge import KnownEpisode
from projections.knowledge import entity_of, fact_of
from projections.knowledge_tables import BESIDE
from projections.store import BUSY_MS, ReadStore

_SUPPORT: Final = (
    "SELECT c.episode FROM knowledge_contributions c"
    " JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
    " WHERE c.owner = ? ORDER BY c.position"
)


def support(connection: apsw.Connection, owner: str) -> tuple[str, ...]:
    """The living episodes that mention an entity or state a fact, in log order."""
    return tuple(cast("str", episode) for (episode,) in connection.execute(_SUPPORT, (owner,)))


class Known:
    """See :class:`edge.ports_knowledge.KnownGraph`. Use it inside one snapshot of the store."""

    def __init__(self, store: ReadStore) -> None:
        self._store = store
        self._connection = store.connection
        self._connection.execute(BESIDE)

    def position(self) -> int:
        return self._store.position()

    def entities_changed(self, after: int = 0) -> Iterator[Entity]:
        yield from map(Entity, self._gone("entity", after))
        for id_, doc in self._rows("SELECT id, doc FROM knowledge_entities WHERE changed > ?", after):
            yield entity_of(id_, doc, support(self._connection, id_))

    def facts_changed(self, after: int = 0) -> Iterator[Fact]:
        yield from map(Fact, self._gone("fact", after))
        sql = "SELECT id, doc FROM knowledge_facts WHERE changed > ? AND episodes > 0"
        for id_, doc in self._rows(sql, after):
            yield fact_of(id_, doc, support(self._connection, id_))

    def episodes_changed(self, after: int = 0) -> Iterator[KnownEpisode]:
        rows = self._connection.execute(
            "SELECT id, at, session, project, gist, state = 'alive' AND extracted > 0"
            " FROM knowledge_episodes WHERE changed > ? AND (extracted > 0 OR state = 'forgotten')"
            " ORDER BY extracted, id",
            (after,),
        )
        for id_, at, session, project, gist, alive in cast(
            "list[tuple[str, str, str, str | None, str, int]]", list(rows)
        ):
            yield KnownEpisode(id_, at, session, project, gist, bool(alive))

    def _rows(self, sql: str, after: int) -> list[tuple[str, str]]:
        return cast(
            "list[tuple[str, str]]", list(self._connection.execute(sql + " ORDER BY first, id", (after,)))
        )

    def _gone(self, kind: str, after: int) -> list[str]:
        """What went after a position and has not come back."""
        table = "knowledge_entities" if kind == "entity" else "knowledge_facts"
        rows = self._connection.execute(
            f"SELECT id FROM knowledge_gone g WHERE kind = ? AND changed > ? AND NOT EXISTS"
            f" (SELECT 1 FROM {table} t WHERE t.id = g.id AND t.episodes > 0)",
            (kind, after),
        )
        return [cast("str", id_) for (id_,) in list(rows)]


class StoredVectors:
    """See :class:`edge.ports_knowledge.VectorStore`: a table of this host beside the read models.

    A store in a file is written over a connection of its own, so that vectors can be put while
    what they are of is being read in one snapshot.
    """

    def __init__(self, store: ReadStore) -> None:
        self._connection = apsw.Connection(str(store.path)) if store.path else store.connection
        self._connection.set_busy_timeout(BUSY_MS)
        self._connection.execute(BESIDE)

    def vectors(self, embedder: str, owners: Collection[str]) -> dict[str, bytes]:
        rows = self._connection.execute(
            "SELECT owner, vector FROM knowledge_vectors WHERE embedder = ?"
            " AND owner IN (SELECT value FROM json_each(?))",
            (embedder, json.dumps(list(owners))),
        )
        return dict(cast("Iterable[tuple[str, bytes]]", rows))

    def put_vectors(self, embedder: str, vectors: dict[str, bytes]) -> None:
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO knowledge_vectors VALUES (?, ?, ?)",
                [(owner, embedder, vector) for owner, vector in vectors.items()],
            )
