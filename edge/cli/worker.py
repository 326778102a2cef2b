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
from edge.cli.parent import end_with_parent
from edge.cli.terminal import shown
from edge.domain.refusal import EdgeError, Misused, Unreachable
from edge.settings import home_of
from edge.wiring import Edge
from projections.worker import pause

app = group("The long-running part")

GRACE: Final = 3.0
"""Seconds in which the page in hand should be finished; a server that is away is not waited for, and
as long again is what it may take to be let go of."""

FOLLOW_EVERY: Final = 20.0
"""Seconds between looks whether something changed that the graph has to follow."""

DERIVE_EVERY: Final = 30.0
"""Seconds between looks at whether clusters and wiki are behind; a look where they are not is cheap."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@app.command(epilog="Example: edge worker --sweep-every 3h")
def worker(
    sweep_every: Annotated[
        str, typer.Option("--sweep-every", metavar="TIME", help="Like 30m or 3h; 0 never sweeps.")
    ] = "3h",
    supervised: Annotated[
        bool, typer.Option("--supervised", hidden=True, help="End when standard input does.")
    ] = False,
    home: Home = None,
) -> None:
    """Follow the log and keep this host's read models current; sweep now and then. Ends on SIGTERM."""
    seconds = _seconds(sweep_every)
    edge = Edge.at_home(home_of(home))
    stopping, ended, found = threading.Event(), threading.Event(), threading.Event()

    def keep_beside() -> None:
        """Once there is a log: before that, only the worker says what it waits for or ends of."""
        if not found.is_set():
            found.set()
            if edge.settings.graph:
                _start(FOLLOW_EVERY, "graph", _Beside("graph", _graph), home, stopping)
            _start(DERIVE_EVERY, "wiki", _Beside("wiki", _wiki), home, stopping)

    following = edge.worker(_say, keep_beside)

    def stop() -> None:
        stopping.set()
        following.stop()
        if not ended.wait(GRACE):
            edge.hang_up()
        if not ended.wait(GRACE):  # a cluster asked for its leader is waited for by its client, deaf to us
            _say("stopped")
            os._exit(0)  # as safe as any end: what is stored is stored in transactions

    _on_the_first_signal(stop)
    if supervised:
        end_with_parent()
    if seconds:
        _start(seconds, "sweep", _taken_in(stopping), home, stopping)
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


def _start(
    seconds: float, what: str, work: Callable[[Edge], None], home: Home, stopping: threading.Event
) -> None:
    """Have it done beside, until the worker stops."""
    threading.Thread(target=_every, args=(seconds, what, work, home, stopping), daemon=True).start()


def _every(
    seconds: float, what: str, work: Callable[[Edge], None], home: Home, stopping: threading.Event
) -> None:
    """Do some work at once and then every so often, over connections of its own. Trouble is said; what
    is away is waited for as the worker itself does, not until the work is due again."""
    away = 0
    while not stopping.is_set():
        wait = seconds
        try:
            edge = Edge.at_home(home_of(home))
            try:
                work(edge)
            finally:
                edge.close()
            away = 0
        except EdgeError as error:
            again = ""
            if isinstance(error, Unreachable) and not error.lasting:
                away += 1
                wait = min(pause(away), seconds)
                again = f"; trying again in {wait:.1f} s"
            _say(f"{what}: {error.message}{again}")
        stopping.wait(wait)


def _taken_in(stopping: threading.Event) -> Callable[[Edge], None]:
    """Sweep, then extract for as long as something waits that can be extracted now."""

    def take_in(edge: Edge) -> None:
        done = edge.sweep()
        if done["episodes"]:
            _say(f"swept: {done['episodes']} episodes, {done['turns']} turns")
        for extracted in edge.knowledge.passes():
            if extracted.episodes or extracted.failed:
                _say(
                    f"extracted: {extracted.episodes} episodes, {extracted.failed} failed,"
                    f" {extracted.lag} left"
                )
            if stopping.is_set():
                return
        if extracted.said:
            _say(f"extraction stopped, {extracted.stopped}: {extracted.said}")

    return take_in


class _Beside:
    """Something kept beside the read models follows them; trouble is said once, not at every look."""

    def __init__(self, what: str, follow: Callable[[Edge], str | None]) -> None:
        self._what = what
        self._follow = follow
        self._said: str | None = None

    def __call__(self, edge: Edge) -> None:
        said = self._follow(edge)
        if said and said != self._said:
            _say(f"{self._what}: {said}")
        self._said = said


def _graph(edge: Edge) -> str | None:
    followed = edge.knowledge.follow()
    return followed.said if followed else None


def _wiki(edge: Edge) -> str | None:
    return edge.derived.refresh()


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+)([smhd]?)", text.strip())
    if not found:
        raise Misused(f"{text!r} is no time", hint="write it like 30m or 3h")
    return int(found[1]) * _UNITS[found[2] or "s"]


def _say(line: str) -> None:
    print(shown(line), file=sys.stderr, flush=True)  # noqa: T201  # what a service manager keeps
