"""Graphiti as anybody would point it at the database: its own driver, its own models."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.neo4j_driver import Neo4jDriver
from graphiti_core.edges import EntityEdge, EpisodicEdge
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.errors import GroupsEdgesNotFoundError
from graphiti_core.llm_client import LLMClient
from graphiti_core.llm_client.config import LLMConfig
from graphiti_core.nodes import EntityNode, EpisodicNode

from edge.domain.knowledge import mention_id
from edge.ports_knowledge import Embedder
from tests.support.known import MemoryKnown, visible
from tests.support.neo4j.process import Server

T = TypeVar("T")
Seen = dict[str, dict[str, Any]]


class NoModel(LLMClient):
    def __init__(self) -> None:
        super().__init__(LLMConfig(api_key="none"))

    async def _generate_response(self, *_: Any, **__: Any) -> dict[str, Any]:
        raise AssertionError("no model is asked here")


class NoReranker(CrossEncoderClient):
    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        raise AssertionError("no model is asked here")


class Adapted(EmbedderClient):
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def create(self, input_data: Any) -> list[float]:
        text = input_data if isinstance(input_data, str) else input_data[0]
        return [float(value) for value in self._embedder.embed([text])[0]]


def with_graphiti(server: Server, embedder: Embedder, work: Callable[[Graphiti], Awaitable[T]]) -> T:
    """What ``work`` gives with a stock Graphiti on the server."""

    async def run() -> T:
        driver = Neo4jDriver(server.uri, "neo4j", server.password)
        if driver._init_task:
            await driver._init_task  # it makes the indices, which are there
        graphiti = Graphiti(
            graph_driver=driver,
            llm_client=NoModel(),
            embedder=Adapted(embedder),
            cross_encoder=NoReranker(),
        )
        try:
            return await work(graphiti)
        finally:
            await graphiti.close()  # type: ignore[no-untyped-call]

    return asyncio.run(run())


def seen(server: Server, embedder: Embedder, group: str) -> Seen:
    """All that Graphiti reads of a group, by kind and uuid."""

    async def read(graphiti: Graphiti) -> Seen:
        driver = graphiti.driver
        nodes = await EntityNode.get_by_group_ids(driver, [group], with_embeddings=True)
        edges = await _or_none(EntityEdge.get_by_group_ids(driver, [group], with_embeddings=True))
        episodes = await EpisodicNode.get_by_group_ids(driver, [group])
        mentions = await _or_none(EpisodicEdge.get_by_group_ids(driver, [group]))
        found = {
            "entities": {node.uuid: _entity(node) for node in nodes},
            "facts": {edge.uuid: _fact(edge) for edge in edges},
            "episodes": {node.uuid: _episode(node) for node in episodes},
            "mentions": {edge.uuid: (edge.source_node_uuid, edge.target_node_uuid) for edge in mentions},
        }
        lists = zip(found.values(), (nodes, edges, episodes, mentions), strict=True)
        assert all(len(by_uuid) == len(each) for by_uuid, each in lists), "something stands twice"
        return found

    return with_graphiti(server, embedder, read)


async def _or_none(found: Awaitable[list[T]]) -> list[T]:
    try:
        return await found
    except GroupsEdgesNotFoundError:
        return []


def _entity(node: EntityNode) -> Any:
    vector = node.name_embedding and [round(value, 4) for value in node.name_embedding]
    attributes = {name: value for name, value in node.attributes.items() if value is not None}
    labels = sorted(set(node.labels))
    return (node.name, node.group_id, labels, node.summary, node.created_at, attributes, vector)


def _fact(edge: EntityEdge) -> Any:
    vector = edge.fact_embedding and [round(value, 4) for value in edge.fact_embedding]
    ends = (edge.source_node_uuid, edge.target_node_uuid)
    said = (edge.name, edge.fact, edge.episodes, edge.attributes, vector)
    return (
        *ends,
        *said,
        edge.created_at,
        edge.valid_at,
        edge.invalid_at,
        edge.expired_at,
        edge.reference_time,
    )


def _episode(node: EpisodicNode) -> Any:
    return (node.name, node.content, node.source.value, node.created_at, node.valid_at, node.entity_edges)


def expected(known: MemoryKnown, embedder: Embedder, group: str) -> Seen:
    """The same as the domain's fold has it, with nothing of the adapter asked."""
    from datetime import datetime

    def at(text: str | None) -> datetime | None:
        return datetime.fromisoformat(text) if text else None

    def vector(text: str) -> list[float] | None:
        row = embedder.embed([text])[0]
        return [round(float(value), 4) for value in row] if row.any() else None

    began = {id_: at(episode.at) for id_, episode in known.episodes.items() if episode.alive}
    alive = {id_: entity for id_, entity in known.entities.items() if entity.alive}
    entities = {
        id_: (
            entity.name,
            group,
            sorted({"Entity", *entity.labels}),
            entity.summary or "",
            began[entity.episodes[0]],
            {"age": entity.attributes["age"], "nested": '{"a": 1}'} if entity.attributes else {},
            vector(entity.name),
        )
        for id_, entity in alive.items()
    }
    facts = {
        fact.id: (
            fact.source,
            fact.target,
            fact.relation,
            fact.statement,
            list(fact.episodes),
            {"strength": fact.attributes["strength"]} if fact.attributes else {},
            vector(fact.statement),
            began[fact.episodes[0]],
            at(fact.valid_from),
            at(fact.closed[0]) if fact.closed else None,
            at(fact.closed[1]) if fact.closed else None,
            at(fact.reference_time),
        )
        for fact, _ in visible(known)
    }
    stated = {id_: sorted(said["id"] for said in data["facts"]) for id_, data in known.contributions.items()}
    episodes = {
        id_: (it.session, it.gist, "message", at(it.at), at(it.at), stated[id_])
        for id_, it in known.episodes.items()
        if it.alive
    }
    mentions = {
        mention_id(episode, id_): (episode, id_)
        for id_, entity in alive.items()
        for episode in entity.episodes
    }
    return {"entities": entities, "facts": facts, "episodes": episodes, "mentions": mentions}
