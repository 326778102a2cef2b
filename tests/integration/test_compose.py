"""What compose.yaml sets up; and where there is Docker, the log's contract on the very server it names."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from edge.domain.refusal import Unreachable
from edge.ports import EventLog
from tests.contracts.event_log import EventLogContract

REPO = Path(__file__).parents[2]
TEXT = (REPO / "compose.yaml").read_text("utf-8")
SERVICES: dict[str, Any] = yaml.safe_load(TEXT)["services"]
NODES = {"eventstoredb": "single", "node1": "cluster", "node2": "cluster", "node3": "cluster"}
WORKERS = {"worker": "single", "cluster-worker": "cluster"}
IMAGE = SERVICES["eventstoredb"]["image"]
READY_WITHIN = 120.0


def test_every_service_has_its_profile() -> None:
    profiles = {name: service["profiles"] for name, service in SERVICES.items()}
    one_each = {name: [profile] for name, profile in (NODES | WORKERS).items()}
    both = ["single", "cluster"]
    assert profiles == {"certificates": both, "neo4j": both, **one_each}


def test_the_graph_is_of_the_line_with_long_support_and_is_watched() -> None:
    graph = SERVICES["neo4j"]
    assert re.fullmatch(r"neo4j:5\.26(\.\d+)?-community", graph["image"])
    assert "http://localhost:7474" in graph["healthcheck"]["test"][1]
    assert graph["environment"]["NEO4J_dbms_usage__report_enabled"] == "false"
    assert "neo4j:/data" in graph["volumes"]


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_finds_the_graph_with_its_password_beside_the_address(name: str) -> None:
    environment = SERVICES[name]["environment"]
    host = "127.0.0.1" if SERVICES[name].get("network_mode") == "host" else "neo4j"
    assert environment["EDGE_GRAPH"] == f"neo4j://{host}:7687"
    assert SERVICES["neo4j"]["environment"]["NEO4J_AUTH"] == f"neo4j/{environment['EDGE_GRAPH_PASSWORD']}"
    assert "neo4j" not in SERVICES[name]["depends_on"]  # what needs no graph goes on without it


@pytest.mark.parametrize("name", NODES)
def test_a_node_is_of_the_open_line_with_its_projections_and_is_watched(name: str) -> None:
    node = SERVICES[name]
    assert re.fullmatch(r"eventstore/eventstore:23\.10\.\d+-\w+", node["image"])
    assert node["command"] == ["--run-projections=All", "--start-standard-projections"]
    assert "https://localhost:2113/health/live" in node["healthcheck"]["test"][1]
    assert "EVENTSTORE_INSECURE" not in node["environment"]
    assert {"EVENTSTORE_CERTIFICATE_FILE", "EVENTSTORE_CERTIFICATE_PRIVATE_KEY_FILE"} <= set(
        node["environment"]
    )


def test_three_nodes_make_the_cluster_and_find_each_other() -> None:
    cluster = [SERVICES[name] for name, profile in NODES.items() if profile == "cluster"]
    assert {node["environment"]["EVENTSTORE_CLUSTER_SIZE"] for node in cluster} == {"3"}
    (seeds,) = {node["environment"]["EVENTSTORE_GOSSIP_SEED"] for node in cluster}
    assert seeds == "node1:2113,node2:2113,node3:2113"
    told = [node["environment"]["EVENTSTORE_ADVERTISE_NODE_PORT_TO_CLIENT_AS"] for node in cluster]
    assert [node["ports"] for node in cluster] == [[f"127.0.0.1:{port}:2113"] for port in told]
    assert all(f"127.0.0.1:{port}" in SERVICES["cluster-worker"]["environment"]["EDGE_LOG"] for port in told)
    assert all(f"{name}" in SERVICES["certificates"]["command"][0] for name in NODES)


def test_no_password_is_written_here_or_has_a_default() -> None:
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if "PASSWORD" in variable or variable in ("EDGE_GROUP", "NEO4J_AUTH"):
                assert re.fullmatch(r"(neo4j/)?\$\{\w+:\?[^}]+\}", value), f"{name}: {variable}"
    assert "changeit" not in TEXT
    assert not re.search(r"esdb://\w+:", TEXT)
    for name in NODES:
        for user in ("ADMIN", "OPS"):
            assert f"EVENTSTORE_DEFAULT_{user}_PASSWORD" in SERVICES[name]["environment"]


def test_nothing_listens_beyond_this_machine() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert len(ports) == 6
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_what_is_kept_is_in_named_volumes() -> None:
    named = set(yaml.safe_load(TEXT)["volumes"])
    used = {volume.partition(":")[0] for s in SERVICES.values() for volume in s["volumes"]}
    assert used == named
    data = [v for name in NODES for v in SERVICES[name]["volumes"] if v.endswith(":/var/lib/eventstore")]
    assert len(set(data)) == len(NODES)


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_waits_for_its_server_and_sweeps_nothing(name: str) -> None:
    worker = SERVICES[name]
    waited_for = {node for node, profile in NODES.items() if profile == WORKERS[name]}
    assert {n: c["condition"] for n, c in worker["depends_on"].items()} == dict.fromkeys(
        waited_for, "service_healthy"
    )
    assert "exec edge worker --sweep-every 0" in worker["command"][-1]
    home = re.search(r"EDGE_HOME=(\S+)", (REPO / "Dockerfile").read_text("utf-8"))
    assert home
    assert any(volume.endswith(f":{home[1]}") for volume in worker["volumes"])


def test_the_image_takes_in_what_its_build_copies_and_nothing_else() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (REPO / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    sources = {source for line in copied for source in line.split()}
    admitted = re.findall(r"^!(\S+)$", (REPO / ".dockerignore").read_text("utf-8"), re.MULTILINE)
    assert sources == set(admitted)
    assert all((REPO / source).exists() for source in sources)


# -- on the server itself ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def uri() -> Iterator[str]:
    """A server of the image that compose.yaml names, for as long as the tests take."""
    if not _docker():
        pytest.skip(
            "no Docker daemon answers, here or in CI: the contract was NOT tried on a real EventStoreDB;"
            " install and start Docker to try it"
        )
    from testcontainers.core.container import DockerContainer

    container = DockerContainer(IMAGE)
    container.with_command("--insecure --run-projections=All --start-standard-projections --mem-db")
    with container.with_exposed_ports(2113) as server:
        where = f"esdb://{server.get_container_host_ip()}:{server.get_exposed_port(2113)}?Tls=false"
        _await(where)
        yield where


def _docker() -> bool:
    program = shutil.which("docker")
    if program is None:
        return False
    return subprocess.run([program, "info"], capture_output=True, check=False).returncode == 0


def _await(uri: str) -> None:
    until = time.monotonic() + READY_WITHIN
    while True:
        log = EventStoreDBEventLog(uri, timeout=2, attempts=1)
        try:
            log.head()
        except Unreachable:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)  # it is asked again and again, and has no other way to tell
        else:
            return
        finally:
            log.close()


class TestOnTheServerOfTheComposeFile(EventLogContract):
    @pytest.fixture
    def log(self, uri: str) -> Iterator[EventLog]:
        log = EventStoreDBEventLog(uri, heartbeat=0.5)
        yield log
        log.close()
