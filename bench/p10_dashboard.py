"""P10: every page of the dashboard while history grows, and a replay of all of it.

Asked as the server asks the application, in this process, so that the figure is the page's own:
CPU of all its threads, wall clock beside it.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from adapters.web.app import create_app
from adapters.web.config import Config
from bench.context import Context, size_name
from bench.report import Row, span
from edge.wiring import Edge

REQUESTS: Final = 200
BAR: Final = 0.040
FULL_FROM: Final = 10_000
REPLAYED_AT: Final = 100_000
REPLAY_BAR: Final = 2.0
PAGES: Final = (
    *("/voz", "/voz/open0001", "/artefatos", "/artefatos/artefato-1", "/direction"),
    *("/knowledge", "/briefing", "/sources", "/health", "/audit", "/metrics"),
)


class _Asked(NamedTuple):
    cpu: float
    """The 95th of a hundred, as all of these."""
    wall: float
    median: float
    """Of the CPU: what is told of growth, since the slowest of 200 are the machine's."""


def measure(context: Context) -> list[Row]:
    by_size = {size: _pages(context, size) for size in context.sizes}
    rows = [_row(context, page, by_size) for page in PAGES]
    return [*rows, _replay(context)]


def _row(context: Context, page: str, by_size: dict[int, dict[str, _Asked]]) -> Row:
    at = {size: asked[page] for size, asked in by_size.items()}
    # at 1k some lists are not full yet: growth is told from where they are
    flat = at[context.largest].median / at[FULL_FROM if FULL_FROM in at else context.sizes[0]].median
    slowest = max(asked.cpu for asked in at.values())
    return Row(
        "P10",
        f"`{page}`, p95 of {REQUESTS} requests",
        " · ".join(
            f"{size_name(size)}: {span(asked.cpu)} ({span(asked.wall)})" for size, asked in at.items()
        ),
        ratio=f"{flat:.2f}",
        bar=f"≤ 40 ms CPU; median at {size_name(context.largest)} ≤ 1.5 × at {size_name(FULL_FROM)}",
        met=slowest <= BAR and flat <= 1.5,
        sizes="50 open chats, 30 steers, 40 artefatos",
    )


def _pages(context: Context, size: int) -> dict[str, _Asked]:
    with _dashboard(context.histories.home(size)) as ask:
        found = {}
        for page in PAGES:
            for _ in range(5):
                ask(page)
            times = [_timed(ask, page) for _ in range(REQUESTS)]
            found[page] = _Asked(
                _p95([t[0] for t in times]),
                _p95([t[1] for t in times]),
                statistics.median(t[0] for t in times),
            )
    return found


def _replay(context: Context) -> Row:
    times = []
    with _dashboard(context.histories.home(REPLAYED_AT)) as ask:
        for back in range(context.rounds):
            path = f"/audit/replay?at={REPLAYED_AT - back}"  # each another position: none is kept from before
            began, wall = time.process_time(), time.perf_counter()
            while b"<progress" in ask(path):
                pass
            times.append((time.process_time() - began, time.perf_counter() - wall))
    cpu, took = statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)
    return Row(
        "P10",
        "`/audit/replay?at=…`, with progress, median",
        f"{span(cpu)} ({span(took)})",
        bar="≤ 2 s",
        met=cpu <= REPLAY_BAR,
        sizes=size_name(REPLAYED_AT),
    )


def _timed(ask: Any, page: str) -> tuple[float, float]:
    began, wall = time.process_time(), time.perf_counter()
    ask(page)
    return time.process_time() - began, time.perf_counter() - wall


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95) - 1]


@contextlib.contextmanager
def _dashboard(home: Path) -> Iterator[Any]:
    """Something to ask pages with, logged in; the home is left as it was."""
    settings = Edge.at_home(home).settings
    config = Config(home, settings.group, "127.0.0.1", 8765, "en")
    app = create_app(config, lambda report: Edge(settings, report), settings.tz)
    app.state.site.log = _Silent()
    cookie = f"{config.cookie}={app.state.site.door.open()}"
    with asyncio.Runner() as runner:

        def ask(path: str) -> bytes:
            return runner.run(_get(app, path, cookie))

        yield ask
    app.state.site.replays.close()
    app.state.site.pool.close()
    for name in ("dashboard.key", "dashboard.sessions"):
        (home / name).unlink(missing_ok=True)


class _Silent:
    def __getattr__(self, _name: str) -> Any:
        return lambda *_args, **_fields: None


async def _get(app: Any, path: str, cookie: str) -> bytes:
    path, _, query = path.partition("?")
    parts: list[bytes] = []
    status = 0

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    headers = [(b"host", b"127.0.0.1:8765"), (b"cookie", cookie.encode())]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": headers,
        "server": ("127.0.0.1", 8765),
        "client": ("127.0.0.1", 1),
        "root_path": "",
    }
    await app(scope, receive, send)
    if status != 200:
        raise RuntimeError(f"{path} answered {status}")
    return b"".join(parts)
