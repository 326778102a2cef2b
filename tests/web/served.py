"""The dashboard as a process of its own, with a socket between."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

import httpx

SECONDS: Final = 30.0


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def environ(home: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "EDGE_HOME": str(home), "EDGE_ACTOR": "operator", "PYTHONUNBUFFERED": "1", **more}


class Served:
    """``edge dashboard`` (or ``up``) of a home; ``url`` is the one-time URL it printed."""

    def __init__(self, home: Path, *words: str, **more: str) -> None:
        self.home = home
        self.port = free_port()
        command = [sys.executable, "-m", "edge", *(words or ("dashboard",)), "--port", str(self.port)]
        self.process = subprocess.Popen(
            command, env=environ(home, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError(self.ends()[1])
        self.address = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.ends()

    def ends(self, by: int = signal.SIGTERM) -> tuple[int, str]:
        """Stop it; its exit code, and all it said on standard error."""
        with suppress(ProcessLookupError):
            self.process.send_signal(by)
        try:
            _, said = self.process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, said

    def client(self) -> httpx.Client:
        """Logged in, by a token of its own."""
        client = httpx.Client(base_url=self.address, headers={"origin": self.address}, timeout=SECONDS)
        answer = client.get(self.token_path())
        assert answer.status_code == 303, answer.text
        return client

    def sees(self, path: str) -> str:
        """A page, logged in for it."""
        with closing(self.client()) as client:
            answer = client.get(path)
            assert answer.status_code == 200, answer.text
            return answer.text

    def token_path(self) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "edge", "dashboard", "--url", "--port", str(self.port)],
            env=environ(self.home), capture_output=True, text=True, check=True,
        )  # fmt: skip
        parts = urlsplit(done.stdout.strip())
        return f"{parts.path}?{parts.query}"
