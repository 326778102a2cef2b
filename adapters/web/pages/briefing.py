"""Briefing: as it would be shown now, or as it was."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from adapters.web.pages.direction import When
from adapters.web.replays import Progress
from adapters.web.site import At, In

router = APIRouter()


@router.get("/briefing")
def briefing(request: Request, site: At, visitor: In, at: When = "") -> Response:
    """The Briefing; of a past position just as it was presented there, else recomputed."""
    when = at.strip()
    with site.reading() as (install, reads):
        head = reads.position()
        data = None if when else install.briefing_standing()
    if when:
        then = site.replays.result(("briefing", when, head), lambda edge: edge.briefing_at(when)[0])
        data = then
    progress = data if isinstance(data, Progress) else None
    return site.page(
        request,
        "briefing.html",
        visitor=visitor,
        live=not when,
        refresh=progress is not None,
        progress=progress,
        briefing=None if progress else data,
        at=when,
        head=head,
    )
