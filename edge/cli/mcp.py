"""``edge mcp``: the tools an agent's program may call, over standard input and output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from edge.cli import grill as grills
from edge.cli.common import Home, group, opened
from edge.cli.dispatches import answers_of, dispatch_of
from edge.cli.hooked import keep_standard_files_apart
from edge.cli.voz import owed
from edge.dispatch import Artefact
from edge.domain.events import Actor, Data
from edge.domain.language import first_line
from edge.domain.refusal import Misused

if TYPE_CHECKING:
    from adapters.mcp import arguments as args
    from edge.wiring import Edge

app = group("edge as an MCP server")

_ACTOR: Actor = "dispatch"
"""Whose acts the tools are, whatever the environment says: what calls them is a program."""
_SHOWN = 200
"""Pending acts that are named; the counts are of all."""


@app.command(epilog="Example: edge mcp --home /home/me/edge")
def mcp(home: Home = None) -> None:
    """Serve edge's tools to an agent's program over standard input and output, until that ends."""
    keep_standard_files_apart()
    from importlib.metadata import version

    from adapters.mcp.server import serve

    code = 0
    try:
        serve(Tools(home), version("edge-nervous-system"))
    except Exception as error:  # noqa: BLE001  # said in one line, exit 1, as `main` says it
        print(f"edge: unexpected {type(error).__name__}: {error}", file=sys.stderr, flush=True)  # noqa: T201
        code = 1
    os._exit(code)  # a thread may still wait for input that will not come, and would hold an exit up


class Tools:
    """The desk behind the tools: each call opens the install and lets go of it, as a command does."""

    def __init__(self, home: Path | None) -> None:
        self._home = home

    def briefing(self, asked: args.BriefingArguments) -> Data:
        with opened(self._home) as edge:
            if asked.at is not None:
                return edge.briefing_at(asked.at)[0]
            composed = edge.briefing()
        return {**composed.as_json(), "position": composed.position}

    def knowledge_search(self, asked: args.SearchArguments) -> Data:
        if not asked.text.strip():
            raise Misused("there is nothing to search for")
        with opened(self._home) as edge:
            found = edge.knowledge.search(asked.text.strip(), asked.limit)
        return {"found": [item.as_json(score) for item, score in found]}

    def voz_pending(self, _asked: args.PendingArguments) -> Data:
        with opened(self._home) as edge:
            data = owed(edge.current())
        shown = data["pending"][:_SHOWN]
        return {**data, "pending": shown, "more": len(data["pending"]) - len(shown)}

    def grill_start(self, asked: args.StartArguments) -> Data:
        with opened(self._home) as edge:
            caps = grills.caps(edge, asked.max_chats, asked.max_tokens)
            return grills.started(edge, edge.grill.start("unattended", *caps))

    def grill_close(self, asked: args.CloseArguments) -> Data:
        plan = None if asked.chats is None else {"chats": [c.model_dump(mode="json") for c in asked.chats]}
        with opened(self._home) as edge:
            run_id = grills.run_of(edge, asked.run_id)
            return grills.closed(edge.grill.close(run_id, plan, _ACTOR, asked.intent))

    def publish(self, asked: args.PublishArguments) -> Data:
        data: Data = {
            "slug": asked.slug,
            "title": asked.title or first_line(asked.body.lstrip("# \n"), 200) or asked.slug,
            "body": asked.body,
            **{name: value for name, value in self._beside(asked).items() if value},
        }
        with opened(self._home) as edge:
            answered = answers_of(edge, [f"{act}={ref}" for act, ref in asked.answered.items()])
            dispatch_id = self._dispatch(edge, asked.dispatch_id, asked.kind)
            closed = edge.dispatches.close(
                dispatch_id, asked.intent, Artefact(data, asked.republish), answered
            )
        return closed._asdict()

    def _beside(self, asked: args.PublishArguments) -> Data:
        return {
            "cites": [cite.model_dump() for cite in asked.cites],
            "distills": asked.distills,
            "proposes": [proposal.model_dump() for proposal in asked.proposes],
        }

    def _dispatch(self, edge: Edge, prefix: str | None, kind: str) -> str:
        """The dispatch to close: named, else the only open one, else one opened now."""
        if prefix is not None or edge.current().open_dispatches():
            return dispatch_of(edge, prefix)

        def extract(dispatch_id: str) -> Data:
            return edge.extract_for(dispatch_id, lambda _estimate: None)

        opening = edge.dispatches.open(
            kind.strip() or "report", None, "beat", edge.sweep_for, extract, edge.briefing
        )
        return opening.dispatch_id

    def why(self, asked: args.WhyArguments) -> Data:
        with opened(self._home) as edge:
            return edge.why(asked.id, asked.kind).as_json()

    def propose(self, asked: args.ProposeArguments) -> Data:
        with opened(self._home) as edge:
            steered = edge.steering.propose(asked.model_dump(), None, _ACTOR)
        return steered._asdict()
