"""``edge open``, ``close``, ``briefing``, ``sweep``: the life of a dispatch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from edge.cli.common import At, Home, Json, counted, group, opened, read_text, say
from edge.cli.terminal import shown
from edge.cli.voz import act_of
from edge.dispatch import Artefact
from edge.domain.events import Data
from edge.domain.language import first_line
from edge.domain.pendency import ActKind
from edge.domain.refusal import Misused, Refused
from edge.settings import moment_named
from edge.wiring import Edge

app = group("The life of a dispatch")

_LEFT_OUT_SHOWN = 10
_META = ("title", "cites", "distills", "proposes")

Since = Annotated[str | None, typer.Option("--since", metavar="DATE", help="Leave out what is older.")]


@app.command("open", epilog="Example: edge open report --theme retries")
def open_(
    kind: Annotated[str, typer.Argument(help="beat, report, research, load, …")],
    theme: Annotated[str | None, typer.Option("--theme", help="What it is about.")] = None,
    origin: Annotated[str, typer.Option("--origin", help="operator or beat.")] = "operator",
    budget_tokens: Annotated[
        int | None, typer.Option("--budget-tokens", help="Size of the Briefing.")
    ] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Open a dispatch: sweep what is new, fold, and print the Briefing it begins with."""
    if origin not in ("operator", "beat"):
        raise Misused(f"no such origin {origin!r}", hint="operator or beat")
    if not kind.strip():
        raise Misused("a dispatch needs its kind", hint="beat, report, research, load, …")
    _check_budget(budget_tokens)
    with opened(home) as edge:
        edge.finish_forgetting()  # what cannot be finished now delays nothing, and the strip names it
        done = edge.dispatches.open(
            kind.strip(),
            theme,
            origin,
            edge.sweep_for,
            lambda dispatch_id: _learnt(edge, dispatch_id, _silent if json_ else _aside),
            lambda: edge.briefing(budget_tokens, in_prose=True),
        )
    prose = done.briefing.prose
    data = {
        "dispatch_id": done.dispatch_id,
        "kind": done.kind,
        "cursor": done.briefing.position,
        "sweep": done.sweep,
        "extraction": done.extraction,
        "prose": prose and prose.as_json(),
        "briefing": done.briefing.as_json(),
        "health": done.briefing.health,
    }
    trouble = _stopped(done.extraction or {})
    if prose and prose.said:
        trouble += f"the Recap is without prose: {prose.said}\n"
    say(json_, data, f"dispatch {done.dispatch_id} ({done.kind})\n{trouble}\n{done.briefing.text}")


def _check_budget(tokens: int | None) -> None:
    if tokens is not None and tokens < 1:
        raise Misused("the budget is at least 1 token")


def _stopped(extraction: Data) -> str:
    """What an extraction could not read, and why it ended before all was read, where it did."""
    failed = ""
    if n := extraction.get("failed"):
        failed = f"{counted(n, 'episode')} could not be extracted: `edge status` says why\n"
    if extraction.get("stopped") is None:
        return failed
    said = f": {extraction['said']}" if extraction["said"] else ""
    bound = "" if said else f" at its bound of {extraction['stopped']}"
    return failed + f"extraction stopped{bound}{said}; {extraction['lag']} left\n"


def _aside(line: str) -> None:
    typer.echo(shown(line), err=True)


def _silent(_line: str) -> None:
    """Under --json stderr holds errors only."""


def _learnt(edge: Edge, dispatch_id: str, say: Callable[[str], None]) -> Data:
    """Extract what waits, and bring what is derived of it to currency."""
    extracted = edge.extract_for(dispatch_id, say)
    edge.derived.refresh()
    return extracted


