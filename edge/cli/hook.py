"""``edge hook``: how it is used. The process itself is :mod:`edge.cli.hooked`, which needs no typer."""

from __future__ import annotations

from typing import Annotated

import typer

from edge.cli.common import Home, group

app = group("What Claude Code's hooks run")


@app.command(epilog="Example: edge hook session-start")
def hook(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="session-start; any other does nothing.")],
    home: Home = None,
) -> None:
    """Tell a session what it begins with: the Briefing, from what is folded already.

    Reads the hook's JSON from standard input, prints JSON, writes nothing but its own line in the
    home's hook.log, and always ends with exit 0 within two seconds.
    """
    from edge.cli.hooked import Asked, answer

    answer(Asked([event, *(["--home", str(home)] if home else [])]))
