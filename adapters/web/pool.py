"""Opened installs for requests: each is used by one thread at a time, and a few serve them all."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from edge.domain.refusal import EdgeError
from edge.ports_dashboard import Install, OpenInstall

MOST: Final = 4
WAIT_SECONDS: Final = 10.0


class Busy(EdgeError):
    """All are in use, and stayed so."""


class Pool:
    """Opens installs when they are first needed. The one used last is given first: it is warm."""

    def __init__(self, open_install: OpenInstall, most: int = MOST) -> None:
        self._open = open_install
        self._free: queue.LifoQueue[Install | None] = queue.LifoQueue()
        self._closed = threading.Event()
        for _ in range(most):
            self._free.put(None)

    @contextmanager
    def one(self) -> Iterator[Install]:
        """An install for as long as it takes to answer a request."""
        try:
            install = self._free.get(timeout=WAIT_SECONDS)
        except queue.Empty:
            raise Busy("the dashboard is busy", hint="try again in a moment") from None
        try:
            if install is None:
                install = self._open(None)
            yield install
        finally:
            if self._closed.is_set() and install is not None:
                install.close()
                install = None
            self._free.put(install)

    def close(self) -> None:
        """Close those that are free; the others when they are given back."""
        self._closed.set()
        kept = []
        while True:
            try:
                kept.append(self._free.get_nowait())
            except queue.Empty:
                break
        for install in kept:
            if install is not None:
                install.close()
            self._free.put(None)
