"""Several who fold into one read store, and SIGKILL while they do: it ends as a fresh one would be."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.eventlog.sqlite import SqliteEventLog
from edge.domain.events import NO_STREAM, NewEvent, by_append
from edge.ports import EventLog
from projections.models import MODELS
from projections.runner import Runner
from projections.store import ReadStore
from tests.crash.conftest import empty_log
from tests.crash.installs import ENVIRON, REPO
from tests.crash.logs import log_at
from tests.support.facts import (
    Fact,
    answered,
    asked,
    commented,
    disposed,
    dropped,
    happened,
    in_one_append,
    proposed,
    publication,
    replied,
    resolved,
    set_,
    started,
    voted,
)
from tests.support.house import dump, folded
from tests.support.soak import counted, more

EVENTS = 3_000
ROUNDS = 30
SHARE = 0.15
"""Of what a whole fold takes: what the killed ones did adds up over the rounds."""


def facts(chance: random.Random) -> list[Fact]:
    """A busy history: chats asked, answered, folded; steers set and dropped; artefatos, votes, runs."""
    found = [Fact("log.created", "log-g", {"log_id": "a-log"})]
    while len(found) < EVENTS:
        n = len(found)
        chat, steer, slug = f"c{chance.randrange(400)}", f"d{chance.randrange(60)}", f"s{n}"
        fold = in_one_append(
            replied(chat),
            Fact("direction.set", f"voz-g.{chat}", {"id": steer, "title": "x", "origin_comment_id": chat}),
            resolved(chat, "folded-to-direction", direction_id=steer),
        )
        some: list[list[Fact]] = [
            [commented(f"c{n}", f"Devemos medir {n}", target_ref=slug, harm=n % 100)],
            [commented(chat, "again")],
            [asked(chat, f"q{n}")],
            [answered(chat, f"q{n - 1}")],
            [disposed(chat)],
            fold,
            [proposed(steer)],
            [set_(steer, basis=n)],
            [dropped(steer)],
            publication(slug, proposes=[{"title": f"t{n}", "body": "x", "kind": "thread"}]),
            [voted(f"v{n}", slug)],
            [started(chat, run=f"r{n}")],
        ]
        found += chance.choice(some)
    return found


@pytest.fixture(scope="module", params=["embedded", "eventstoredb"])
def where(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    return empty_log(request, tmp_path_factory.mktemp("log"))


@pytest.fixture(scope="module")
def log(where: str) -> Iterator[EventLog]:
    """Filled once: it is only read."""
    log = log_at(where)
    events = happened(facts(random.Random(3)))
    heads: dict[str, int] = {}
    for append in by_append(events):
        if isinstance(log, SqliteEventLog) and log._writer is not None:
            log._writer.pragma("synchronous", 0)  # the log is not what is killed here
        stream = append[0].stream
        new = [NewEvent(e.id, e.type, e.data, e.metadata) for e in append]
        heads[stream] = log.append(stream, new, heads.get(stream, NO_STREAM)).revision
    yield log
    log.close()


def fold_together(where: str, store: Path, rounds: int, folders: int, share: float, seed: int) -> int:
    """How many of the folders were killed."""
    words = [where, store, "a-log", rounds, folders, share, seed]
    command = [sys.executable, "-m", "tests.crash.folders", *map(str, words)]
    done = subprocess.run(command, env=ENVIRON, cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    killed = int(done.stdout)
    counted("folders of a read store killed at any moment", killed)
    return killed


def test_folders_killed_anywhere_two_at_once_leave_what_one_fresh_fold_would(
    where: str, log: EventLog, tmp_path: Path, chance: random.Random
) -> None:
    stores = 2 if isinstance(log, SqliteEventLog) else 1
    for n in range(more(stores)):
        path = tmp_path / f"read{n}.db"
        killed = fold_together(where, path, ROUNDS, 2, SHARE, chance.getrandbits(32))
        assert killed > ROUNDS // 4
        store = ReadStore(path, MODELS, "a-log")
        reached = store.position()
        assert reached  # else none got to fold before it was killed
        assert dump(store.connection) == dump(folded(log, until=reached).connection)
        Runner(log, store, "log-g").catch_up()
        assert store.position() == log.head()
        assert dump(store.connection) == dump(folded(log).connection)
        assert store.connection.execute("PRAGMA integrity_check").get == "ok"


def test_four_folders_at_once_apply_every_event_once(where: str, log: EventLog, tmp_path: Path) -> None:
    assert fold_together(where, tmp_path / "read.db", 1, 4, 0, 0) == 0
    store = ReadStore(tmp_path / "read.db", MODELS, "a-log")
    assert store.position() == log.head()
    assert dump(store.connection) == dump(folded(log).connection)
