"""``edge up``: worker and dashboard together, each started again where it dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import Annotated, Final

import typer

from edge.cli.common import Home, group
from edge.cli.dashboard import Host, Port, url_of
from edge.domain.refusal import Failed
from edge.settings import home_of, load, require_operator

app = group("Worker and dashboard")

GRACE: Final = 10.0
"""Seconds a part may take to end."""
LONG_ENOUGH: Final = 30.0
"""A part that ran so long begins anew with the shortest wait."""
WAITS: Final = (0.2, 1.0, 3.0, 10.0, 30.0)


@app.command(epilog="Example: edge up --sweep-every 3h")
def up(
    sweep_every: Annotated[
        str, typer.Option("--sweep-every", metavar="TIME", help="Like 30m or 3h; 0 never sweeps.")
    ] = "3h",
    port: Port = None,
    host: Host = None,
    home: Home = None,
) -> None:
    """Run worker and dashboard, and start again what dies. Prints the one-time URL; ends on SIGTERM."""
    from adapters.web.config import config_of
    from adapters.web.keys import Door
    from adapters.web.server import bound

    place = home_of(home)
    settings = load(place)
    require_operator("the way into the dashboard", "start it in your own terminal")
    config = config_of(settings, host, port)
    bound(config).close()  # a taken port is said once, and not by a part that dies of it again and again
    at = ["--home", str(place)]
    stopping = threading.Event()
    parts = [
        Part("worker", ["worker", *at, "--sweep-every", sweep_every, "--supervised"], stopping),
        Part(
            "dashboard",
            [
                *("dashboard", *at, "--host", config.host, "--port", str(config.port)),
                "--no-url",
                "--supervised",
            ],
            stopping,
        ),
    ]
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda _signal, _frame: stopping.set())
    for part in parts:
        part.start()
    print(url_of(config.address, Door(settings.home).token()), flush=True)  # noqa: T201
    while not stopping.wait(0.2):  # so short that a signal is seen at once on every system
        if all(part.gave_up for part in parts):
            stopping.set()
    for part in parts:
        part.join()
    _say("stopped")
    wrong = [part.name for part in parts if part.gave_up]
    if wrong:
        raise Failed(f"{' and '.join(wrong)} cannot run", hint="what it said stands above")


class Part:
    """One process, started again with longer and longer waits where it keeps dying.

    Waits are counted on the monotonic clock: neither sleep nor a changed clock makes them hot or endless.
    """

    def __init__(self, name: str, words: list[str], stopping: threading.Event) -> None:
        self.name = name
        self.gave_up = False
        self._words = [sys.executable, "-m", "edge", *words]
        self._stopping = stopping
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join(GRACE + 5)

    def _run(self) -> None:
        deaths = 0
        while not self._stopping.is_set():
            began = time.monotonic()
            code = self._once()
            if self._stopping.is_set():
                return
            if code == 2:  # wrong usage or settings: no trying mends that
                _say(f"{self.name} cannot run: exit 2")
                self.gave_up = True
                return
            deaths = 0 if time.monotonic() - began >= LONG_ENOUGH else deaths + 1
            wait = WAITS[min(deaths, len(WAITS) - 1)]
            how = f"signal {-code}" if code < 0 else f"exit {code}"
            _say(f"{self.name} ended ({how}); starting it again in {wait:g} s")
            self._stopping.wait(wait)

    def _once(self) -> int:
        """Run it to its end, or to ours; the pipe to it tells it when we are gone."""
        with subprocess.Popen(  # noqa: S603  # our own command
            self._words, stdin=subprocess.PIPE, env=os.environ.copy(), start_new_session=True
        ) as process:
            while process.poll() is None:
                if self._stopping.wait(0.2):
                    return _ended(process)
            return process.returncode


def _ended(process: subprocess.Popen[bytes]) -> int:
    process.terminate()
    try:
        return process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # what a service manager keeps
