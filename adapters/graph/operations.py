"""Graphiti's reads by id, name and time, answered from the index; its writes, staged.

Only what ``add_episode`` and ``search`` need. The rest says it is not implemented, whereupon
Graphiti tries Cypher, which the driver refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from graphiti_core.driver.graph_operations.graph_operations import GraphOperationsInterface
from graphiti_core.edges import EntityEdge
from graphiti_core.errors import EdgeNotFoundError, NodeNotFoundError
from graphiti_core.nodes import EntityNode, EpisodicNode
from pydantic import PrivateAttr

from adapters.graph.objects import Objects
from adapters.graph.previous import Previous
from adapters.graph.staging import Row, Unsupported
from edge.ports_knowledge import EpisodeText

_PREVIOUS: Final = 4
"""Earlier episodes a model is shown, at most; Graphiti would send ten."""


class IndexOperations(GraphOperationsInterface):
    """The operations of one group. ``current`` is the episode that is being extracted."""

    _objects: Objects = PrivateAttr()
    _previous: Previous = PrivateAttr()
    _current: EpisodeText | None = PrivateAttr(default=None)

    def __init__(self, objects: Objects, previous: Previous) -> None:
        super().__init__()
        self._objects = objects
        self._previous = previous

    def begin(self, episode: EpisodeText | None) -> None:
        self._current = episode

    # -- reads --------------------------------------------------------------------------

    async def node_get_by_uuid(self, _cls: Any, driver: Any, uuid: str) -> EntityNode:
        if uuid not in self._objects.index.entities:
            raise NodeNotFoundError(uuid)
        return self._objects.node(uuid)

    async def node_get_by_uuids(
        self, _cls: Any, driver: Any, uuids: list[str], group_id: str | None = None
    ) -> list[EntityNode]:
        if group_id not in {None, self._objects.group}:
            return []
        known = self._objects.index.entities
        return [self._objects.node(uuid) for uuid in uuids if uuid in known]

    async def node_get_by_names(
        self, _cls: Any, driver: Any, names: list[str], group_ids: list[str]
    ) -> list[EntityNode]:
        if self._objects.group not in group_ids:
            return []
        found = [entity.id for name in names for entity in self._objects.index.named(name)]
        return [self._objects.node(owner) for owner in dict.fromkeys(found)]

    async def node_load_embeddings(self, node: EntityNode, driver: Any) -> None:
        vector = self._objects.index.name_vector(node.uuid)
        if vector is None:
            raise NodeNotFoundError(node.uuid)
        node.name_embedding = vector.tolist()

    async def node_load_embeddings_bulk(
        self, driver: Any, nodes: list[EntityNode], batch_size: int = 100
    ) -> dict[str, list[float]]:
        found = {node.uuid: self._objects.index.name_vector(node.uuid) for node in nodes}
        return {uuid: vector.tolist() for uuid, vector in found.items() if vector is not None}

    async def edge_get_by_uuid(self, _cls: Any, driver: Any, uuid: str) -> EntityEdge:
        if uuid not in self._objects.index.facts:
            raise EdgeNotFoundError(uuid)
        return self._objects.edge(uuid)

    async def edge_get_by_uuids(self, _cls: Any, driver: Any, uuids: list[str]) -> list[EntityEdge]:
        known = self._objects.index.facts
        return [self._objects.edge(uuid) for uuid in uuids if uuid in known]

    async def edge_get_between_nodes(
        self, _cls: Any, driver: Any, source_node_uuid: str, target_node_uuid: str
    ) -> list[EntityEdge]:
        between = self._objects.index.between([source_node_uuid], [target_node_uuid])
        return [self._objects.edge(owner) for owner in between]

    async def edge_get_by_node_uuid(self, _cls: Any, driver: Any, node_uuid: str) -> list[EntityEdge]:
        return [self._objects.edge(fact.id) for fact in self._objects.index.facts_of(node_uuid)]

    async def edge_load_embeddings(self, edge: EntityEdge, driver: Any) -> None:
        vector = self._objects.index.statement_vector(edge.uuid)
        if vector is None:
            raise EdgeNotFoundError(edge.uuid)
        edge.fact_embedding = vector.tolist()

    async def edge_load_embeddings_bulk(
        self, driver: Any, edges: list[EntityEdge], batch_size: int = 100
    ) -> dict[str, list[float]]:
        found = {edge.uuid: self._objects.index.statement_vector(edge.uuid) for edge in edges}
        return {uuid: vector.tolist() for uuid, vector in found.items() if vector is not None}

    async def episodic_node_get_by_uuid(self, _cls: Any, driver: Any, uuid: str) -> EpisodicNode:
        if self._current and self._current.id == uuid:
            return self._objects.episode(self._current)
        found = self._previous.nodes([uuid])
        if not found:
            raise NodeNotFoundError(uuid)
        return found[0]

    async def episodic_node_get_by_uuids(
        self, _cls: Any, driver: Any, uuids: list[str]
    ) -> list[EpisodicNode]:
        return self._previous.nodes(uuids)

    async def retrieve_episodes(
        self,
        driver: Any,
        reference_time: datetime,
        last_n: int = 3,
        group_ids: list[str] | None = None,
        source: Any | None = None,
        saga: str | None = None,
    ) -> list[EpisodicNode]:
        """The last few episodes said until then, oldest first; all here are of one source."""
        if saga is not None:
            raise Unsupported("a saga's episodes")
        if group_ids is not None and self._objects.group not in group_ids:
            return []
        current = self._current.id if self._current else ""
        known = self._objects.index.episodes_until(reference_time, min(last_n, _PREVIOUS) + 1)
        others = [episode.id for episode in known if episode.id != current]
        return self._previous.nodes(others[-min(last_n, _PREVIOUS) :])

    async def get_mentioned_nodes(self, driver: Any, episodes: list[EpisodicNode]) -> list[EntityNode]:
        index = self._objects.index
        found = [entity.id for episode in episodes for entity in index.mentioned(episode.uuid)]
        return [self._objects.node(owner) for owner in dict.fromkeys(found)]

    # -- writes: all of them inside one session().execute_write --------------------------

    async def episodic_node_save_bulk(
        self, _cls: Any, driver: Any, transaction: Any, nodes: Sequence[Row], batch_size: int = 100
    ) -> None:
        transaction.staging.stage_episodes(nodes)

    async def node_save_bulk(
        self, _cls: Any, driver: Any, transaction: Any, nodes: Sequence[Row], batch_size: int = 100
    ) -> None:
        transaction.staging.stage_nodes(nodes)

    async def episodic_edge_save_bulk(
        self, _cls: Any, driver: Any, transaction: Any, episodic_edges: Sequence[Row], batch_size: int = 100
    ) -> None:
        transaction.staging.stage_mentions(episodic_edges)

    async def edge_save_bulk(
        self, _cls: Any, driver: Any, transaction: Any, edges: Sequence[Row], batch_size: int = 100
    ) -> None:
        transaction.staging.stage_edges(edges)
