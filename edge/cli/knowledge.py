"""``edge knowledge``: what sessions suggest and what the operator made of it."""

from __future__ import annotations

from typing import Annotated

import typer

from edge.cli.common import At, Home, Json, counted, group, opened, queries, say, text_of
from edge.cli.knowledge_clusters import clusters
from edge.domain.knowledge import Tier
from edge.domain.language import first_line
from edge.domain.refusal import Misused, Refused
from edge.knowledge import CuratedAt
from edge.ports_knowledge import Knowing
from edge.settings import require_operator

app = group("What sessions suggest, and what the operator made of it")

_TIERS: tuple[Tier, ...] = ("hypothesis", "contested", "curated")

Id = Annotated[str, typer.Argument(metavar="ID")]
Reason = Annotated[str, typer.Option("--reason", help="Why.")]


@app.command("list", epilog="Example: edge knowledge list --tier contested")
def list_(
    tier: Annotated[str | None, typer.Option("--tier", help="hypothesis, contested or curated.")] = None,
    at: At = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Every statement that is known, with its tier."""
    only = next((known for known in _TIERS if known == tier), None)
    if tier is not None and only is None:
        raise Misused(f"no such tier {tier!r}", hint=", ".join(_TIERS))
    with opened(home) as edge:
        known = queries(edge, at)
        with known.snapshot():
            items = known.knowledge.items(only)
    data = [item.as_json(len(item.episodes)) for item in items]
    say(json_, data, "\n".join(map(_line, items)) or "nothing is known yet: `edge open KIND` extracts")


@app.command(epilog='Example: edge knowledge search "retry queue"')
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words, in any language; - reads stdin.")],
    limit: Annotated[int, typer.Option("--limit", help="At most so many.")] = 10,
    at: At = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """What is known of a text, best first: by its words and by likeness."""
    asked = text_of(text).strip()
    if not asked:
        raise Misused("there is nothing to search for")
    if limit < 1:
        raise Misused("the limit is at least 1")
    with opened(home) as edge:
        found = edge.knowledge.search(asked, limit, at)
    say(
        json_,
        [item.as_json(score) for item, score in found],
        "\n".join(_line(item) for item, _ in found) or "nothing that is known speaks of it",
    )


app.command("clusters", epilog="Example: edge knowledge clusters --at 2026-11-30")(clusters)


@app.command(epilog="Example: edge knowledge show 0f1c2d")
def show(id_: Id, at: At = None, home: Home = None, json_: Json = False) -> None:
    """One statement: where it stands, and where it comes from."""
    with opened(home) as edge:
        known = queries(edge, at)
        full = edge.resolve("knowledge", id_)
        with known.snapshot():
            item, curation = known.knowledge.item(full), known.knowledge.curation(full)
            subject = known.knowledge.subject(full)
    if item is None:
        hint = "`edge knowledge list` names the statements"
        if subject is None:
            raise Refused(f"no knowledge {id_!r}", hint=hint)
        raise Misused(f"{full} is {subject.kind} {subject.words!r}", hint=hint)
    data = {**item.as_json(len(item.episodes)), "events": item.events, "curation": curation}
    lines = [_line(item), f"said in {counted(len(item.episodes), 'episode')}: {', '.join(item.episodes)}"]
    if item.entities:
        lines.append(f"about {', '.join(item.entities)}")
    if curation and curation["into"]:
        lines.append(f"merged into {curation['into']}")
    if curation and curation["reason"]:
        lines.append(f"{curation['standing']}: {curation['reason']}")
    say(json_, data, "\n".join(lines))


@app.command(epilog='Example: edge knowledge promote 0f1c2d --statement "Redis holds the queue"')
def promote(
    id_: Id,
    statement: Annotated[
        str | None, typer.Option("--statement", help="In your words; else as it stands.")
    ] = None,
    evidence: Annotated[list[str] | None, typer.Option("--evidence", help="What shows it.")] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Make a hypothesis curated knowledge."""
    require_operator("promoting knowledge")
    with opened(home) as edge:
        full = edge.resolve("knowledge", id_)
        _curated(json_, edge.curation.promote(full, statement, evidence or []), "promoted")


@app.command(epilog='Example: edge knowledge contest 0f1c2d --reason "it was only tried"')
def contest(id_: Id, reason: Reason = "", home: Home = None, json_: Json = False) -> None:
    """Doubt a statement openly; it stays, shown as contested."""
    require_operator("contesting knowledge")
    with opened(home) as edge:
        _curated(json_, edge.curation.contest(edge.resolve("knowledge", id_), reason), "contested")


@app.command(epilog="Example: edge knowledge merge 0f1c2d 77aa01")
def merge(
    id_: Id,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The one that stays.")],
    home: Home = None,
    json_: Json = False,
) -> None:
    """Say that two statements, or two entities, are one."""
    require_operator("merging knowledge")
    with opened(home) as edge:
        one, other = edge.resolve("knowledge", id_), edge.resolve("knowledge", into)
        _curated(json_, edge.curation.merge(one, other), f"merged into {other}")


@app.command(epilog='Example: edge knowledge retire 0f1c2d --reason "no longer so"')
def retire(id_: Id, reason: Reason = "", home: Home = None, json_: Json = False) -> None:
    """Take a statement out of what is shown."""
    require_operator("retiring knowledge")
    with opened(home) as edge:
        _curated(json_, edge.curation.retire(edge.resolve("knowledge", id_), reason), "retired")


def _line(item: Knowing) -> str:
    return f"{item.id}  [{item.tier}] {first_line(item.statement, 160)}"


def _curated(as_json: bool, done: CuratedAt, verb: str) -> None:
    said = verb if done.position is not None else f"{verb} already"
    data = {"id": done.id, "position": done.position, "duplicate": done.position is None}
    say(as_json, data, f"{said}: {done.id}")
