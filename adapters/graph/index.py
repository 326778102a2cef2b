"""What is known, in process: entities, facts and episodes as extraction looks them up.

A mirror of the knowledge read model, brought up to date by what changed. Nothing here
decides; orders depend on the content alone, never on when a thing came in, so that a process
started anew extracts the same.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Final, TypeVar

import numpy as np

from adapters.graph.embedding import Remembering
from adapters.graph.postings import Postings
from adapters.graph.vectors import Rows, Scored, Vectors
from edge.domain.knowledge import Entity, Fact, normalised
from edge.ports_knowledge import KnownEpisode, KnownGraph, VectorStore

_BATCH: Final = 500
"""Entities or facts embedded and taken in at once: bounds the memory of a first load."""
_SUMMED_UP: Final = 3
"""Facts an entity's derived summary names."""

_Changed = TypeVar("_Changed", Entity, Fact)
_Key = TypeVar("_Key", str, tuple[str, str])


class Index:
    """Entities and facts by id, name, ends, words and likeness; living ones only.

    Used by one thread at a time. ``refresh`` may be repeated: taking in a change twice is
    taking it in once, so one that failed half-way is made good by the next.
    """

    def __init__(self, embedder: Remembering, vectors: VectorStore) -> None:
        self.entities: dict[str, Entity] = {}
        self.facts: dict[str, Fact] = {}
        self.position = 0
        self._embedder = embedder
        self._store = vectors
        self._names = Rows(embedder.dimension)
        self._statements = Rows(embedder.dimension)
        self._named: dict[str, list[str]] = {}
        self._entity_words = Postings()
        self._fact_words = Postings()
        self._pairs: dict[tuple[str, str], list[str]] = {}
        self._at: dict[str, set[str]] = {}
        self._mentioned: dict[str, set[str]] = {}
        self._episodes: dict[str, KnownEpisode] = {}
        self._times: list[tuple[float, str]] = []

    # -- keeping up ---------------------------------------------------------------------

    def refresh(self, known: KnownGraph) -> None:
        """Take in what changed since :attr:`position`. Use inside one snapshot of ``known``.

        Raises ``ModelAway`` where vectors are missing and the embedder does not answer.
        """
        position = known.position()
        for batch in _batches(known.entities_changed(self.position)):
            self._take(batch, self._names, lambda entity: entity.name, self._put_entity)
        for facts in _batches(known.facts_changed(self.position)):
            self._take(facts, self._statements, lambda fact: fact.statement, self._put_fact)
        for episode in known.episodes_changed(self.position):
            self._put_episode(episode)
        self.position = position

    def _take(
        self,
        batch: list[_Changed],
        rows: Rows,
        words: Callable[[_Changed], str],
        put: Callable[[_Changed], bool],
    ) -> None:
        """Vectors first: where the embedder fails nothing of the batch is known."""
        wanted = {one.id: words(one) for one in batch if one.alive}
        vectors = self._vectors({owner: text for owner, text in wanted.items() if owner not in rows})
        for one in batch:
            if put(one) and one.id not in vectors:  # it says something else now under the same id
                vectors.update(self._made({one.id: wanted[one.id]}))
            if not one.alive:
                rows.drop(one.id)
            elif one.id in vectors:
                rows.put(one.id, vectors[one.id])

    def _vectors(self, texts: dict[str, str]) -> dict[str, Vectors]:
        """Vectors by id: those the store has, the rest made and put there."""
        if not texts:
            return {}
        size = self._embedder.dimension * 4
        kept = self._store.vectors(self._embedder.name, texts)
        found = {
            owner: np.frombuffer(raw, np.float32)
            for owner, raw in kept.items()
            if owner in texts and len(raw) == size
        }
        return found | self._made({owner: text for owner, text in texts.items() if owner not in found})

    def _made(self, texts: dict[str, str]) -> dict[str, Vectors]:
        if not texts:
            return {}
        rows = self._embedder.embed([text.replace("\n", " ") for text in texts.values()])
        made = dict(zip(texts, rows, strict=True))
        self._store.put_vectors(self._embedder.name, {owner: row.tobytes() for owner, row in made.items()})
        return made

    def _put_entity(self, entity: Entity) -> bool:
        """Index an entity; True where it was known under another name."""
        old = self.entities.get(entity.id)
        _moved(self._mentioned, entity.id, old.episodes if old else (), entity.episodes)
        if not entity.alive:
            if old:
                del self.entities[entity.id]
                self._unname(old)
                self._entity_words.drop(entity.id)
            return False
        self.entities[entity.id] = entity
        renamed = old is not None and old.name != entity.name
        if renamed and old:
            self._unname(old)
        if old is None or renamed:
            self._named.setdefault(normalised(entity.name), []).append(entity.id)
            self._named[normalised(entity.name)].sort()
        self._entity_words.put(entity.id, f"{entity.name} {entity.summary or ''}")
        return renamed

    def _unname(self, entity: Entity) -> None:
        _out(self._named, normalised(entity.name), entity.id)

    def _put_fact(self, fact: Fact) -> bool:
        """Index a fact; True where it was known in other words."""
        old = self.facts.get(fact.id)
        if old and (not fact.alive or old[1:5] != fact[1:5]):
            self._unlink(old)
        if not fact.alive:
            self.facts.pop(fact.id, None)
            self._fact_words.drop(fact.id)
            return False
        if old is None or old[1:5] != fact[1:5]:
            self._pairs.setdefault((fact.source, fact.target), []).append(fact.id)
            self._pairs[fact.source, fact.target].sort()
            for end in (fact.source, fact.target):
                self._at.setdefault(end, set()).add(fact.id)
            self._fact_words.put(fact.id, f"{fact.relation} {fact.statement}")
        self.facts[fact.id] = fact
        return old is not None and old.statement != fact.statement

    def _unlink(self, fact: Fact) -> None:
        _out(self._pairs, (fact.source, fact.target), fact.id)
        for end in {fact.source, fact.target}:
            held = self._at[end]
            held.discard(fact.id)
            if not held:
                del self._at[end]

    def _put_episode(self, episode: KnownEpisode) -> None:
        old = self._episodes.pop(episode.id, None)
        if old:
            self._times.remove((_instant(old.at), old.id))
        if episode.alive:
            self._episodes[episode.id] = episode
            insort(self._times, (_instant(episode.at), episode.id))

    # -- looking up ---------------------------------------------------------------------

    def named(self, name: str) -> list[Entity]:
        """The entities of a name, case, accents and closing marks aside; by id."""
        return [self.entities[owner] for owner in self._named.get(normalised(name), ())]

    def known_as(self, plain: str) -> str | None:
        """The name an entity goes by, of its normalised name."""
        found = self._named.get(plain)
        return self.entities[found[0]].name if found else None

    def alike_entities(self, names: Vectors, limit: int, least: float) -> list[list[Scored]]:
        """For each vector the entities whose name is of cosine ``least`` or more."""
        return self._names.nearest(names, limit, least)

    def alike_facts(self, statements: Vectors, limit: int, least: float) -> list[list[Scored]]:
        return self._statements.nearest(statements, limit, least)

    def alike_among(
        self, statement: Vectors, facts: Collection[str], limit: int, least: float
    ) -> list[Scored]:
        return self._statements.among(statement, facts, limit, least)

    def entities_with(self, words: str, limit: int) -> list[Scored]:
        return self._entity_words.matching(words, limit)

    def facts_with(self, words: str, limit: int) -> list[Scored]:
        return self._fact_words.matching(words, limit)

    def facts_with_among(self, words: str, facts: Collection[str], limit: int) -> list[Scored]:
        return self._fact_words.among(words, facts, limit)

    def between(self, sources: Iterable[str], targets: Iterable[str]) -> list[str]:
        """Ids of the facts from any of the sources to any of the targets."""
        ends = list(dict.fromkeys(targets))
        return [
            fact
            for source in dict.fromkeys(sources)
            for target in ends
            for fact in self._pairs.get((source, target), ())
        ]

    def facts_of(self, entity: str) -> list[Fact]:
        """The facts an entity is an end of, by id."""
        return [self.facts[fact] for fact in sorted(self._at.get(entity, ()))]

    def mentioned(self, episode: str) -> list[Entity]:
        """The entities an episode contributed to, by id."""
        return [self.entities[owner] for owner in sorted(self._mentioned.get(episode, ()))]

    def summary(self, entity: Entity) -> str:
        """What is known of an entity in a line or three: a model's words, else its oldest facts."""
        if entity.summary:
            return entity.summary
        facts = self.facts_of(entity.id)
        facts.sort(key=lambda fact: (fact.reference_time or "", fact.id))
        return "\n".join(fact.statement for fact in facts[:_SUMMED_UP])

    def name_vector(self, entity: str) -> Vectors | None:
        return self._names.get(entity)

    def statement_vector(self, fact: str) -> Vectors | None:
        return self._statements.get(fact)

    def episode(self, episode: str) -> KnownEpisode | None:
        return self._episodes.get(episode)

    def episodes_until(self, at: datetime, last: int) -> list[KnownEpisode]:
        """The ``last`` episodes said at or before ``at``, oldest first."""
        upto = bisect_right(self._times, (at.timestamp(), "\U0010ffff"))
        return [self._episodes[name] for _, name in self._times[max(0, upto - last) : upto]]


def _batches(changed: Iterator[_Changed]) -> Iterator[list[_Changed]]:
    while batch := list(islice(changed, _BATCH)):
        yield batch


def _out(held: dict[_Key, list[str]], key: _Key, owner: str) -> None:
    held[key].remove(owner)
    if not held[key]:
        del held[key]


def _moved(held: dict[str, set[str]], owner: str, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    """Mentions by episode after an entity's episodes went from the old to the new."""
    if new[: len(old)] == old:  # as ever, but where something was forgotten
        gone, come = frozenset[str](), frozenset(new[len(old) :])
    else:
        gone, come = frozenset(old) - frozenset(new), frozenset(new) - frozenset(old)
    for episode in gone:
        held[episode].discard(owner)
        if not held[episode]:
            del held[episode]
    for episode in come:
        held.setdefault(episode, set()).add(owner)


def _instant(at: str) -> float:
    """Seconds since 1970 of an ISO time; what cannot be read counts as the beginning."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
