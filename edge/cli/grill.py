"""``edge grill``: load chats, decide each, close them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from edge.cli import views
from edge.cli.common import Home, Json, counted, document_of, group, opened, say
from edge.cli.terminal import shown
from edge.closing import Result
from edge.domain.events import Data
from edge.domain.grill import Run, loaded_ids
from edge.domain.language import first_line
from edge.domain.refusal import Misused
from edge.grill import Closed, Started
from edge.settings import acting, require_operator
from edge.wiring import Edge

app = group("Close chats: load a batch, decide every one, close each atomically")

MaxChats = Annotated[int | None, typer.Option("--max-chats", help="At most so many chats.")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="At most so many tokens of them.")]
Unattended = Annotated[bool, typer.Option("--unattended", help="Nobody is there to ask.")]
RunId = Annotated[str | None, typer.Argument(metavar="[RUN]", help="By default the only open one.")]


@app.command(epilog="Example: edge grill start --max-chats 5")
def start(
    max_chats: MaxChats = None,
    max_tokens: MaxTokens = None,
    unattended: Unattended = False,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Begin a run: fix its cursor and load the chats that hurt most."""
    if not unattended:
        require_operator("an attended grill", "start it with --unattended, or in your own terminal")
    with opened(home) as edge:
        begun = edge.grill.start(
            "unattended" if unattended else "attended", *caps(edge, max_chats, max_tokens)
        )
        data = started(edge, begun)
    lines = [f"run {begun.run['run_id']} ({begun.run['mode']})"]
    lines += [
        f"{c.chat['comment_id']}  harm {c.harm.value}  {first_line(c.chat['body'], 80)}" for c in begun.loaded
    ]
    lines += [
        f"to curate: {e['do']} {e['id']}  {e['why']}: {first_line(e['title'], 80)}" for e in data["agenda"]
    ]
    lines.append(f"overflow {len(begun.overflow)}, awaiting {len(begun.awaiting)}")
    say(json_, data, "\n".join(lines))


def caps(edge: Edge, max_chats: int | None, max_tokens: int | None) -> tuple[int, int]:
    """The caps of a run: as asked for, else as set."""
    settings = edge.settings
    return (
        settings.max_chats if max_chats is None else max_chats,
        settings.max_tokens if max_tokens is None else max_tokens,
    )


def started(edge: Edge, begun: Started) -> Data:
    """A run and what it loaded, as `grill start` prints it."""
    known, run = edge.current(), begun.run
    return {
        "run_id": run["run_id"],
        "cursor": run["cursor"],
        "now": run["now"],
        "mode": run["mode"],
        "loaded": [views.candidate(candidate, known) for candidate in begun.loaded],
        "agenda": views.agenda(run["agenda"], known),
        "overflow": begun.overflow,
        "awaiting": begun.awaiting,
        "actionable": begun.actionable,
    }


