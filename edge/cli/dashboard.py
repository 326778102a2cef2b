"""``edge dashboard`` and ``edge metrics``: the operator's pages, and their numbers for a machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edge.cli.common import Home, Json, group, opened, say
from edge.cli.parent import end_with_parent
from edge.settings import Settings, home_of, load, require_operator
from edge.wiring import Edge

if TYPE_CHECKING:
    from edge.ports import Report
    from edge.ports_dashboard import Install

app = group("The dashboard")

Port = Annotated[int | None, typer.Option("--port", help="Else `[dashboard] port`, else 8765.")]
Host = Annotated[
    str | None, typer.Option("--host", help="Else 127.0.0.1; any other address takes a password.")
]


@app.command(epilog="Example: edge dashboard --port 8765")
def dashboard(
    port: Port = None,
    host: Host = None,
    url: Annotated[bool, typer.Option("--url", help="Only print a new one-time URL, and end.")] = False,
    quiet: Annotated[bool, typer.Option("--no-url", help="Print no URL: `--url` does when asked.")] = False,
    supervised: Annotated[
        bool, typer.Option("--supervised", hidden=True, help="End when standard input does.")
    ] = False,
    home: Home = None,
) -> None:
    """Serve the dashboard, and print the one-time URL that logs you in. Ends on SIGTERM or Ctrl-C."""
    from adapters.web.config import config_of
    from adapters.web.keys import Door

    settings = load(home_of(home))
    config = config_of(settings, host, port)
    if not quiet:
        require_operator("the way into the dashboard", "start it in your own terminal")
    if url:
        print(url_of(config.address, Door(settings.home).token()))  # noqa: T201  # this is what was asked for
        return
    from adapters.web.app import create_app
    from adapters.web.server import bound, serve

    with opened(home) as edge:
        edge.current()  # what is wrong with the log or the home is said now, and not on every page
    listening = bound(config)
    if supervised:
        end_with_parent()
    made = create_app(config, _opening(settings), settings.tz, _following(settings))
    if not quiet:
        print(url_of(config.address, Door(settings.home).token()), flush=True)  # noqa: T201
    serve(made, listening)


def url_of(address: str, token: str) -> str:
    """The one-time URL."""
    return f"{address}/login?token={token}"


def _opening(settings: Settings) -> Callable[[Report | None], Install]:
    return lambda report: Edge(settings, report)


def _following(settings: Settings) -> Any:
    def follow(reached: Callable[[int], object], said: Callable[[str], None]) -> Any:
        edge = Edge(settings)
        return edge.follower(reached, said), edge.close

    return follow


@app.command(epilog="Example: edge metrics")
def metrics(home: Home = None, json_: Json = False) -> None:
    """The health strip as Prometheus text; with --json, as `status` prints it."""
    from edge.metrics import prometheus

    with opened(home) as edge:
        data = edge.health()
    say(json_, data, prometheus(data))