@app.command(
    epilog='Example: edge close --intent "why" --artefato study.md --slug retry-study --meta study.json'
)
def close(
    dispatch_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="By default the only open one.")
    ] = None,
    intent: Annotated[
        str | None, typer.Option("--intent", help="The why; mandatory with an artefato.")
    ] = None,
    artefato: Annotated[
        Path | None, typer.Option("--artefato", metavar="F.md", help="Markdown to publish.")
    ] = None,
    slug: Annotated[str | None, typer.Option("--slug", help="Its name.")] = None,
    meta: Annotated[
        Path | None, typer.Option("--meta", metavar="F.json", help="{title, cites, distills, proposes}.")
    ] = None,
    republish: Annotated[
        bool, typer.Option("--republish", help="A new revision of what is published.")
    ] = False,
    answered: Annotated[
        list[str] | None,
        typer.Option("--answered", metavar="ACT=REF", help="An act this answers; repeatable."),
    ] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Close a dispatch: publish or leave a breadcrumb, give every act its receipt, pass the gate."""
    publication = _artefact(artefato, slug, meta, republish)
    with opened(home) as edge:
        full = dispatch_of(edge, dispatch_id)
        done = edge.dispatches.close(full, intent, publication, answers_of(edge, answered or []))
    lines = [f"dispatch {done.dispatch_id} closed"]
    lines += [f"published: {name}" for name in done.published]
    lines.append(
        f"receipts: {len(done.receipts)}, answered: {len(done.answered)}, pending: {len(done.pending)}"
    )
    say(json_, done._asdict(), "\n".join(lines))


def dispatch_of(edge: Edge, prefix: str | None) -> str:
    """The dispatch an id or a unique prefix means; the only open one where none is given."""
    if prefix is not None:
        return edge.resolve("dispatch", prefix)
    found = edge.current().open_dispatches()
    if len(found) != 1:
        raise Misused(
            "no dispatch is open" if not found else f"{len(found)} dispatches are open: {', '.join(found)}",
            hint="`edge open KIND` opens one" if not found else "name the one to close",
        )
    return found[0]


def answers_of(edge: Edge, answered: list[str]) -> dict[tuple[ActKind, str], str]:
    """The acts that ``ACT=REF`` says are answered, each with its ref."""
    answers: dict[tuple[ActKind, str], str] = {}
    for pair in answered:
        act, equals, ref = pair.partition("=")
        if not equals or not act.strip():
            raise Misused(f"--answered {pair!r} is not ACT=REF", hint="like --answered 0193ab=retry-study")
        if not ref.strip():
            raise Refused(f"{act} is answered by nothing", hint="name what answers it: ACT=REF")
        answers[act_of(edge, act.strip())] = ref.strip()
    return answers


def _artefact(path: Path | None, slug: str | None, meta: Path | None, republish: bool) -> Artefact | None:
    """What is to be published, from its Markdown and its meta file; None where nothing is."""
    if path is None:
        if slug or meta or republish:
            raise Misused("--slug, --meta and --republish go with --artefato")
        return None
    if not slug:
        raise Misused("--artefato needs its --slug")
    body = read_text(path)
    data: Data = {"slug": slug, "body": body, **_meta(meta)}
    data.setdefault("title", first_line(body.lstrip("# \n"), 200) or slug)
    return Artefact(data, republish)


def _meta(path: Path | None) -> Data:
    if path is None:
        return {}
    try:
        document: Any = json.loads(read_text(path))
    except ValueError as error:
        raise Misused(f"{path} is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise Refused(f"{path} is not an object", hint=f"with {', '.join(_META)}")
    foreign = sorted(set(document) - {*_META, "intent", "slug"})
    if foreign:
        raise Refused(f"{path}: no field {foreign[0]!r}", hint=f"only {', '.join(_META)}")
    return {name: document[name] for name in _META if document.get(name) is not None}


@app.command(epilog="Example: edge briefing --at 120")
def briefing(
    at: At = None,
    budget_tokens: Annotated[
        int | None, typer.Option("--budget-tokens", help="Its size; refused for one that was shown.")
    ] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Print the Briefing now, or as it was shown at a position."""
    _check_budget(budget_tokens)
    with opened(home) as edge:
        if at is None:
            composed = edge.briefing(budget_tokens)
            data, note = {**composed.as_json(), "position": composed.position}, ""
        else:
            data, note = edge.briefing_at(at, budget_tokens)
    say(json_, data, note + data["text"])


@app.command(epilog="Example: edge sweep --dry-run --since 2026-11-01")
def sweep(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; show what would be captured.")
    ] = False,
    since: Since = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Take in what is new in the transcript store."""
    with opened(home) as edge:
        moment = moment_named(since, edge.settings.tz) if since else None
        done = edge.sweep(dry_run=dry_run, since=moment)
    say(json_, done, _swept(done))


def _swept(done: Data) -> str:
    lines = [
        f"{counted(done['sessions'], 'session')}, {counted(done['episodes'], 'episode')},"
        f" {counted(done['turns'], 'turn')} from {counted(done['bytes'], 'byte')} in {done['seconds']:.1f} s"
    ]
    if done["redactions"]:
        kinds = ", ".join(f"{n} {kind}" for kind, n in done["redactions"].items())
        lines.append(f"redacted: {kinds}")
    if done["skipped_records"]:
        lines.append(f"passed over: {counted(done['skipped_records'], 'unreadable record')}")
    lines += [
        f"left out: {left['session']} ({left['reason']})" for left in done["excluded"][:_LEFT_OUT_SHOWN]
    ]
    if len(done["excluded"]) > _LEFT_OUT_SHOWN:
        lines.append(f"and {counted(len(done['excluded']) - _LEFT_OUT_SHOWN, 'session')} more left out")
    return "\n".join(lines)
