"""Links into direction streams: they read complete, once, and nothing else sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from esdbclient import EventStoreDBClient
from esdbclient.exceptions import NotFound

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from edge.domain.events import NO_STREAM, Event
from edge.init import initialise
from edge.linking import LINKED
from edge.ports import Links
from edge.settings import Settings
from edge.wiring import Edge
from tests.contracts.probes import event, events, fresh_stream
from tests.crash.installs import assert_derived_from_its_log
from tests.support.esdb.process import EventStoreProcess
from tests.support.steers import PROPOSAL, SLUG, linking, with_steers


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


@pytest.fixture
def client(server: EventStoreProcess) -> Iterator[EventStoreDBClient]:
    with EventStoreDBClient(server.uri) as client:
        yield client


@pytest.fixture
def edge(server: EventStoreProcess, tmp_path: Path) -> Iterator[Edge]:
    server.tell(reset=True)
    (tmp_path / "transcripts").mkdir()
    initialise(Settings(tmp_path / "home", "g", root=str(tmp_path / "transcripts"), log=server.uri))
    with closing(Edge.at_home(tmp_path / "home")) as edge:
        yield edge


@pytest.fixture
def folded(edge: Edge) -> str:
    """The id of a steer born in a chat; a publication proposed another."""
    return with_steers(edge)


def shown(client: EventStoreDBClient, stream: str) -> list[tuple[str, str]]:
    """The stream as the admin page shows it: type, and the stream it stands in."""
    try:
        found = client.get_stream(stream, resolve_links=True)
    except NotFound:
        return []
    return [(e.type, e.stream_name.partition("-")[0]) for e in found]


def test_a_steer_of_a_chat_and_a_proposal_are_read_in_their_own_streams(
    edge: Edge, client: EventStoreDBClient, folded: str
) -> None:
    assert linking(edge).catch_up(edge.log.head()) == 2
    assert shown(client, edge.streams.direction(folded)) == [("direction.set", "voz")]
    assert shown(client, edge.streams.direction(PROPOSAL)) == [("artefato.published", "artefato")]
    (raw,) = client.get_stream(edge.streams.direction(folded))
    assert (raw.type, raw.content_type) == ("$>", "application/octet-stream")
    assert raw.data.endswith(b"@" + edge.streams.chat(_chat(edge)).encode())


def _chat(edge: Edge) -> str:
    (chat,) = edge.current().chats()
    return str(chat["comment_id"])


def test_it_is_done_once_whatever_is_forgotten(edge: Edge, folded: str) -> None:
    """The note gone, another host, or a log restored behind it: all is looked for, nothing added."""
    assert linking(edge).catch_up(edge.log.head()) == 2
    noted = edge.store.noted(LINKED)
    assert noted
    for lost in ("", "no JSON", noted, json.dumps([*json.loads(noted)[:1], "x", "voz-g.gone", 7])):
        edge.store.note(LINKED, lost)
        assert linking(edge).catch_up(edge.log.head()) == 0
        assert edge.store.noted(LINKED) == noted


class CutOff(Exception):
    """As a kill would."""


class CutLinks:
    """Links that are cut off before or after the n-th one is written."""

    def __init__(self, links: Links, at: int, after: bool) -> None:
        self._links = links
        self._left = at
        self._after = after

    def link(self, stream: str, event: Event) -> bool:
        here = not self._left
        self._left -= 1
        if here and not self._after:
            raise CutOff
        added = self._links.link(stream, event)
        if here:
            raise CutOff
        return added


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", [0, 1])
def test_cut_off_anywhere_it_ends_with_one_link_each(
    edge: Edge, client: EventStoreDBClient, folded: str, at: int, after: bool
) -> None:
    assert isinstance(edge.log, EventStoreDBEventLog)
    with pytest.raises(CutOff):
        linking(edge, CutLinks(edge.log, at, after)).catch_up(edge.log.head())
    linking(edge).catch_up(edge.log.head())
    assert len(shown(client, edge.streams.direction(folded))) == 1
    assert len(shown(client, edge.streams.direction(PROPOSAL))) == 1


def test_an_answer_lost_after_the_link_was_written_adds_none(
    server: EventStoreProcess, edge: Edge, client: EventStoreDBClient, folded: str
) -> None:
    linker, head = linking(edge), edge.log.head()
    server.fault("append", when="after", count=2)
    linker.catch_up(head)
    assert len(shown(client, edge.streams.direction(folded))) == 1
    assert len(shown(client, edge.streams.direction(PROPOSAL))) == 1


def test_the_operator_goes_on_in_a_stream_that_holds_links(
    edge: Edge, client: EventStoreDBClient, folded: str
) -> None:
    linking(edge).catch_up(edge.log.head())
    edge.steering.set_({"title": "Testes antes"}, folded, None)
    edge.steering.set_({}, PROPOSAL, None)
    edge.steering.drop(folded, "feito")
    assert linking(edge).catch_up(edge.log.head()) == 0
    assert [t for t, _ in shown(client, edge.streams.direction(folded))] == [
        "direction.set",
        "direction.set",
        "direction.dropped",
    ]
    steers = {item["id"]: item for item in edge.current().items()}
    assert set(steers) == {PROPOSAL}
    assert (steers[PROPOSAL]["tier"], steers[PROPOSAL]["from_artefato"]) == ("set", SLUG)
    assert edge.health()["errors"] == []
    assert_derived_from_its_log(edge)


def test_nobody_else_sees_a_link(edge: Edge, folded: str) -> None:
    head, before = edge.log.head(), list(edge.log.read_all())
    linking(edge).catch_up(head)
    assert edge.log.head() == head
    assert list(edge.log.read_all()) == before


def test_what_a_stranger_named_badly_is_passed_over(edge: Edge, client: EventStoreDBClient) -> None:
    edge.log.append("voz-g.odd", [event("direction.set", id="no such id!", title="x")], NO_STREAM)
    edge.log.append("voz-g.odd2", [event("direction.set", id="d1", title="x", supersedes="d0")], NO_STREAM)
    assert linking(edge).catch_up(edge.log.head()) == 2  # the steer, and the one it supersedes
    assert shown(client, "direction-g.d0") == [("direction.set", "voz")]


def test_a_stream_deleted_for_good_gets_no_link(edge: Edge, client: EventStoreDBClient, folded: str) -> None:
    stream = edge.streams.direction(folded)
    edge.log.append(stream, events(1), NO_STREAM)
    client.tombstone_stream(stream, current_version=0)
    assert linking(edge).catch_up(edge.log.head()) == 1  # the proposal's


def test_two_linkers_of_one_stream_leave_one_link(
    server: EventStoreProcess, client: EventStoreDBClient
) -> None:
    log = EventStoreDBEventLog(server.uri)
    source, target = fresh_stream(), fresh_stream()
    log.append(source, events(6), NO_STREAM)
    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(lambda e: log.link(target, e), [e for e in log.read(source) for _ in range(3)]))
    log.close()
    assert told.count(True) >= 6  # of two at the very same moment both are told so
    assert sorted(e.stream_position for e in client.get_stream(target, resolve_links=True)) == [*range(6)]
