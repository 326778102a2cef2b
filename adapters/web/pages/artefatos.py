"""Artefatos: the list, and each with its why, what it cites and proposes, the vote and the comments."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from adapters.web.pages.voz import HARMS, Before, chats_on, check_published
from adapters.web.site import Acting, At, In, Key, found, key_of
from edge.domain import corpus
from edge.domain.corpus import Artefato
from edge.domain.events import Data
from edge.ports_dashboard import DashboardReads

router = APIRouter()

LISTED: Final = 100
_VOTES: Final = {"up": 1, "down": -1, "clear": 0}


def proposed_by(artefato: Artefato, reads: DashboardReads) -> list[Data]:
    """What it proposes, and what became of each."""
    shown = []
    for id_, proposal in zip(corpus.proposal_ids(artefato), artefato["proposes"], strict=True):
        title, body = str(proposal.get("title", "")), str(proposal.get("body", ""))
        item = reads.item(id_)
        tier = item["tier"] if item else "gone"
        shown.append({"id": id_, "title": title or body[:80], "body": body, "tier": tier})
    return shown


@router.get("/artefatos")
def listed(request: Request, site: At, visitor: In) -> Response:
    """What edge has published, the latest first."""
    with site.reading() as (_, reads):
        shown, open_chats = [], reads.open_chats_by_artefato()
        for artefato in reads.artefatos(last=LISTED)[::-1]:
            slug = artefato["slug"]
            proposals = proposed_by(artefato, reads)
            impact = corpus.impact(p["tier"] for p in proposals)
            counts = {"vote": reads.vote_on(slug), "open": open_chats.get(slug, 0), "impact": impact}
            shown.append({**artefato, **counts})
    return site.page(request, "artefatos.html", visitor=visitor, live=True, artefatos=shown)


@router.get("/artefatos/{slug}")
def one(request: Request, site: At, visitor: In, slug: str, before: Before = None) -> Response:
    """One artefato, as it was last published."""
    with site.reading() as (_, reads):
        artefato = found(reads.artefato(slug))
        chats, older = chats_on(reads, slug, before)
        context: Data = {
            "body": reads.artefato_body(slug) or "",
            "proposals": proposed_by(artefato, reads),
            "vote": reads.vote_on(slug),
        }
    return site.page(
        request,
        "artefato.html",
        visitor=visitor,
        live=before is None,
        artefato=artefato,
        chats=chats,
        older=older,
        before=before,
        harms=HARMS,
        **context,
    )


@router.post("/artefatos/{slug}/vote")
def vote(
    site: At,
    visitor: Acting,
    slug: str,
    value: Annotated[Literal["up", "down", "clear"], Form()],
    key: Key = "",
) -> Response:
    """Vote on it, or take the vote back."""
    check_published(site, slug)
    return site.act(
        visitor,
        "voted",
        lambda edge: edge.voz.vote(slug, _VOTES[value], key_of(f"{key}:{value}" if key.strip() else "")),
        f"/artefatos/{slug}#vote",
    )
