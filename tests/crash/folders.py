"""Processes that fold a log into a read store, and are killed at it.

A script: ``python -m tests.crash.folders LOG STORE LOG_ID ROUNDS FOLDERS SHARE SEED``. In every round
it forks so many folders of one store, each to be killed by the kernel after up to SHARE of the CPU time
that one fold of the log takes here, which is measured on another store (so that a busy machine moves no
kill; 0: none is), and it says how many were. It has no thread and no connection open when it forks.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path

from adapters.eventlog.memory import MemoryEventLog
from edge.domain.events import NO_STREAM, NewEvent
from projections import runner
from projections.models import MODELS
from projections.runner import Runner
from projections.store import ReadStore
from tests.crash.logs import log_at

SHORTEST = 0.002
PAGE = 60
"""Small pages, so that a kill finds many places between and inside them."""


def fold(where: str, store_path: Path, log_id: str, lives: float) -> None:
    runner.PAGE_EVENTS = PAGE  # type: ignore[misc]
    log = log_at(where)
    signal.setitimer(signal.ITIMER_PROF, lives)  # SIGPROF has no handler: the kernel ends the process
    Runner(log, ReadStore(store_path, MODELS, log_id), "log-g").catch_up()


def warm_up() -> None:
    """Load and use once what each process would else spend its life on."""
    log = MemoryEventLog()
    data, metadata = {"log_id": "a-log", "comment_id": "c1"}, {"batch": [0, 1]}
    log.append("log-g", [NewEvent("0", "voz.comment", data, metadata)], NO_STREAM)
    store = ReadStore(None, MODELS, "a-log")
    Runner(log, store, "log-g").catch_up()
    store.close()


def killed(where: str, store_path: Path, log_id: str, lives: list[float]) -> int:
    """Processes that fold the same store at once, each killed after so much work; how many were."""
    children = []
    for seconds in lives:
        child = os.fork()
        if not child:
            fold(where, store_path, log_id, seconds)
            os._exit(0)
        children.append(child)
    ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    if any(end not in (0, -signal.SIGPROF) for end in ends):
        raise SystemExit(f"a folder failed: {ends}")
    return len([end for end in ends if end])


def one_takes(where: str, store_path: Path, log_id: str) -> float:
    """CPU seconds of a fold that is left to end."""
    child = os.fork()
    if not child:
        fold(where, store_path, log_id, 0)
        os._exit(0)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"a folder failed: {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime


def main(where: str, store: Path, log_id: str, rounds: int, folders: int, share: float, seed: int) -> None:
    warm_up()
    chance = random.Random(seed)
    longest = share * one_takes(where, store.with_suffix(".measured"), log_id) if share else 0
    times = 0
    for _ in range(rounds):
        lives = [chance.uniform(SHORTEST, longest) if longest else 0 for _ in range(folders)]
        times += killed(where, store, log_id, lives)
    print(times)  # noqa: T201


if __name__ == "__main__":
    _, where, store, log_id, rounds, folders, share, seed = sys.argv
    main(where, Path(store), log_id, int(rounds), int(folders), float(share), int(seed))
