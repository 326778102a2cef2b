"""Processes that sweep one store at once, some of them killed at it.

A script: ``python -m tests.crash.sweepers ROOT LOG`` says that it is ready. Then each line of standard
input is a JSON list of sweepers, ``{"notes": FILE, "at": N, "lives": SECONDS}``; they are forked, sweep
at once, and the answer is how many were killed, and the CPU seconds of the one that did most. ``at``: by
SIGKILL at its n-th append, before it where negative, right after it where positive, as a machine dies that
was pulled from the wall. ``lives``: by the kernel after so much CPU time, wherever that is (so that a busy
machine moves no kill). What forks them has no thread and no connection open.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import apsw

from edge.domain.events import Appended, NewEvent
from edge.ports import EventLog
from tests.crash.logs import log_at
from tests.support.sweeping import Home, Session


class Sweeper(TypedDict, total=False):
    notes: str
    at: int
    lives: float


class DyingLog:
    """A log whose process is killed at one of its appends."""

    def __init__(self, log: EventLog, at: int) -> None:
        self._log = log
        self._at = at
        self._appends = 0

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        self._appends += 1
        if -self._appends == self._at:
            os.kill(os.getpid(), signal.SIGKILL)
        done = self._log.append(stream, events, expected)
        if self._appends == self._at:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)


def sweep(root: Path, where: str, sweeper: Sweeper) -> None:
    # SIGPROF has no handler: the kernel ends the process
    signal.setitimer(signal.ITIMER_PROF, sweeper.get("lives", 0))
    connection = apsw.Connection(sweeper["notes"])
    connection.set_busy_timeout(20_000)
    log: Any = DyingLog(log_at(where), sweeper.get("at", 0))
    Home(root, log, connection=connection).sweep()


def killed(root: Path, where: str, sweepers: list[Sweeper]) -> tuple[int, float]:
    children = []
    for sweeper in sweepers:
        child = os.fork()
        if not child:
            sweep(root, where, sweeper)
            os._exit(0)
        children.append(child)
    waited = [os.wait4(child, 0) for child in children]
    ends = [os.waitstatus_to_exitcode(status) for _, status, _ in waited]
    if any(end not in (0, -signal.SIGKILL, -signal.SIGPROF) for end in ends):
        raise SystemExit(f"a sweeper failed: {ends}")
    return len([end for end in ends if end]), max(used.ru_utime + used.ru_stime for _, _, used in waited)


def warm_up(place: Path) -> None:
    """Load and use once what each process would else spend its life on."""
    session = Session("warm")
    session.user("prompt")
    session.agent("answer. " + "z" * 2_000)  # may hold a secret: what looks closer is loaded
    session.write(place)
    Home(place).sweep()


def main(root: Path, where: str) -> None:
    warm_up(root.with_name("warm"))
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        print(*killed(root, where, json.loads(line)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
