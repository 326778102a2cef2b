"""Audit: the log's own events and streams, what led to what, and any past state folded anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from adapters.web.pages.direction import When
from adapters.web.pages.voz import Before, cards
from adapters.web.replays import Progress
from adapters.web.site import At, In, Oops
from edge.domain import direction
from edge.domain.events import Data, Event
from edge.domain.language import first_line
from edge.ports import EventLog
from edge.ports_dashboard import Install

router = APIRouter()

SHOWN: Final = 50
STREAMS_OF: Final = 1_000
AROUND: Final = 2_000
LISTED: Final = 50
FOLDED: Final = ("chats", "votes", "direction", "corpus")
"""The read models a replay shows: folding no others halves the wait."""
Position = Annotated[int, Path(ge=0, lt=2**63)]


def line_of(event: Event) -> Data:
    """An event as a row: where, when, what, by whom, and the beginning of what it says."""
    words = " ".join(str(v) for v in event.data.values() if isinstance(v, str | int))
    return {
        "position": event.position,
        "at": event.recorded_at,
        "stream": event.stream,
        "revision": event.revision,
        "type": event.type,
        "actor": event.actor,
        "words": first_line(words, 120),
    }


@router.get("/audit")
def events(request: Request, site: At, visitor: In, before: Before = None) -> Response:
    """The log's events, the latest first."""
    with site.pool.one() as install:
        rows = [line_of(e) for e in install.log.read_all(before=before, backwards=True, limit=SHOWN + 1)]
        streams = _streams(install.log) if before is None else []
        head = install.reads().position()
    return site.page(
        request,
        "audit.html",
        visitor=visitor,
        live=before is None,
        events=rows[:SHOWN],
        older=rows[SHOWN - 1]["position"] if len(rows) > SHOWN else None,
        before=before,
        streams=streams,
        streams_of=STREAMS_OF,
        head=head,
    )


def _streams(log: EventLog) -> list[Data]:
    found: dict[str, Data] = {}
    for event in log.read_all(backwards=True, limit=STREAMS_OF):
        found.setdefault(
            event.stream, {"stream": event.stream, "last": event.revision, "at": event.recorded_at}
        )
    return list(found.values())[:SHOWN]


@router.get("/audit/streams/{stream}")
def stream(request: Request, site: At, visitor: In, stream: str, before: Before = None) -> Response:
    """The events of one stream, the latest first."""
    with site.pool.one() as install:
        first = None if before is None else before - 1
        if first is not None and first < 0:
            raise Oops(404, "not-here")
        read = install.log.read(stream, from_revision=first, backwards=True, limit=SHOWN + 1)
        rows = [line_of(e) for e in read]
    if not rows:
        raise Oops(404, "not-here")
    return site.page(
        request,
        "stream.html",
        visitor=visitor,
        stream=stream,
        events=rows[:SHOWN],
        older=rows[SHOWN - 1]["revision"] if len(rows) > SHOWN else None,
        before=before,
    )


@router.get("/audit/events/{position}")
def event(request: Request, site: At, visitor: In, position: Position) -> Response:
    """One event whole, and the chain it belongs to."""
    with site.pool.one() as install:
        one = next(install.log.read_all(after=position - 1 if position else None, limit=1), None)
        if one is None or one.position != position:
            raise Oops(404, "not-here")
        chain = _chain(install.log, one)
    return site.page(
        request,
        "event.html",
        visitor=visitor,
        event=one,
        data=_pretty(one.data),
        metadata=_pretty(one.metadata),
        chain=chain,
        around=AROUND,
    )


def _pretty(data: Data) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)


def _chain(log: EventLog, one: Event) -> list[Data]:
    """Events of the same correlation near an event, and those that led to them, in log order."""
    half = AROUND // 2
    earlier = list(log.read_all(before=one.position, backwards=True, limit=half))[::-1]
    near = [*earlier, one, *log.read_all(after=one.position, limit=half)]
    of = one.metadata.get("$correlationId")
    chain = {e.id: e for e in near if of and e.metadata.get("$correlationId") == of} | {one.id: one}
    by_id = {e.id: e for e in near}
    for member in list(chain.values()):
        cause = by_id.get(str(member.metadata.get("$causationId")))
        while cause is not None and cause.id not in chain:
            chain[cause.id] = cause
            cause = by_id.get(str(cause.metadata.get("$causationId")))
    caused = {e.id for e in near if e.metadata.get("$causationId") == one.id}
    chain |= {id_: by_id[id_] for id_ in caused}
    return [_link(e, by_id) for e in sorted(chain.values(), key=lambda e: e.position)]


def _link(event: Event, by_id: dict[str, Event]) -> Data:
    cause = by_id.get(str(event.metadata.get("$causationId")))
    return {**line_of(event), "cause": cause.position if cause else None}


def then(when: str) -> Any:
    """Work for a replay: what was known at a position or a time."""

    def work(install: Install) -> Data:
        queries = install.at(when, FOLDED)
        now, zone = install.clock_at(when), install.settings.tz
        artefatos = queries.artefatos(last=LISTED)[::-1]
        return {
            "position": queries.position(),
            "counts": queries.counts()._asdict(),
            "chats": cards(list(_first(queries.chats("open"), LISTED))),
            "lists": direction.listed(queries.items(), now, zone),
            "artefatos": [{"slug": a["slug"], "title": a["title"], "at": a["at"]} for a in artefatos],
        }

    return work


def _first(chats: Any, most: int) -> Sequence[Any]:
    return [chat for chat, _ in zip(chats, range(most), strict=False)]


@router.get("/audit/replay")
def replay(request: Request, site: At, visitor: In, at: When = "") -> Response:
    """The read models as of a position or a time, folded from the log."""
    when = at.strip()
    with site.reading() as (_, reads):
        head = reads.position()
    data = site.replays.result(("audit", when, head), then(when)) if when else None
    progress = data if isinstance(data, Progress) else None
    return site.page(
        request,
        "replay.html",
        visitor=visitor,
        refresh=progress is not None,
        progress=progress,
        then=None if progress else data,
        at=when,
        head=head,
    )
