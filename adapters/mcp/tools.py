"""The tools: what each is called, what it says of itself, and how a call of it ends.

Whatever is refused or fails is the result of the call, marked as an error: what happened, why, and
what to do. There is no tool that speaks as the operator, and none takes an actor.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

from mcp import types
from pydantic import BaseModel, ValidationError

from adapters.mcp import arguments as args
from edge.domain.catalogue import said_plainly
from edge.domain.events import Data
from edge.domain.refusal import EdgeError, Misused


class Desk(Protocol):
    """What stands behind the tools; its acts are the dispatch's or the grill's, never the operator's."""

    def briefing(self, asked: args.BriefingArguments) -> Data: ...
    def knowledge_search(self, asked: args.SearchArguments) -> Data: ...
    def voz_pending(self, asked: args.PendingArguments) -> Data: ...
    def grill_start(self, asked: args.StartArguments) -> Data: ...
    def grill_close(self, asked: args.CloseArguments) -> Data: ...
    def publish(self, asked: args.PublishArguments) -> Data: ...
    def propose(self, asked: args.ProposeArguments) -> Data: ...
    def why(self, asked: args.WhyArguments) -> Data: ...


class Tool(NamedTuple):
    """``call`` takes a desk and the checked arguments; ``reads``: it changes nothing."""

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    call: Callable[[Desk, Any], Data]
    reads: bool = False

    def listed(self) -> types.Tool:
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.arguments.model_json_schema(),
            annotations=types.ToolAnnotations(
                read_only_hint=self.reads, destructive_hint=False, open_world_hint=False
            ),
        )


TOOLS: Final[tuple[Tool, ...]] = (
    Tool(
        "briefing",
        "The Briefing",
        "What orients work beside the operator: Direction (steers marked [set] are the operator's decisions,"
        " [proposed] ones are not), pending Voz, what was published and why, the last breadcrumb, health.",
        args.BriefingArguments,
        lambda desk, asked: desk.briefing(asked),
        reads=True,
    ),
    Tool(
        "knowledge_search",
        "Search what is known",
        "Statements learnt from the operator's sessions, best first, each with its tier: only curated ones"
        " have the operator's word, hypothesis and contested ones want checking.",
        args.SearchArguments,
        lambda desk, asked: desk.knowledge_search(asked),
        reads=True,
    ),
    Tool(
        "voz_pending",
        "Pending Voz",
        "The operator's comments and votes that are still owed an answer or a receipt.",
        args.PendingArguments,
        lambda desk, asked: desk.voz_pending(asked),
        reads=True,
    ),
    Tool(
        "grill_start",
        "Start a grill",
        "Begin an unattended run and load the open comments that hurt most, each with its whole context."
        " Every loaded chat has to be decided by grill_close.",
        args.StartArguments,
        lambda desk, asked: desk.grill_start(asked),
    ),
    Tool(
        "grill_close",
        "Close a grill",
        "Close an unattended run by deciding every chat it loaded. Settle only what the comment or its answer"
        " itself settles, on evidence; park the rest with one closed question. The same decisions again are"
        " a retry and do no harm.",
        args.CloseArguments,
        lambda desk, asked: desk.grill_close(asked),
    ),
    Tool(
        "publish",
        "Publish an artefato",
        "Publish a report with the reason for it, and close the dispatch it belongs to. Where no dispatch is"
        " open one is opened first, which takes in new sessions.",
        args.PublishArguments,
        lambda desk, asked: desk.publish(asked),
    ),
    Tool(
        "propose",
        "Propose a steer",
        "Propose something that should hold from now on. It stays a proposal until the operator sets it.",
        args.ProposeArguments,
        lambda desk, asked: desk.propose(asked),
    ),
    Tool(
        "why",
        "Why edge says so",
        "The chain of events behind a steer, a statement, a source's score, a line of a Briefing or a reply,"
        " down to what was said in a session.",
        args.WhyArguments,
        lambda desk, asked: desk.why(asked),
        reads=True,
    ),
)
_BY_NAME: Final = {tool.name: tool for tool in TOOLS}


def called(desk: Desk, name: str, given: dict[str, Any]) -> types.CallToolResult:
    """The result of a call, an error as one."""
    try:
        tool = _BY_NAME.get(name)
        if tool is None:
            raise Misused(f"no tool {name[:80]!r}", hint=", ".join(_BY_NAME))
        return _result(tool.call(desk, _checked(tool, given)))
    except EdgeError as error:
        return _failed(error)
    except Exception as error:  # noqa: BLE001  # the caller is told, and the server goes on
        return _failed(
            EdgeError(f"unexpected {type(error).__name__}: {error}", hint="`edge doctor` may tell")
        )


def _checked(tool: Tool, given: dict[str, Any]) -> BaseModel:
    try:
        return tool.arguments.model_validate(given)
    except ValidationError as error:
        raise Misused(
            f"{tool.name} cannot take that: {said_plainly(error)}", hint="its schema says what it takes"
        ) from None


def _result(data: Data) -> types.CallToolResult:
    return types.CallToolResult(
        content=[_text(json.dumps(data, ensure_ascii=False))], structured_content=data
    )


def _failed(error: EdgeError) -> types.CallToolResult:
    said = {"error": {"code": error.name, "message": error.message, "hint": error.hint}}
    line = " ".join(error.message.split()) + (f" — {error.hint}" if error.hint else "")
    return types.CallToolResult(content=[_text(line)], structured_content=said, is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text.encode("utf-8", "replace").decode())
