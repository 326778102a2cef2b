"""What changed in the knowledge, cut into pages of rows as Neo4j takes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from adapters.graph.neo4j import curated as promoted
from adapters.graph.neo4j import values
from edge.domain.knowledge import Entity, Fact, mention_id
from edge.ports_knowledge import Embedder, KnownEpisode, KnownGraph, VectorStore

Row = dict[str, Any]

ROWS: Final = 400
"""Rows a page: some megabytes of vectors, and one commit for some forty episodes."""


@dataclass
class Page:
    """Rows of one transaction, by what is done with them, in the order it is done."""

    episodes: list[Row] = field(default_factory=list)
    entities: list[Row] = field(default_factory=list)
    mentions: list[Row] = field(default_factory=list)
    unmentions: list[Row] = field(default_factory=list)
    gone_entities: list[str] = field(default_factory=list)
    facts: list[Row] = field(default_factory=list)
    gone_facts: list[str] = field(default_factory=list)
    episode_facts: list[Row] = field(default_factory=list)
    gone_episodes: list[str] = field(default_factory=list)

    def add(self, other: Page) -> None:
        for name, rows in vars(other).items():
            getattr(self, name).extend(rows)

    def __len__(self) -> int:
        return sum(len(rows) for rows in vars(self).values())


class Were(NamedTuple):
    """What the graph already holds of an episode."""

    episode: str
    entities: list[str]
    facts: list[str]


class Pages:
    """The pages that bring a group from one position to the one ``known`` is at.

    Episodes come first and leave last, so that whatever refers to one finds it. Nothing here
    depends on what was known in between: a page is what stands at the end. ``were`` tells what
    the graph holds of some episodes: of one that was extracted again, or written by a projector
    that died, some mentions and facts may have to go.
    """

    def __init__(
        self,
        group: str,
        embedder: Embedder,
        vectors: VectorStore,
        were: Callable[[Sequence[str]], Iterable[Were]],
    ) -> None:
        self._group = group
        self._embedder = embedder
        self._vectors = vectors
        self._were = were
        self._mentioned_by: dict[str, set[str]] = defaultdict(set)
        self._facts_were: dict[str, set[str]] = {}
        self._facts_are: dict[str, set[str]] = {}
        self._facts_seen: set[str] = set()
        self.changes = 0

    def of(self, known: KnownGraph, after: int) -> Iterator[Page]:
        page = Page()
        for rows in self._rows(known, after):
            page.add(rows)
            if len(page) >= ROWS:
                yield self._with_vectors(page)
                page = Page()
        yield self._with_vectors(page)

    def curated(self, statements: Sequence[promoted.Curated], group: str) -> Page:
        """All of the curated group, as one page."""
        entities, facts = promoted.entity_rows(statements, group), promoted.fact_rows(statements, group)
        return self._with_vectors(Page(entities=entities, facts=facts))

    def _rows(self, known: KnownGraph, after: int) -> Iterator[Page]:
        gone: list[str] = []
        episodes = known.episodes_changed(after)
        while some := list(islice(episodes, ROWS)):
            self.changes += len(some)
            gone += [episode.id for episode in some if not episode.alive]
            alive = [episode for episode in some if episode.alive]
            self._facts_are.update((episode.id, set()) for episode in alive)
            for episode, entities, facts in self._were([episode.id for episode in alive]):
                self._facts_were[episode] = set(facts)
                for entity in entities:
                    self._mentioned_by[entity].add(episode)
            yield Page(episodes=[self._episode(episode) for episode in alive])
        for changed in known.entities_changed(after):
            self.changes += 1
            yield self._entity(changed)
        for fact in known.facts_changed(after):
            self.changes += 1
            yield self._fact(fact)
        for id_, stated in self._facts_are.items():
            kept = self._facts_were.get(id_, set()) - self._facts_seen
            yield Page(episode_facts=[{"uuid": id_, "facts": sorted(stated | kept)}])
        for id_ in gone:
            yield Page(gone_episodes=[id_])

    def _episode(self, episode: KnownEpisode) -> Row:
        session = values.text(episode.session)
        project = f" in {values.text(episode.project)}" if episode.project else ""
        props = {
            "name": session,
            "source": "message",
            "source_description": f"session {session}{project}",
            "content": values.text(episode.gist),
        }
        return {"uuid": episode.id, "at": values.time(episode.at) or promoted.BEGAN, "props": props}

    def _entity(self, entity: Entity) -> Page:
        if not entity.alive:
            return Page(gone_entities=[entity.id])
        fixed = {
            "uuid": entity.id,
            "name": values.key(entity.name),
            "group_id": self._group,
            "summary": values.text(entity.summary or ""),
        }
        row = {
            "uuid": entity.id,
            "first": entity.episodes[0],
            "labels": values.labels(entity.labels),
            "props": values.attributes(entity.attributes) | fixed,
        }
        episodes = set(entity.episodes)
        stale = self._mentioned_by.get(entity.id, set()) - episodes
        return Page(
            entities=[row],
            mentions=[_mention(id_, entity.id) for id_ in episodes if id_ in self._facts_are],
            unmentions=[_mention(id_, entity.id) for id_ in stale],
        )

    def _fact(self, fact: Fact) -> Page:
        self._facts_seen.add(fact.id)
        if not fact.alive:
            return Page(gone_facts=[fact.id])
        for id_ in fact.episodes:
            if id_ in self._facts_are:
                self._facts_are[id_].add(fact.id)
        fixed = {
            "uuid": fact.id,
            "source_node_uuid": fact.source,
            "target_node_uuid": fact.target,
            "name": values.key(fact.relation),
            "fact": values.text(fact.statement),
            "group_id": self._group,
            "episodes": list(dict.fromkeys(fact.episodes)),
        }
        times = (fact.valid_from, *(fact.closed or (None, None)), fact.reference_time)
        row = {
            "uuid": fact.id,
            "first": fact.episodes[0],
            "source": fact.source,
            "target": fact.target,
            "times": [values.time(each) for each in times],
            "props": values.attributes(fact.attributes) | fixed,
        }
        return Page(facts=[row])

    def _with_vectors(self, page: Page) -> Page:
        """Give each entity and fact its vector, by the embedder where none is stored."""
        rows = {row["uuid"]: row for row in (*page.entities, *page.facts)}
        texts = {id_: row["props"].get("fact", row["props"].get("name")) for id_, row in rows.items()}
        stored = self._vectors.vectors(self._embedder.name, list(rows)) if rows else {}
        missing = [id_ for id_ in rows if id_ not in stored]
        if missing:
            made = self._embedder.embed([texts[id_] for id_ in missing])
            fresh = {
                id_: np.asarray(row, np.float32).tobytes() for id_, row in zip(missing, made, strict=True)
            }
            self._vectors.put_vectors(self._embedder.name, fresh)
            stored = {**stored, **fresh}
        for id_, row in rows.items():
            vector = np.frombuffer(stored[id_], np.float32)
            # A text without a word has no direction; Neo4j would refuse to compare it with any other.
            row["vector"] = values.vector(vector.tolist()) if vector.any() else None
        return page


def _mention(episode: str, entity: str) -> Row:
    return {"uuid": mention_id(episode, entity), "episode": episode, "entity": entity}
