"""EventStoreDB's adapter passes the contract, through the unmodified client, on a test double of
the server (see :mod:`tests.support.esdb`); and what it promises beyond it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest
from esdbclient import EventStoreDBClient, StreamState
from esdbclient import NewEvent as ProposedEvent

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from edge.domain.events import NO_STREAM, Event
from edge.domain.refusal import Failed
from edge.ports import AppendRefused, Checkpoint, EventLog, WrongRevision
from tests.contracts.event_log import EventLogContract
from tests.contracts.log_subscriptions import SubscriptionContract
from tests.contracts.probes import Follower, event, events, fresh_category, fresh_stream, ids
from tests.support.esdb.process import EventStoreProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


@pytest.fixture
def log(server: EventStoreProcess) -> Iterator[EventStoreDBEventLog]:
    log = EventStoreDBEventLog(server.uri, heartbeat=0.3)
    yield log
    log.close()


@pytest.fixture
def client(server: EventStoreProcess) -> Iterator[EventStoreDBClient]:
    with EventStoreDBClient(server.uri) as client:
        yield client


class TestEventStoreDBEventLog(EventLogContract):
    @pytest.fixture
    def log(self, server: EventStoreProcess) -> Iterator[EventLog]:
        log = EventStoreDBEventLog(server.uri, heartbeat=0.3)
        yield log
        log.close()


class TestWithoutACheckpointBeforeCaughtUp(SubscriptionContract):
    """Some versions of the server send none."""

    @pytest.fixture
    def log(self, server: EventStoreProcess) -> Iterator[EventLog]:
        server.tell(quiet=True)
        log = EventStoreDBEventLog(server.uri, heartbeat=0.3)
        yield log
        log.close()
        server.tell(quiet=False)


def test_system_events_and_links_are_left_out(
    server: EventStoreProcess, log: EventStoreDBEventLog, client: EventStoreDBClient
) -> None:
    start, category = log.head(), fresh_category()
    stream, other = fresh_stream(category), fresh_stream(category)
    follower = Follower(log, start, [category])
    follower.until_caught_up()
    log.append(stream, events(2), NO_STREAM)
    link = ProposedEvent("$>", f"0@{stream}".encode(), content_type="application/octet-stream")
    client.append_to_stream(other, current_version=StreamState.NO_STREAM, events=link)
    log.append(other, [event("probe.a")], 0)
    log.truncate_before(stream, 1)
    server.tell(linked=True)
    for found in (
        log.read_all(after=start),
        log.read_all(after=start, categories=[category]),
        log.read_all(after=start, types=["probe.noted", "probe.a", "$>", "$metadata"]),
    ):
        assert [(e.stream, e.revision) for e in found] == [(stream, 0), (stream, 1), (other, 1)]
    assert [e.type for e in log.read_all(backwards=True, categories=[category], limit=2)] == [
        "probe.a",
        "probe.noted",
    ]
    assert log.head() == next(log.read(other, backwards=True)).position
    assert [follower.next_event().revision for _ in range(3)] == [0, 1, 1]
    follower.stop()


def test_a_link_keeps_its_place_in_a_stream(log: EventStoreDBEventLog, client: EventStoreDBClient) -> None:
    """A writer that meets one counts it, though no fold looks at it."""
    stream = fresh_stream()
    client.append_to_stream(stream, current_version=StreamState.NO_STREAM, events=ProposedEvent("$>", b"0@x"))
    assert [(e.type, e.data) for e in log.read(stream)] == [("$>", {})]
    assert log.append(stream, events(1), 0).revision == 1


def test_what_strangers_wrote_is_kept_and_does_no_harm(
    log: EventStoreDBEventLog, client: EventStoreDBClient
) -> None:
    stream = fresh_stream()
    odd = [
        ProposedEvent("odd", b"\xff\x00", content_type="application/octet-stream"),
        ProposedEvent("odd", b"[1, 2]", b"null"),
        ProposedEvent("odd", b"", b'{"batch": [0, 9]}'),
    ]
    client.append_to_stream(stream, current_version=StreamState.NO_STREAM, events=odd)
    assert [(e.type, e.data) for e in log.read(stream)] == [("odd", {})] * 3
    follower = Follower(log, None, [stream.partition("-")[0]])
    before, position = follower.until_caught_up()
    assert len([item for item in before if isinstance(item, Event)]) == 3
    assert position >= log.head(), "an append that never ends holds nothing up"
    follower.stop()


def test_only_a_uuid_is_taken_as_an_id(log: EventStoreDBEventLog) -> None:
    for id_ in ("7", uuid4().hex, str(uuid4()).upper(), ""):
        with pytest.raises(AppendRefused, match="takes a UUID only"):
            log.append(fresh_stream(), [event()._replace(id=id_)], NO_STREAM)


def test_an_expectation_no_stream_can_meet_is_a_wrong_one(log: EventStoreDBEventLog) -> None:
    with pytest.raises(WrongRevision) as told:
        log.append(fresh_stream(), events(1), -3)
    assert (told.value.expected, told.value.current) == (-3, NO_STREAM)


def test_a_tombstoned_stream_is_told(log: EventStoreDBEventLog, client: EventStoreDBClient) -> None:
    stream = fresh_stream()
    log.append(stream, events(1), NO_STREAM)
    client.tombstone_stream(stream, current_version=0)
    for use in (lambda: log.append(stream, events(1), 0), lambda: list(log.read(stream))):
        with pytest.raises(Failed, match="deleted for good"):
            use()


def test_a_soft_deleted_stream_is_empty(log: EventStoreDBEventLog, client: EventStoreDBClient) -> None:
    stream = fresh_stream()
    log.append(stream, events(2), NO_STREAM)
    client.delete_stream(stream, current_version=1)
    assert list(log.read(stream)) == list(log.read(stream, backwards=True, limit=1)) == []


def test_truncation_keeps_the_other_metadata(log: EventStoreDBEventLog, client: EventStoreDBClient) -> None:
    stream = fresh_stream()
    log.append(stream, events(3), NO_STREAM)
    client.set_stream_metadata(stream, metadata={"$maxCount": 50, "mine": [1]})
    log.truncate_before(stream, 2)
    log.truncate_before(stream, 1)
    assert client.get_stream_metadata(stream) == ({"$maxCount": 50, "mine": [1], "$tb": 2}, 1)


def test_events_are_stored_as_json(log: EventStoreDBEventLog, client: EventStoreDBClient) -> None:
    stream, sent = fresh_stream(), event(text="olá")
    log.append(stream, [sent], NO_STREAM)
    (stored,) = client.get_stream(stream)
    assert stored.content_type == "application/json"
    assert stored.data == '{"text":"olá"}'.encode()
    assert json.loads(stored.metadata) == sent.metadata


def test_a_long_catch_up_in_which_nothing_matches_gives_checkpoints(log: EventStoreDBEventLog) -> None:
    start = log.head()
    for _ in range(12):
        log.append(fresh_stream(), events(100), NO_STREAM)
    follower = Follower(log, start, [fresh_category()])
    before, position = follower.until_caught_up()
    told = [item.position for item in before if isinstance(item, Checkpoint)]
    assert len(told) >= 1
    assert [start, *told, position] == sorted({start, *told, position})
    follower.stop()


def test_two_logs_and_many_threads_read_the_same(
    server: EventStoreProcess, log: EventStoreDBEventLog
) -> None:
    other, category = EventStoreDBEventLog(server.uri), fresh_category()
    followers = [Follower(each, None, [category]) for each in (log, other, log)]
    sent = events(30)
    log.append(fresh_stream(category), sent, NO_STREAM)
    for follower in followers:
        seen: list[str] = []
        while len(seen) < len(sent):
            item = follower.next()
            seen += [item.id] if isinstance(item, Event) else []
        assert seen == ids(sent)
        follower.stop()
    other.close()
