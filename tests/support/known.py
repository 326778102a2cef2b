"""What is known, in memory: contributions as they come, are forgotten or made anew; the state is
the domain's own fold of those that count."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from edge.domain.events import Data
from edge.domain.knowledge import Entity, Fact, entity_id, fact_id, fold, with_mention, with_statement
from edge.ports_knowledge import KnownEpisode

if TYPE_CHECKING:
    from edge.ports_knowledge import Vectors

BEGAN = datetime(2026, 11, 1, 8, tzinfo=UTC)


class MemoryKnown:
    """A :class:`~edge.ports_knowledge.KnownGraph` that remembers at which position what changed."""

    def __init__(self) -> None:
        self.contributions: dict[str, Data] = {}
        self.episodes: dict[str, KnownEpisode] = {}
        self.entities: dict[str, Entity] = {}
        self.facts: dict[str, Fact] = {}
        self._changed: dict[str, int] = {}
        self._position = 1

    def contribute(self, episode: KnownEpisode, data: Data) -> None:
        """One more episode was extracted."""
        self._position += 10
        self.contributions[episode.id] = data
        self.episodes[episode.id] = episode
        self._changed[episode.id] = self._position
        for said in data["entities"]:
            self.entities[said["id"]] = with_mention(self.entities.get(said["id"]), said, episode.id)
            self._changed[said["id"]] = self._position
        for said in data["facts"]:
            self.facts[said["id"]] = with_statement(self.facts.get(said["id"]), said, episode.id)
            self._changed[said["id"]] = self._position

    def forget(self, episode: str) -> None:
        """Leave it out of the fold: what only it said is gone, what came first is worded anew."""
        self._position += 10
        del self.contributions[episode]
        self.episodes[episode] = KnownEpisode(episode, "", "", None, "", alive=False)
        self._changed[episode] = self._position
        self._refold()

    def extract_again(self, episode: str, data: Data) -> None:
        """Another result stands in the place of the earlier one."""
        self._position += 10
        self.contributions[episode] = data
        self._changed[episode] = self._position
        self._refold()

    def _refold(self) -> None:
        entities, facts = fold(self.contributions.items())
        for id_, entity in self.entities.items():
            entities.setdefault(id_, Entity(id_))
            if entities[id_] != entity:
                self._changed[id_] = self._position
        for id_, fact in self.facts.items():
            facts.setdefault(id_, Fact(id_))
            if facts[id_] != fact:
                self._changed[id_] = self._position
        for id_ in (entities.keys() - self.entities.keys()) | (facts.keys() - self.facts.keys()):
            self._changed[id_] = self._position
        self.entities, self.facts = entities, facts

    def position(self) -> int:
        return self._position

    def entities_changed(self, after: int = 0) -> Iterator[Entity]:
        return (each for each in self.entities.values() if self._changed[each.id] > after)

    def facts_changed(self, after: int = 0) -> Iterator[Fact]:
        return (each for each in self.facts.values() if self._changed[each.id] > after)

    def episodes_changed(self, after: int = 0) -> Iterator[KnownEpisode]:
        return (each for each in self.episodes.values() if self._changed[each.id] > after)


class WordEmbedder:
    """Vectors from words, so that texts which share some are alike."""

    def __init__(self, dimension: int = 32, name: str = "words") -> None:
        self.name = name
        self.dimension = dimension
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        made = [sum((self._word(word) for word in text.casefold().split()), self._nothing) for text in texts]
        found = np.array(made, np.float32).reshape(len(texts), self.dimension)
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        return (found / np.where(norms == 0, 1, norms)).astype(np.float32)

    @property
    def _nothing(self) -> Vectors:
        return np.zeros(self.dimension, np.float32)

    def _word(self, word: str) -> Vectors:
        digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest)).standard_normal(self.dimension, np.float32)


class MemoryVectors:
    def __init__(self) -> None:
        self.kept: dict[str, dict[str, bytes]] = {}

    def vectors(self, embedder: str, owners: Collection[str]) -> dict[str, bytes]:
        kept = self.kept.get(embedder, {})
        return {id_: kept[id_] for id_ in owners if id_ in kept}

    def put_vectors(self, embedder: str, vectors: dict[str, bytes]) -> None:
        self.kept.setdefault(embedder, {}).update(vectors)


class Speaker:
    """Episodes and what they contribute, the same for the same seed: a vocabulary that grows,
    facts repeated and closed, some of entities that the episode does not mention."""

    def __init__(self, seed: int, facts: int = 4) -> None:
        self._chance = random.Random(seed)
        self._seed = seed
        self._facts = facts
        self._said: list[Data] = []
        self._made = 0

    def episode(self) -> KnownEpisode:
        self._made += 1
        at = (BEGAN + timedelta(minutes=self._made)).isoformat().replace("+00:00", "Z")
        id_ = str(UUID(int=self._seed << 96 | self._made))
        return KnownEpisode(id_, at, f"s{self._made // 5}", "edge", f"gist of {self._made}", alive=True)

    def contribution(self) -> Data:
        pick, chance = self._chance, self._chance.random
        names = [self._name() for _ in range(pick.randrange(2, 6))]
        entities = [self._entity(name) for name in dict.fromkeys(names)]
        ids = [entity["id"] for entity in entities]
        facts: dict[str, Data] = {}
        for _ in range(self._facts):
            if self._said and chance() < 0.25:
                said = dict(pick.choice(self._said))
                if chance() < 0.5:
                    said["closed"] = [self._time(), self._time()]
            else:
                source, target = pick.choice(ids), pick.choice(ids)
                statement = f"{pick.choice(names)} says {self._made} and {pick.randrange(10**6)}"
                said = {
                    "id": fact_id(source, "SAYS", target, statement),
                    "source": source,
                    "target": target,
                    "relation": "SAYS",
                    "statement": statement,
                    "valid_from": self._time() if chance() < 0.6 else None,
                    "reference_time": self._time(),
                    "attributes": {"strength": pick.randrange(9), "fact": "no"} if chance() < 0.2 else None,
                }
                self._said.append(said)
            facts[said["id"]] = said
        return {"entities": entities, "facts": list(facts.values())}

    def speak(self, times: int, known: MemoryKnown) -> None:
        for _ in range(times):
            known.contribute(self.episode(), self.contribution())

    def disturb(self, known: MemoryKnown) -> None:
        """Contribute, forget or extract again, whatever comes."""
        living = sorted(known.contributions)
        what = self._chance.random()
        if what < 0.25 and living:
            known.forget(self._chance.choice(living))
        elif what < 0.4 and living:
            known.extract_again(self._chance.choice(living), self.contribution())
        else:
            self.speak(1, known)

    def _name(self) -> str:
        kind = self._chance.choice(("Maria", "edge", "Lisboa", "o log"))
        return f"{kind} {int(self._chance.expovariate(1 / (5 + self._made / 3)))}"

    def _entity(self, name: str) -> Data:
        chance = self._chance.random
        said: Data = {"id": entity_id(name), "name": name, "labels": ["Thing"] if chance() < 0.5 else []}
        if chance() < 0.2:
            said["summary"] = f"{name}, as known after {self._made}"
        if chance() < 0.2:
            said["attributes"] = {"age": self._made, "nested": {"a": 1}, "uuid": "mine", "none": None}
        return said

    def _time(self) -> str:
        return (BEGAN + timedelta(hours=self._chance.randrange(500))).isoformat()


def visible(known: MemoryKnown) -> Iterable[tuple[Fact, Any]]:
    """Facts whose two ends are known by name, with them."""
    for fact in known.facts.values():
        source, target = known.entities.get(fact.source), known.entities.get(fact.target)
        if fact.alive and source and source.alive and target and target.alive:
            yield fact, (source, target)
