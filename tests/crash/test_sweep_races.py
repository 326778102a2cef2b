"""Sweeps beside each other, and sweeps killed: each turn is counted once after the next one (R1, R2)."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import apsw
import pytest

from tests.crash.installs import ENVIRON, REPO
from tests.crash.logs import log_at
from tests.crash.sweepers import Sweeper
from tests.support.soak import counted, more
from tests.support.sweeping import Home, Session

pytestmark = pytest.mark.repeat(more(1, 5))

SESSIONS = 6
ROUNDS = 20
"""Of sweeps killed anywhere, two at once."""


class Store:
    """Sessions that grow, and forks of the first: what it was when forked, and something of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.turns = 0
        """How many distinct ones there are."""
        self.sessions = [Session(f"s{n}") for n in range(SESSIONS)]

    def grow(self, times: int, size: int) -> None:
        for session in self.sessions:
            for _ in range(times):
                n = len(session.records)
                session.user(f"prompt {session.name}.{n}", uuid=f"u{session.name}.{n}")
                session.agent(f"answer {session.name}.{n} " + "z" * size, uuid=f"a{session.name}.{n}")
            session.write(self.root)
        self.turns += 2 * times * len(self.sessions)

    def fork(self, name: str, shared: int) -> None:
        fork = Session(name)
        fork.records = [{**record, "sessionId": name} for record in self.sessions[0].records[:shared]]
        fork.user(f"only in {name}", uuid=f"only-{name}")
        fork.write(self.root)
        self.turns += 1


class Place:
    """A store, a log, and processes that sweep the one into the other."""

    def __init__(self, place: Path, where: str) -> None:
        self.store = Store(place / "store")
        self.where = where
        self.notes = place / "notes.db"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.sweepers", str(self.store.root), where],
            env=ENVIRON,
            cwd=REPO,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._heard() == "ready"

    def start(self, *sweepers: Sweeper) -> None:
        assert self._process.stdin
        told: list[Sweeper] = [{"notes": str(self.notes), **sweeper} for sweeper in sweepers]
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()

    def killed(self) -> int:
        """How many of those started were killed, once all have ended."""
        return self.ended()[0]

    def ended(self) -> tuple[int, float]:
        """How many were killed, and the CPU seconds of the one that did most."""
        killed, seconds = self._heard().split()
        counted("sweeps killed at an append or at any moment", int(killed))
        return int(killed), float(seconds)

    def sweeping(self) -> bool:
        assert self._process.stdout
        return not select.select([self._process.stdout], [], [], 0)[0]

    def _heard(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        self._process.communicate()

    def check(self) -> None:
        """One more sweep, then every turn counts once, and each stream's cursor is its file's end."""
        with apsw.Connection(str(self.notes)) as connection, closing(log_at(self.where)) as log:
            home = Home(self.store.root, log, connection=connection)
            home.sweep()
            ids = [turn["id"] for turn in home.turns()]
            assert len(ids) == len(set(ids)) == self.store.turns
            streams = home.folded().streams
            for path in (self.store.root / "projects" / "p").iterdir():
                assert streams[f"episode-t.{path.stem}"].cursor == path.stat().st_size
            assert home.sweep()[:4] == (0, 0, 0, 0)


@pytest.fixture
def place(tmp_path: Path, where: str) -> Iterator[Place]:
    with closing(Place(tmp_path, where)) as place:
        yield place


@pytest.mark.parametrize("shared_notes", [True, False])
def test_eight_sweeps_at_once_count_each_turn_once(place: Place, tmp_path: Path, shared_notes: bool) -> None:
    place.store.grow(6, 60_000)
    for n in range(3):
        place.store.fork(f"fork{n}", 4 * (n + 1))
    own: list[Sweeper] = [{"notes": str(tmp_path / f"notes{n}.db")} for n in range(8)]
    place.start(*([{}] * 8 if shared_notes else own))
    assert place.killed() == 0
    place.check()


def test_a_sweep_killed_at_any_append_loses_and_doubles_nothing(place: Place) -> None:
    place.store.grow(6, 60_000)
    place.store.fork("fork", 8)
    killed = 0
    for at in (1, -1, 2, -3, 4, -2, 3):
        place.start({"at": at})
        killed += place.killed()
    assert killed >= 5
    place.check()


def test_sweeps_killed_anywhere_beside_each_other_lose_and_double_nothing(
    place: Place, chance: Random
) -> None:
    """Killed within what a sweep takes: measured where none is killed, since it grows with the log."""
    killed = midway = head = 0
    takes = 0.0
    for n in range(ROUNDS):
        place.store.grow(1, 2_000)
        if n % 5 == 2:
            place.store.fork(f"fork{n}", chance.randrange(2, 2 * n))
        lives = [chance.uniform(0.001, takes) if n % 5 else 0 for _ in range(2)]
        place.start({"lives": lives[0]}, {"lives": lives[1]})
        (died, seconds), before = place.ended(), head
        takes = takes if n % 5 else seconds
        with closing(log_at(place.where)) as log:
            head = log.head()
        killed += died
        midway += died if head > before else 0
    assert killed > ROUNDS // 2
    assert midway > ROUNDS // 4
    counted("of the sweeps killed, while the log grew", midway)
    place.check()


def test_a_file_that_grows_while_it_is_swept_loses_nothing(place: Place) -> None:
    session, said = Session("grows"), 0
    path = session.write(place.store.root)
    place.start({}, {})
    with path.open("ab", buffering=0) as file:
        while said < 100 or (place.sweeping() and said < 2_000):
            session.records.clear()
            session.user(f"prompt {said}", uuid=f"g{said}")
            content = session.bytes()
            file.write(content[:50])
            file.write(content[50:])
            said += 1
    assert place.killed() == 0
    with apsw.Connection(str(place.notes)) as connection, closing(log_at(place.where)) as log:
        home = Home(place.store.root, log, connection=connection)
        home.sweep()
        assert home.said() == [f"prompt {i}" for i in range(said)]
