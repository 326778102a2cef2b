"""Runs one operation of edge again and again, killed wherever it is after a while drawn by lot.

A script: ``python -m tests.crash.kill_moments TEMPLATE WORK OPERATION TIMES SEED`` lets the operation end
once in a copy of the home TEMPLATE, then kills it TIMES times, each in a copy of its own, after up to
what that took. The homes are left in WORK as the kills left them: ``ended``, then ``001`` and so on.
It says how many were killed. It has no thread and no connection open when it forks.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from tests.crash.kill_points import load_what_it_would_load, perform

NEVER = 0
FOREVER = 1e9
SOONEST = 0.0005
"""Seconds; a timer of none would never ring."""


def killed(home: Path, operation: str, seconds: float) -> bool:
    """Whether a process of its own was ended by the kernel after so long; 0: it may take its time."""
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_REAL, seconds)  # SIGALRM has no handler: nothing is tidied up
        perform(home, operation, NEVER, after=False)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    end = os.waitstatus_to_exitcode(status)
    if end not in (0, -signal.SIGALRM):
        raise SystemExit(f"{operation} failed, left {seconds} s: {end}")
    return bool(end)


def main(template: Path, work: Path, operation: str, times: int, seed: int) -> None:
    load_what_it_would_load(operation)
    chance, deaths, takes = random.Random(seed), 0, 0.0
    for n in range(times + 1):
        home = work / (f"{n:03}" if n else "ended")
        shutil.copytree(template, home)
        began = time.monotonic()
        died = killed(home, operation, chance.uniform(SOONEST, takes) if n else NEVER)
        if not died:  # what it took when the machine was least busy
            takes = min(takes or FOREVER, time.monotonic() - began)
        deaths += died
    print(deaths)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
