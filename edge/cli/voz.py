"""``edge voz``: the operator's acts, and what each is owed."""

from __future__ import annotations

from typing import Annotated

import typer

from edge.cli import views
from edge.cli.common import At, Home, Json, counted, group, opened, queries, say, text_of
from edge.domain import channel, pendency
from edge.domain.events import Data
from edge.domain.language import first_line
from edge.domain.pendency import ActKind
from edge.domain.refusal import Misused, Refused
from edge.ports import Queries, Which
from edge.settings import acting, require_operator
from edge.voz import Spoken
from edge.wiring import Edge

app = group("The operator's voice, and what each act is owed")

_ANY_TEXT = {"ignore_unknown_options": True}
"""What the operator says may begin with a dash."""
_VOTES = {"up": 1, "down": -1, "clear": 0}

Key = Annotated[str | None, typer.Option("--key", help="Makes a retry land once.")]


@app.command(
    context_settings=_ANY_TEXT,
    epilog='Example: edge voz comment "Prioritise the tests" --on retry-study --harm 20',
)
def comment(
    text: Annotated[str, typer.Argument(help="What you say; - reads standard input.")],
    on: Annotated[str | None, typer.Option("--on", metavar="SLUG", help="A published artefato.")] = None,
    harm: Annotated[int, typer.Option("--harm", help="Your own urgency, 0 to 100.")] = 0,
    key: Key = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Say something to edge, about an artefato or in general."""
    require_operator("a comment")
    with opened(home) as edge:
        spoken = edge.voz.comment(text_of(text), _slug(edge, on), harm, key)
    _said(json_, "comment_id", spoken, "commented")


@app.command(epilog="Example: edge voz vote retry-study up")
def vote(
    slug: str,
    value: Annotated[str, typer.Argument(metavar="up|down|clear")],
    key: Key = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Vote on an artefato; clear takes the vote back."""
    require_operator("a vote")
    if value not in _VOTES:
        raise Misused(f"no such vote {value!r}", hint="up, down or clear")
    with opened(home) as edge:
        spoken = edge.voz.vote(_slug(edge, slug) or slug, _VOTES[value], key)
    _said(json_, "vote_id", spoken, "voted")


@app.command(context_settings=_ANY_TEXT, epilog="Example: edge voz answer 0193ab yes")
def answer(
    clarify: Annotated[str, typer.Argument(help="The question's id, or a unique prefix of it.")],
    text: Annotated[str, typer.Argument(help="Your answer; - reads standard input.")],
    home: Home = None,
    json_: Json = False,
) -> None:
    """Answer edge's question on a parked chat."""
    require_operator("an answer")
    with opened(home) as edge:
        spoken = edge.voz.answer(edge.resolve("clarify", clarify), text_of(text))
    _said(json_, "clarify_id", spoken, "answered")


@app.command(epilog="Example: edge voz withdraw 0193ab")
def withdraw(comment_id: str, home: Home = None, json_: Json = False) -> None:
    """Take a comment back."""
    require_operator("a withdrawal")
    with opened(home) as edge:
        spoken = edge.voz.withdraw(edge.resolve("comment", comment_id))
    _said(json_, "comment_id", spoken, "withdrawn")


def _slug(edge: Edge, slug: str | None) -> str | None:
    return edge.resolve("artefato", slug) if slug else slug


def _said(as_json: bool, field: str, spoken: Spoken, verb: str) -> None:
    data = {field: spoken.id, "position": spoken.position, "duplicate": spoken.duplicate}
    again = " (it stood there already)" if spoken.duplicate else ""
    say(as_json, data, f"{verb}: {spoken.id}{again}")


@app.command("list", epilog="Example: edge voz list --open")
def list_(
    open_: Annotated[bool, typer.Option("--open", help="Every chat not closed.")] = False,
    parked: Annotated[bool, typer.Option("--parked", help="Those that wait for your answer.")] = False,
    actionable: Annotated[bool, typer.Option("--actionable", help="Those a grill can load.")] = False,
    closed: Annotated[bool, typer.Option("--closed", help="Those that are over.")] = False,
    at: At = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Chats in log order."""
    flags: dict[Which, bool] = {"open": open_, "parked": parked, "actionable": actionable, "closed": closed}
    chosen = [which for which, on in flags.items() if on]
    if len(chosen) > 1:
        raise Misused("choose one of --open, --parked, --actionable, --closed")
    _list(home, at, json_, chosen[0] if chosen else "all", None)


@app.command(epilog="Example: edge voz timeline --on retry-study")
def timeline(
    on: Annotated[str | None, typer.Option("--on", metavar="SLUG", help="Only about this artefato.")] = None,
    at: At = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """All chats in log order, or those on one artefato."""
    _list(home, at, json_, "all", on)


def _list(home: Home, at: At, as_json: bool, which: Which, target: str | None) -> None:
    with opened(home) as edge:
        chats = list(queries(edge, at).chats(which, target))
    text = "\n".join(views.chat_line(chat) for chat in chats) or "no chats"
    say(as_json, [views.chat(chat) for chat in chats], text)


@app.command(epilog="Example: edge voz show 0193ab")
def show(comment_id: str, at: At = None, home: Home = None, json_: Json = False) -> None:
    """One chat with its events."""
    with opened(home) as edge:
        known = queries(edge, at)
        id_ = edge.resolve("comment", comment_id)
        chat = known.chat(id_)
        if chat is None or not chat["position"]:
            if edge.was_forgotten(f"voz-{edge.streams.group}.{id_}"):
                raise Refused(f"comment {id_} was forgotten", hint="`edge voz list` shows those there are")
            raise Refused(f"no comment {comment_id!r}", hint="`edge voz list` shows them")
        last = known.position()
        events = [e for e in edge.log.read(edge.streams.chat(id_)) if e.position <= last]
        about = chat["target_ref"]
        way_back = channel.deliverable(channel.reply_of(chat), edge.clock_at(at))
        gone = bool(about) and edge.was_forgotten(f"artefato-{edge.streams.group}.{about}")
    data = {
        **views.chat(chat),
        "target_forgotten": gone,
        "reply_capability": chat["reply_capability"],
        "delivery": way_back._asdict(),
        "events": [event.envelope() for event in events],
    }
    said = [f"{s['at']}  {s['type'].removeprefix('voz.')}: {s['body']}" for s in chat["said"]]
    note = [f"about {about} (forgotten)"] if gone else []
    note += [line] if (line := channel.told(way_back, chat["channel"], "en")) else []
    say(json_, data, "\n".join([views.chat_line(chat), *note, *said]))


@app.command(epilog="Example: edge voz pending")
def pending(at: At = None, home: Home = None, json_: Json = False) -> None:
    """Acts still owed an answer or a receipt."""
    with opened(home) as edge:
        data = owed(queries(edge, at))
    counts = data["counts"]
    lines = [
        f"pending: {counted(counts['comments'], 'comment')}, {counted(counts['votes'], 'vote')};"
        f" naked: {counts['naked']}"
    ]
    lines += [f"{a['act']}  {a['kind']}  {a['target'] or 'general'}  {_wording(a)}" for a in data["pending"]]
    say(json_, data, "\n".join(lines))


def _wording(act: Data) -> str:
    """A comment's first line, or which way a vote went."""
    return f"{act['value']:+d}" if act["value"] is not None else first_line(act["text"] or "", 80)


def owed(known: Queries) -> Data:
    """Acts still owed something, as ``voz pending`` prints them."""
    with known.snapshot():
        counts = known.counts()
        acts = known.open_acts("comment") + known.open_acts("vote")
    acts.sort(key=lambda act: act["position"])
    return {
        "counts": {"comments": counts.open, "votes": counts.votes, "naked": counts.naked},
        "pending": [pendency.shown(act) for act in acts],
    }


@app.command(epilog='Example: edge voz dispose 0193ab dead_lettered --reason "sent twice"')
def dispose(
    act: Annotated[str, typer.Argument(help="A comment's or a vote's id, or a unique prefix.")],
    state: Annotated[
        str,
        typer.Argument(help="receipt_sent, semantic_answer_required, semantic_answered or dead_lettered."),
    ],
    reason: Annotated[str | None, typer.Option("--reason", help="Why; dead_lettered needs it.")] = None,
    ref: Annotated[
        str | None, typer.Option("--ref", help="What answers it; semantic_answered needs it.")
    ] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Write a disposition of an act."""
    actor = acting()
    if state in ("semantic_answered", "dead_lettered"):
        require_operator(f"a disposition {state}")
    with opened(home) as edge:
        kind, id_ = act_of(edge, act)
        done = edge.voz.dispose(kind, id_, state, reason, ref, actor)
    data = {"act": done.id, "state": state, "position": done.position, "duplicate": done.duplicate}
    say(json_, data, f"{done.id}: {'nothing to write' if done.duplicate else state}")


def act_of(edge: Edge, prefix: str) -> tuple[ActKind, str]:
    """The act an id or a unique prefix means, be it a comment or a vote."""
    known = edge.current()
    kinds: tuple[ActKind, ...] = ("comment", "vote")
    found = [(kind, id_) for kind in kinds for id_ in known.matching(kind, prefix)]
    exact = [(kind, id_) for kind, id_ in found if id_ == prefix]
    if len(exact or found) > 1:
        raise Misused(f"{prefix!r} begins more than one act's id", hint="give more of it")
    if not found:
        raise Refused(f"no act {prefix!r}", hint="`edge voz pending` lists the open ones")
    return (exact or found)[0]
