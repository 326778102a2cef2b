"""The hypothesis tier as the graph's index and Neo4j follow it: what changed after a position."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Final, cast

import apsw

from edge.domain.knowledge import Entity, Fact, with_mention, with_statement
from edge.ports_knowledge import KnownEpisode
from projections.documents import read
from projections.knowledge_rows import entity_of, fact_of
from projections.store import BUSY_MS, ReadStore

_SUPPORT: Final = (
    "SELECT c.episode FROM knowledge_contributions c"
    " JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
    " WHERE c.owner = ? AND c.supports ORDER BY c.position"
)


def support(connection: apsw.Connection, owner: str) -> tuple[str, ...]:
    """The living episodes that mention an entity or state a fact, in log order."""
    return tuple(cast("str", episode) for (episode,) in connection.execute(_SUPPORT, (owner,)))


class Known:
    """See :class:`edge.ports_knowledge.KnownGraph`. Use it inside one snapshot of the store."""

    def __init__(self, store: ReadStore) -> None:
        self._store = store
        self._connection = store.connection

    def position(self) -> int:
        return self._store.position()

    def entities_changed(self, after: int = 0) -> Iterator[Entity]:
        for id_, doc in self._changed("entity", "knowledge_entities", after):
            if doc is None:
                yield Entity(id_)
            else:
                yield entity_of(id_, doc, support(self._connection, id_))

    def facts_changed(self, after: int = 0) -> Iterator[Fact]:
        for id_, doc in self._changed("fact", "knowledge_facts", after):
            if doc is None:
                yield Fact(id_)
            else:
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

    def _changed(self, kind: str, table: str, after: int) -> list[tuple[str, str | None]]:
        """Ids that changed, first seen first, each with its row; None for what is gone."""
        rows = self._connection.execute(
            f"SELECT c.id, t.doc FROM knowledge_changes c"
            f" LEFT JOIN {table} t ON t.id = c.id AND t.episodes > 0"
            " WHERE c.kind = ? AND c.changed > ? ORDER BY t.first, c.id",
            (kind, after),
        )
        return cast("list[tuple[str, str | None]]", list(rows))


class KnownSince(Known):
    """The same, but only of what was extracted after a position: what extracting anew may know.

    Else an episode asked for again would find what it said and closed before, and leave it out.
    """

    def __init__(self, store: ReadStore, since: int) -> None:
        super().__init__(store)
        self._since = since

    def entities_changed(self, after: int = 0) -> Iterator[Entity]:
        for id_, _ in self._changed("entity", "knowledge_entities", after):
            entity = Entity(id_)
            for episode, doc in self._said("entity", id_):
                entity = with_mention(entity, read(doc), episode)
            yield entity

    def facts_changed(self, after: int = 0) -> Iterator[Fact]:
        for id_, _ in self._changed("fact", "knowledge_facts", after):
            fact = Fact(id_)
            for episode, doc in self._said("fact", id_):
                fact = with_statement(fact, read(doc), episode)
            yield fact if fact.alive else Fact(id_)

    def episodes_changed(self, after: int = 0) -> Iterator[KnownEpisode]:
        rows = self._connection.execute(
            "SELECT id FROM knowledge_episodes WHERE extracted > ?", (self._since,)
        )
        anew = {cast("str", id_) for (id_,) in rows}
        for episode in super().episodes_changed(after):
            yield episode._replace(alive=episode.alive and episode.id in anew)

    def _said(self, kind: str, id_: str) -> list[tuple[str, str]]:
        """The contributions of living episodes, in log order."""
        rows = self._connection.execute(
            "SELECT c.episode, c.doc FROM knowledge_contributions c"
            " JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
            " WHERE c.owner = ? AND c.kind = ? AND c.position > ? ORDER BY c.position",
            (id_, kind, self._since),
        )
        return cast("list[tuple[str, str]]", list(rows))


class StoredVectors:
    """See :class:`edge.ports_knowledge.VectorStore`: a table of this host beside the read models.

    A store in a file is written over a connection of its own, so that vectors can be put while
    what they are of is being read in one snapshot.
    """

    def __init__(self, store: ReadStore) -> None:
        self._own = store.path is not None
        self._connection = apsw.Connection(str(store.path)) if store.path else store.connection
        self._connection.set_busy_timeout(BUSY_MS)

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

    def close(self) -> None:
        if self._own:
            self._connection.close()
