"""Getting in: TLS, users, clusters, and the one clear line where it does not work (exit code 4)."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.eventlog.eventstoredb import EventStoreDBEventLog, connection
from edge.domain.events import NO_STREAM
from edge.domain.refusal import EdgeError, Misused, Unreachable
from tests.contracts.probes import Follower, events, fresh_category, fresh_stream, ids
from tests.support.esdb.process import ROOT, EventStoreProcess

USER, PASSWORD = "operator", "pä:ss@wørd/%"
QUOTED = "p%C3%A4%3Ass%40w%C3%B8rd%2F%25"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.005)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path / "esdb.db") as server:
        yield server


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that is its own CA, with its key beside it as ``.key``."""
    if not shutil.which("openssl"):
        pytest.skip("install openssl: it makes the certificate for the TLS tests")
    path = tmp_path_factory.mktemp("tls") / "node.crt"
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
    files = ["-keyout", str(path.with_suffix(".key")), "-out", str(path)]
    subprocess.run([*made.split(), *names.split(), *files], check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def secure(certificate: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    options = ["--tls-key", str(certificate.with_suffix(".key")), "--tls-cert", str(certificate)]
    options += ["--user", USER, "--password", PASSWORD]
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", *options) as server:
        yield server


def told(uri: str, timeout: float = 1) -> EdgeError:
    """How a log at that URI ends, tried by every way in: all say the same."""
    log = EventStoreDBEventLog(uri, attempts=2, timeout=timeout)
    errors = []
    for use in (
        lambda: log.append("voz-g.a", events(1), NO_STREAM),
        lambda: list(log.read("voz-g.a")),
        lambda: list(log.read_all()),
        log.head,
        lambda: log.truncate_before("voz-g.a", 0),
        lambda: list(log.subscribe()),
    ):
        with pytest.raises(EdgeError) as raised:
            use()
        errors.append(raised.value)
    log.close()
    assert len({(type(e), e.message) for e in errors}) == 1, errors
    assert "\n" not in errors[0].message
    assert len(errors[0].message) < 200
    assert errors[0].hint
    return errors[0]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_over_tls_with_user_and_password(secure: EventStoreProcess, certificate: Path) -> None:
    uri = f"esdb://{USER}:{QUOTED}@localhost:{secure.port}?tlsCaFile={certificate}"
    log = EventStoreDBEventLog(uri)
    stream, sent = fresh_stream(), events(3)
    log.append(stream, sent, NO_STREAM)
    log.append(stream, events(1), 2)
    log.truncate_before(stream, 1)
    assert [e.revision for e in log.read(stream)] == [1, 2, 3]
    follower = Follower(log, None, [fresh_category()])
    follower.until_caught_up()
    follower.stop()
    log.close()


def test_a_wrong_password_is_told(secure: EventStoreProcess, certificate: Path) -> None:
    error = told(f"esdb://{USER}:wrong-word@localhost:{secure.port}?tlsCaFile={certificate}")
    assert isinstance(error, Unreachable)
    assert error.message == f"EventStoreDB localhost:{secure.port} does not accept the user and password"
    assert "wrong-word" not in error.message + error.hint


def test_an_unknown_ca_is_told(secure: EventStoreProcess) -> None:
    error = told(f"esdb://{USER}:{QUOTED}@localhost:{secure.port}")
    assert isinstance(error, Unreachable)
    assert "was not signed by a CA known here" in error.message
    assert "tlsCaFile" in error.hint


@pytest.mark.parametrize(("password", "ca"), [(PASSWORD, False), ("wrong-word", True)])
def test_the_command_line_says_one_line_and_ends_with_4(
    secure: EventStoreProcess, certificate: Path, tmp_path: Path, password: str, ca: bool
) -> None:
    uri = f"esdb://{USER}@localhost:{secure.port}" + (f"?tlsCaFile={certificate}" if ca else "")
    done = subprocess.run(
        [sys.executable, "-m", "edge", "init", "--group", "me", "--log", uri, "--home", str(tmp_path / "h")],
        env={"EDGE_LOG_PASSWORD": password, "PATH": os.environ["PATH"], "EDGE_ACTOR": "operator"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (4, "", 1), done.stderr
    assert password not in done.stderr


def test_a_missing_ca_file_is_told(secure: EventStoreProcess, tmp_path: Path) -> None:
    error = told(f"esdb://{USER}:{QUOTED}@localhost:{secure.port}?tlsCaFile={tmp_path}/none.crt")
    assert isinstance(error, Unreachable)
    assert f"{tmp_path}/none.crt cannot be read: No such file or directory" in error.message


def test_a_ca_file_that_holds_none_is_told(secure: EventStoreProcess, tmp_path: Path) -> None:
    (tmp_path / "diary.crt").write_text("my diary")
    error = told(f"esdb://{USER}:{QUOTED}@localhost:{secure.port}?tlsCaFile={tmp_path}/diary.crt")
    assert isinstance(error, Unreachable)
    assert error.lasting
    assert "no certificate in tlsCaFile" in error.message


def test_tls_to_a_server_without_is_told(server: EventStoreProcess) -> None:
    error = told(f"esdb://a:b@127.0.0.1:{server.port}")
    assert isinstance(error, Unreachable)
    assert "does not speak TLS" in error.message


def test_no_tls_to_a_server_with_is_told(secure: EventStoreProcess) -> None:
    error = told(f"{secure.uri}")
    assert isinstance(error, Unreachable)
    assert "is TLS on both sides or on none?" in error.hint


def test_tls_without_a_user_is_told() -> None:
    error = told("esdb://localhost:2113")
    assert isinstance(error, Misused)
    assert "takes a user and a password" in error.message


def test_a_refused_port_is_told() -> None:
    port = free_port()
    error = told(f"esdb://127.0.0.1:{port}?tls=false")
    assert isinstance(error, Unreachable)
    assert error.message == f"EventStoreDB 127.0.0.1:{port}: nothing listens there"


def test_no_such_host_is_told() -> None:
    error = told("esdb://no-such-host.invalid:2113?tls=false")
    assert isinstance(error, Unreachable)
    assert "no such host" in error.message


def test_a_cluster_of_which_no_node_answers_is_told() -> None:
    ports = [free_port(), free_port()]
    nodes = ",".join(f"127.0.0.1:{port}" for port in ports)
    error = told(f"esdb://{nodes}?tls=false&maxDiscoverAttempts=1")
    assert isinstance(error, Unreachable)
    assert error.message == f"EventStoreDB {nodes}: nothing listens there"


def test_a_port_that_accepts_and_says_nothing_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        error = told(f"esdb://127.0.0.1:{silent.getsockname()[1]}?tls=false", timeout=0.1)
    assert isinstance(error, Unreachable)
    assert "does not answer in time" in error.message


def test_a_follower_is_told_with_its_leader(server: EventStoreProcess) -> None:
    server.tell(leader=["10.0.0.7", 2113])
    error = told(server.uri)
    assert isinstance(error, Unreachable)
    assert error.message == (
        f"EventStoreDB {server.address} is not the leader of its cluster; 10.0.0.7:2113 leads"
    )


@pytest.mark.parametrize("uri", ["postgres://db:1?x=y", "esdb://", "esdb://u:secret@", "host:2113", ""])
def test_what_is_no_uri_is_told(uri: str) -> None:
    with pytest.raises(Misused, match="not one of EventStoreDB"):
        EventStoreDBEventLog(uri)


@pytest.mark.parametrize("option", ["nope=1", "tls=maybe", "defaultDeadline=soon"])
def test_a_wrong_option_is_told_without_the_password(option: str) -> None:
    error = told(f"esdb://u:secret@h:2113?{option}")
    assert isinstance(error, Misused)
    assert "secret" not in error.message + error.hint


def test_of_a_cluster_the_leader_is_found(server: EventStoreProcess, tmp_path: Path) -> None:
    with EventStoreProcess(tmp_path / "leader.db") as leader:
        server.tell(leader=["127.0.0.1", leader.port])
        for uri in (
            f"esdb://{server.address},{leader.address}?tls=false",
            f"esdb+discover://{server.address}?tls=false",
        ):
            log, stream, sent = EventStoreDBEventLog(uri), fresh_stream(), events(2)
            log.append(stream, sent, NO_STREAM)
            log.close()
            direct = EventStoreDBEventLog(leader.uri)
            assert ids(direct.read(stream)) == ids(sent)
            direct.close()


def test_a_new_leader_is_gone_over_to(server: EventStoreProcess, tmp_path: Path) -> None:
    with EventStoreProcess(tmp_path / "next.db") as following:
        following.tell(leader=["127.0.0.1", server.port])
        log = EventStoreDBEventLog(f"esdb://{server.address},{following.address}?tls=false", heartbeat=0.2)
        category = fresh_category()
        follower = Follower(log, None, [category])
        follower.until_caught_up()
        following.tell(leader=None)
        server.tell(leader=["127.0.0.1", following.port])
        sent = events(2)
        log.append(fresh_stream(category), sent, NO_STREAM)
        assert [follower.next_event().id for _ in sent] == ids(sent)
        follower.stop()
        log.close()
