"""The test double is as strict as the server it plays, seen through the unmodified client.

Each test states a fact of EventStoreDB that the adapter is built on, so that a double grown
lenient is noticed here and not in production.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from esdbclient import EventStoreDBClient, NewEvent, RecordedEvent, StreamState
from esdbclient.exceptions import (
    GrpcError,
    MaximumAppendSizeExceededError,
    NotFound,
    StreamIsDeleted,
    UnknownError,
    WrongCurrentVersion,
)

from tests.support.esdb.process import EventStoreProcess

ANY, EXISTS, NO_STREAM = StreamState.ANY, StreamState.EXISTS, StreamState.NO_STREAM


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


@pytest.fixture
def client(server: EventStoreProcess) -> Iterator[EventStoreDBClient]:
    with EventStoreDBClient(server.uri) as client:
        yield client


def new(type_: str = "noted", data: bytes = b"{}", correlation: str | None = None) -> NewEvent:
    metadata = json.dumps({"$correlationId": correlation}).encode() if correlation else b""
    return NewEvent(type_, data, metadata, id=uuid4())


def name(category: str | None = None) -> str:
    return f"{category or f'c{uuid4().hex[:8]}'}-{uuid4().hex}"


def ids(events: Any) -> list[UUID]:
    return [e.id for e in events]


@pytest.mark.parametrize("single", [True, False])
def test_below_the_head_an_append_is_idempotent_by_every_id(client: EventStoreDBClient, single: bool) -> None:
    stream, a, b, c = name(), new(), new(), new()
    first = client.append_to_stream(stream, current_version=NO_STREAM, events=[a])
    second = client.append_to_stream(stream, current_version=0, events=[b, c])
    again = a if single else [a]
    assert client.append_to_stream(stream, current_version=NO_STREAM, events=again) == first
    assert client.append_to_stream(stream, current_version=NO_STREAM, events=[a, b, c]) == second
    for batch in ([b], [a, c], [a, b, c, new()], [new()]):
        with pytest.raises(WrongCurrentVersion, match="last event is 2 not"):
            client.append_to_stream(stream, current_version=NO_STREAM, events=batch)
    assert ids(client.get_stream(stream)) == [a.id, b.id, c.id]


@pytest.mark.parametrize("single", [True, False])
def test_at_the_head_no_id_is_looked_for(client: EventStoreDBClient, single: bool) -> None:
    stream, a = name(), new()
    client.append_to_stream(stream, current_version=NO_STREAM, events=a if single else [a])
    client.append_to_stream(stream, current_version=0, events=a if single else [a])
    assert ids(client.get_stream(stream)) == [a.id, a.id]


def test_any_is_idempotent_only_as_long_as_the_server_remembers(tmp_path: Path) -> None:
    with EventStoreProcess(tmp_path / "esdb.db") as server, EventStoreDBClient(server.uri) as client:
        stream, a, b = name(), new(), new()
        for expected in (ANY, ANY, EXISTS):
            client.append_to_stream(stream, current_version=expected, events=[a])
        assert ids(client.get_stream(stream)) == [a.id]
        client.append_to_stream(stream, current_version=ANY, events=[b, a])
        assert ids(client.get_stream(stream)) == [a.id, b.id, a.id]
        with pytest.raises(WrongCurrentVersion):
            client.append_to_stream(stream, current_version=ANY, events=[a, new()])
        server.restart()
        client.append_to_stream(stream, current_version=ANY, events=[a])
        assert len(client.get_stream(stream)) == 4


def test_an_exhausted_generator_is_taken_as_an_empty_batch(
    server: EventStoreProcess, client: EventStoreDBClient
) -> None:
    stream = name()
    server.fault("append")
    client.append_to_stream(stream, current_version=NO_STREAM, events=(new() for _ in range(2)))
    with pytest.raises(NotFound):
        client.get_stream(stream)


@pytest.mark.parametrize("expected", [0, 3, EXISTS])
@pytest.mark.parametrize("single", [True, False])
def test_a_missing_stream_is_said_not_to_exist(
    client: EventStoreDBClient, single: bool, expected: int | StreamState
) -> None:
    stream = name()
    with pytest.raises(WrongCurrentVersion, match="does not exist"):
        client.append_to_stream(stream, current_version=expected, events=new() if single else [new()])
    with pytest.raises(NotFound):
        client.get_stream(stream)


def test_an_append_has_a_size(client: EventStoreDBClient) -> None:
    limit = 1024 * 1024
    frame = 2 * len("noted")
    fits = new(data=b"x" * (limit - frame))
    client.append_to_stream(name(), current_version=NO_STREAM, events=[fits])
    client.append_to_stream(name(), current_version=NO_STREAM, events=fits)
    large = new(data=b"x" * (limit - frame + 1))
    with pytest.raises(MaximumAppendSizeExceededError):
        client.append_to_stream(name(), current_version=NO_STREAM, events=[large])
    with pytest.raises(GrpcError, match="INVALID_ARGUMENT"):
        client.append_to_stream(name(), current_version=NO_STREAM, events=large)


def test_deleting_hides_a_stream_that_may_go_on(client: EventStoreDBClient) -> None:
    stream = name()
    client.append_to_stream(stream, current_version=NO_STREAM, events=[new(), new()])
    with pytest.raises(WrongCurrentVersion):
        client.delete_stream(stream, current_version=0)
    client.delete_stream(stream, current_version=1)
    with pytest.raises(NotFound):
        client.get_stream(stream)
    assert stream in {e.stream_name for e in client.read_all()}, "until a scavenge all still shows it"
    later = new()
    client.append_to_stream(stream, current_version=NO_STREAM, events=later)
    assert [(e.id, e.stream_position) for e in client.get_stream(stream)] == [(later.id, 2)]


def test_a_tombstone_is_for_good(client: EventStoreDBClient) -> None:
    stream = name()
    client.append_to_stream(stream, current_version=NO_STREAM, events=new())
    client.tombstone_stream(stream, current_version=0)
    for use in (
        lambda: client.get_stream(stream),
        lambda: client.append_to_stream(stream, current_version=0, events=[new()]),
        lambda: client.delete_stream(stream, current_version=ANY),
    ):
        with pytest.raises(StreamIsDeleted):
            use()


def test_metadata_hides_the_front_until_a_scavenge_takes_it(
    server: EventStoreProcess, client: EventStoreDBClient
) -> None:
    stream, kept = name(), new()
    client.append_to_stream(stream, current_version=NO_STREAM, events=[new(), new(), new(), kept])
    client.set_stream_metadata(stream, metadata={"$tb": 1, "$maxCount": 2})
    assert [e.stream_position for e in client.get_stream(stream)] == [2, 3]
    client.set_stream_metadata(stream, metadata={"$tb": 3}, current_version=0)
    assert ids(client.get_stream(stream)) == ids(client.get_stream(stream, backwards=True)) == [kept.id]
    assert [e.stream_position for e in client.read_all() if e.stream_name == stream] == [0, 1, 2, 3]
    server.tell(scavenge=True)
    assert [e.stream_position for e in client.read_all() if e.stream_name == stream] == [3]
    client.set_stream_metadata(stream, metadata={"$tb": 9})
    with pytest.raises(IndexError):
        client.get_current_version(stream)


def test_all_is_read_inclusively_forwards_and_exclusively_backwards(client: EventStoreDBClient) -> None:
    stream = name()
    client.append_to_stream(stream, current_version=NO_STREAM, events=[new(), new(), new()])
    first, second, third = [e.commit_position or 0 for e in client.get_stream(stream)]
    assert first < second < third
    assert third - second > 1, "positions are sparse"
    forwards = client.read_all(commit_position=second, limit=1)
    assert [e.commit_position for e in forwards] == [second]
    backwards = client.read_all(commit_position=second, backwards=True, limit=1)
    assert [e.commit_position for e in backwards] == [first]
    with pytest.raises(UnknownError):
        list(client.read_all(commit_position=second + 1))
    assert list(client.read_all(commit_position=10**12)) == []


def test_links_are_written_a_while_after_and_resolve(
    server: EventStoreProcess, client: EventStoreDBClient
) -> None:
    category, correlation = f"c{uuid4().hex[:8]}", uuid4().hex
    stream = name(category)
    sent = [new("t.x", correlation=correlation), new("t.y")]
    client.append_to_stream(stream, current_version=NO_STREAM, events=sent)
    server.tell(linked=True)
    links = client.get_stream(f"$ce-{category}")
    assert [(e.type, e.data) for e in links] == [("$>", f"{n}@{stream}".encode()) for n in range(2)]
    resolved = client.get_stream(f"$ce-{category}", resolve_links=True)
    assert ids(resolved) == ids(sent)
    assert [e.link.stream_name for e in resolved if e.link] == [f"$ce-{category}"] * 2
    assert ids(client.get_stream(f"$bc-{correlation}", resolve_links=True)) == [sent[0].id]
    assert sent[1].id in ids(client.get_stream("$et-t.y", resolve_links=True))
    client.set_stream_metadata(stream, metadata={"$tb": 1})
    assert ids(client.get_stream(f"$ce-{category}", resolve_links=True)) == [sent[1].id]


def followed(client: EventStoreDBClient, **options: Any) -> Iterator[RecordedEvent]:
    options = {"include_checkpoints": True, "include_caught_up": True, **options}
    return client.subscribe_to_all(timeout=10, **options)


def until_caught_up(subscription: Iterator[RecordedEvent]) -> list[RecordedEvent]:
    found = []
    for item in subscription:
        found.append(item)
        if item.is_caught_up:
            break
    return found


def test_a_filtered_subscription_sends_checkpoints_and_one_before_it_is_caught_up(
    server: EventStoreProcess, client: EventStoreDBClient
) -> None:
    stream = name()
    client.append_to_stream(stream, current_version=NO_STREAM, events=[new() for _ in range(10)])
    server.tell(linked=True)
    *_, last = client.read_all(filter_exclude=[])
    found = until_caught_up(
        followed(client, filter_include=["none"], window_size=2, checkpoint_interval_multiplier=3)
    )
    considered = [e.commit_position for e in client.read_all(filter_exclude=[])]
    assert [e.commit_position for e in found[:-1]] == [*considered[5::6], last.commit_position][
        : len(found) - 1
    ]
    assert all(e.is_checkpoint for e in found[:-1])
    assert found[-1].commit_position == 0
    server.tell(quiet=True)
    assert len(until_caught_up(followed(client, filter_include=["none"], window_size=10**6))) == 1
    server.tell(quiet=False)


def test_an_unfiltered_subscription_sends_no_checkpoint(client: EventStoreDBClient) -> None:
    found = until_caught_up(followed(client, filter_exclude=[], window_size=1))
    assert not [e for e in found if e.is_checkpoint]


def test_a_position_beyond_the_end_is_taken_silently(client: EventStoreDBClient) -> None:
    stream = name()
    subscription = followed(client, commit_position=10**12)
    assert [e.is_caught_up for e in until_caught_up(subscription)] == [True]
    client.append_to_stream(stream, current_version=NO_STREAM, events=[new()])
    fresh = followed(client)
    assert stream in {e.stream_name for e in until_caught_up(fresh)}


def test_subscriptions_begin_after_their_position_and_go_on_live(client: EventStoreDBClient) -> None:
    stream, a, b, c = name(), new(), new(), new()
    position = client.append_to_stream(stream, current_version=NO_STREAM, events=[a])
    of_all, of_stream = (
        followed(client, commit_position=position),
        client.subscribe_to_stream(stream, timeout=10),
    )
    client.append_to_stream(stream, current_version=0, events=[b, c])
    got = (e for e in of_all if not (e.is_checkpoint or e.is_caught_up))
    assert [next(got).id, next(got).id] == [b.id, c.id]
    assert [next(of_stream).id for _ in range(3)] == [a.id, b.id, c.id]
    waiting = client.subscribe_to_stream(name(), timeout=10)
    threading.Timer(0.05, waiting.stop).start()  # a missing stream just waits
    assert list(waiting) == []
