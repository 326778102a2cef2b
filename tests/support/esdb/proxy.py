"""A way to a server that can go dead: what is connected stays so, and hears nothing more."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Self


class DeadEndProxy:
    """Passes TCP connections on to a port, until it lets those there are fall silent."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._generation = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        self.accepted = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def uri(self) -> str:
        return f"esdb://127.0.0.1:{self.port}?Tls=false"

    def fall_silent(self) -> None:
        """Whatever is connected now gets no byte more, either way, and no end."""
        self._generation += 1

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += [near, far]
                self.accepted += 1
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(
                        target=self._pass, args=(source, sink, self._generation), daemon=True
                    ).start()

    def _pass(self, source: socket.socket, sink: socket.socket, generation: int) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if generation == self._generation:
                    sink.sendall(data)
            if generation == self._generation:
                sink.shutdown(socket.SHUT_WR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