@app.command(epilog="Example: edge grill close --plan plan.json")
def close(
    run: RunId = None,
    plan: Annotated[
        str | None, typer.Option("--plan", metavar="F", help="The plan's file; - reads standard input.")
    ] = None,
    intent: Annotated[
        str | None, typer.Option("--intent", help="A breadcrumb of what this grill was about.")
    ] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Close a run by a plan that decides every chat it loaded; without one, resume the stored plan."""
    document = None if plan is None else document_of(plan)
    with opened(home) as edge:
        done = edge.grill.close(run_of(edge, run), document, acting(), intent)
    _print(json_, done)


def run_of(edge: Edge, prefix: str | None) -> str:
    """The run an id or a unique prefix means; the only open one where none is given."""
    if prefix is not None:
        return edge.resolve("run", prefix)
    found = edge.current().open_runs()
    if len(found) != 1:
        raise Misused(
            "no grill run is open" if not found else f"{len(found)} runs are open: {', '.join(found)}",
            hint="`edge grill start` begins one" if not found else "name the run",
        )
    return found[0]


def closed(done: Closed) -> Data:
    """How a run stands after a close, as `grill close` prints it."""
    return {
        "run_id": done.run_id,
        "finished": done.finished,
        "results": [{k: v for k, v in r._asdict().items() if k != "curate"} for r in _chats(done)],
        "curated": [{**r.curate, "result": r.result} for r in done.results if r.curate is not None],
        "overflow": done.overflow,
    }


def _chats(done: Closed) -> list[Result]:
    return [result for result in done.results if result.curate is None]


def _print(as_json: bool, done: Closed, cost: tuple[int, int] | None = None) -> None:
    """The results, and what models cost in calls and tokens; exit 3 where another close came first."""
    data = closed(done)
    lines = [f"run {done.run_id} {'finished' if done.finished else 'is not finished'}"]
    for result in _chats(done):
        steer = f"  {result.direction_id}" if result.direction_id else ""
        lines.append(f"{result.comment_id}  {result.outcome or result.result}{steer}")
        if result.reason:
            lines.append(f"    {result.reason}")
        if result.clarify_id:
            lines.append(f"    asks the operator: edge voz answer {result.clarify_id} …")
    lines += [f"{act['do']} {act['id']}  {act['result']}" for act in data["curated"]]
    if done.overflow:
        lines.append(f"overflow {len(done.overflow)}: the next run loads them")
    if cost is not None:
        calls, tokens = cost
        data["cost"] = {"calls": calls, "tokens": tokens}
        lines.append(f"model: {counted(calls, 'call')}, {counted(tokens, 'token')}")
    say(as_json, data, "\n".join(lines))
    if done.stale:
        raise typer.Exit(3)


@app.command(epilog="Example: edge grill run --unattended")
def run(
    unattended: Unattended = False,
    max_chats: MaxChats = None,
    max_tokens: MaxTokens = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """A whole run by the model that is set, or by rules; attended, it asks you what neither settles."""
    if not unattended:
        require_operator("an attended grill", "start it with --unattended, or in your own terminal")
    with opened(home) as edge:
        before = edge.model.tally() if edge.model else None
        done = edge.grill.run(
            edge.cognition,
            "unattended" if unattended else "attended",
            caps(edge, max_chats, max_tokens),
            edge.settings.lang,
            acting(),
            None if unattended else _ask,
        )
        cost = edge.model.tally().since(before) if edge.model and before else None
    _print(json_, done, cost)


def _ask(question: str, options: Sequence[Data]) -> str | None:
    """Put a question on the terminal; nothing typed, or no terminal, leaves it parked."""
    print(f"\n{shown(question)}\n> ", end="", file=sys.stderr, flush=True)  # noqa: T201  # the dialogue itself
    line = sys.stdin.readline()
    return line.strip() or None


@app.command(epilog="Example: edge grill show")
def show(run: RunId = None, home: Home = None, json_: Json = False) -> None:
    """A run: what it loaded, what was planned, how each chat ended."""
    with opened(home) as edge:
        state, _ = edge.grill.load(_run_shown(edge, run))
    data = {name: state[name] for name in _SHOWN}  # type: ignore[literal-required]
    data["planned"] = list(state["planned"].values())
    chats = set(loaded_ids(state))
    data["results"] = [{"comment_id": k, "result": v} for k, v in state["results"].items() if k in chats]
    data["curated"] = [
        {**planned["curate"], "result": state["results"].get(key)}
        for key, planned in state["planned"].items()
        if "curate" in planned
    ]
    say(json_, data, "\n".join(_lines(state)))


_SHOWN = (
    "run_id",
    "state",
    "mode",
    "cursor",
    "now",
    "caps",
    "loaded",
    "overflow",
    "awaiting",
    "agenda",
    "reason",
)


def _run_shown(edge: Edge, prefix: str | None) -> str:
    """The run to show: named, else the only open one, else the last."""
    last = edge.current().last_run()
    if prefix is None and not edge.current().open_runs() and last is not None:
        return last["run_id"]
    return run_of(edge, prefix)


def _lines(state: Run) -> list[str]:
    lines = [f"run {state['run_id']} ({state['mode']}): {state['state']}"]
    for loaded in state["loaded"]:
        id_ = loaded["comment_id"]
        planned = state["planned"].get(id_, {"decision": "undecided"})
        read = f" ({planned['intent']})" if planned.get("intent") else ""
        ended = state["results"].get(id_, "open")
        lines.append(f"{id_}  harm {loaded['harm']}  {planned['decision']}{read}  {ended}")
    if state["reason"]:
        lines.append(f"abandoned: {state['reason']}")
    return lines


@app.command(epilog='Example: edge grill abandon 0193ab --reason "the model is down"')
def abandon(
    run: RunId = None,
    reason: Annotated[str, typer.Option("--reason", help="Why it is given up.")] = "",
    home: Home = None,
    json_: Json = False,
) -> None:
    """Give a run up; what it left undecided is marked as owed an answer."""
    with opened(home) as edge:
        done = edge.grill.abandon(run_of(edge, run), reason, acting())
    results = [{"comment_id": r.comment_id, "result": r.result} for r in done.results]
    say(json_, {"run_id": done.run_id, "results": results}, f"run {done.run_id} abandoned")
