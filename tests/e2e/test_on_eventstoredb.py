"""Homes whose log is on EventStoreDB: the same pages typed, the same said, two hosts on one log."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.pages import blocks
from tests.e2e.test_docs import ON_A_SERVER, REPO, Reader
from tests.support.esdb.process import EventStoreProcess

PAGES = [
    REPO / "README.md",
    *(REPO / "docs" / f"{name}.md" for name in ("concepts", "operating", "extending")),
]
"""Not recovery.md and security.md: they mend and guard the log's file."""

DIFFERS = re.compile(r"\(embedded\)|\(eventstoredb\)|\d+")
"""Positions differ between logs, and the mode is said."""

ONLY_THERE = re.compile(r"\nnot reached: (?:the server's disk|other hosts' read models)[^\n]*")
"""What forgetting cannot reach where there is a server, and other hosts."""


def compared(reader: Reader, text: str) -> str:
    return DIFFERS.sub("N", ONLY_THERE.sub("", reader.plain(text)))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


@pytest.fixture
def reader(server: EventStoreProcess, tmp_path: Path) -> Reader:
    server.tell(reset=True)
    return Reader(tmp_path)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_what_the_pages_show_is_said_on_eventstoredb_too(
    server: EventStoreProcess, reader: Reader, path: Path
) -> None:
    reader.environ["EDGE_LOG"] = server.uri
    printed = ""
    for block in blocks(path):
        where = f"{path.name}:{block.line}"
        if block.language == "sh":
            code, printed = reader.types(block.text)
            assert code == block.exit, f"{where} ended with exit {code}\n{block.text}\n{printed}"
        elif block.language == "text" and block.follows:
            said, shown = (compared(reader, text) for text in (printed, block.text))
            assert said == shown, where
    assert not list(reader.home.rglob("log.db"))


def test_the_page_on_eventstoredb_can_be_typed(server: EventStoreProcess, reader: Reader) -> None:
    """Its address stands for the double's; what it shows is compared like that of other pages."""
    address, printed = "esdb://admin@localhost:2113?tlsCaFile=ca.crt", ""
    assert address in ON_A_SERVER.read_text("utf-8")
    for block in blocks(ON_A_SERVER):
        where = f"{ON_A_SERVER.name}:{block.line}"
        if block.language == "sh":
            code, printed = reader.types(block.text.replace(address, server.uri))
            assert code == block.exit, f"{where} ended with exit {code}\n{block.text}\n{printed}"
        elif block.language == "text" and block.follows:
            said, shown = (compared(reader, text) for text in (printed, block.text))
            assert said == shown, where
    lists = [json.loads(reader.types(f"edge voz list --json {at}")[1]) for at in ("", "--home back")]
    here, back = ([{**chat, "position": 0} for chat in found] for found in lists)
    assert here == back
    assert len(here) == 2


def test_two_homes_share_one_log(server: EventStoreProcess, reader: Reader) -> None:
    for home in ("one", "two"):
        code, said = reader.types(f"edge init --group me --log {server.uri!r} --home {home} --json")
        assert code == 0, said
    logs = {
        json.loads(reader.types(f"edge log tail -n 1 --home {h} --json")[1])[0]["id"] for h in ("one", "two")
    }
    assert len(logs) == 1
    assert f'log = "{server.uri}"' in (reader.at / "one" / "edge.toml").read_text()
    reader.types("edge voz comment 'from the first' --home one")
    reader.types("edge voz comment 'from the second' --home two")
    lists = {reader.types(f"edge voz list --home {h}")[1] for h in ("one", "two")}
    assert len(lists) == 1
    assert "from the first" in next(iter(lists))


def test_a_log_of_another_group_is_not_taken(server: EventStoreProcess, reader: Reader) -> None:
    reader.types(f"edge init --group me --log {server.uri!r} --home one")
    code, said = reader.types(f"edge init --group you --log {server.uri!r} --home two")
    assert code == 2
    assert "is the log of another group" in said


def test_a_server_that_is_not_there_is_exit_4(server: EventStoreProcess, reader: Reader) -> None:
    code, said = reader.types("edge init --group me --log 'esdb://127.0.0.1:1?tls=false'")
    assert (code, said.count("\n")) == (4, 0)
    assert "EventStoreDB 127.0.0.1:1: nothing listens there" in said
    reader.types(f"edge init --group me --log {server.uri!r}")
    reader.environ["EDGE_LOG"] = "esdb://127.0.0.1:1?tls=false"
    for words in ("voz list", "voz comment x", "status", "open beat"):
        assert reader.types(f"edge {words}")[0] == 4, words


def test_what_takes_a_file_is_refused(server: EventStoreProcess, reader: Reader) -> None:
    reader.types(f"edge init --group me --log {server.uri!r}")
    for words in ("log verify", "log backup b.db", "log restore b.db"):
        code, said = reader.types(f"edge {words}")
        assert code == 3
        assert "not in a file here" in said
    assert reader.types("edge doctor")[0] == 0


def test_no_password_comes_into_the_settings(reader: Reader) -> None:
    code, said = reader.types("edge init --group me --log esdb://op:secret@127.0.0.1:1")
    assert code == 2
    assert "secret" not in said
    assert "EDGE_LOG_PASSWORD" in said
    reader.environ["EDGE_LOG_PASSWORD"] = "secret"
    code, said = reader.types("edge init --group me --log esdb://op@127.0.0.1:1")
    assert code == 4
    assert "secret" not in said


def test_a_server_with_another_log_is_noticed(server: EventStoreProcess, reader: Reader) -> None:
    reader.types(f"edge init --group me --log {server.uri!r}")
    reader.types("edge voz comment 'on the first log'")
    assert "on the first log" in reader.types("edge voz list")[1]
    server.tell(reset=True)
    reader.types(f"edge init --group me --log {server.uri!r} --home other")
    code, said = reader.types("edge voz list")
    assert code == 1
    assert "another log" in said


def test_an_embedded_log_loads_nothing_of_it(reader: Reader) -> None:
    reader.types("edge init --group me")
    look = (
        "import sys; from edge.cli.main import main\n"
        "try: main()\n"
        "finally: print(sorted({'grpc', 'esdbclient', 'google.protobuf'} & set(sys.modules)))"
    )
    for words in ("voz list", "status", "voz comment hello", "open beat"):
        done = subprocess.run(
            [sys.executable, "-c", look, *words.split()],
            env=reader.environ,
            cwd=REPO,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.rstrip().endswith("[]"), words
