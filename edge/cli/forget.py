"""``edge forget``: a session, a project, a comment or an artefato, wherever edge keeps it."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from edge.cli.common import Home, Json, counted, group, opened, say
from edge.cli.terminal import shown
from edge.domain.refusal import Misused
from edge.forget import Kind, Target, Told
from edge.settings import require_operator
from edge.wiring import Edge

app = group("Forget what was taken in, said or published")

_BACKUPS: Final = "backups and exports made before: they hold it as they did"
_MODELS: Final = "whatever a model's provider was sent"
_SERVER: Final = "the server's disk, until it is scavenged (docs/eventstoredb.md)"
_HOSTS: Final = "other hosts' read models, until their next command or worker"
_TRANSCRIPTS: Final = "the transcripts themselves: edge deletes none, and takes them in no more"
_PROJECT: Final = "sessions still to come: add the project to [store] exclude in edge.toml"


@app.command(epilog="Example: edge forget 6513270e --dry-run")
def forget(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="A session's id, or a unique beginning.")
    ] = None,
    project: Annotated[
        str | None,
        typer.Option("--project", metavar="P", help="Every session of this directory, or of one so named."),
    ] = None,
    comment: Annotated[
        str | None, typer.Option("--comment", metavar="C", help="A comment and its whole chat.")
    ] = None,
    artefato: Annotated[
        str | None, typer.Option("--artefato", metavar="S", help="An artefato and the votes on it.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; name what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Take it out of the log and of all that was made of it, for good. Asks first, on a terminal."""
    require_operator("forgetting")
    given: list[tuple[Kind, str]] = []
    options: tuple[tuple[Kind, str | None], ...] = (
        ("session", session),
        ("project", project),
        ("comment", comment),
        ("artefato", artefato),
    )
    for kind, name in options:
        if name is not None:
            given.append((kind, name))
    if len(given) != 1 or not given[0][1].strip():
        raise Misused(
            "name one thing to forget", hint="a session, or --project P, --comment C, --artefato SLUG"
        )
    with opened(home) as edge:
        if not dry_run:
            edge.finish_forgetting()  # what an earlier run left, whatever is asked for now
        target = _target(edge, *given[0])
        beyond = _beyond(edge, target)
        if dry_run or (not yes and target.roots and _is_asked()):
            told = edge.forgetting.told(target)
            if dry_run:
                say(json_, {**told.as_json(), "dry_run": True, "not_reached": beyond}, _would(told, beyond))
                return
            typer.echo(shown(_would(told, beyond)), err=True)
            if not typer.confirm("Forget all of this, for good?", err=True):
                raise typer.Abort
        told = edge.forgetting.forget(target)
    say(json_, {**told.as_json(), "dry_run": False, "not_reached": beyond}, _done(told, beyond))
    if told.pending:
        raise typer.Exit(told.pending[0].code)


def _is_asked() -> bool:
    """Whether somebody sits there to be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _target(edge: Edge, kind: Kind, name: str) -> Target:
    match kind:
        case "session":
            return edge.forgetting.session(name)
        case "project":
            return edge.forgetting.project(name)
        case "comment":
            return edge.forgetting.comment(name)
        case "artefato":
            return edge.forgetting.artefato(name)


def _beyond(edge: Edge, target: Target) -> list[str]:
    """What no command of edge reaches."""
    beyond = [_BACKUPS, _MODELS]
    if target.kind in ("session", "project"):
        beyond.append(_TRANSCRIPTS)
    if target.kind == "project":
        beyond.append(_PROJECT)
    if edge.settings.log is not None:
        beyond += [_SERVER, _HOSTS]
    return beyond


def _would(told: Told, beyond: list[str]) -> str:
    if not told.target.roots:
        return f"{_named(told.target)} was forgotten before: nothing is left to go"
    return "\n".join([f"would forget {_named(told.target)}:", *_lines(told), *_beside(told, beyond)])


def _done(told: Told, beyond: list[str]) -> str:
    if not told.target.roots:
        first = f"{_named(told.target)} was forgotten before"
        return "\n".join([first, *_pending(told)])
    return "\n".join(
        [f"forgotten: {_named(told.target)}", *_lines(told), *_pending(told), *_beside(told, beyond)]
    )


def _named(target: Target) -> str:
    several = f" ({counted(len(target.sessions), 'session')})" if target.kind == "project" else ""
    return f"{target.kind} {target.name}{several}"


def _lines(told: Told) -> list[str]:
    lines = [f"  {stream}  {counted(n, 'event')}" for stream, n in told.streams]
    lines += [f"  {session} was in other projects too, and goes whole" for session in told.target.beside]
    return lines + [f"  stays, set anew: steer {steer}" for steer in told.steers]


def _beside(told: Told, beyond: list[str]) -> list[str]:
    lines = [
        f"stays: artefato {slug} names it as a source; `edge forget --artefato {slug}`"
        for slug in told.cited_by
    ]
    lines += [
        f"stays: {counted(n, 'turn')} of it also in {stream}; `edge forget {stream.partition('.')[2]}`"
        for stream, n in told.copies.items()
    ]
    return lines + [f"not reached: {what}" for what in beyond]


def _pending(told: Told) -> list[str]:
    return [f"not yet: {p.name}: {p.why} (the next run tries again)" for p in told.pending]
