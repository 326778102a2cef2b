"""The dashboard as a server: its port, its patience, and its end."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from adapters.web.config import Config
from adapters.web.port_owner import owner_of
from edge.domain.refusal import Failed

FIRST_WORD_SECONDS: Final = 10.0
MOST_CONNECTIONS: Final = 128
STOP_SECONDS: Final = 3


def bound(config: Config) -> socket.socket:
    """A socket that listens there; Failed, naming who has it, where the port is taken."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((config.host, config.port))
        made.listen(128)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise Failed(
                f"port {config.port} is taken by {owner_of(config.port)}",
                hint="end that one, or choose another port with --port or `[dashboard] port` in edge.toml",
            ) from None
        raise Failed(f"cannot listen on {config.host}:{config.port}: {error.strerror}") from None
    return made


class _Patient(H11Protocol):
    """Hangs up on whoever connects and sends no whole request line and headers in time."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.loop.call_later(FIRST_WORD_SECONDS, self._too_late)

    def _too_late(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


class _Server(uvicorn.Server):
    """Ends streams at the first signal: a server that waits for them would never stop."""

    ending: Callable[[], None]

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Unlike its own, this does not raise the signal again at the end: we were asked to end, and did."""
        before = {name: signal.signal(name, self.handle_exit) for name in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.ending()
        super().handle_exit(sig, frame)


def serve(app: Any, listening: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT; streams are ended and open requests given a moment."""
    settings = uvicorn.Config(
        app,
        http=_Patient,
        ws="none",
        log_config=None,
        access_log=False,  # addresses hold tokens; what may be logged is logged by the application
        server_header=False,
        date_header=True,
        proxy_headers=False,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=STOP_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=32 * 1024,
    )
    server = _Server(settings)
    server.ending = app.state.site.streams.end

    asyncio.run(server.serve(sockets=[listening]))
