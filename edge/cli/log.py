"""``edge log``: the log itself, looked at, carried out and in, checked, backed up."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO, TextIO

import typer

from edge.cli import views
from edge.cli.common import Home, Json, group, opened, say
from edge.cli.terminal import shown
from edge.domain.events import Data, Event
from edge.domain.refusal import Failed, Misused, Refused
from edge.domain.streams import category
from edge.exchange import standing
from edge.settings import home_of, load, require_operator
from edge.wiring import Edge

app = group("The log itself: tail, show, export, import, verify, backup, restore")

_NAMES_SHOWN = 3


@app.command(epilog="Example: edge log tail -n 20 --follow")
def tail(
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on with what comes; Ctrl-C ends.")
    ] = False,
    last: Annotated[int, typer.Option("-n", min=0, help="How many of the last events.")] = 10,
    home: Home = None,
    json_: Json = False,
) -> None:
    """The last events. With --follow --json, one envelope a line."""
    with opened(home) as edge:
        events = list(islice(standing(edge.log, backwards=True), last))[::-1]
        if not follow:
            _print_all(events, json_)
            return
        try:
            _follow(edge, events, json_)
        except KeyboardInterrupt:
            return


def _follow(edge: Edge, events: list[Event], as_json: bool) -> None:
    after = events[-1].position if events else edge.log.head()
    for event in events:
        _print_one(event, as_json)
    sys.stdout.flush()
    subscription = edge.log.subscribe(after=after)
    try:
        for item in subscription:
            if isinstance(item, Event):
                _print_one(item, as_json)
                sys.stdout.flush()
    finally:
        subscription.stop()


def _print_one(event: Event, as_json: bool) -> None:
    line = json.dumps(event.envelope(), ensure_ascii=False) if as_json else shown(views.event_line(event))
    sys.stdout.write(line + "\n")


def _print_all(events: Iterable[Event], as_json: bool) -> None:
    """Events as one JSON list, or a line each, without holding them all."""
    if not as_json:
        for event in events:
            _print_one(event, as_json)
        return
    sys.stdout.write("[")
    for index, event in enumerate(events):
        sys.stdout.write(", " if index else "")
        sys.stdout.write(json.dumps(event.envelope(), ensure_ascii=False))
    sys.stdout.write("]\n")


@app.command(epilog="Example: edge log streams")
def streams(home: Home = None, json_: Json = False) -> None:
    """Every stream with its number of events, in the order they began."""
    with opened(home) as edge:
        found = list(_streams(edge))
    lines = [f"{s['events']:>7}  {s['at']}  {s['stream']}" for s in found]
    say(json_, found, "\n".join(lines))


def _streams(edge: Edge) -> Iterable[Data]:
    found: dict[str, Data] = {}
    for done, event in enumerate(standing(edge.log), 1):
        stream = found.setdefault(
            event.stream, {"stream": event.stream, "category": category(event.stream), "events": 0}
        )
        stream["events"] += 1
        stream |= {"revision": event.revision, "position": event.position, "at": event.recorded_at}
        if edge.report and done % 1_000 == 0:
            edge.report("reading", done, None)
    return found.values()


@app.command(epilog="Example: edge log show direction-me.test-first")
def show(
    stream: Annotated[str, typer.Argument(help="A stream's name, or a unique prefix of it.")],
    home: Home = None,
    json_: Json = False,
) -> None:
    """The events of one stream."""
    with opened(home) as edge:
        _print_all(edge.log.read(_named(edge, stream)), json_)


def _named(edge: Edge, prefix: str) -> str:
    """The one stream that begins with the prefix."""
    if next(edge.log.read(prefix, limit=1), None) is not None:
        return prefix
    within = [category(prefix)] if "-" in prefix else None
    found: dict[str, None] = {}
    for event in standing(edge.log, categories=within) if prefix else ():
        if event.stream.startswith(prefix):
            found[event.stream] = None
            if len(found) > _NAMES_SHOWN:
                break
    if not found:
        raise Refused(f"no stream {prefix!r}", hint="`edge log streams` lists them")
    if len(found) > 1:
        names = ", ".join(list(found)[:_NAMES_SHOWN])
        raise Misused(f"{prefix!r} begins more than one stream: {names}", hint="give more of it")
    return next(iter(found))


@app.command(epilog="Example: edge log export history.jsonl")
def export(
    file: Annotated[Path | None, typer.Argument(help="A new file; else standard output.")] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """The whole log as JSONL, an envelope a line; `edge log import` reads it back."""
    from edge.exchange import exported

    with opened(home) as edge:
        lines = exported(edge.log, edge.report)
        if file is None:
            _write(lines, sys.stdout)
            return
        with _new_file(file) as out:
            done = _write(lines, out)
    say(json_, {"file": str(file), "events": done}, f"exported {done} events to {file}")


def _write(lines: Iterable[str], out: TextIO) -> int:
    done = 0
    for line in lines:
        out.write(line + "\n")
        done += 1
    return done


@contextmanager
def _new_file(path: Path) -> Iterator[TextIO]:
    """A file for its owner only, that appears whole or not at all; never in another's place."""
    if path.exists():
        raise Failed(f"{path} is there already", hint="name another file, or move it aside")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise Failed(f"{path} cannot be written: {error.strerror}") from None
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.link(fresh, path)
    except FileExistsError:
        raise Failed(f"{path} is there already", hint="name another file, or move it aside") from None
    finally:
        fresh.unlink(missing_ok=True)


