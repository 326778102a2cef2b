"""The beginning of an install: its home, its settings, and a log that knows its own name."""

from __future__ import annotations

import contextlib
from pathlib import Path

from edge.domain.events import NO_STREAM, Draft
from edge.domain.refusal import Failed, Misused
from edge.domain.streams import check_group
from edge.journal import Act
from edge.services import holds_password
from edge.settings import FILE, Settings, check_services, moment_named, written, zone_named
from edge.wiring import Edge
from edge.wiring_outside import create_log
from edge.wiring_sweep import transcript_projects


def initialise(settings: Settings) -> str:
    """Make the home, its log and its ``edge.toml``; returns the log's id. Refuses to overwrite.

    The settings come last: a home without them has no identity, so an init that was stopped
    can be run again.
    """
    check_group(settings.group)
    zone_named(settings.zone)
    if settings.lang not in ("pt", "en"):
        raise Misused(f"lang is {settings.lang!r}", hint="pt or en")
    if settings.since:
        moment_named(settings.since, settings.tz)
    if settings.log and holds_password(settings.log):
        raise Misused(
            "the log's URI holds a password, and edge.toml is no place for one",
            hint="leave it out (esdb://USER@HOST:2113) and set EDGE_LOG_PASSWORD",
        )
    check_services(settings)
    path = settings.home / FILE
    if path.exists():
        raise Misused(f"{path} exists: this home has its identity", hint="choose another --home")
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        log_id = _log_of(settings)
        _write_whole(path, written(settings))
    except OSError as error:
        raise Failed(
            f"{settings.home} cannot be made an install: {error.strerror or error}",
            hint="check its permissions, or choose another --home",
        ) from None
    return log_id


def _log_of(settings: Settings) -> str:
    """The id of the home's log, which is made where there is none."""
    if settings.log is None and not settings.log_path.exists():
        create_log(settings.log_path)
    with contextlib.closing(Edge(settings)) as edge:
        first = next(edge.log.read(edge.streams.log, limit=1), None)
        if first is not None:
            return str(first.data.get("log_id"))
        if edge.log.head():
            raise Misused(
                f"{settings.log_name} is the log of another group", hint="give its group with --group"
            )
        log_id = edge.journal.new_id()
        edge.journal.append(
            edge.streams.log, [Draft("log.created", {"log_id": log_id})], NO_STREAM, Act("operator")
        )
        return log_id


def _write_whole(path: Path, text: str) -> None:
    """The file whole or not at all."""
    beside = path.with_suffix(".new")
    beside.touch(mode=0o600)
    beside.write_text(text, "utf-8")
    beside.replace(path)


def projects_in(store: Path | None) -> list[str]:
    """The projects whose sessions a transcript store holds, for a person to choose from."""
    return transcript_projects(store)
