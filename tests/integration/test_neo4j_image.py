"""The projection's contract on the very image that compose.yaml names, where there is Docker."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.neo4j_graph import Neo4jGraphContract
from tests.support.neo4j.process import Server

COMPOSE = (Path(__file__).parents[2] / "compose.yaml").read_text("utf-8")
NAMED = re.search(r"image: (neo4j:\S+)", COMPOSE)
IMAGE = NAMED[1] if NAMED else "neo4j:5.26-community"


@pytest.fixture(scope="module")
def image() -> Iterator[Server]:
    """A server of the image, for as long as the tests take."""
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        pytest.skip(
            "no Docker daemon answers, here or in CI: the projection was NOT tried on Neo4j's image;"
            " install and start Docker to try it"
        )
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.wait_strategies import LogMessageWaitStrategy

    password = "for-the-tests"
    container = DockerContainer(IMAGE).with_env("NEO4J_AUTH", f"neo4j/{password}")
    container.waiting_for(LogMessageWaitStrategy("Started."))
    with container.with_exposed_ports(7687) as server:
        where = f"bolt://{server.get_container_host_ip()}:{server.get_exposed_port(7687)}"
        yield Server(where, password)


class TestOnTheImageOfTheComposeFile(Neo4jGraphContract):
    @pytest.fixture
    def server(self, image: Server) -> Server:
        return image
