"""The worker: keeps a host's read models at the log's end for as long as it runs."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Final

from edge.domain.refusal import EdgeError, Unreachable
from edge.ports import EventLog, Subscription
from projections.runner import Runner

FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 30.0
"""Seconds between attempts at a log that does not answer: doubled each time, with jitter."""

Say = Callable[[str], None]


class Worker:
    """Follows the log from the stored checkpoint, beside other workers and readers.

    ``after_page`` is called with each position reached. ``run`` returns when ``stop`` is
    called from any thread or signal handler; a log that was swapped is raised, a log that is
    away is waited for.
    """

    def __init__(self, log: EventLog, runner: Runner, after_page: Callable[[int], object], say: Say) -> None:
        self._log = log
        self._runner = runner
        self._after_page = after_page
        self._say = say
        self._stopping = threading.Event()
        self._subscription: Subscription | None = None

    def run(self) -> None:
        """Follow until stopped."""
        failures = 0
        while not self._stopping.is_set():
            try:
                self._follow()
                failures = 0
            except Unreachable as away:
                failures += 1
                pause = min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE) * random.uniform(0.5, 1.0)  # noqa: S311  # jitter
                self._say(f"{away.message}; trying again in {pause:.1f} s")
                self._stopping.wait(pause)
            except EdgeError:
                if not self._stopping.is_set():
                    raise  # else it is only what was cut off by stopping

    def stop(self) -> None:
        """End ``run`` soon: the page in hand is finished, nothing more is begun."""
        self._stopping.set()
        if self._subscription is not None:
            self._subscription.stop()

    def _follow(self) -> None:
        position = self._runner.check_same_log()
        self._say(f"following from position {position}")
        self._subscription = self._log.subscribe(after=position or None)
        try:
            if self._stopping.is_set():  # told so before there was a subscription to stop
                return
            for reached in self._runner.follow(self._subscription):
                self._after_page(reached)
                if self._stopping.is_set():
                    return
        finally:
            self._subscription.stop()
