"""A server of the OpenAI-shaped API that plays: good answers, errors, silence, nonsense."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Play = dict[str, Any]

OVER_LIMIT: Play = {"status": 429, "json": {"error": {"message": "Rate limit reached"}}}
DOWN: Play = {"status": 500, "json": {"error": {"message": "The server had an error"}}}
HANG: Play = {"hang": True}
CUT: Play = {"cut": True, "answer": {"n": 1}}


def said(text: str | None, **choice: Any) -> Play:
    """An answer of this text."""
    message = {"role": "assistant", "content": text, **choice.pop("message", {})}
    body = {
        "id": "c1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42},
    }
    return {"json": body}


def answer(data: Any, **choice: Any) -> Play:
    return said(json.dumps(data), **choice)


def vectors(*rows: Sequence[float], **with_: Any) -> Play:
    listed = [{"object": "embedding", "index": n, "embedding": list(row)} for n, row in enumerate(rows)]
    return {"json": {"object": "list", "data": listed, **with_}}


class StandInServer:
    """Listens while it is entered. Plays what it is told in order, the last for ever, and keeps
    what it was asked.

    A play: ``json`` or ``raw`` body, ``status``, ``headers``; or ``hang`` (no answer), ``drip`` (bytes
    for ever, slowly), ``cut`` (the connection ends in mid-body), ``enormous`` (megabytes), or a
    function of the request's body that gives one.
    """

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self._plays: list[Any] = [answer({})]
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def plays(self, *plays: Any) -> None:
        self._plays = list(plays)
        self.asked, self.headers, self.paths = [], [], []

    def next(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Play:
        with self._lock:
            self.paths.append(path)
            self.headers.append(headers)
            self.asked.append(body)
            play = self._plays.pop(0) if len(self._plays) > 1 else self._plays[0]
        played: Play = play(body) if callable(play) else play
        return played

    def __enter__(self) -> StandInServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(server: StandInServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._play(server.next(self.path, dict(self.headers), {}))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self._play(server.next(self.path, dict(self.headers), json.loads(body)))

        def _play(self, play: Play) -> None:
            if play.get("hang"):
                server.closing.wait()
                self.close_connection = True
                return
            body = play["raw"] if "raw" in play else json.dumps(play.get("json", play.get("answer"))).encode()
            self.send_response(play.get("status", 200))
            for name, value in play.get("headers", {}).items():
                self.send_header(name, value)
            whole = not ({"cut", "drip", "enormous"} & play.keys())
            self.send_header("Content-Length", str(len(body) if whole else 1 << 40))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # who asked has had enough
                self._body(play, body)
            self.close_connection = self.close_connection or not whole

        def _body(self, play: Play, body: bytes) -> None:
            for _ in range(play.get("enormous", 0)):
                self.wfile.write(b" " * 1024 * 1024)
            while play.get("drip") and not server.closing.wait(0.01):
                self.wfile.write(b" ")
            self.wfile.write(body[: len(body) // 2] if play.get("cut") else body)

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    return Handler
