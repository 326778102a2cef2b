"""What the processes of ``test_log_processes`` do; each opens the log after its own start."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import resource
import uuid
from multiprocessing.connection import Connection
from pathlib import Path

from adapters.eventlog.batch import encoded
from adapters.eventlog.sqlite import SqliteEventLog
from edge.domain.events import NO_STREAM, NewEvent
from edge.domain.refusal import Failed
from edge.ports import WrongRevision

NOBODY = 65534


def batch(size: int, text: str = "") -> list[NewEvent]:
    return [
        NewEvent(str(uuid.uuid4()), "probe.noted", {"text": text}, {"batch": [n, size]}) for n in range(size)
    ]


def append_somewhere(log: SqliteEventLog, stream: str, events: list[NewEvent]) -> int:
    """Append at the stream's end, reading again as often as another was there first."""
    while True:
        last = next(log.read(stream, backwards=True, limit=1), None)
        try:
            return log.append(stream, events, last.revision if last else NO_STREAM).revision
        except WrongRevision:
            continue


def write(path: Path, streams: list[str], receipts: Path, count: int) -> None:
    """Append ``count`` batches (0: until killed); note in ``receipts`` what was acknowledged."""
    log = SqliteEventLog(path)
    noted = os.open(receipts, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    done = 0
    while not count or done < count:
        events = batch(random.randint(1, 4), "x" * random.choice([0, 200, 9000]))
        revision = append_somewhere(log, random.choice(streams), events)
        os.write(noted, (json.dumps([revision, [e.id for e in events]]) + "\n").encode())
        done += 1
    log.close()


def truncate(path: Path, stream: str) -> None:
    """Append, and cut off the stream's front, until killed."""
    log = SqliteEventLog(path)
    while True:
        log.truncate_before(stream, append_somewhere(log, stream, batch(3, "y" * 2000)))


def acknowledged(receipts: Path) -> list[tuple[int, list[str]]]:
    """What writers noted; a note cut off by a kill was still acknowledged, but cannot be read."""
    lines = receipts.read_text().split("\n")[:-1] if receipts.exists() else []
    return [(revision, ids) for revision, ids in map(json.loads, lines)]


def kill_writers(path: Path, receipts: Path, rounds: int, told: Connection) -> None:
    """Start and kill writers and a truncater; send what is wrong with the log after each round.

    They are forked from this process, which has no thread and no connection open: started in
    milliseconds, they can be killed by the hundred.
    """
    encoded(batch(1))  # loads what each writer would else load, and be killed loading
    fork = multiprocessing.get_context("fork")
    for _ in range(rounds):
        workers = [
            fork.Process(target=write, args=(path, ["voz-g.a", "voz-g.b"], receipts, 0)),
            fork.Process(target=write, args=(path, ["voz-g.a", "voz-g.b"], receipts, 0)),
            fork.Process(target=truncate, args=(path, "voz-g.cut")),
        ]
        for worker in workers:
            worker.start()
        random.shuffle(workers)
        for worker in workers:
            worker.join(random.uniform(0, 0.03))  # not to wait for it: to kill it anywhere
            worker.kill()
        for worker in workers:
            worker.join()
        told.send(faults(path, receipts))


def faults(path: Path, receipts: Path) -> list[str]:
    """What the log lacks of what it owes."""
    log = SqliteEventLog(path)
    there = {e.id: e.revision for e in log.read_all()}
    lost = [
        f"acknowledged at {revision}, and not there: {ids}"
        for revision, ids in acknowledged(receipts)
        if [there.get(id_) for id_ in ids] != list(range(revision - len(ids) + 1, revision + 1))
    ]
    found = log.verify() + lost
    log.close()
    return found


def use_without_rights(path: Path, told: Connection) -> None:
    """As a user who may only read there: say how making and opening a log ends."""
    encoded(batch(1))  # loads what it needs while it may
    if os.getuid() == 0:
        os.setuid(NOBODY)
    for use, file in ((SqliteEventLog, path), (SqliteEventLog.create, path.with_name("new.db"))):
        try:
            use(file)
            told.send("no error")
        except Failed as error:
            told.send(error.message)


def fill(path: Path, limit: int, told: Connection) -> None:
    """Append until files may not grow past ``limit`` bytes; send what was acknowledged, then the error."""
    log = SqliteEventLog(path)
    encoded(batch(1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    while True:
        events = batch(3, "z" * 3000)
        try:
            append_somewhere(log, "voz-g.full", events)
        except Failed as error:
            told.send(error.message)
            return
        told.send([e.id for e in events])
