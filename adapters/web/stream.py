"""What programs ask for: the live stream, metrics, and the description of it all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from adapters.web.keys import same
from adapters.web.site import At, In, Oops, visitor_of
from edge.metrics import prometheus

router = APIRouter()

_UNBUFFERED: Final = {"x-accel-buffering": "no"}
"""Tells a proxy to pass events on as they come."""


@router.get("/live", include_in_schema=False)
async def live(site: At, visitor: In) -> Response:
    """An event each time the read models moved. Ends with the session, or with the server."""
    if site.streams.full(visitor.session.id):
        raise Oops(429, "too-often")

    async def events() -> AsyncIterator[bytes]:
        async for event in site.streams.events(visitor.session.id):
            if not site.door.is_open(visitor.session.id):
                return
            yield event

    return StreamingResponse(events(), media_type="text/event-stream", headers=_UNBUFFERED)


@router.get("/metrics")
def metrics(request: Request, site: At) -> PlainTextResponse:
    """Prometheus text, for whoever is logged in or has the token for it."""
    token = site.config.metrics_token
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not visitor_of(site, request) and not (token and same(given, token)):
        raise Oops(401)
    with site.pool.one() as install:
        return PlainTextResponse(prometheus(install.strip()), media_type="text/plain; version=0.0.4")


@router.get("/openapi.json", include_in_schema=False)
def description(request: Request, _visitor: In) -> Any:
    """The description of every page and act."""
    return JSONResponse(request.app.openapi())
