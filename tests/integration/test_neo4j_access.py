"""What a person is told when the graph cannot be had: one line, exit 4, and nothing on stderr."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from neo4j import exceptions as n4j

from adapters.graph.neo4j import Neo4jGraph
from adapters.graph.neo4j.connection import Address, Connection
from adapters.graph.neo4j.errors import explained
from edge.domain.refusal import EdgeError, Failed, Misused, Unreachable
from tests.support.known import MemoryKnown, MemoryVectors, Speaker, WordEmbedder
from tests.support.neo4j.fixture import require_neo4j
from tests.support.neo4j.process import Neo4jProcess, Server


def graph(uri: str, password: str | None, group: str = "access") -> Neo4jGraph:
    return Neo4jGraph(uri, password, group, WordEmbedder(), MemoryVectors(), log_id="a-log")


def told(uri: str, password: str | None, capfd: pytest.CaptureFixture[str]) -> EdgeError:
    """The error of a projection; nothing else may be said."""
    known = MemoryKnown()
    Speaker(1).speak(1, known)
    with closing(graph(uri, password)) as opened, pytest.raises(EdgeError) as raised:
        opened.project(known)
    assert capfd.readouterr() == ("", "")
    assert "\n" not in raised.value.message
    assert raised.value.hint
    return raised.value


@pytest.fixture
def port() -> Iterator[int]:
    """A port where nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.fixture(autouse=True)
def quiet() -> None:
    """As in a program that set up no logging: a warning would go to stderr."""
    logging.getLogger().handlers.clear()


def test_nothing_listens(port: int, capfd: pytest.CaptureFixture[str]) -> None:
    error = told(f"bolt://127.0.0.1:{port}", "secret", capfd)
    assert (error.code, error.message) == (4, f"Neo4j 127.0.0.1:{port}: nothing listens there")


def test_no_such_host(capfd: pytest.CaptureFixture[str]) -> None:
    error = told("bolt://no-such-host.invalid", "secret", capfd)
    assert (error.code, error.message) == (4, "Neo4j no-such-host.invalid:7687: no such host")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-x\r\n"])
def test_something_else_listens(answer: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(100)
                    connection.sendall(answer)

        serving = threading.Thread(target=serve)
        serving.start()
        error = told(f"bolt://127.0.0.1:{server.getsockname()[1]}", "secret", capfd)
        server.shutdown(socket.SHUT_RDWR)
        serving.join()
    assert isinstance(error, Unreachable)


def test_wrong_password(neo4j_server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    for password in ("wrong", None):
        error = told(neo4j_server.uri, password, capfd)
        assert error.code == 4
        assert "does not accept the user and password" in error.message
        assert "wrong" not in error.message


def test_tls_where_there_is_none(neo4j_server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    for scheme in ("bolt+s://", "neo4j+ssc://"):
        error = told(neo4j_server.uri.replace("bolt://", scheme), neo4j_server.password, capfd)
        assert (error.code, error.message.endswith("does not speak TLS")) == (4, True)


def test_no_such_database(neo4j_server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    error = told(f"{neo4j_server.uri}/other", neo4j_server.password, capfd)
    assert (error.code, "no such database" in error.message) == (4, True)


def test_a_cluster_s_address_finds_a_single_server(neo4j_server: Server) -> None:
    known = MemoryKnown()
    Speaker(1).speak(1, known)
    routed = neo4j_server.uri.replace("bolt://", "neo4j://neo4j@")
    with closing(graph(routed, neo4j_server.password, "routed")) as opened:
        assert opened.project(known) > 0
        assert opened.position() == known.position()


def test_a_server_that_takes_no_writes_and_then_is_gone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    require_neo4j()
    process = Neo4jProcess(tmp_path, "read-only")
    try:
        error = told(process.server.uri, process.server.password, capfd)
        assert (error.code, "takes no writes" in error.message) == (4, True), error.message
        with closing(graph(*process.server)) as opened:
            assert opened.position() == 0, "it can be read"
            process.stop()
            with pytest.raises(Unreachable):
                opened.position()
    finally:
        process.stop()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("Neo.ClientError.Cluster.NotALeader", Unreachable, "takes no writes"),
        ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", Unreachable, "takes no writes"),
        ("Neo.ClientError.Security.CredentialsExpired", Unreachable, "installed with"),
        ("Neo.ClientError.Security.AuthenticationRateLimit", Unreachable, "too many"),
        ("Neo.ClientError.Security.Forbidden", Unreachable, "denies"),
        ("Neo.TransientError.General.DatabaseUnavailable", Unreachable, "cannot do it now"),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", Unreachable, "cannot do it now"),
        ("Neo.ClientError.Statement.SyntaxError", Failed, "refused"),
    ],
)
def test_what_a_server_answers_is_told_apart(code: str, kind: type[EdgeError], words: str) -> None:
    error = n4j.Neo4jError._hydrate_neo4j(code=code, message="it\nsays")
    told = explained(error, "Neo4j x:7687")
    assert type(told) is kind
    assert words in told.message
    assert "\n" not in told.message


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (n4j.ServiceUnavailable("it is away"), "does not answer"),
        (n4j.SessionExpired("gone"), "does not answer"),
        (n4j.WriteServiceUnavailable("none"), "no member"),
        (n4j.IncompleteCommit("cut"), "while it committed"),
        (n4j.ServiceUnavailable("[SSL: CERTIFICATE_VERIFY_FAILED]"), "not signed"),
    ],
)
def test_what_no_server_answers_is_told_apart(error: Exception, words: str) -> None:
    told = explained(error, "Neo4j x:7687")
    assert (told.code, words in told.message) == (4, True)


def test_an_address_as_a_person_writes_it() -> None:
    plain = Address("bolt://graph.example")
    assert (plain.uri, plain.user, plain.database) == ("bolt://graph.example:7687", "neo4j", "neo4j")
    whole = Address("neo4j+s://ana%40home@[::1]:9/mine")
    assert (whole.uri, whole.user, whole.database) == ("neo4j+s://[::1]:9", "ana@home", "mine")


@pytest.mark.parametrize(
    "uri", ["", "bolt://", "http://x:7474", "x:7687", "bolt://x:seven", "bolt://me:secret@x", "bolt://[x"]
)
def test_an_address_that_is_none_is_said_at_once(uri: str) -> None:
    with pytest.raises(Misused) as raised:
        Connection(uri, "secret")
    assert "secret" not in raised.value.message


def test_a_graph_that_is_away_costs_nothing_but_itself(port: int) -> None:
    """Opening one asks nobody: knowledge is read without it (I18)."""
    with closing(graph(f"bolt://127.0.0.1:{port}", "secret")) as opened:
        asked: list[Any] = []
        for use in (opened.position, lambda: opened.search().facts("x")):
            with pytest.raises(Unreachable) as raised:
                use()
            asked.append(raised.value.message)
    assert len(set(asked)) == 1
