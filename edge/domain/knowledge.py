"""Knowledge: the fold of what extraction contributed and of what the operator curated.

An ``episode.extracted`` event is a contribution: everything the episode mentions or states,
with all fixed fields, so that leaving one out is forgetting it. Contributions fold in log
order: the first names an entity or words a fact, the last that closes a fact makes it
contested, and what no living episode supports is gone. Curation stands above it by id.
"""

from __future__ import annotations

import hashlib
import unicodedata
import uuid
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

from edge.domain.events import Data

EXTRACTED: Final = "episode.extracted"
PROMOTED: Final = "knowledge.promoted"
CONTESTED: Final = "knowledge.contested"
MERGED: Final = "knowledge.merged"
RETIRED: Final = "knowledge.retired"

Tier = Literal["hypothesis", "contested", "curated"]

_KNOWLEDGE: Final = uuid.UUID("3d0f5a86-0f0e-5b1b-9a55-6f2a0f4a7f10")


class Entity(NamedTuple):
    """Something episodes speak of. ``episodes`` in log order; without any it is gone."""

    id: str
    name: str = ""
    labels: tuple[str, ...] = ()
    summary: str | None = None
    """Only where a model rewrote it; else it is derived from the entity's facts."""
    attributes: dict[str, Any] | None = None
    episodes: tuple[str, ...] = ()

    @property
    def alive(self) -> bool:
        return bool(self.episodes)


class Fact(NamedTuple):
    """One statement between two entities. Times are ISO 8601 or None, as extraction gave them."""

    id: str
    source: str = ""
    target: str = ""
    relation: str = ""
    statement: str = ""
    valid_from: str | None = None
    reference_time: str | None = None
    attributes: dict[str, Any] | None = None
    closed: tuple[str | None, str | None] | None = None
    """(invalid_from, expired_at) of the last contribution that closed it: contested, never gone."""
    episodes: tuple[str, ...] = ()

    @property
    def alive(self) -> bool:
        return bool(self.episodes)


def with_mention(entity: Entity | None, said: Data, episode: str) -> Entity:
    """The entity after one more contribution mentioned it."""
    if entity is None or not entity.alive:
        entity = Entity(said["id"], said["name"])
    return entity._replace(
        labels=tuple(said.get("labels") or ()) or entity.labels,
        summary=said.get("summary") or entity.summary,
        attributes=said.get("attributes") or entity.attributes,
        episodes=(*entity.episodes, episode),
    )


def states(said: Data) -> bool:
    """Whether a contributed fact is stated by its episode, and not only made doubtful."""
    return said.get("statement") is not None


def with_statement(fact: Fact | None, said: Data, episode: str) -> Fact:
    """The fact after one more contribution stated, repeated or closed it.

    One that only closes it supports nothing: alone it leaves a fact that is not alive.
    """
    closed = said.get("closed")
    shut = (closed[0], closed[1]) if closed else (fact.closed if fact else None)
    if not states(said):
        return (fact or Fact(said["id"]))._replace(closed=shut)
    if fact is None or not fact.alive:
        fact = Fact(
            said["id"],
            said["source"],
            said["target"],
            said["relation"],
            said["statement"],
            said.get("valid_from"),
            said.get("reference_time"),
            said.get("attributes"),
        )
    return fact._replace(closed=shut, episodes=(*fact.episodes, episode))


# -- ids that racing extractors agree on -----------------------------------------------------


def normalised(text: str) -> str:
    """A name or statement as it is compared: case, accents, spaces and closing marks aside."""
    if text.isascii():
        kept = text.lower()  # the same, and most names are
    else:
        plain = unicodedata.normalize("NFKD", text).casefold()
        kept = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(kept.split()).strip(" .,;:!?\"'`«»“”")


def entity_id(name: str) -> str:
    """The id of a new entity, the same whoever names it first."""
    return str(uuid.uuid5(_KNOWLEDGE, f"entity\n{normalised(name)}"))


def fact_id(source: str, relation: str, target: str, statement: str) -> str:
    """The id of a new fact between two entities."""
    told = "\n".join(("fact", source, relation.casefold(), target, normalised(statement)))
    return str(uuid.uuid5(_KNOWLEDGE, told))


def mention_id(episode: str, entity: str) -> str:
    """The id of an episode's mention of an entity: a second extraction doubles none."""
    return str(uuid.uuid5(_KNOWLEDGE, f"mention\n{episode}\n{entity}"))


def fold(contributions: Iterable[tuple[str, Data]]) -> tuple[dict[str, Entity], dict[str, Fact]]:
    """Entities and facts of (episode, its extracted data) pairs in log order, each episode once."""
    entities: dict[str, Entity] = {}
    facts: dict[str, Fact] = {}
    for episode, data in contributions:
        for said in data.get("entities") or ():
            entities[said["id"]] = with_mention(entities.get(said["id"]), said, episode)
        for said in data.get("facts") or ():
            facts[said["id"]] = with_statement(facts.get(said["id"]), said, episode)
    return entities, {id_: fact for id_, fact in facts.items() if fact.alive}


def words_hash(statement: str) -> str:
    """What two statements that say the same have in common, whatever their ids."""
    return hashlib.blake2b(normalised(statement).encode("utf-8", "replace"), digest_size=16).hexdigest()
