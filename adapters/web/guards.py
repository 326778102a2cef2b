"""What stands before every page: names it may be reached under, forms of its own only, small bodies
that arrive in time, and the headers that bind a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.web.config import BODY_SECONDS, MAX_REQUEST_BYTES, Config

CSP: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # not no-referrer: with that a browser sends `Origin: null` with our own forms
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_SAFE: Final = ("GET", "HEAD", "OPTIONS")

Refuse = Callable[[Scope, int, str], Awaitable[Any]]
"""Makes the page for a refusal: the scope, its status, the name of its words."""


class Guards:
    """Pure ASGI, so that a refused body is never read and a stream is never buffered."""

    def __init__(self, app: ASGIApp, config: Config, refuse: Refuse) -> None:
        self._app = app
        self._config = config
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answering = _Answering(send, scope["path"])
        headers = Headers(scope=scope)
        told = self._refused(scope, headers)
        if told is None and scope["method"] not in _SAFE:
            body = await _body(receive, headers)
            if isinstance(body, bytes):
                await self._app(scope, _replayed(body, receive), answering)
                return
            told = body
        if told is not None:
            page = await self._refuse(scope, *told)
            await page(scope, receive, answering)
            return
        await self._app(scope, receive, answering)

    def _refused(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._config.hosts:
            return 403, "bad-host"
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._config.origins:
            return 403, "bad-origin"
        if origin is None and scope["method"] not in _SAFE:
            return 403, "bad-origin"  # every browser says where a form comes from
        return None


async def _body(receive: Receive, headers: Headers) -> bytes | tuple[int, str]:
    """The whole body, or the refusal: too large, too slow, or cut off."""
    declared = headers.get("content-length", "0")
    if not declared.isdecimal():
        return 400, "bad-request"
    if int(declared) > MAX_REQUEST_BYTES:
        return 413, "too-large"
    parts, size = [], 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return 400, "bad-request"
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MAX_REQUEST_BYTES:
                    return 413, "too-large"
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        return 408, "too-slow"


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body once more, for whoever reads it next."""
    given = False

    async def again() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


class _Answering:
    """Adds the headers to whatever is answered."""

    def __init__(self, send: Send, path: str) -> None:
        self._send = send
        self._static = path.startswith("/static/")

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if not self._static:  # pages are the operator's alone, and hold what changes
                headers["cache-control"] = "no-store"
        await self._send(message)
