"""Sources: what edge drew on, what it turned out to be worth and why, and the operator's opinion."""

from __future__ import annotations

from typing import Final, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response

from adapters.web.site import Acting, At, In, Text, found, said
from edge.ports_dashboard import Install

router = APIRouter()

SHOWN: Final = 200


@router.get("/sources")
def listed(request: Request, site: At, visitor: In) -> Response:
    """What edge drew on, best first."""
    with site.reading() as (install, reads):
        sources = reads.sources(install.clock.now(), SHOWN)
    return site.page(request, "sources.html", visitor=visitor, live=True, sources=sources)


@router.get("/sources/one")
def one(request: Request, site: At, visitor: In, ref: str) -> Response:
    """One source: every weight of its score, and the operator's opinion."""
    with site.reading() as (install, reads):
        source = found(reads.source(ref, install.clock.now()))
    return site.page(request, "source.html", visitor=visitor, live=True, source=source)


@router.post("/sources/{act}")
def curate(
    site: At, visitor: Acting, act: Literal["curate", "retire"], ref: Text = "", opinion: Text = ""
) -> Response:
    """The operator's opinion of a source: held, or held no longer."""
    of, words = said(ref), said(opinion)

    def do(edge: Install) -> object:
        curation = edge.source_curation
        return curation.curate(of, words) if act == "curate" else curation.retire(of, words)

    return site.act(visitor, "opinion" if act == "curate" else "no-opinion", do, "/sources")
