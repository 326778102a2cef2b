"""The indices Graphiti reads by, and the two things edge adds for itself."""

from __future__ import annotations

from importlib.metadata import version
from typing import Final

from neo4j.exceptions import Neo4jError

from adapters.graph.neo4j.connection import Connection
from edge.domain.refusal import EdgeError

CHECKPOINT: Final = "EdgeCheckpoint"
GONE: Final = "EdgeGone"

_OWN: Final = (
    f"CREATE CONSTRAINT edge_checkpoint IF NOT EXISTS FOR (c:{CHECKPOINT}) REQUIRE c.group IS UNIQUE",
    f"CREATE INDEX edge_gone IF NOT EXISTS FOR (n:{GONE}) ON (n.uuid)",
)
_AWAIT_SECONDS: Final = 300


def schema_version() -> str:
    """Whose schema it is; other words here make the indices be looked after again."""
    return f"graphiti-core {version('graphiti-core')}, edge 1"


def create(connection: Connection) -> None:
    """Make what is missing, one after the other: at once they would hinder each other."""
    # Graphiti takes over a second to import, and knows its own indices best.
    from graphiti_core.driver.driver import GraphProvider
    from graphiti_core.graph_queries import get_fulltext_indices, get_range_indices

    for statement in (
        *_OWN,
        *get_range_indices(GraphProvider.NEO4J),
        *get_fulltext_indices(GraphProvider.NEO4J),
    ):
        try:
            connection.command(statement)
        except EdgeError as error:
            if not _made_by_another(error.__cause__):
                raise
    connection.command(f"CALL db.awaitIndexes({_AWAIT_SECONDS})")


def _made_by_another(error: BaseException | None) -> bool:
    """Whether it stands there by now: IF NOT EXISTS does not see what is made at the same time."""
    return isinstance(error, Neo4jError) and "AlreadyExists" in (error.code or "")
