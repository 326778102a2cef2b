"""Work that reads the log from its start: done aside, shown with how far it is, kept for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final, NamedTuple

from edge.domain.refusal import EdgeError
from edge.ports_dashboard import Install, OpenInstall

AT_ONCE: Final = 2
KEPT: Final = 16
PATIENCE: Final = 0.6
"""Seconds a page waits for it, before it shows how far it is."""


class Progress(NamedTuple):
    """A replay under way: events folded so far."""

    done: int


class Full(EdgeError):
    """More is being replayed than is good for the machine."""


class _Job:
    def __init__(self) -> None:
        self.done = 0
        self.future: Future[Any] = Future()

    def report(self, _what: str, done: int, _of: int | None) -> None:
        self.done = done


class Replays:
    """Results by what was asked; a page that asks the same meanwhile waits for the same work."""

    def __init__(self, open_install: OpenInstall) -> None:
        self._open = open_install
        self._lock = threading.Lock()
        self._jobs: OrderedDict[tuple[Any, ...], _Job] = OrderedDict()
        self._threads = ThreadPoolExecutor(AT_ONCE, "replay")

    def result(self, key: tuple[Any, ...], work: Callable[[Install], Any]) -> Any:
        """What the work gives, or :class:`Progress` while it goes on. Its refusal is raised."""
        job = self._job(key, work)
        wait([job.future], PATIENCE)
        if not job.future.done():
            return Progress(job.done)
        try:
            return job.future.result()
        except EdgeError:
            with self._lock:
                self._jobs.pop(key, None)  # it may be another time
            raise

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _job(self, key: tuple[Any, ...], work: Callable[[Install], Any]) -> _Job:
        with self._lock:
            if key in self._jobs:
                self._jobs.move_to_end(key)
                return self._jobs[key]
            if sum(1 for job in self._jobs.values() if not job.future.done()) >= 2 * AT_ONCE:
                raise Full("enough is being replayed", hint="try again in a moment")
            job = self._jobs[key] = _Job()
            while len(self._jobs) > KEPT:
                oldest = next(iter(self._jobs))
                if not self._jobs[oldest].future.done():
                    break
                del self._jobs[oldest]
            job.future = self._threads.submit(self._work, job, work)
            return job

    def _work(self, job: _Job, work: Callable[[Install], Any]) -> Any:
        install = self._open(job.report)
        try:
            return work(install)
        finally:
            install.close()
