"""A process of its own that sweeps a store once: ``python -m tests.crash.sweeper ROOT LOG NOTES [KILL_AT]``.

With ``KILL_AT`` it dies by SIGKILL at that append: before it when negative, right after it
when positive, as a machine dies that was pulled from the wall.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import apsw

from adapters.eventlog.sqlite import SqliteEventLog
from edge.domain.events import Appended, NewEvent
from tests.support.sweeping import Home


class DyingLog(SqliteEventLog):
    """The embedded log, whose process is killed at one of its appends."""

    kill_at = 0
    appends = 0

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        self.appends += 1
        if -self.appends == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        done = super().append(stream, events, expected)
        if self.appends == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return done


def main(root: str, log: str, notes: str, kill_at: str = "0") -> None:
    connection = apsw.Connection(notes)
    connection.set_busy_timeout(20_000)
    opened = DyingLog(Path(log))
    opened.kill_at = int(kill_at)
    home = Home(Path(root), opened, connection=connection)
    print("ready", flush=True)  # noqa: T201
    sys.stdin.readline()
    home.sweep()


if __name__ == "__main__":
    main(*sys.argv[1:])
