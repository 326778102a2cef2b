"""What tests ask for: ``neo4j_server``. Each test takes a group of its own in it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.neo4j.process import Server, missing, shared


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A real Neo4j, one for all workers of this run."""
    require_neo4j()
    base = tmp_path_factory.getbasetemp()
    with shared((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "neo4j") as server:
        yield server


def require_neo4j() -> None:
    """Skip without what it takes, saying what; in CI that is a failure."""
    lacking = missing()
    if lacking is None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must try the real Neo4j: {lacking}")
    pytest.skip(f"the real Neo4j was NOT tried: {lacking}")
