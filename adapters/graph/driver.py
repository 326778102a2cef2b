"""A graph driver for Graphiti that reads the index and stages writes; it speaks no Cypher."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, NoReturn

from graphiti_core.driver.driver import GraphDriver, GraphDriverSession, GraphProvider

from adapters.graph.index import Index
from adapters.graph.objects import Objects
from adapters.graph.operations import IndexOperations
from adapters.graph.previous import Previous
from adapters.graph.search import IndexSearch, Reach
from adapters.graph.staging import Staging, Unsupported
from edge.domain.knowledge import Entity
from edge.ports_knowledge import EpisodeText, EpisodeTexts


class IndexSession(GraphDriverSession):
    """One write, staged. Its rows belong to the extraction it was opened in, and to no later one."""

    provider = GraphProvider.NEO4J

    def __init__(self, staging: Staging) -> None:
        self.staging = staging

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def run(self, query: str, **kwargs: Any) -> NoReturn:
        raise _refused(self.staging, "Cypher")

    async def close(self) -> None:
        """Nothing to close: what was staged stays until the extraction is over."""

    async def execute_write(self, func: Callable[..., Awaitable[Any]], *args: Any, **kwargs: Any) -> Any:
        return await func(self, *args, **kwargs)


class IndexDriver(GraphDriver):
    """The driver of one group. It takes Neo4j's part, whose row shapes Graphiti then uses."""

    provider = GraphProvider.NEO4J

    def __init__(
        self,
        group: str,
        index: Index,
        texts: EpisodeTexts,
        reach: Reach,
        summary: Callable[[Entity], str],
    ) -> None:
        self._database = group  # Graphiti clones a driver whose database is another group's
        self._objects = Objects(group, index, summary)
        self._operations = IndexOperations(self._objects, Previous(self._objects, texts))
        self._search = IndexSearch(self._objects, reach)
        self.graph_operations_interface = self._operations
        self.search_interface = self._search

    @property
    def staging(self) -> Staging:
        """What was staged, and troubled, since :meth:`begin`."""
        return self._objects.staging

    def begin(self, episode: EpisodeText | None = None) -> None:
        """Start anew: known things as the index has them, nothing staged, ``episode`` to be extracted."""
        self._objects.staging = Staging()
        self._search.forget()
        self._operations.begin(episode)

    def execute_query(self, cypher_query_: str, **kwargs: Any) -> NoReturn:
        raise _refused(self.staging, "Cypher")

    def session(self, database: str | None = None) -> IndexSession:
        return IndexSession(self.staging)

    def clone(self, database: str) -> NoReturn:
        raise _refused(self.staging, f"group {database}: it serves {self._database}")

    async def close(self) -> None:
        """Nothing to close."""

    def delete_all_indexes(self) -> NoReturn:
        raise _refused(self.staging, "indexes to delete")

    async def build_indices_and_constraints(self, delete_existing: bool = False) -> None:
        """Nothing to build: the index is there."""
        if delete_existing:
            raise _refused(self.staging, "indexes to delete")


def _refused(staging: Staging, what: str) -> Unsupported:
    """The error to raise; noted too, since Graphiti swallows some."""
    error = Unsupported(f"the graph in process has no {what}")
    staging.trouble.append(error)
    return error
