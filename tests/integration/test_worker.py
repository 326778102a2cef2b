"""The worker: follows, shares its store with others, waits for a log that is away, stops cleanly."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from adapters.eventlog.memory import MemoryEventLog
from adapters.eventlog.polling import PollingSubscription
from edge.domain.refusal import Unreachable
from edge.forget_streams import Ending
from projections.models import MODELS
from projections.runner import LogChangedError, Runner
from projections.store import ReadStore
from projections.worker import Worker
from tests.crash.installs import ENVIRON, REPO, command, install, opened
from tests.support.house import House, dump
from tests.support.memories import found_in

PATIENCE = 60.0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    install(tmp_path / "home")
    return tmp_path / "home"


def eventually(true: Callable[[], bool]) -> bool:
    """Whether it comes true while patience lasts; asked again and again, never slept towards."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if true():
            return True
        threading.Event().wait(0.01)
    return False


@pytest.fixture
def worker(home: Path) -> Iterator[subprocess.Popen[str]]:
    environ = ENVIRON | {"EDGE_HOME": str(home)}
    process = subprocess.Popen(
        command("worker", "--sweep-every", "0"), env=environ, cwd=REPO, stderr=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


def test_it_keeps_the_read_models_current_and_stops_cleanly_on_sigterm(
    home: Path, worker: subprocess.Popen[str]
) -> None:
    with opened(home) as edge:
        for n in range(20):
            edge.voz.comment(f"number {n}")
        head = edge.log.head()
        assert eventually(lambda: edge.store.position() == head)
        assert len(list(edge.reading.queries.chats("actionable"))) == 20
    worker.send_signal(signal.SIGTERM)
    _, said = worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 0
    assert said.splitlines()[-1] == "stopped"
    assert "Traceback" not in said


def test_beside_another_worker_and_readers_every_event_is_applied_once(
    home: Path, worker: subprocess.Popen[str]
) -> None:
    environ = ENVIRON | {"EDGE_HOME": str(home)}
    other = subprocess.Popen(
        command("worker", "--sweep-every", "0"), env=environ, cwd=REPO, stderr=subprocess.PIPE
    )
    try:
        with opened(home) as edge:
            for n in range(60):
                edge.voz.comment(f"number {n}")
                if n % 7 == 0:
                    edge.current()
            head = edge.log.head()
            assert eventually(lambda: edge.store.position() == head)
            fresh = ReadStore(None, MODELS, edge.log_id)
            Runner(edge.log, fresh, edge.streams.log).catch_up()
            assert dump(edge.store.connection) == dump(fresh.connection)
    finally:
        other.kill()
        other.communicate()


def test_a_killed_worker_goes_on_where_its_last_page_ended(home: Path) -> None:
    environ = ENVIRON | {"EDGE_HOME": str(home)}
    for _ in range(5):
        process = subprocess.Popen(
            command("worker", "--sweep-every", "0"), env=environ, cwd=REPO, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        assert "following" in process.stderr.readline()
        with opened(home) as edge:
            edge.voz.comment("said while it runs")
        process.kill()
        process.communicate()
    with opened(home) as edge:
        edge.current()
        fresh = ReadStore(None, MODELS, edge.log_id)
        Runner(edge.log, fresh, edge.streams.log).catch_up()
        assert dump(edge.store.connection) == dump(fresh.connection)


def test_it_sweeps_as_often_as_it_is_told(home: Path) -> None:
    store = home.parent / "home-transcripts" / "s.jsonl"
    record = {
        "type": "user",
        "uuid": "0a1b2c3d-0000-4000-8000-000000000001",
        "timestamp": "2026-11-20T10:00:00.000Z",
        "sessionId": "s",
        "cwd": "/p",
        "entrypoint": "cli",
        "origin": {"kind": "human"},
        "message": {"role": "user", "content": "write the importer"},
    }
    environ = ENVIRON | {"EDGE_HOME": str(home)}
    process = subprocess.Popen(
        command("worker", "--sweep-every", "1s"), env=environ, cwd=REPO, stderr=subprocess.PIPE, text=True
    )
    try:
        store.write_text(json.dumps(record) + "\n", "utf-8")
        with opened(home) as edge:
            assert eventually(lambda: edge.current().episodes().captured == 1)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


class AwayLog(MemoryEventLog):
    """A log whose server does not answer the first few times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def subscribe(
        self, *, after: int | None = None, categories: Sequence[str] | None = None
    ) -> PollingSubscription:
        if self.times:
            self.times -= 1
            raise Unreachable("nobody answers")
        return super().subscribe(after=after)


def test_a_log_that_is_away_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projections.worker.FIRST_PAUSE", 0.01)
    log = AwayLog(3)
    house = House(log)
    house.voz.comment("one")
    said: list[str] = []
    store = ReadStore(None, MODELS, house.log_id)
    runner = Runner(log, store, house.streams.log)
    following = Worker(log, lambda: (runner, lambda _position: following.stop()), said.append)
    following.run()
    assert [line.split(";")[0] for line in said if "trying again" in line] == ["nobody answers"] * 3
    assert store.position() == log.head()


def test_a_log_that_was_swapped_ends_it_with_a_reason(home: Path, tmp_path: Path) -> None:
    with opened(home) as edge:
        edge.voz.comment("one")
        edge.current()
    install(tmp_path / "other")
    for leftover in home.glob("log.db*"):
        leftover.unlink()
    (tmp_path / "other" / "log.db").rename(home / "log.db")
    with opened(home) as edge, pytest.raises(LogChangedError):
        edge.worker(lambda _line: None).run()


def test_it_finishes_a_forgetting_that_was_cut_off(home: Path, worker: subprocess.Popen[str]) -> None:
    """Only marked, as a kill leaves it: the worker truncates the stream, and wipes its host's files."""
    with opened(home) as edge:
        comment = edge.voz.comment("canary").id
        Ending(edge.journal).root(edge.streams.chat(comment), ())
        ended = lambda: [e.type for e in edge.log.read(edge.streams.chat(comment))] == ["voz.forgotten"]  # noqa: E731
        assert eventually(ended)
        assert eventually(lambda: edge.forgetting.pending() == [])
        assert found_in(home, "canary") == []
        assert list(edge.current().chats()) == []


def test_it_folds_anew_what_another_host_forgot(home: Path) -> None:
    """Another process forgets all of it; the read store of this host lets go of it by itself."""
    with opened(home) as edge:
        comment = edge.voz.comment("canary").id
        edge.current()
        following = edge.worker(lambda _line: None)
        thread = threading.Thread(target=following.run)
        thread.start()
        with opened(home) as other:
            other.__dict__["store"] = ReadStore(None, MODELS, other.log_id)
            other.forgetting.forget(other.forgetting.comment(comment))
        with opened(home) as looking:
            assert eventually(lambda: looking.forgetting._index.last() == looking.log.head())
            assert eventually(lambda: looking.forgetting.pending() == [])
            assert found_in(home, "canary") == []
        following.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()
