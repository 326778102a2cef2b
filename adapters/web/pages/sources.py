"""Sources: what artefatos cite and the operator holds of it. Scores join the rows once they are folded."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from adapters.web.site import At, In
from edge.domain.events import Data
from edge.ports_dashboard import DashboardReads

router = APIRouter()

ARTEFATOS: Final = 200


def cited(reads: DashboardReads) -> list[Data]:
    """What the operator holds an opinion of, then every ref that artefatos cite, the most cited first."""
    found: dict[str, Data] = {}
    for held in reads.sources():
        found[held["ref"]] = {"ref": held["ref"], "kind": "", "by": [], "opinion": held["opinion"]}
    for artefato in reads.artefatos(last=ARTEFATOS):
        for cite in artefato["cites"]:
            ref = str(cite.get("ref") or "")
            if not ref:
                continue
            source = found.setdefault(ref, {"ref": ref, "kind": "", "by": [], "opinion": None})
            source["kind"] = source["kind"] or str(cite.get("kind") or "")
            if artefato["slug"] not in [by["slug"] for by in source["by"]]:
                source["by"].append({"slug": artefato["slug"], "relevant": bool(cite.get("relevant"))})
    return sorted(
        found.values(), key=lambda source: (not source["opinion"], -len(source["by"]), source["ref"])
    )


@router.get("/sources")
def listed(request: Request, site: At, visitor: In) -> Response:
    """What edge drew on."""
    with site.reading() as (_, reads):
        sources = cited(reads)
    return site.page(request, "sources.html", visitor=visitor, live=True, sources=sources)
