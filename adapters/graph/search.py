"""Graphiti's candidate searches, answered from the index.

Cosine thresholds are Graphiti's; its Neo4j driver compares (1 + cosine) / 2 with them, which
``reach`` decides. A filter that is not implemented raises: ignored, it would find the wrong things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from graphiti_core.driver.search_interface.search_interface import SearchInterface
from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode
from graphiti_core.search.search_filters import SearchFilters
from pydantic import PrivateAttr

from adapters.graph.objects import Objects
from adapters.graph.staging import Unsupported
from adapters.graph.together import Together
from adapters.graph.vectors import IDENTICAL, Scored, Vectors

_FILTERS: Final = frozenset(
    ("node_labels", "edge_types", "edge_uuids", "edge_source_node_uuids", "edge_target_node_uuids")
)
_ALL: Final = 1 << 30
"""The limit of a search that a filter follows: what it keeps may stand anywhere."""


class Reach(NamedTuple):
    """How far candidate searches go."""

    least: Callable[[float], float]
    """The least cosine of a threshold of Graphiti's."""
    entities: int
    """Candidates an entity is compared with, at most: each costs Graphiti half a millisecond."""
    identical_alone: bool
    """Whether a name whose vector is there already has that entity as its only candidate."""
    against: Callable[[str], list[str]] | None = None
    """Of a statement the facts that may contradict it, where that can be told better than by
    searching for what resembles it."""


AS_NEO4J: Final = Reach(lambda score: 2 * score - 1, 15, identical_alone=False)
"""What Graphiti's Neo4j driver would find: for models, which judge the candidates, and for searches."""


def narrow(against: Callable[[str], list[str]]) -> Reach:
    """For rules, which only ever take names for the same that normalise to the same."""
    return Reach(lambda score: score, 3, identical_alone=True, against=against)


class _Asked(NamedTuple):
    vector: Sequence[float]
    limit: int
    least: float


