"""The log on EventStoreDB while its server fails: before and after the commit, slow, dropped,
dead in silence, killed. Nothing is doubled, nothing lost, and whoever is told is told in one line."""

from __future__ import annotations

import queue
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.eventlog.eventstoredb import EventStoreDBEventLog, connection
from edge.domain.events import NO_STREAM, Event
from edge.domain.refusal import EdgeError, Failed, Unreachable
from edge.ports import WrongRevision
from tests.contracts.probes import PATIENCE, Follower, event, events, fresh_category, fresh_stream, ids
from tests.support.esdb.process import EventStoreProcess
from tests.support.esdb.proxy import DeadEndProxy
from tests.support.soak import more

pytestmark = pytest.mark.repeat(more(1, 5))

PASSING = ["UNAVAILABLE", "ABORTED", "INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "CANCELLED"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


@pytest.fixture
def server(shared: EventStoreProcess) -> Iterator[EventStoreProcess]:
    yield shared
    shared.tell(clear=True)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path / "esdb.db", "--links") as server:
        yield server


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.005)
    monkeypatch.setattr(connection, "LONGEST_PAUSE", 0.2)


@pytest.fixture
def log(server: EventStoreProcess) -> Iterator[EventStoreDBEventLog]:
    log = EventStoreDBEventLog(server.uri, heartbeat=0.3)
    yield log
    log.close()


# Appends


@pytest.mark.parametrize("code", PASSING)
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_append_whose_answer_is_lost_stands_once(
    server: EventStoreProcess, log: EventStoreDBEventLog, when: str, code: str
) -> None:
    stream = fresh_stream()
    sent: list[str] = []
    for n in range(8):
        batch = events(1 + n % 3)
        server.fault("append", when=when, code=code)
        at = log.append(stream, batch, len(sent) - 1)
        sent += ids(batch)
        assert (at.revision, at.written) == (len(sent) - 1, True)
        assert at.position == next(log.read(stream, backwards=True)).position
    assert ids(log.read(stream)) == sent


def test_every_append_committed_and_unavailable_adds_nothing_twice(
    server: EventStoreProcess, log: EventStoreDBEventLog
) -> None:
    category = fresh_category()
    sent: list[str] = []
    streams = [fresh_stream(category) for _ in range(3)]
    server.fault("append", when="after", count=None)
    heads = dict.fromkeys(streams, NO_STREAM)
    for n in range(60):
        stream, batch = streams[n % 3], events(1 + n % 4)
        heads[stream] = log.append(stream, batch, heads[stream]).revision
        sent += ids(batch)
    assert ids(log.read_all(categories=[category])) == sent
    for stream in streams:
        assert [e.revision for e in log.read(stream)] == list(range(heads[stream] + 1))


def test_a_server_that_stays_away_is_told_and_nothing_is_written(
    server: EventStoreProcess, log: EventStoreDBEventLog
) -> None:
    stream, batch = fresh_stream(), events(2)
    log.head()
    server.fault("append", count=None)
    with pytest.raises(Unreachable) as told:
        log.append(stream, batch, NO_STREAM)
    assert one_line(told.value)
    server.tell(clear=True)
    assert list(log.read(stream)) == []
    assert log.append(stream, batch, NO_STREAM).written


def test_what_was_committed_as_the_last_try_failed_is_found_by_the_next_append(
    server: EventStoreProcess,
) -> None:
    log = EventStoreDBEventLog(server.uri, attempts=1)
    stream, batch = fresh_stream(), events(2)
    log.head()
    server.fault("append", when="after")
    with pytest.raises(Unreachable):
        log.append(stream, batch, NO_STREAM)
    assert log.append(stream, batch, NO_STREAM)[::2] == (1, False)
    assert len(list(log.read(stream))) == 2
    log.close()


