"""The dashboard as one ASGI application, put together from its parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import Scope

from adapters.web import logs, stream
from adapters.web.config import Config
from adapters.web.guards import Guards, Refuse
from adapters.web.keys import Door
from adapters.web.live import Following, MakeFollower, Streams
from adapters.web.login import router as login_routes
from adapters.web.pages import artefatos, audit, briefing, direction, health, knowledge, sources, voz, why
from adapters.web.pool import Pool
from adapters.web.replays import Replays
from adapters.web.site import HERE, Oops, Site, oops_of, site_of
from adapters.web.told import Told
from edge.domain.refusal import EdgeError
from edge.ports_dashboard import OpenInstall

STOP_SECONDS: Final = 2.0


def create_app(
    config: Config, open_install: OpenInstall, zone: Any, follow: MakeFollower | None = None
) -> FastAPI:
    """The application; ``follow`` makes what keeps the read models current while it runs."""
    site = Site(config, Pool(open_install), Door(config.home), Streams(), Replays(open_install), zone)
    if follow is not None:
        site.following = Following(
            follow, site.streams.ring, lambda _line: site.log.warning("follower", state="told on /health")
        )

    @asynccontextmanager
    async def living(_app: FastAPI) -> AsyncIterator[None]:
        site.streams.begin()
        if site.following:
            site.following.start()
        try:
            yield
        finally:
            site.streams.end()
            if site.following:
                site.following.stop(STOP_SECONDS)
            site.replays.close()
            site.pool.close()

    app = FastAPI(
        title="edge dashboard",
        version="1",
        description="The operator's private rail. Every form takes `csrf` from the page it stands on.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=living,
    )
    app.state.site = site
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.include_router(login_routes)
    app.include_router(stream.router)
    for page in (voz, artefatos, direction, knowledge, briefing, sources, health, audit, why):
        app.include_router(page.router)
    _refusals(app)
    app.add_middleware(Told, log=lambda: site.log, refuse=_refuse(site))

    app.add_middleware(Guards, config=config, refuse=_refuse(site))
    return app


def _refuse(site: Site) -> Refuse:
    async def refuse(scope: Scope, status: int, said: str) -> Response:
        return site.oops(Request(scope), status, said)

    return refuse


def _refusals(app: FastAPI) -> None:
    """Every way a request can fail, as a page in the same design."""

    @app.exception_handler(Oops)
    async def _(request: Request, oops: Oops) -> Response:
        return site_of(request).oops(request, oops.status, oops.said, oops.hint)

    @app.exception_handler(EdgeError)
    async def _(request: Request, error: EdgeError) -> Response:
        oops = oops_of(error)
        site_of(request).log.warning("failed", error=type(error).__name__, where=logs.where(error))
        return site_of(request).oops(request, oops.status, oops.said, oops.hint)

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, _error: RequestValidationError) -> Response:
        return site_of(request).oops(request, 422)

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> Response:
        said = "not-here" if error.status_code == 404 else ""
        return site_of(request).oops(request, error.status_code, said)
