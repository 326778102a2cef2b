"""``edge direction``: the strategy, read and moved by hand."""

from __future__ import annotations

from typing import Annotated

import typer

from edge.cli.common import At, Home, Json, group, opened, queries, say, text_of
from edge.domain import direction, steer_history
from edge.domain.events import Data
from edge.domain.refusal import Refused
from edge.domain.steer_history import Line
from edge.settings import acting, require_operator
from edge.steering import Steered
from edge.wiring import Edge

app = group("The strategy: what is set, what is proposed")

Title = Annotated[str | None, typer.Option("--title", help="One line, at most 80 characters.")]
Body = Annotated[str | None, typer.Option("--body", help="What holds from now on; - reads standard input.")]
Kind = Annotated[str | None, typer.Option("--kind", help="phase, priority, constraint or thread.")]
Expires = Annotated[str | None, typer.Option("--expires", metavar="DATE", help="Last day it holds.")]
RelatesTo = Annotated[list[str] | None, typer.Option("--relates-to", help="What it is about; repeatable.")]


@app.command("list", epilog="Example: edge direction list --at 2026-06-30")
def list_(at: At = None, home: Home = None, json_: Json = False) -> None:
    """Steers set, proposed and expired."""
    with opened(home) as edge:
        data = listed(edge, at)
    lines = [
        f"{steer['id']}  [{tier}] {steer['title']} ({steer['kind']})"
        for tier in ("set", "proposed", "expired")
        for steer in data[tier]
    ]
    nothing = "nothing has moved Direction yet" if data["none"] else "no steer is set or proposed"
    say(json_, data, "\n".join(lines) or nothing)


def listed(edge: Edge, at: str | None) -> Data:
    """Direction as ``direction list`` prints it."""
    known = queries(edge, at)
    with known.snapshot():
        items, none, position = known.items(), not known.direction_touched(), known.position()
    lists = direction.listed(items, edge.clock_at(at), edge.settings.tz)
    return {"position": position, "none": none, **lists}


@app.command(epilog="Example: edge direction show tests-first-1a2b3c4d")
def show(
    id_: Annotated[str, typer.Argument(metavar="ID")], at: At = None, home: Home = None, json_: Json = False
) -> None:
    """One steer, also one that is gone."""
    with opened(home) as edge:
        known = queries(edge, at)
        full = edge.resolve("direction", id_)
        item = known.item(full)
        told = steer_history.history(known.moves_of(full), edge.clock_at(at), edge.settings.tz)
    if item is None:
        raise Refused(f"no steer {id_!r}", hint="`edge direction list` shows them")
    data = {**direction.shown(item), "tier": item["tier"], "reason": item["reason"]}
    data["history"] = [_history(line) for line in told]
    lines = [f"{item['id']}  [{item['tier']}] {item['title']} ({item['kind']})", item["body"]]
    if item["reason"]:
        lines.append(f"gone: {item['reason']}")
    if item["origin_comment_id"]:
        lines.append(f"from comment {item['origin_comment_id']}")
    lines += [_history_line(line) for line in told]
    say(json_, data, "\n".join(lines))


def _history(line: Line) -> Data:
    """One line of what happened to a steer, as ``direction show`` prints it."""
    said = line.said
    return {
        "op": line.op,
        "at": line.at,
        "position": line.position,
        "event": line.event,
        "actor": line.actor,
        "reason": said.get("reason") if line.op == "drop" else None,
        "superseded_by": said.get("reason") if line.op == "supersede" else None,
        "origin_comment_id": said.get("origin_comment_id"),
        "from_artefato": said.get("from_artefato"),
        "expires_at": said.get("expires_at"),
        "counts": line.counts,
        "conflicts_with": line.conflicts_with,
    }


_OPS = {
    "propose": "proposed",
    "set": "set",
    "drop": "dropped",
    "supersede": "superseded",
    "expire": "expired",
}


def _history_line(line: Line) -> str:
    said = line.said
    parts = [f"{line.at}  {_OPS[line.op]}", f" by {line.actor}" if line.actor else ""]
    if line.op in ("drop", "supersede") and said.get("reason"):
        parts.append(f": {'by ' if line.op == 'supersede' else ''}{said['reason']}")
    elif said.get("expires_at"):
        parts.append(f", {'its last day was' if line.op == 'expire' else 'until'} {said['expires_at']}")
    if line.conflicts_with:
        parts.append(f" (an edit of the same state as {line.conflicts_with}, which it replaced unseen)")
    return "".join([*parts, "" if line.counts else " (passed over)"])


@app.command(epilog='Example: edge direction propose --title "Tests first" --body "…" --kind priority')
def propose(
    id_: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    title: Title = None,
    body: Body = None,
    kind: Kind = None,
    expires: Expires = None,
    relates_to: RelatesTo = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Propose a steer; only the operator's promotion sets it."""
    fields = _fields(title or "", body or "", kind or "priority", expires, relates_to)
    with opened(home) as edge:
        steered = edge.steering.propose(fields, id_, acting())
    _steered(json_, steered, "proposed")


@app.command("set", epilog='Example: edge direction set --title "Tests first" --body "No merge without one"')
def set_(
    id_: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A proposal to promote, or a steer to edit.")
    ] = None,
    title: Title = None,
    body: Body = None,
    kind: Kind = None,
    expires: Expires = None,
    relates_to: RelatesTo = None,
    supersedes: Annotated[
        str | None, typer.Option("--supersedes", metavar="ID", help="A steer it replaces.")
    ] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Set a steer: a new one, a proposal promoted, or one edited."""
    require_operator("setting a steer")
    fields = _fields(title, body, kind, expires, relates_to)
    with opened(home) as edge:
        full = edge.resolve("direction", id_) if id_ else None
        replaced = edge.resolve("direction", supersedes) if supersedes else None
        steered = edge.steering.set_(fields, full, replaced)
    _steered(json_, steered, "set")


@app.command(epilog='Example: edge direction drop tests-first-1a2b3c4d --reason "done"')
def drop(
    id_: Annotated[str, typer.Argument(metavar="ID")],
    reason: Annotated[str, typer.Option("--reason", help="Why it goes.")] = "",
    home: Home = None,
    json_: Json = False,
) -> None:
    """Take a steer out."""
    require_operator("dropping a steer")
    with opened(home) as edge:
        steered = edge.steering.drop(edge.resolve("direction", id_), reason)
    _steered(json_, steered, "dropped")


def _fields(
    title: str | None, body: str | None, kind: str | None, expires: str | None, relates_to: list[str] | None
) -> Data:
    return {
        "title": title,
        "body": text_of(body) if body else body,
        "kind": kind,
        "expires_at": expires,
        "relates_to": relates_to or None,
    }


def _steered(as_json: bool, steered: Steered, verb: str) -> None:
    say(as_json, {"id": steered.id, "position": steered.position}, f"{verb}: {steered.id}")