def test_an_append_is_found_also_where_another_wrote_after_it(
    server: EventStoreProcess, log: EventStoreDBEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = EventStoreDBEventLog(server.uri)
    stream, mine, theirs = fresh_stream(), events(2), events(1)
    log.head()

    def meanwhile(_failures: int) -> float:
        other.append(stream, theirs, 1)
        return 0.0

    server.fault("append", when="after")
    monkeypatch.setattr(connection, "pause", meanwhile)
    assert log.append(stream, mine, NO_STREAM).revision == 1
    assert ids(log.read(stream)) == ids(mine) + ids(theirs)
    other.close()


def test_where_another_took_the_place_that_is_told(
    server: EventStoreProcess, log: EventStoreDBEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = EventStoreDBEventLog(server.uri)
    stream, theirs = fresh_stream(), events(3)
    log.head()

    def meanwhile(_failures: int) -> float:
        other.append(stream, theirs, NO_STREAM)
        return 0.0

    server.fault("append", when="before")
    monkeypatch.setattr(connection, "pause", meanwhile)
    with pytest.raises(WrongRevision) as told:
        log.append(stream, events(2), NO_STREAM)
    assert told.value.current == 2
    assert ids(log.read(stream)) == ids(theirs)
    other.close()


def test_a_slow_server_that_commits_late_doubles_nothing(server: EventStoreProcess) -> None:
    log = EventStoreDBEventLog(server.uri, timeout=0.15)
    stream, batch = fresh_stream(), events(2)
    log.head()
    server.fault("append", when="before", code="OK", delay=0.25)
    server.fault("append", when="after", code="OK", delay=0.25)
    assert log.append(stream, batch, NO_STREAM).revision == 1
    while len(list(log.read(stream))) < 2:
        pass
    assert ids(log.read(stream)) == ids(batch)
    log.close()


def test_a_restarted_server_has_forgotten_its_ids_and_doubles_nothing(own_server: EventStoreProcess) -> None:
    log = EventStoreDBEventLog(own_server.uri, attempts=20)
    stream, batch = fresh_stream(), events(3)
    first = log.append(stream, batch, NO_STREAM)
    log.append(stream, events(1), 2)
    own_server.restart()
    assert log.append(stream, batch, NO_STREAM) == first._replace(written=False)
    assert len(list(log.read(stream))) == 4
    log.close()


def test_truncation_survives_lost_answers(server: EventStoreProcess, log: EventStoreDBEventLog) -> None:
    stream = fresh_stream()
    log.append(stream, events(5), NO_STREAM)
    for revision, when in ((2, "before"), (4, "after")):
        server.fault("append", when=when)
        log.truncate_before(stream, revision)
        assert next(log.read(stream)).revision == revision


# Reads


@pytest.mark.parametrize("code", PASSING)
def test_a_read_that_is_cut_off_goes_on_where_it_was(
    server: EventStoreProcess, log: EventStoreDBEventLog, code: str
) -> None:
    category = fresh_category()
    stream = fresh_stream(category)
    sent = events(40)
    log.append(stream, sent, NO_STREAM)
    for backwards in (False, True):
        expected = ids(sent[::-1] if backwards else sent)
        for limit in (None, 25):
            server.fault("read", code=code, after=7, count=None if limit is None else 4)
            found = log.read_all(categories=[category], backwards=backwards, limit=limit)
            assert ids(found) == expected[:limit]
            found = log.read(stream, backwards=backwards, limit=limit)
            assert ids(found) == expected[:limit]
            server.tell(clear=True)


def test_a_read_slower_than_the_deadline_goes_on_where_it_was(server: EventStoreProcess) -> None:
    log = EventStoreDBEventLog(server.uri, timeout=0.3)
    stream, sent = fresh_stream(), events(30)
    log.append(stream, sent, NO_STREAM)
    server.fault("read", code="OK", after=10, delay=0.5, count=3)
    assert ids(log.read(stream)) == ids(sent)
    log.close()


def test_a_read_whose_connection_is_replaced_by_another_thread_is_complete(
    log: EventStoreDBEventLog,
) -> None:
    category, sent = fresh_category(), events(600)
    log.append(fresh_stream(category), sent, NO_STREAM)
    reading, found = log.read_all(categories=[category]), []
    for n, one in enumerate(reading):
        found.append(one.id)
        if n % 100 == 50:
            log._connection.replace(log._connection.node())
    assert found == ids(sent)


def test_a_read_of_a_log_closed_meanwhile_says_so(server: EventStoreProcess) -> None:
    log = EventStoreDBEventLog(server.uri)
    stream = fresh_stream()
    log.append(stream, [event(text="x" * 1000) for _ in range(800)], NO_STREAM)
    reading = log.read(stream)
    next(reading)
    log.close()
    with pytest.raises(Failed, match="closed"):
        list(reading)
    with pytest.raises(Failed, match="closed"):
        log.append(stream, events(1), 1)


# Subscriptions


def test_a_subscription_killed_fifty_times_misses_and_doubles_nothing(own_server: EventStoreProcess) -> None:
    kills, drops, category = 8, 42, fresh_category()
    lost: queue.Queue[EdgeError] = queue.Queue()
    log = EventStoreDBEventLog(
        own_server.uri, attempts=60, heartbeat=5, lost=lambda error, _: lost.put(error)
    )
    follower = Follower(log, None, [category])
    follower.until_caught_up()
    sent: list[str] = []
    over = threading.Event()

    def write() -> None:
        stream, revision = fresh_stream(category), NO_STREAM
        while not over.is_set():
            batch = events(1 + len(sent) % 4)
            revision = log.append(stream, batch, revision).revision
            sent.extend(ids(batch))
            if revision > 40:
                stream, revision = fresh_stream(category), NO_STREAM

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    seen = []
    for n in range(kills + drops):
        seen.append(follower.next_event())
        while not lost.empty():
            lost.get()
        if n % 6 == 5 and n // 6 < kills:
            own_server.restart()
        else:
            own_server.tell(drop=True)
        assert one_line(lost.get(timeout=PATIENCE))
    over.set()
    writer.join(PATIENCE)
    assert not writer.is_alive()
    while len(seen) < len(sent):
        seen.append(follower.next_event())
    follower.stop()
    assert [e.id for e in seen] == sent
    assert set(Counter(ids(log.read_all(categories=[category]))).values()) == {1}
    log.close()


@pytest.mark.parametrize("code", [*PASSING, "RESOURCE_EXHAUSTED"])
def test_a_subscription_survives_what_passes(
    server: EventStoreProcess, log: EventStoreDBEventLog, code: str
) -> None:
    category, sent = fresh_category(), events(20)
    follower = Follower(log, log.head(), [category])
    follower.until_caught_up()
    for cut in (0, 1, 3):
        server.fault("read", code=code, after=cut, count=3)
    log.append(fresh_stream(category), sent, NO_STREAM)
    assert [follower.next_event().id for _ in sent] == ids(sent)
    follower.stop()


def test_a_connection_dead_in_silence_is_left(server: EventStoreProcess) -> None:
    direct = EventStoreDBEventLog(server.uri)
    lost: queue.Queue[EdgeError] = queue.Queue()
    with DeadEndProxy(server.port) as proxy:
        log = EventStoreDBEventLog(
            proxy.uri, timeout=0.4, heartbeat=0.4, lost=lambda error, _: lost.put(error)
        )
        category = fresh_category()
        follower = Follower(log, log.head(), [category])
        follower.until_caught_up()
        revision = NO_STREAM
        for _ in range(3):
            proxy.fall_silent()
            sent = events(2)
            direct.append(f"{category}-g.a", sent, revision)
            revision += 2
            assert [follower.next_event().id for _ in sent] == ids(sent)
            assert "does not answer in time" in lost.get(timeout=PATIENCE).message
            assert ids(log.read(f"{category}-g.a"))[-2:] == ids(sent)
        follower.stop()
        log.close()
    direct.close()


def test_a_frozen_server_is_noticed_and_gone_on_with(own_server: EventStoreProcess) -> None:
    lost: queue.Queue[EdgeError] = queue.Queue()
    log = EventStoreDBEventLog(
        own_server.uri, timeout=0.4, heartbeat=0.4, attempts=2, lost=lambda error, _: lost.put(error)
    )
    category, sent = fresh_category(), events(3)
    follower = Follower(log, None, [category])
    follower.until_caught_up()
    own_server.freeze()
    assert "does not answer in time" in lost.get(timeout=PATIENCE).message
    with pytest.raises(Unreachable, match="does not answer in time"):
        log.head()
    own_server.thaw()
    log.append(fresh_stream(category), sent, NO_STREAM)
    assert [follower.next_event().id for _ in sent] == ids(sent)
    own_server.freeze()
    follower.stop()
    own_server.thaw()
    log.close()


def test_stopping_ends_a_subscription_that_cannot_get_through(own_server: EventStoreProcess) -> None:
    lost: queue.Queue[EdgeError] = queue.Queue()
    log = EventStoreDBEventLog(own_server.uri, heartbeat=0.3, lost=lambda error, _: lost.put(error))
    follower = Follower(log, None, [fresh_category()])
    follower.until_caught_up()
    own_server.kill()
    assert one_line(lost.get(timeout=PATIENCE))
    follower.stop()
    log.close()


def test_a_log_restored_behind_a_subscription_is_not_read_on(
    own_server: EventStoreProcess, tmp_path: Path
) -> None:
    log = EventStoreDBEventLog(own_server.uri, heartbeat=0.3)
    category = fresh_category()
    log.append(fresh_stream(category), events(3), NO_STREAM)
    own_server.kill()
    for file in tmp_path.glob("esdb.db*"):
        shutil.copy(file, tmp_path / f"old.{file.name}")
    own_server.start()
    log.append(fresh_stream(category), events(30), NO_STREAM)
    subscription = log.subscribe(categories=[category])
    with pytest.raises(Failed, match="restored or replaced") as told:
        for seen, item in enumerate(subscription):
            if isinstance(item, Event) and seen == 32:
                own_server.kill()
                for file in tmp_path.glob("esdb.db*"):
                    file.unlink()
                for file in tmp_path.glob("old.*"):
                    file.rename(tmp_path / file.name.removeprefix("old."))
                own_server.start()
    assert one_line(told.value)
    log.close()


def one_line(error: EdgeError) -> bool:
    """Whether the error is one line that says something."""
    return len(error.message) > 20 and "\n" not in error.message
