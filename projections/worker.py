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

Say = Callable[[str], None]
AfterPage = Callable[[int], object]


def pause(failures: int) -> float:
    """Seconds to wait after the n-th attempt in a row at a log that does not answer: doubled each
    time, with jitter, since whoever else lost the same server waits too."""
    return min(FIRST_PAUSE * 2.0 ** min(failures - 1, 20), LONGEST_PAUSE) * random.uniform(0.5, 1.0)  # noqa: S311  # no secret


class Worker:
    """Follows the log from the stored checkpoint, beside other workers and readers.

    ``ready`` opens what the log is folded into, and says what to call with each position reached;
    it may need the log itself. ``run`` returns when ``stop`` is called from any thread. A log that
    is away is waited for, from the start and for ever; one that was swapped is raised, and so is
    what no waiting mends.
    """

    def __init__(self, log: EventLog, ready: Callable[[], tuple[Runner, AfterPage]], say: Say) -> None:
        self._log = log
        self._ready = ready
        self._say = say
        self._stopping = threading.Event()
        self._subscription: Subscription | None = None
        self._failures = 0

    def run(self) -> None:
        """Follow until stopped."""
        while not self._stopping.is_set():
            try:
                self._follow(*self._ready())
            except EdgeError as error:
                if self._stopping.is_set():
                    return  # it is only what was cut off by stopping
                if not isinstance(error, Unreachable) or error.lasting:
                    raise
                self._failures += 1
                seconds = pause(self._failures)
                self._say(f"{error.message}; trying again in {seconds:.1f} s")
                self._stopping.wait(seconds)

    def stop(self) -> None:
        """End ``run`` soon: the page in hand is finished, nothing more is begun."""
        self._stopping.set()
        if self._subscription is not None:
            self._subscription.stop()

    def _follow(self, runner: Runner, after_page: AfterPage) -> None:
        position = runner.check_same_log()
        self._say(f"following from position {position}")
        self._subscription = self._log.subscribe(after=position or None)
        try:
            if self._stopping.is_set():  # told so before there was a subscription to stop
                return
            for reached in runner.follow(self._subscription):
                after_page(reached)
                self._failures = 0
                if self._stopping.is_set():
                    return
        finally:
            self._subscription.stop()
