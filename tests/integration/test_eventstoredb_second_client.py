"""A second, independent client reads what was written: kurrentdbclient, in a Python of its own."""

from __future__ import annotations

import json
import subprocess
import venv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from edge.domain.events import NO_STREAM, Event
from edge.init import initialise
from edge.settings import Settings
from edge.wiring import Edge
from tests.contracts.probes import event, events, ids
from tests.support import second_client
from tests.support.esdb.process import EventStoreProcess
from tests.support.second_client import python_with_it
from tests.support.steers import linking, with_steers

READS = """
import json, sys
from kurrentdbclient import KurrentDBClient

def seen(e):
    return [str(e.id), e.type, e.stream_name, e.stream_position, e.commit_position,
            json.loads(e.data), json.loads(e.metadata)]

with KurrentDBClient(sys.argv[1]) as client:
    everything = [seen(e) for e in client.read_all()]
    streams = {name: [seen(e) for e in client.get_stream(name, resolve_links=True)] for name in sys.argv[2:]}
    followed = []
    with client.subscribe_to_all(include_caught_up=True) as subscription:
        for e in subscription:
            if e.is_caught_up:
                break
            followed.append(seen(e))
print(json.dumps([everything, followed, streams]))
"""


@pytest.fixture(scope="session")
def python() -> Path:
    return python_with_it()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path / "esdb.db", "--links") as server:
        yield server


def read_by(python: Path, server: EventStoreProcess, *streams: str) -> Any:
    """What the other client reads, follows, and finds in streams that hold links."""
    server.tell(linked=True)
    command = [str(python), "-c", READS, server.uri, *streams]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    everything, followed, found = json.loads(done.stdout)
    return everything, followed, {name: [e[0] for e in events_] for name, events_ in found.items()}


def listed(found: list[Event]) -> list[list[Any]]:
    return [list(e) for e in found]


def test_another_client_reads_the_same(python: Path, server: EventStoreProcess) -> None:
    with closing(EventStoreDBEventLog(server.uri)) as log:
        log.append("voz-g.a", events(3), NO_STREAM)
        log.append("voz-g.b", [event("probe.a", text="olá 🜂")], NO_STREAM)
        log.append("voz-g.a", events(2), 2)
        mine = list(log.read_all())
    everything, followed, found = read_by(python, server, "$ce-voz")
    assert everything == followed == listed(mine)
    assert found["$ce-voz"] == ids(iter(mine))


def test_another_client_reads_an_install_with_its_links(
    python: Path, server: EventStoreProcess, tmp_path: Path
) -> None:
    initialise(Settings(tmp_path / "home", "g", root=str(tmp_path), log=server.uri))
    with closing(Edge.at_home(tmp_path / "home")) as edge:
        steer = edge.streams.direction(with_steers(edge))
        linking(edge).catch_up(edge.log.head())
        mine = list(edge.log.read_all())
    (born,) = [e for e in mine if e.type == "direction.set" and e.stream.startswith("voz-")]
    everything, followed, found = read_by(python, server, steer, "$et-direction.set")
    assert [e for e in everything if e[1] != "$>"] == listed(mine)
    assert [e for e in followed if e[1] != "$>"] == listed(mine)
    assert born.id in found[steer]
    assert born.id in found["$et-direction.set"]


@pytest.mark.parametrize("ci", [True, False])
def test_where_it_cannot_be_had_it_is_skipped_but_not_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ci: bool
) -> None:
    def offline(*_args: Any, **_options: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr(venv, "create", offline)
    monkeypatch.setenv("CI", "true" if ci else "")
    ends = pytest.fail.Exception if ci else pytest.skip.Exception
    with pytest.raises(ends, match=r"no space; install it: .*pip install kurrentdbclient=="):
        second_client.python_with_it(tmp_path / ".venv-none")