@app.command("import", epilog="Example: edge log import events.jsonl --format edge-of-chaos")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="JSONL; - reads standard input.")],
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="edge-of-chaos or envelopes; else told by the content."),
    ] = None,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Take in a JSONL history: {seq, ts, type, subject, payload}, or an export's envelopes.

    Can be stopped and run again: only what is new is added. A line that cannot be taken is
    named with its reason, and the exit code stays 0: all the others were.
    """
    require_operator("an import")
    if format_ not in (None, "edge-of-chaos", "envelopes"):
        raise Misused(f"no such format {format_!r}", hint="edge-of-chaos or envelopes")
    with opened(home) as edge, _source(file) as source:
        data = _imported(edge, source, format_)
        edge.finish_forgetting()  # what was forgotten there may have stood here
    counts = ("read", "imported", "known", "passed_over")
    lines = [", ".join(f"{data[name]} {name.replace('_', ' ')}" for name in counts)]
    lines[0] += f", {data['refused_count']} refused"
    lines += [f"line {r['line']}{_seq_said(r['seq'])}: {r['reason']}" for r in data["refused"]]
    say(json_, data, "\n".join(lines))


def _seq_said(seq: object) -> str:
    return "" if seq is None else f" (seq {seq})"


def _imported(edge: Edge, source: BinaryIO, given: str | None) -> Data:
    from adapters.importers.edge_of_chaos import EdgeOfChaos
    from edge.envelopes import import_envelopes
    from edge.exchange import import_foreign
    from edge.lines import format_of, lines_of

    found, lines = format_of(lines_of(source))
    if (given or found) == "envelopes":
        tally = import_envelopes(edge.journal, lines, edge.report)
    else:
        importer = EdgeOfChaos(edge.streams, lambda types: edge.log.read_all(types=types))
        tally = import_foreign(edge.journal, lines, importer, edge.report)
    return tally.shown(edge.log.head())


@contextmanager
def _source(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        source = Path(file).open("rb")  # noqa: SIM115  # closed below; only opening it is explained
    except OSError as error:
        raise Failed(
            f"{file} cannot be read: {error.strerror}", hint="check its path and permissions"
        ) from None
    with source:
        yield source


@app.command(epilog="Example: edge log verify")
def verify(home: Home = None, json_: Json = False) -> None:
    """Check the log's file, its streams and its appends. Exit 1 where something is wrong."""
    with opened(home) as edge:
        problems = edge.embedded_log.verify()
        head = edge.log.head()
    text = "\n".join(problems) or f"the log is sound up to position {head}"
    say(json_, {"ok": not problems, "position": head, "problems": problems}, text)
    if problems:
        raise typer.Exit(1)


@app.command(epilog="Example: edge log backup /backups/edge-monday.db")
def backup(
    file: Annotated[Path, typer.Argument(help="A new file.")],
    home: Home = None,
    json_: Json = False,
) -> None:
    """Copy the log as it stands into a new file, while others may write to it."""
    with opened(home) as edge:
        edge.embedded_log.backup(file)
    size = file.stat().st_size
    say(json_, {"file": str(file), "bytes": size}, f"backed up to {file} ({size:,} bytes)")


@app.command(epilog="Example: edge log restore /backups/edge-monday.db && edge rebuild")
def restore(
    file: Annotated[Path, typer.Argument(help="A backup, made by `edge log backup`.")],
    home: Home = None,
    json_: Json = False,
) -> None:
    """Put a backup in the log's place; the log that stood there is gone."""
    from adapters.eventlog.sqlite import restore as put_in_place

    require_operator("a restore")
    settings = load(home_of(home))
    if settings.log is not None:
        raise Refused(
            f"the log is on {settings.log_name}, not in a file here", hint="EventStoreDB has its own restore"
        )
    with tempfile.TemporaryDirectory(prefix=f".restore-{os.getpid()}-", dir=settings.home) as aside:
        log_id = _log_id_of(file, Path(aside) / "log.db", settings.group)
    put_in_place(file, settings.log_path)
    data = {"file": str(file), "log_id": log_id}
    say(json_, data, f"restored from {file}\nnext: edge rebuild")


def _log_id_of(file: Path, copy: Path, group: str) -> str:
    """The identity of the log in a backup, read from a copy. Refused where it is another group's."""
    import shutil

    from adapters.eventlog.sqlite import SqliteEventLog
    from edge.domain.streams import Streams

    try:
        shutil.copyfile(file, copy)
    except OSError as error:
        raise Failed(
            f"{file} cannot be read: {error.strerror}", hint="check its path and permissions"
        ) from None
    try:
        log = SqliteEventLog(copy)
        try:
            first = next(log.read(Streams(group).log, limit=1), None)
        finally:
            log.close()
    except Failed as error:
        raise Failed(error.message.replace(str(copy), str(file)), hint="name another backup") from None
    if first is None:
        raise Refused(
            f"{file} is not a log of group {group!r}", hint="restore it into a home of its own group"
        )
    return str(first.data.get("log_id"))
