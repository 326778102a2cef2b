"""A worker started while its server is away waits for it; what no waiting mends ends it at once."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from edge.init import initialise
from edge.settings import Settings
from edge.wiring import Edge
from projections.worker import pause
from tests.integration.test_eventstoredb_access import PASSWORD, USER, certificate, secure
from tests.integration.test_worker import PATIENCE
from tests.integration.test_worker_on_eventstoredb import (
    Working,
    assert_folded_once,
    home,
    joined,
    reached,
    server,
)
from tests.support.esdb.process import EventStoreProcess
from tests.support.sweeping import Session

__all__ = ["certificate", "home", "secure", "server"]

AWAY = "nothing listens there; trying again in"


@pytest.fixture
def away(server: EventStoreProcess, home: Path) -> EventStoreProcess:
    """The server of the home, which has something to fold there and is not running."""
    with closing(Edge.at_home(home)) as edge:
        edge.voz.comment("said before the server went away")
    server.kill()
    return server


def test_started_while_the_server_is_away_it_waits_and_then_follows(
    away: EventStoreProcess, home: Path
) -> None:
    with closing(Working(home, first=AWAY)) as worker:
        assert worker.says(AWAY, times=3)
        assert worker.process.poll() is None
        assert all(line.startswith(f"EventStoreDB {away.address}: {AWAY}") for line in worker.said)
        away.start()
        with closing(Edge.at_home(home)) as edge:
            edge.voz.comment("said once it was back")
            head = edge.log.head()
        assert worker.says("following from position 0")
        assert reached(home, head)
        assert_folded_once(home)
        assert worker.stopped(within=5) == 0
        assert worker.said[-1] == "stopped"


def test_it_stops_at_once_while_it_waits_from_the_start(away: EventStoreProcess, home: Path) -> None:
    with closing(Working(home, first=AWAY, every="1h")) as worker:
        assert worker.stopped(within=5) == 0
        assert worker.said[-1] == "stopped"


def test_a_sweep_waits_for_the_server_and_not_for_its_next_hour(
    away: EventStoreProcess, home: Path, tmp_path: Path
) -> None:
    session = Session("s1")
    session.user("write the importer")
    session.write(tmp_path / "transcripts")
    with closing(Working(home, first="sweep: ", every="1h")) as worker:
        assert worker.says("trying again in", times=3)
        away.start()
        assert worker.says("swept: 1 episodes, 1 turns")
        assert any(line.startswith("sweep: ") and AWAY in line for line in worker.said)
        assert worker.stopped(within=5) == 0


@pytest.fixture
def silent() -> Iterator[list[socket.socket]]:
    """Where somebody takes the connection and then says nothing."""
    with ExitStack() as open_:
        yield [open_.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]


@pytest.mark.parametrize("nodes", [1, 3], ids=["one server", "a cluster"])
def test_it_stops_within_seconds_of_a_server_that_is_silent_from_the_start(
    away: EventStoreProcess, home: Path, silent: list[socket.socket], nodes: int
) -> None:
    where = ",".join(f"127.0.0.1:{listener.getsockname()[1]}" for listener in silent[:nodes])
    uri = f"esdb://{where}?tls=false&gossipTimeout=30"
    with closing(Working(home, first=None, EDGE_LOG=uri)) as worker:
        silent[0].settimeout(PATIENCE)
        asked, _ = silent[0].accept()  # it is in the middle of its first call
        with asked:
            assert worker.stopped(within=15) == 0
        assert worker.said == ["stopped"]


@pytest.fixture
def behind_tls(secure: EventStoreProcess, certificate: Path, tmp_path: Path) -> Path:
    """A home on the server that asks for a password; it has none itself."""
    place = tmp_path / "home"
    uri = f"esdb://{USER}@localhost:{secure.port}?tlsCaFile={certificate}"
    initialise(Settings(place, "g", root=str(tmp_path), log=uri, log_password=PASSWORD))
    return place


def ended(home: Path, **environ: str) -> tuple[int, str]:
    """How a worker ends by itself, and the one line it says."""
    with closing(Working(home, first="", **environ)) as worker:
        code = worker.ends()
        (line,) = worker.said
        return code, line


def test_a_wrong_password_ends_it_at_once(behind_tls: Path) -> None:
    code, line = ended(behind_tls, EDGE_LOG_PASSWORD="wrong-word")
    assert code == 4
    assert "does not accept the user and password" in line
    assert "wrong-word" not in line


@pytest.mark.parametrize(
    ("option", "saying"),
    [
        ("", "was not signed by a CA known here"),
        ("?tlsCaFile=/none/ca.crt", "/none/ca.crt cannot be read"),
        (f"?tlsCaFile={__file__}", "there is no certificate in tlsCaFile"),
    ],
)
def test_what_is_wrong_with_the_address_ends_it_at_once(
    behind_tls: Path, secure: EventStoreProcess, option: str, saying: str
) -> None:
    uri = f"esdb://{USER}@localhost:{secure.port}{option}"
    code, line = ended(behind_tls, EDGE_LOG_PASSWORD=PASSWORD, EDGE_LOG=uri)
    assert code == 4
    assert saying in line


def test_tls_to_a_server_without_ends_it_at_once(server: EventStoreProcess, home: Path) -> None:
    code, line = ended(home, EDGE_LOG=f"esdb://a:b@{server.address}")
    assert code == 4
    assert "does not speak TLS" in line


def test_the_log_of_another_group_ends_it_at_once(server: EventStoreProcess, home: Path) -> None:
    code, line = ended(home, EDGE_GROUP="strangers")
    assert code == 2
    assert "is not of group 'strangers'" in line


def test_another_log_in_the_servers_place_ends_it_at_once(
    server: EventStoreProcess, home: Path, tmp_path: Path
) -> None:
    with closing(Edge.at_home(home)) as edge:
        edge.voz.comment("on the first log")
        edge.current()
    server.tell(reset=True)
    joined(server, tmp_path / "other")
    code, line = ended(home)
    assert code == 1
    assert "another log" in line


def test_pauses_grow_to_their_longest_and_differ() -> None:
    for failures, longest in [(1, 0.5), (2, 1.0), (4, 4.0), (7, 30.0), (5_000, 30.0)]:
        drawn = [pause(failures) for _ in range(200)]
        assert longest / 2 <= min(drawn) < max(drawn) <= longest
        assert len(set(drawn)) > 100


def test_a_wrong_option_ends_it_at_once(server: EventStoreProcess, home: Path) -> None:
    code, line = ended(home, EDGE_LOG=f"esdb://{server.address}?tls=maybe")
    assert code == 2
    assert "maybe" in line
