"""A log moved from a file to EventStoreDB and back: positions differ, everything else is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from esdbclient import EventStoreDBClient

from edge.domain.events import Event
from edge.envelopes import import_envelopes
from edge.exchange import Tally, exported
from edge.init import initialise
from edge.lines import lines_of
from edge.settings import Settings
from edge.wiring import Edge
from tests.support.esdb.process import EventStoreProcess
from tests.support.steers import PROPOSAL, linking, with_steers

POSITIONS = {"position", "cursor", "head", "first", "basis", "basis_seen", "backlog", "log"}
"""What is a position, or hangs on one that an event of the old log holds."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


def home(place: Path, log: str | None = None) -> Edge:
    (place.parent / "transcripts").mkdir(exist_ok=True)
    initialise(Settings(place, "g", root=str(place.parent / "transcripts"), log=log))
    return Edge.at_home(place)


def moved(source: Edge, target: Edge, file: Path) -> Tally:
    file.write_text("".join(line + "\n" for line in exported(source.log)), "utf-8")
    with file.open("rb") as stream:
        return import_envelopes(target.journal, lines_of(stream))


def known(edge: Edge) -> Any:
    """What the read models answer, without positions."""
    queries = edge.current()
    found = [list(queries.chats()), queries.items(), queries.artefatos(), edge.health(), edge.briefing().text]
    return _without_positions(json.loads(json.dumps(found)))


def _without_positions(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_positions(v) for k, v in value.items() if k not in POSITIONS and k != "mode"}
    return [_without_positions(v) for v in value] if isinstance(value, list) else value


def content(edge: Edge) -> list[Event]:
    """Every event but the log's own first, without its place."""
    return [e._replace(position=0, revision=0) for e in edge.log.read_all() if e.type != "log.created"]


def test_there_and_back_it_is_the_same_log(server: EventStoreProcess, tmp_path: Path) -> None:
    server.tell(reset=True)
    with (
        closing(home(tmp_path / "file")) as file,
        closing(home(tmp_path / "server", server.uri)) as on_server,
        closing(home(tmp_path / "back")) as back,
    ):
        steer = with_steers(file)
        file.steering.set_({"title": "Testes antes"}, steer, None)
        there = moved(file, on_server, tmp_path / "there.jsonl")
        assert (there.refusals, there.known) == (0, 0)
        assert content(on_server) == content(file)
        assert known(on_server) == known(file)

        # a steer whose link comes before what is imported again, and one after
        assert linking(on_server).catch_up(on_server.log.head()) == 2
        on_server.steering.set_({}, PROPOSAL, None)
        on_server.steering.drop(steer, "feito")
        returned = moved(on_server, back, tmp_path / "back.jsonl")
        assert (returned.refusals, returned.known) == (0, 0)
        assert content(back) == content(on_server)
        assert known(back) == known(on_server)
        assert back.embedded_log.verify() == []

        again = moved(back, on_server, tmp_path / "again.jsonl")
        assert (again.refusals, again.imported) == (0, 0)
        assert again.known == len(content(back))


def test_a_worker_may_link_while_a_log_comes_in(server: EventStoreProcess, tmp_path: Path) -> None:
    """A link written before the operator's own event of that steer has come shifts its place."""
    server.tell(reset=True)
    with closing(home(tmp_path / "file")) as file, closing(home(tmp_path / "server", server.uri)) as target:
        steer = with_steers(file)
        before = len(list(exported(file.log)))
        file.steering.set_({"title": "Testes antes"}, steer, None)
        path = tmp_path / "there.jsonl"
        lines = [line + "\n" for line in exported(file.log)]
        for part in (lines[:before], lines):
            path.write_text("".join(part), "utf-8")
            with path.open("rb") as stream:
                assert import_envelopes(target.journal, lines_of(stream)).refusals == 0
            linking(target).catch_up(target.log.head())
        assert content(target) == content(file)
        with EventStoreDBClient(server.uri) as client:
            shown = client.get_stream(target.streams.direction(steer), resolve_links=True)
            assert [e.stream_name.partition("-")[0] for e in shown] == ["voz", "direction"]
        assert moved(file, target, path).refusals == 0
