"""``edge sources``: what edge drew on, what it turned out to be worth, and what the operator holds of it."""

from __future__ import annotations

from typing import Annotated

import typer

from edge.cli.common import At, Home, Json, group, opened, queries, say, text_of
from edge.domain.events import Data
from edge.domain.language import first_line
from edge.domain.refusal import Misused
from edge.domain.sources import KINDS, Ranked
from edge.settings import require_operator
from edge.sources import CuratedSource

app = group("What edge drew on, and what it turned out to be worth")

Ref = Annotated[str, typer.Argument(metavar="REF", help="A URL, commit:SHA, session:ID, or any name.")]

_REF_SHOWN = 100
_WHY_SHOWN = 3
"""Weights of each source that the list names, unless all are asked for."""


@app.command("list", epilog="Example: edge sources list --limit 10")
def list_(
    limit: Annotated[int | None, typer.Option("--limit", help="At most so many.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Every weight, not only the newest few.")] = False,
    at: At = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Sources in rank order, each with what its score comes from."""
    if limit is not None and limit < 1:
        raise Misused("the limit is at least 1")
    with opened(home) as edge:
        known = queries(edge, at)
        with known.snapshot():
            found = known.sources(edge.clock_at(at), limit)
    lines = [line for source in found for line in _lines(source, None if why else _WHY_SHOWN)]
    nothing = "no artefato has cited anything yet, and you hold no opinion of a source"
    say(json_, [source.as_json() for source in found], "\n".join(lines) or nothing)


@app.command(
    epilog='Example: edge sources curate https://example.org/post --opinion "measures, does not guess"'
)
def curate(
    ref: Ref,
    opinion: Annotated[str, typer.Option("--opinion", help="What you hold of it, and why; - reads stdin.")],
    home: Home = None,
    json_: Json = False,
) -> None:
    """Hold an opinion of a source: it stands above every score, and does not age."""
    require_operator("curating a source")
    with opened(home) as edge:
        done = edge.source_curation.curate(ref, text_of(opinion))
    say(json_, done._asdict(), _done(done, "curated"))


@app.command(epilog='Example: edge sources retire https://example.org/post --reason "no longer kept up"')
def retire(
    ref: Ref,
    reason: Annotated[str, typer.Option("--reason", help="Why.")],
    home: Home = None,
    json_: Json = False,
) -> None:
    """Hold the opinion no longer; what happened to the source counts again."""
    require_operator("retiring a source")
    with opened(home) as edge:
        done = edge.source_curation.retire(ref, reason)
    say(json_, done._asdict(), _done(done, "retired"))


def _done(done: CuratedSource, what: str) -> str:
    return f"{what} {done.ref}" if done.position is not None else f"{done.ref} stood so already"


def _lines(source: Ranked, shown: int | None) -> list[str]:
    said = " ".join(f"{kind} {source.signals[kind]:+g}" for kind in KINDS if source.signals[kind])
    ref = first_line(source.ref, _REF_SHOWN)
    head = f"[{source.tier}] {ref} ({source.kind})  {source.score:.2f}" + (f"  {said}" if said else "")
    told = [f"    {source.opinion}"] if source.opinion else []
    weights = source.why if shown is None else source.why[:shown]
    told += [_weight(weight) for weight in weights]
    left = len(source.why) - len(weights) + source.why_left
    return [head, *told, *([f"    and {left} more"] if left else [])]


def _weight(weight: Data) -> str:
    about = first_line(str(weight["about"]), _REF_SHOWN)
    return (
        f"    {weight['weight']:+g} {weight['signal']}, now {weight['aged']:+.2f}: {about},"
        f" {weight['at'][:10]} (event {weight['event']})"
    )
