"""Sweeps beside each other, and sweeps killed: each turn is counted once after the next one (R1, R2)."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from adapters.eventlog.sqlite import SqliteEventLog
from tests.support.sweeping import Home, Session

REPO = Path(__file__).resolve().parents[2]
SESSIONS = 6


def make_store(root: Path) -> int:
    """Sessions of several episodes each, and a fork of the first; returns how many turns are distinct."""
    turns = 0
    for number in range(SESSIONS):
        session = Session(f"s{number}")
        for i in range(6):
            session.user(f"prompt {number}.{i}", uuid=f"u{number}.{i}")
            session.agent(f"answer {number}.{i} " + "z" * 60_000, uuid=f"a{number}.{i}")
        session.write(root)
        turns += 12
        if number == 0:
            fork = Session("fork")
            fork.records = [{**r, "sessionId": "fork"} for r in session.records[:8]]
            fork.user("only in the fork", uuid="f1")
            fork.write(root)
            turns += 1
    return turns


def start(home: Path, kill_at: int = 0, notes: str = "notes.db") -> subprocess.Popen[str]:
    paths = [str(home / "store"), str(home / "log.db"), str(home / notes), str(kill_at)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.crash.sweeper", *paths],
        cwd=REPO,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def go(sweeper: subprocess.Popen[str]) -> None:
    assert sweeper.stdin and sweeper.stdout
    assert sweeper.stdout.readline() == "ready\n"
    sweeper.stdin.write("\n")
    sweeper.stdin.flush()


def finish(*sweepers: subprocess.Popen[str]) -> list[int]:
    codes = []
    for sweeper in sweepers:
        sweeper.communicate(timeout=60)
        codes.append(sweeper.returncode)
    return codes


@pytest.fixture
def place(tmp_path: Path) -> Path:
    SqliteEventLog.create(tmp_path / "log.db").close()
    return tmp_path


def check(place: Path, turns: int) -> None:
    """One more sweep, then every turn counts once, and each stream's cursor is its file's end."""
    with apsw.Connection(str(place / "notes.db")) as connection:
        home = Home(place / "store", SqliteEventLog(place / "log.db"), connection=connection)
        home.sweep()
        ids = [turn["id"] for turn in home.turns()]
        assert len(ids) == len(set(ids)) == turns
        for path in (place / "store" / "projects" / "p").iterdir():
            state = home.folded().streams[f"episode-t.{path.stem}"]
            assert state.cursor == path.stat().st_size
        assert home.sweep()[:4] == (0, 0, 0, 0)
        home.log.close()


@pytest.mark.parametrize("shared_notes", [True, False])
def test_sweeps_at_once_count_each_turn_once(place: Path, shared_notes: bool) -> None:
    turns = make_store(place / "store")
    sweepers = [start(place, notes="notes.db" if shared_notes else f"notes{i}.db") for i in range(3)]
    for sweeper in sweepers:
        go(sweeper)
    assert finish(*sweepers) == [0, 0, 0]
    check(place, turns)


def test_a_sweep_killed_at_any_append_loses_and_doubles_nothing(place: Path) -> None:
    turns = make_store(place / "store")
    killed = 0
    for kill_at in (1, -1, 2, -3, 4, -2, 3):
        sweeper = start(place, kill_at)
        go(sweeper)
        killed += finish(sweeper) == [-9]
    assert killed >= 5
    check(place, turns)


@pytest.mark.parametrize("seed", range(3))
def test_a_sweep_killed_at_any_moment_beside_another_loses_nothing(place: Path, seed: int) -> None:
    turns = make_store(place / "store")
    chance = random.Random(seed)
    for _ in range(2):
        victim, other = start(place), start(place)
        go(victim)
        go(other)
        time.sleep(chance.random() * 0.15)  # not waiting for anything: the moment is what varies
        victim.kill()
        finish(victim, other)
    check(place, turns)


def test_a_file_that_grows_while_it_is_swept_loses_nothing(place: Path) -> None:
    root = place / "store"
    session = Session("grows")
    path = session.write(root)
    sweepers = [start(place) for _ in range(2)]
    for sweeper in sweepers:
        go(sweeper)
    with path.open("ab", buffering=0) as file:
        for i in range(400):
            session.records.clear()
            session.user(f"prompt {i}", uuid=f"g{i}")
            content = session.bytes()
            file.write(content[:50])
            file.write(content[50:])
    assert finish(*sweepers) == [0, 0]
    with apsw.Connection(str(place / "notes.db")) as connection:
        home = Home(root, SqliteEventLog(place / "log.db"), connection=connection)
        home.sweep()
        assert home.said() == [f"prompt {i}" for i in range(400)]
        home.log.close()
