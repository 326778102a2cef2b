"""The knowledge graph in Neo4j, in Graphiti's own schema: a projection, read by people and by
Graphiti's tools, never by the Briefing or the CLI. This package alone imports ``neo4j``."""

from adapters.graph.neo4j.checkpoint import Checkpoint
from adapters.graph.neo4j.curated import Curated
from adapters.graph.neo4j.errors import GraphChangedError
from adapters.graph.neo4j.graph import Neo4jGraph

__all__ = ["Checkpoint", "Curated", "GraphChangedError", "Neo4jGraph"]
