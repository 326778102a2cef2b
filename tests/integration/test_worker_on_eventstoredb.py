"""The worker over a server dropped, killed, frozen, restored: it goes on by itself or says why not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from esdbclient import EventStoreDBClient, StreamState
from esdbclient import NewEvent as ProposedEvent

from edge.init import initialise
from edge.linking import LINKED
from edge.settings import Settings
from edge.wiring import Edge
from tests.crash.installs import ENVIRON, NOW, REPO, command
from tests.integration.test_worker import PATIENCE, eventually
from tests.support.esdb.process import EventStoreProcess
from tests.support.house import dump, folded
from tests.support.soak import more
from tests.support.steers import with_steers

DROPS, KILLS = 30, 5


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path / "esdb.db") as server:
        yield server


@pytest.fixture
def home(server: EventStoreProcess, tmp_path: Path) -> Path:
    return joined(server, tmp_path / "home")


def joined(server: EventStoreProcess, home: Path) -> Path:
    """A home on the server's log."""
    (home.parent / "transcripts").mkdir(exist_ok=True)
    initialise(Settings(home, "g", root=str(home.parent / "transcripts"), log=server.uri))
    return home


class Working:
    """A worker as a process, once it has said what is expected first; what it says is kept."""

    def __init__(self, home: Path, first: str | None = "following", every: str = "0", **environ: str) -> None:
        self.process = subprocess.Popen(
            command("worker", "--sweep-every", every),
            env=ENVIRON | {"EDGE_HOME": str(home)} | environ,
            cwd=REPO,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()
        assert first is None or self.says(first), self.said

    def _listen(self) -> None:
        assert self.process.stderr
        self.said.extend(line.rstrip() for line in iter(self.process.stderr.readline, ""))

    def says(self, words: str, times: int = 1) -> bool:
        """Whether it comes to say that in so many lines."""
        return eventually(lambda: len([line for line in self.said if words in line]) >= times)

    def ends(self) -> int:
        """The exit code it ends with by itself."""
        code = self.process.wait(PATIENCE)
        self._listening.join(PATIENCE)
        return code

    def stopped(self, within: float) -> int:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(within)
        return self.ends()

    def close(self) -> None:
        self.process.kill()
        self.ends()
        assert self.process.stderr
        self.process.stderr.close()


@pytest.fixture
def worker(home: Path) -> Iterator[Working]:
    with closing(Working(home)) as worker:
        yield worker


def reached(home: Path, position: int) -> bool:
    """Whether the home's read store gets there, though no command folds it."""
    return eventually(lambda: position_of(home) >= position)


def assert_folded_once(home: Path) -> None:
    with closing(Edge.at_home(home)) as edge, closing(folded(edge.log, edge.log_id)) as fresh:
        assert edge.store.position() == edge.log.head()
        assert dump(edge.store.connection) == dump(fresh.connection)
        assert edge.store.quarantined() == []


@pytest.mark.repeat(more(1, 3))
def test_dropped_again_and_again_it_misses_and_doubles_nothing(
    server: EventStoreProcess, home: Path, worker: Working
) -> None:
    with closing(Edge.at_home(home)) as edge:
        for n in range(DROPS):
            edge.voz.comment(f"said before the drop {n}")
            server.tell(drop=True)
            edge.voz.comment(f"said after the drop {n}")
        head = edge.log.head()
    assert reached(home, head)
    assert_folded_once(home)
    assert worker.process.poll() is None
    told = [line for line in worker.said if "trying again in" in line]
    assert len(told) == DROPS
    assert all(line.startswith(f"EventStoreDB {server.address}") for line in told)
    assert worker.stopped(within=5) == 0
    assert worker.said[-1] == "stopped"


@pytest.mark.repeat(more(1, 3))
def test_killed_again_and_again_the_server_is_waited_for(
    server: EventStoreProcess, home: Path, worker: Working
) -> None:
    for n in range(KILLS):
        with closing(Edge.at_home(home)) as edge:
            for m in range(4):
                edge.voz.comment(f"number {n}.{m}")
        server.restart()
    with closing(Edge.at_home(home)) as edge:
        edge.voz.comment("after all of it")
        head = edge.log.head()
    assert reached(home, head)
    assert_folded_once(home)
    assert any("nothing listens there" in line or "trying again" in line for line in worker.said)
    assert not any("Traceback" in line for line in worker.said)
    assert worker.stopped(within=5) == 0


def test_it_stops_at_once_though_the_server_is_away(
    server: EventStoreProcess, home: Path, worker: Working
) -> None:
    server.kill()
    assert eventually(lambda: any("trying again in" in line for line in worker.said))
    assert worker.stopped(within=5) == 0
    assert worker.said[-1] == "stopped"


def test_it_stops_soon_though_the_server_is_silent(
    server: EventStoreProcess, home: Path, worker: Working
) -> None:
    server.freeze()
    try:
        assert worker.stopped(within=8) == 0
    finally:
        server.thaw()


def test_it_stops_soon_in_the_middle_of_a_call_that_is_not_answered(
    server: EventStoreProcess, home: Path, worker: Working
) -> None:
    """The page is in the read store; the links after it are waited for, in vain."""
    with closing(Edge.at_home(home)) as edge:
        edge.voz.comment("so that it is caught up")
        head = edge.log.head()
        assert eventually(lambda: linked_up_to(home) == head)  # else it would wait for that page's links
    server.fault("read", code="OK", delay=30, count=None)
    told = ProposedEvent("odd", b"{}", b'{"batch": [0, 1]}')
    with EventStoreDBClient(server.uri) as client:
        position = client.append_to_stream("voz-g.x", current_version=StreamState.NO_STREAM, events=told)
    assert eventually(lambda: position_of(home) == position)
    assert worker.stopped(within=8) == 0
    assert worker.said[-1] == "stopped"


def linked_up_to(home: Path) -> int:
    """The position its worker noted that links are written up to; 0 before it noted any."""
    with closing(apsw.Connection(str(home / "read.db"))) as connection:
        noted = connection.execute("SELECT value FROM measured WHERE name = ?", (LINKED,)).get
    return int(json.loads(str(noted))[0]) if noted else 0


def position_of(home: Path) -> int:
    """Where a read store stands; the log is not asked."""
    with closing(apsw.Connection(str(home / "read.db"))) as connection:
        found = connection.execute("SELECT min(position) FROM checkpoints").get
    assert isinstance(found, int)
    return found


def test_two_workers_of_one_home_and_one_of_another_host(
    server: EventStoreProcess, home: Path, worker: Working, tmp_path: Path
) -> None:
    other = joined(server, tmp_path / "other")
    with closing(Working(home)) as beside, closing(Working(other)) as elsewhere:
        with closing(Edge.at_home(home)) as edge:
            steer = with_steers(edge)
            for n in range(40):
                edge.voz.comment(f"number {n}")
                if n % 10 == 0:
                    server.tell(drop=True)
            head = edge.log.head()
            stream = edge.streams.direction(steer)
        for place in (home, other):
            assert reached(place, head)
            assert_folded_once(place)
        with EventStoreDBClient(server.uri) as client:
            assert eventually(lambda: _linked(client, stream))
            assert [e.type for e in client.get_stream(stream)] == ["$>"]
        assert [w.stopped(within=5) for w in (worker, beside, elsewhere)] == [0, 0, 0]


def _linked(client: EventStoreDBClient, stream: str) -> bool:
    return any(e.stream_name == stream for e in client.read_all(filter_exclude=[]))


@pytest.mark.parametrize("grown", [False, True])
def test_a_log_restored_behind_what_it_read_ends_it_with_the_reason(
    server: EventStoreProcess, home: Path, worker: Working, tmp_path: Path, grown: bool
) -> None:
    db, backup = tmp_path / "esdb.db", tmp_path / "backup.db"
    server.kill()
    shutil.copy(db, backup)
    for beside in tmp_path.glob("esdb.db-*"):
        shutil.copy(beside, backup.with_name(beside.name.replace("esdb", "backup")))
    server.start()
    with closing(Edge.at_home(home)) as edge:
        edge.voz.comment("said after the backup")
        head = edge.log.head()
    assert reached(home, head)
    server.kill()
    for file in (db, *tmp_path.glob("esdb.db-*")):
        file.unlink()
    for file in tmp_path.glob("backup.db*"):
        file.rename(tmp_path / file.name.replace("backup", "esdb"))
    if grown:
        with EventStoreProcess(db) as elsewhere:  # grown again, before the worker's server is back
            with closing(Edge(Settings(tmp_path / "stranger", "g", log=elsewhere.uri))) as edge:
                (tmp_path / "stranger").mkdir()
                for n in range(5):
                    edge.voz.comment(f"another history {n}")
    server.start()
    assert worker.ends() == 1
    assert "restored or replaced" in worker.said[-1]
    assert len([line for line in worker.said if line.startswith("edge: ")]) == 1


def test_its_memory_stays_what_it_is_while_the_log_grows(
    server: EventStoreProcess, home: Path, worker: Working
) -> None:
    """20,000 events while it follows; measured from 4,000 on, when all it needs is loaded."""
    with EventStoreDBClient(server.uri) as client:
        _grown(client, 4_000, 0)
        position = _grown(client, 500, 4_000)
        assert reached(home, position)
        before = _resident(worker.process.pid)
        position = _grown(client, 15_500, 4_500)
        assert reached(home, position)
    grown = _resident(worker.process.pid) - before
    assert grown < 12, f"{grown:.1f} MB more after 15,500 events"
    assert worker.stopped(within=5) == 0


def _grown(client: EventStoreDBClient, events: int, first: int) -> int:
    """Comments in appends of 100; the position of the last."""
    position = 0
    for n in range(first, first + events, 100):
        batch = [
            ProposedEvent(
                "voz.comment",
                json.dumps({"comment_id": f"c{m % 800}", "body": "Testes primeiro, sempre " * 20}).encode(),
                json.dumps({"actor": "operator", "batch": [m - n, 100], "recorded_at": NOW}).encode(),
            )
            for m in range(n, n + 100)
        ]
        position = client.append_to_stream(f"voz-g.c{n}", current_version=StreamState.NO_STREAM, events=batch)
    return position


def _resident(pid: int) -> float:
    """Megabytes of memory a process holds."""
    words = Path(f"/proc/{pid}/statm").read_text().split()
    return int(words[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
