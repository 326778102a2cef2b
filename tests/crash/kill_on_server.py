"""As :mod:`tests.crash.kill_points`, for a home whose log is on a server and is not copied.

``python -m tests.crash.kill_on_server HOME``: for each line ``OPERATION AT before|after`` a process
is forked and killed there, and for each line ``OPERATION SECONDS within`` one that the kernel ends after
so long (0: never). The answer is ``killed`` or ``through``, and the seconds it lived. What connects is the
fork alone.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import adapters.eventlog.eventstoredb  # noqa: F401  # loaded once for all of them
from tests.crash import kill_moments
from tests.crash.kill_points import killed, load_what_each_would_load


def main(home: Path) -> None:
    load_what_each_would_load()
    for line in sys.stdin:
        operation, at, when = line.split()
        began = time.monotonic()
        if when == "within":
            died = kill_moments.killed(home, operation, float(at))
        else:
            died = killed(home, operation, int(at), when == "after")
        print("killed" if died else "through", time.monotonic() - began, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
