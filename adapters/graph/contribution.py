"""The staged rows of one extraction as the data of ``episode.extracted``.

Graphiti gives new things random ids; here they get the ids any extractor would give them. What
is known keeps its id and its fixed fields, so that folding a contribution twice, or leaving
another out, still gives whole facts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from adapters.graph.cleaning import MAX_STATEMENT, clean, clean_name, clean_relation, iso
from adapters.graph.index import Index
from adapters.graph.staging import Row, Staging
from edge.domain.events import Data
from edge.domain.knowledge import Entity, Fact, entity_id, fact_id, mention_id
from edge.ports_knowledge import EpisodeText

_NODE_FIELDS = frozenset(("uuid", "name", "group_id", "summary", "created_at", "name_embedding", "labels"))
_EDGE_FIELDS = frozenset(
    (
        "uuid", "source_node_uuid", "target_node_uuid", "name", "fact", "group_id", "episodes", "created_at",
        "expired_at", "valid_at", "invalid_at", "reference_time", "fact_embedding",
    )
)  # fmt: skip


class Contribution:
    """One extraction's result in the making: ids first, then rows in Graphiti's order."""

    def __init__(self, staging: Staging, index: Index, episode: EpisodeText) -> None:
        self._staging = staging
        self._index = index
        self._episode = episode
        self._ids: dict[str, str] = {}
        self._entities: dict[str, Data] = {}
        self._facts: dict[str, Data] = {}
        self.dropped = 0
        """Facts left out: an end is missing, or nothing is left of their words."""

    def data(self, gist: str, cost: dict[str, float]) -> Data:
        """The data of the event but for ``episode`` and ``by``; how many facts were dropped in ``cost``."""
        for row in self._staging.nodes.values():
            self._add_entity(row)
        mentions = self._mentions()
        order = self._order()
        for uuid in order:
            self._add_fact(self._staging.edges[uuid])
        return {
            "gist": gist,
            "entities": list(self._entities.values()),
            "facts": list(self._facts.values()),
            "mentions": mentions,
            "order": list(self._facts),
            "cost": cost | {"dropped": cost.get("dropped", 0) + self.dropped},
        }

    def _add_entity(self, row: Row) -> None:
        known = self._index.entities.get(row["uuid"])
        name = known.name if known else clean_name(row["name"])
        if not name:
            return  # facts that hang on it are dropped, and counted
        owner = known.id if known else self._new_id(name)
        self._ids[row["uuid"]] = owner
        labels = sorted(label for label in row["labels"] if label != "Entity")
        said = self._entities.get(owner)
        if said is None:
            self._entities[owner] = {"id": owner, "name": name, "labels": labels}
        elif labels:
            said["labels"] = labels
        attributes = _attributes(row, _NODE_FIELDS)
        if attributes and attributes != (known.attributes if known else None):
            self._entities[owner]["attributes"] = attributes

    def _new_id(self, name: str) -> str:
        """The id of the name, unless that is somebody else's: Graphiti found it was not the same."""
        plain = entity_id(name)
        return plain if plain not in self._index.entities else entity_id(f"{name} {self._episode.id}")

    def _mentions(self) -> list[list[str]]:
        """One a mentioned entity, whatever was extracted twice."""
        found = [self._ids[target] for _, target in self._staging.mentions if target in self._ids]
        return [[mention_id(self._episode.id, owner), owner] for owner in dict.fromkeys(found)]

    def _order(self) -> list[str]:
        """The facts as the episode lists them, repeats aside; what it does not list after them."""
        listed: Iterable[str] = (
            uuid for row in self._staging.episodes.values() for uuid in row.get("entity_edges") or ()
        )
        edges = self._staging.edges
        return [uuid for uuid in dict.fromkeys([*listed, *edges]) if uuid in edges]

    def _add_fact(self, row: Row) -> None:
        known = self._index.facts.get(row["uuid"])
        if known is not None and self._episode.id not in (row["episodes"] or ()):
            self._close(row, known)
            return
        fact = known or self._new_fact(row)
        if fact is None or not (self._end(fact.source) and self._end(fact.target)):
            self.dropped += 1
            return
        known = self._index.facts.get(fact.id)
        said = _said(known or fact)
        closed = self._closed(row, known)
        if closed:
            said["closed"] = closed
        elif fact.id in self._facts and "closed" in self._facts[fact.id]:
            said["closed"] = self._facts[fact.id]["closed"]
        self._facts[fact.id] = said

    def _close(self, row: Row, known: Fact) -> None:
        """A fact that this episode only makes doubtful: its id, and none of the words others said."""
        closed = self._closed(row, known)
        if closed:
            self._facts[known.id] = {"id": known.id, "closed": closed}

    def _new_fact(self, row: Row) -> Fact | None:
        source, target = self._owner(row["source_node_uuid"]), self._owner(row["target_node_uuid"])
        statement, relation = clean(row["fact"], MAX_STATEMENT), clean_relation(row["name"])
        if not statement or source == target:
            return None
        return Fact(
            fact_id(source, relation, target, statement),
            source,
            target,
            relation,
            statement,
            _iso(row["valid_at"]),
            _iso(row["reference_time"]),
            _attributes(row, _EDGE_FIELDS) or None,
        )

    def _owner(self, uuid: str) -> str:
        return self._ids.get(uuid, uuid)

    def _end(self, owner: str) -> bool:
        """Whether a fact's end is there; one known and not mentioned comes in, or the fact would hang."""
        if owner in self._entities:
            return True
        known = self._index.entities.get(owner)
        if known is not None:
            self._entities[owner] = _named(known)
        return known is not None

    def _closed(self, row: Row, known: Fact | None) -> list[str | None] | None:
        """(invalid from, when that was learned) where this episode closed it.

        Learned is when the episode was said, not when a machine got to it: extracting the same
        again says the same.
        """
        since = _iso(row["invalid_at"])
        if since is None and row["expired_at"] is None:
            return None
        before = known.closed if known else None
        if before is not None and _same(before[0], row["invalid_at"]):
            return None  # it was closed before, by another episode
        return [since, iso(self._episode.at)]


def _said(fact: Fact) -> Data:
    said: Data = {
        "id": fact.id,
        "source": fact.source,
        "target": fact.target,
        "relation": fact.relation,
        "statement": fact.statement,
    }
    for name in ("valid_from", "reference_time", "attributes"):
        value = getattr(fact, name)
        if value is not None:
            said[name] = value
    return said


def _named(entity: Entity) -> Data:
    return {"id": entity.id, "name": entity.name, "labels": list(entity.labels)}


def _attributes(row: Row, fixed: frozenset[str]) -> dict[str, Any]:
    """What a row carries beside its fixed fields; None says nothing and is left out."""
    found = {name: _plain(value) for name, value in row.items() if name not in fixed}
    return {name: value for name, value in found.items() if value is not None}


def _plain(value: Any) -> Any:
    """The value as JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


def _same(stored: str | None, moment: datetime | None) -> bool:
    if stored is None or moment is None:
        return stored is None and moment is None
    try:
        return datetime.fromisoformat(stored) == moment
    except (ValueError, TypeError):
        return False
