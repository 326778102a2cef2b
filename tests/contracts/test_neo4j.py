"""The projection on a real Neo4j, in the tests' own Java (see :mod:`tests.support.neo4j`)."""

from __future__ import annotations

import pytest

from tests.contracts.neo4j_graph import Neo4jGraphContract
from tests.support.neo4j.process import Server


class TestNeo4jGraph(Neo4jGraphContract):
    @pytest.fixture
    def server(self, neo4j_server: Server) -> Server:
        return neo4j_server
