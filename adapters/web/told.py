"""Writes down what was asked and how it ended: the route, never the address with its query."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.web import logs
from adapters.web.guards import Refuse


class Told:
    """Pure ASGI, so that a stream goes through as it comes. An error nobody expected becomes a page."""

    def __init__(self, app: ASGIApp, log: Callable[[], Any], refuse: Refuse) -> None:
        self._app = app
        self._log = log
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/static/"):
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as error:  # noqa: BLE001  # recorded, and answered as a page
            self._log().error("unexpected", error=type(error).__name__, where=logs.where(error))
            if not status:
                page = await self._refuse(scope, 500, "unexpected")
                await page(scope, receive, sent)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            ms = round((time.perf_counter() - began) * 1000, 1)
            self._log().info("request", method=scope["method"], route=route, status=status, ms=ms)
