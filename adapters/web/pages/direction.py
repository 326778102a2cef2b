"""Direction: set and proposed apart, what came of what, and how it was at any time."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from adapters.web.pictures.over_time import over_time
from adapters.web.replays import Progress
from adapters.web.site import Acting, At, In, Text, found, said
from edge.domain import direction, steer_history
from edge.domain.events import Data
from edge.ports_dashboard import Install

router = APIRouter()

MOVES: Final = 400
When = Annotated[str, Query(max_length=40)]
_NO_LISTS: Final[dict[str, list[Data]]] = {"set": [], "proposed": [], "expired": []}


def listed_at(when: str) -> Any:
    """Work for a replay: the lists as they were."""

    def work(install: Install) -> Data:
        queries = install.at(when, ("direction",))
        lists = direction.listed(queries.items(), install.clock_at(when), install.settings.tz)
        return {"lists": lists, "position": queries.position(), "touched": queries.direction_touched()}

    return work


@router.get("/direction")
def lists(request: Request, site: At, visitor: In, at: When = "", slider: When = "") -> Response:
    """The steers now, or as of a position or a time; ``slider`` is what the range control says."""
    when = (at or slider).strip()
    with site.reading() as (install, reads):
        now, tz = install.clock.now(), install.settings.tz
        standing = direction.listed(reads.items(), now, tz)
        moves, head = reads.moves(MOVES), reads.position()
        touched = reads.direction_touched()
    progress: Progress | None = None
    if when:
        then = site.replays.result(("direction", when, head), listed_at(when))
        if isinstance(then, Progress):
            progress, standing = then, _NO_LISTS
        else:
            standing, touched = then["lists"], then["touched"]
    marked = int(when) if when.isdecimal() and len(when) < 19 else None
    return site.page(
        request,
        "direction.html",
        visitor=visitor,
        live=not when,
        refresh=progress is not None,
        progress=progress,
        lists=standing,
        touched=touched,
        at=when,
        head=head,
        slider=min(marked, head) if marked is not None else head,
        steps=sorted({move.position for move in moves})[-60:],
        picture=over_time(moves, now, tz, marked) if moves else None,
    )


@router.get("/direction/{id_}")
def one(request: Request, site: At, visitor: In, id_: str) -> Response:
    """One steer: what it says, where it came from, what happened to it."""
    with site.reading() as (install, reads):
        item = found(reads.item(id_))
        now, tz = install.clock.now(), install.settings.tz
        history = steer_history.history(reads.moves_of(id_), now, tz)
        origin = reads.chat(item["origin_comment_id"]) if item["origin_comment_id"] else None
        expired = direction.is_expired(item, now, tz)
    tier = "expired" if expired and direction.live(item) else item["tier"]
    return site.page(
        request,
        "steer.html",
        visitor=visitor,
        live=True,
        steer=item,
        tier=tier,
        history=history,
        origin=origin,
    )


@router.post("/direction/{id_}/accept")
def accept(site: At, visitor: Acting, id_: str) -> Response:
    """Set a proposal just as it stands."""
    with site.reading() as (_, reads):
        found(reads.item(id_))
    return site.act(visitor, "accepted", lambda edge: edge.steering.accept(id_), "/direction#set")


@router.post("/direction/{id_}/reject")
def reject(site: At, visitor: Acting, id_: str, reason: Text = "") -> Response:
    """Take a proposal, or what is set, out of Direction."""
    with site.reading() as (_, reads):
        found(reads.item(id_))
    why = said(reason)
    return site.act(visitor, "rejected", lambda edge: edge.steering.reject(id_, why), "/direction#proposed")
