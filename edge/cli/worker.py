"""``edge worker``: the long-running part that keeps this host's read models current."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from typing import Annotated, Final

import typer

from edge.cli.common import Home, group
from edge.domain.refusal import EdgeError, Misused
from edge.settings import home_of
from edge.wiring import Edge

app = group("The long-running part")

GRACE: Final = 3.0
"""Seconds in which the page in hand should be finished; a server that is away is not waited for."""

DERIVE_EVERY: Final = 30.0
"""Seconds between looks at whether clusters and wiki are behind; a look where they are not is cheap."""

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

    def stop() -> None:
        stopping.set()
        following.stop()
        if not ended.wait(GRACE):
            edge.hang_up()

    _on_the_first_signal(stop)
    if seconds:
        threading.Thread(target=_sweep, args=(home, seconds, stopping), daemon=True).start()
    threading.Thread(target=_derive, args=(home, stopping), daemon=True).start()
    try:
        following.run()
    finally:
        stopping.set()
        ended.set()
        edge.close()
    _say("stopped")


def _on_the_first_signal(stop: Callable[[], None]) -> None:
    """Have SIGTERM and SIGINT call ``stop`` in a thread of its own: a handler would run inside
    whatever holds a lock just then."""
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda _signal, _frame: None)

    def wait() -> None:
        os.read(told, 1)
        stop()

    threading.Thread(target=wait, daemon=True).start()


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


def _derive(home: Home, stopping: threading.Event) -> None:
    """Keep clusters and wiki current, over connections of its own; trouble is said once and tried again."""
    said = None
    while not stopping.wait(DERIVE_EVERY):
        try:
            edge = Edge.at_home(home_of(home))
            try:
                trouble = edge.derived.refresh()
            finally:
                edge.close()
        except EdgeError as error:
            trouble = error.message
        if trouble and trouble != said:
            _say(f"wiki: {trouble}")
        said = trouble


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+)([smhd]?)", text.strip())
    if not found:
        raise Misused(f"{text!r} is no time", hint="write it like 30m or 3h")
    return int(found[1]) * _UNITS[found[2] or "s"]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # what a service manager keeps
