"""``edge worker``: the long-running part that keeps this host's read models current."""

from __future__ import annotations

import re
import signal
import sys
import threading
from typing import Annotated, Final

import typer

from edge.cli.common import Home, group
from edge.domain.refusal import EdgeError, Misused
from edge.settings import home_of
from edge.wiring import Edge

app = group("The long-running part")

GRACE: Final = 3.0
"""Seconds in which the page in hand should be finished; a server that is away is not waited for."""

_ENDING: Final = {signal.SIGTERM, signal.SIGINT}
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@app.command(epilog="Example: edge worker --sweep-every 3h")
def worker(
    sweep_every: Annotated[
        str, typer.Option("--sweep-every", metavar="TIME", help="Like 30m or 3h; 0 never sweeps.")
    ] = "3h",
    home: Home = None,
) -> None:
    """Follow the log and keep this host's read models current; sweep now and then. Ends on SIGTERM."""
    seconds = _seconds(sweep_every)
    edge = Edge.at_home(home_of(home))
    following = edge.worker(_say)
    stopping, ended = threading.Event(), threading.Event()
    # Waited for by a thread: a handler would run inside whatever holds a lock just then.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)

    def await_the_signal() -> None:
        signal.sigwait(_ENDING)
        stopping.set()
        following.stop()
        if not ended.wait(GRACE):
            edge.hang_up()

    threading.Thread(target=await_the_signal, daemon=True).start()
    sweeping = threading.Thread(target=_sweep, args=(home, seconds, stopping), daemon=True)
    if seconds:
        sweeping.start()
    try:
        following.run()
    finally:
        stopping.set()
        ended.set()
        edge.close()
    _say("stopped")


def _sweep(home: Home, every: float, stopping: threading.Event) -> None:
    """Sweep at once and then every so often, over connections of its own; trouble is said and waited out."""
    while not stopping.is_set():
        try:
            edge = Edge.at_home(home_of(home))
            try:
                done = edge.sweep()
            finally:
                edge.close()
            if done["episodes"]:
                _say(f"swept: {done['episodes']} episodes, {done['turns']} turns")
        except EdgeError as error:
            _say(f"sweep: {error.message}")
        stopping.wait(every)


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+)([smhd]?)", text.strip())
    if not found:
        raise Misused(f"{text!r} is no time", hint="write it like 30m or 3h")
    return int(found[1]) * _UNITS[found[2] or "s"]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # what a service manager keeps
