"""What is live: one follower of the log for all, and the streams that tell browsers of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Protocol

from edge.domain.refusal import EdgeError

PING_SECONDS: Final = 15.0
MOST_STREAMS: Final = 32
MOST_A_SESSION: Final = 8
AGAIN_SECONDS: Final = 5.0


class Follower(Protocol):
    """Brings the read models to the log's end while it runs."""

    def run(self) -> None: ...
    def stop(self) -> None: ...


MakeFollower = Callable[[Callable[[int], object], Callable[[str], None]], tuple[Follower, Callable[[], None]]]
"""Given what to call with each position and with what to say: the follower, and how to let go of it."""


class Following:
    """Runs the follower in a thread of its own, again where it ends by trouble, and rings at each move."""

    def __init__(self, make: MakeFollower, ring: Callable[[int], object], say: Callable[[str], None]) -> None:
        self._make = make
        self._ring = ring
        self._tell = say
        self._stopping = threading.Event()
        self._follower: Follower | None = None
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)
        self.trouble: str | None = None
        self.position = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """End soon, whatever the log's server does."""
        self._stopping.set()
        if self._follower is not None:
            self._follower.stop()
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._follower, let_go = self._make(self._reached, self._said)
                try:
                    if not self._stopping.is_set():
                        self._follower.run()
                finally:
                    let_go()
            except EdgeError as error:
                self._said(error.message)
            self._stopping.wait(AGAIN_SECONDS)

    def _reached(self, position: int) -> None:
        self.trouble = None
        self.position = position
        self._ring(position)

    def _said(self, line: str) -> None:
        """Trouble is shown on the health page; what follows it is that all is well again."""
        self.trouble = None if line.startswith("following") else line
        if self.trouble:
            self._tell(line)


class Streams:
    """The open event streams. All but ``ring`` and ``end`` are called in the server's loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[asyncio.Event, str] = {}
        self._ended: set[asyncio.Event] = set()
        self._position = 0
        self.closing = False

    def begin(self) -> None:
        self._loop = asyncio.get_running_loop()

    def ring(self, position: int) -> None:
        """Tell every stream that the read models moved; from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._moved, position)

    def end(self, session: str | None = None) -> None:
        """End the streams of a session, or all of them; from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end, session)

    def _moved(self, position: int) -> None:
        self._position = max(self._position, position)
        for bell in self._waiting:
            bell.set()

    def _end(self, session: str | None) -> None:
        if session is None:
            self.closing = True
        for bell, of in self._waiting.items():
            if session in (None, of):
                self._ended.add(bell)
                bell.set()

    def full(self, session: str) -> bool:
        mine = sum(1 for of in self._waiting.values() if of == session)
        return self.closing or len(self._waiting) >= MOST_STREAMS or mine >= MOST_A_SESSION

    @asynccontextmanager
    async def _listening(self, session: str) -> AsyncIterator[asyncio.Event]:
        bell = asyncio.Event()
        self._waiting[bell] = session
        try:
            yield bell
        finally:
            del self._waiting[bell]
            self._ended.discard(bell)

    async def events(self, session: str) -> AsyncIterator[bytes]:
        """What goes down a stream: where the read models stand, at each move; else a sign of life."""
        async with self._listening(session) as bell:
            yield b"retry: 3000\n\n"
            while not self.closing and bell not in self._ended:
                try:
                    async with asyncio.timeout(PING_SECONDS):
                        await bell.wait()
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if bell in self._ended or self.closing:
                    return
                bell.clear()
                yield f"event: moved\ndata: {self._position}\n\n".encode()