class IndexSearch(SearchInterface):
    """The searches ``add_episode`` and ``search`` make.

    The others say they are not implemented, whereupon Graphiti tries Cypher, which the driver refuses.
    """

    _objects: Objects = PrivateAttr()
    _reach: Reach = PrivateAttr()
    _names: Together[_Asked, list[Scored]] = PrivateAttr()
    _facts: Together[_Asked, list[Scored]] = PrivateAttr()

    def __init__(self, objects: Objects, reach: Reach) -> None:
        super().__init__()
        self._objects = objects
        self._reach = reach
        self._names = Together(self._alike_names)
        self._facts = Together(self._alike_facts)

    def forget(self) -> None:
        """Drop searches that were asked and never answered."""
        self._names.forget()
        self._facts.forget()

    async def edge_fulltext_search(
        self,
        driver: Any,
        query: str,
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
    ) -> list[EntityEdge]:
        if not self._ours(group_ids):
            return []
        index, keep = self._objects.index, self._edge_filter(search_filter)
        ends = _ends(search_filter)
        if ends:
            found = index.facts_with_among(query, index.between(*ends), limit)
        elif self._reach.against:
            found = [(owner, 1.0) for owner in self._reach.against(query)]
        else:
            found = index.facts_with(query, limit if keep is None else _ALL)
        return self._edges(found, keep, limit)

    async def edge_similarity_search(
        self,
        driver: Any,
        search_vector: list[float],
        source_node_uuid: str | None,
        target_node_uuid: str | None,
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = 0.7,
    ) -> list[EntityEdge]:
        if source_node_uuid is not None or target_node_uuid is not None:
            raise Unsupported("an edge search between nodes, but for a filter that names them")
        if not self._ours(group_ids):
            return []
        index, keep = self._objects.index, self._edge_filter(search_filter)
        least, ends = self._reach.least(min_score), _ends(search_filter)
        if ends:
            vector = np.asarray(search_vector, np.float32)
            found = index.alike_among(vector, index.between(*ends), limit, least)
        elif self._reach.against:
            found = []  # the words of the same search have found them
        else:
            found = await self._facts.ask(_Asked(search_vector, limit if keep is None else _ALL, least))
        return self._edges(found, keep, limit)

    async def node_fulltext_search(
        self,
        driver: Any,
        query: str,
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
    ) -> list[EntityNode]:
        if not self._ours(group_ids):
            return []
        labels = self._node_filter(search_filter)
        found = self._objects.index.entities_with(query, limit if labels is None else _ALL)
        return self._nodes(found, labels, limit)

    async def node_similarity_search(
        self,
        driver: Any,
        search_vector: list[float],
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = 0.7,
    ) -> list[EntityNode]:
        if not self._ours(group_ids):
            return []
        labels = self._node_filter(search_filter)
        wanted = min(limit, self._reach.entities)
        found = await self._names.ask(
            _Asked(
                search_vector,
                wanted if labels is None else _ALL,
                self._reach.least(min_score),
            )
        )
        if self._reach.identical_alone and found and found[0][1] >= IDENTICAL:
            found = [each for each in found if each[1] >= IDENTICAL]
        return self._nodes(found, labels, wanted)

    async def _alike_names(self, asked: Sequence[_Asked]) -> list[list[Scored]]:
        return _each(asked, self._objects.index.alike_entities)

    async def _alike_facts(self, asked: Sequence[_Asked]) -> list[list[Scored]]:
        return _each(asked, self._objects.index.alike_facts)

    def _ours(self, group_ids: list[str] | None) -> bool:
        return group_ids is None or self._objects.group in group_ids

    def _edge_filter(self, asked: SearchFilters) -> Callable[[EntityEdge], bool] | None:
        """What an edge must be by the filter; None where anything goes."""
        given = _given(asked)
        if not given - {"edge_source_node_uuids", "edge_target_node_uuids"} and (_ends(asked) or not given):
            return None
        objects = self._objects

        def keep(edge: EntityEdge) -> bool:
            return (
                _in(edge.uuid, asked.edge_uuids)
                and _in(edge.name, asked.edge_types)
                and _in(edge.source_node_uuid, asked.edge_source_node_uuids)
                and _in(edge.target_node_uuid, asked.edge_target_node_uuids)
                and all(
                    asked.node_labels is None
                    or (end in objects.index.entities and _labelled(objects.node(end), asked.node_labels))
                    for end in (edge.source_node_uuid, edge.target_node_uuid)
                )
            )

        return keep

    def _node_filter(self, asked: SearchFilters) -> list[str] | None:
        """The labels a node must have one of; Graphiti applies no other filter to nodes."""
        _given(asked)
        return asked.node_labels

    def _edges(
        self, found: list[Scored], keep: Callable[[EntityEdge], bool] | None, limit: int
    ) -> list[EntityEdge]:
        edges = [self._objects.edge(owner) for owner, _ in found]
        return edges if keep is None else [edge for edge in edges if keep(edge)][:limit]

    def _nodes(self, found: list[Scored], labels: list[str] | None, limit: int) -> list[EntityNode]:
        nodes = [self._objects.node(owner) for owner, _ in found]
        return nodes if labels is None else [node for node in nodes if _labelled(node, labels)][:limit]


def _each(
    asked: Sequence[_Asked], nearest: Callable[[Vectors, int, float], list[list[Scored]]]
) -> list[list[Scored]]:
    """One product for all that was asked in a turn; limits and thresholds are mostly one."""
    queries = np.asarray([each.vector for each in asked], np.float32)
    found = nearest(queries, max(each.limit for each in asked), min(each.least for each in asked))
    return [
        [scored for scored in row if scored[1] >= each.least][: each.limit]
        for row, each in zip(found, asked, strict=True)
    ]


def _given(asked: SearchFilters) -> set[str]:
    given = {name for name in type(asked).model_fields if getattr(asked, name) is not None}
    if given - _FILTERS:
        raise Unsupported(f"the index has no search filter {', '.join(sorted(given - _FILTERS))}")
    return given


def _ends(asked: SearchFilters) -> tuple[list[str], list[str]] | None:
    if asked.edge_source_node_uuids is None or asked.edge_target_node_uuids is None:
        return None
    return asked.edge_source_node_uuids, asked.edge_target_node_uuids


def _in(value: str, allowed: list[str] | None) -> bool:
    return allowed is None or value in allowed


def _labelled(node: EntityNode, labels: list[str]) -> bool:
    return any(label in node.labels for label in labels)
