"""``edge why``: the chain of events behind what edge says."""

from __future__ import annotations

from typing import Annotated

import typer

from edge.cli.common import At, Home, Json, group, opened, say
from edge.why_nodes import lines

app = group("The chain of events behind what edge says")


@app.command(epilog="Example: edge why retry-study")
def why(
    id_: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="A steer, statement, source, artefato, comment, vote, question, run, dispatch or event;"
            " or DISPATCH#N, a line of its Briefing.",
        ),
    ],
    kind: Annotated[str | None, typer.Option("--kind", help="Which of them, where an id is of two.")] = None,
    at: At = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """What stands behind an id, down to what was said in a session."""
    with opened(home) as edge:
        node = edge.why(id_, kind, at)
    say(json_, node.as_json(), "\n".join(lines(node)))
