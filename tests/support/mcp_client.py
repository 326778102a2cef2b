"""``edge mcp`` as a client sees it: through the SDK's own client, and as bare lines."""

from __future__ import annotations

import asyncio
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

EDGE = [sys.executable, "-m", "edge"]
T = TypeVar("T")


def environment(home: Path, **environ: str) -> dict[str, str]:
    """Only what is named: by default the operator's own shell, which gives the tools no more rights."""
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    return {**kept, "EDGE_HOME": str(home), "EDGE_ACTOR": "operator", "HOME": str(home.parent), **environ}


def with_client(home: Path, do: Callable[[Client], Awaitable[T]], **environ: str) -> T:
    """Run ``do`` with a client that has started the server for itself."""

    async def session() -> T:
        server = StdioServerParameters(
            command=EDGE[0], args=[*EDGE[1:], "mcp"], env=environment(home, **environ)
        )
        async with Client(server) as client:
            return await do(client)

    return asyncio.run(session())


def data_of(result: CallToolResult) -> Any:
    assert not result.is_error, result.content
    (text,) = result.content
    assert text.type == "text"
    assert json.loads(text.text) == result.structured_content
    return result.structured_content


def error_of(result: CallToolResult) -> str:
    """The line a failed call says: what, why, and what to do."""
    assert result.is_error
    (text,) = result.content
    assert text.type == "text"
    assert "Traceback" not in text.text
    assert "\n" not in text.text
    return text.text


class Lines:
    """The server fed by hand."""

    def __init__(self, home: Path, **environ: str) -> None:
        self.server = subprocess.Popen(
            [*EDGE, "mcp"],
            env=environment(home, **environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._heard = b""

    def say(self, line: bytes) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(line + b"\n")
        self.server.stdin.flush()

    def ask(self, id_: int | str, method: str, **params: Any) -> Any:
        """The answer to a request; whatever else is said before it is passed over."""
        self.say(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode())
        while (said := self.hear()).get("id") != id_:
            pass
        return said

    def begin(self) -> None:
        client = {"name": "test", "version": "1"}
        self.ask(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.say(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def hear(self, seconds: float = 60) -> Any:
        """The next message; every line of standard output is one."""
        assert self.server.stdout is not None
        ends = time.monotonic() + seconds
        while b"\n" not in self._heard:
            ready, _, _ = select.select([self.server.stdout], [], [], ends - time.monotonic())
            assert ready, "the server said nothing"
            more = os.read(self.server.stdout.fileno(), 65536)
            assert more, self.server.stderr and self.server.stderr.read().decode()
            self._heard += more
        line, _, self._heard = self._heard.partition(b"\n")
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def end(self) -> tuple[int, bytes, bytes]:
        """Close its input; how it ended, and what it still said."""
        out, err = self.server.communicate(timeout=30)
        return self.server.returncode, self._heard + out, err
