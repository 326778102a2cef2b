"""Candidate search in Neo4j, by the queries Graphiti's own driver asks.

Importing it imports Graphiti, which takes a second: it is imported where it is used.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")

from graphiti_core.driver.neo4j.operations.search_ops import Neo4jSearchOperations
from graphiti_core.driver.query_executor import QueryExecutor
from graphiti_core.driver.search_interface.search_interface import SearchInterface
from graphiti_core.edges import EntityEdge
from graphiti_core.search.search_filters import SearchFilters
from graphiti_core.search.search_utils import rrf
from pydantic import PrivateAttr

from adapters.graph.neo4j.connection import Connection
from edge.ports_knowledge import Embedder

MIN_SCORE: Final = 0.6
"""Of Neo4j's cosine, which is (1 + cosine) / 2; Graphiti's own default."""

logging.getLogger("graphiti_core").addHandler(logging.NullHandler())  # it logs what it raises


class Found(NamedTuple):
    """A fact found, best first: its id in the knowledge, and whether it is the operator's."""

    id: str
    statement: str
    curated: bool
    score: float


class Executor(QueryExecutor):
    """Runs Graphiti's queries over our connection, beside the event loop."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def execute_query(self, cypher_query_: str, **kwargs: Any) -> Any:
        parameters = {**(kwargs.pop("params", None) or {}), **kwargs}
        parameters.pop("routing_", None)
        records = await asyncio.to_thread(self._connection.read, cypher_query_, **parameters)
        return records, None, None


class Neo4jSearch(SearchInterface):
    """The part of Graphiti's search interface that extraction asks for candidates by; the driver
    it is asked through does not matter. Any filter Graphiti's own driver knows works."""

    _executor: Executor = PrivateAttr()
    _embedder: Embedder = PrivateAttr()
    _groups: Sequence[str] = PrivateAttr()
    _stock: Neo4jSearchOperations = PrivateAttr(default_factory=Neo4jSearchOperations)

    @classmethod
    def over(cls, connection: Connection, embedder: Embedder, groups: Sequence[str]) -> Neo4jSearch:
        made = cls()
        made._executor, made._embedder, made._groups = Executor(connection), embedder, groups
        return made

    def facts(self, text: str, limit: int = 10, min_score: float = MIN_SCORE) -> list[Found]:
        """Facts by their words and by their sense, hypotheses and curated ones."""
        return asyncio.run(self._facts(text, limit, min_score))

    async def _facts(self, text: str, limit: int, min_score: float) -> list[Found]:
        if not text.strip():
            return []
        vector = self._embedder.embed([text])[0]
        groups, filters = list(self._groups), SearchFilters()
        asked = [self.edge_fulltext_search(None, text, filters, groups, limit)]
        if vector.any():
            asked.append(
                self.edge_similarity_search(
                    None, vector.tolist(), None, None, filters, groups, limit, min_score
                )
            )
        answers = await asyncio.gather(*asked)
        edges: dict[str, EntityEdge] = {edge.uuid: edge for answer in answers for edge in answer}
        ids, scores = rrf([[edge.uuid for edge in answer] for answer in answers])
        return [
            Found(
                str(edges[id_].attributes.get("curated_id", id_)),
                edges[id_].fact,
                edges[id_].group_id != groups[0],
                score,
            )
            for id_, score in list(zip(ids, scores, strict=True))[:limit]
        ]

    async def edge_fulltext_search(
        self,
        driver: Any,
        query: str,
        search_filter: Any,
        group_ids: list[str] | None = None,
        limit: int = 100,
    ) -> list[Any]:
        return await self._worded(self._stock.edge_fulltext_search, query, search_filter, group_ids, limit)

    async def _worded(
        self,
        search: Callable[..., Awaitable[list[Any]]],
        query: str,
        search_filter: Any,
        group_ids: list[str] | None,
        limit: int,
    ) -> list[Any]:
        """What a search by words finds, each group asked alone and the best of each in turn: asked
        for several at once, Graphiti's query finds the last one's only (to Lucene, a OR b AND c
        demands b and c)."""
        if not query.strip():
            return []
        groups = [[group] for group in group_ids] if group_ids else [group_ids]
        found = await asyncio.gather(
            *(search(self._executor, query, search_filter, each, limit) for each in groups)
        )
        return [each for row in zip_longest(*found) for each in row if each is not None][:limit]

    async def edge_similarity_search(
        self,
        driver: Any,
        search_vector: list[float],
        source_node_uuid: str | None,
        target_node_uuid: str | None,
        search_filter: Any,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = MIN_SCORE,
    ) -> list[Any]:
        return await self._stock.edge_similarity_search(
            self._executor,
            search_vector,
            source_node_uuid,
            target_node_uuid,
            search_filter,
            group_ids,
            limit,
            min_score,
        )

    async def node_fulltext_search(
        self,
        driver: Any,
        query: str,
        search_filter: Any,
        group_ids: list[str] | None = None,
        limit: int = 100,
    ) -> list[Any]:
        return await self._worded(self._stock.node_fulltext_search, query, search_filter, group_ids, limit)

    async def node_similarity_search(
        self,
        driver: Any,
        search_vector: list[float],
        search_filter: Any,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = MIN_SCORE,
    ) -> list[Any]:
        return await self._stock.node_similarity_search(
            self._executor, search_vector, search_filter, group_ids, limit, min_score
        )
