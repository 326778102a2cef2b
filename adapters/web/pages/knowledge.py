"""Knowledge: the picture, the statements with their tier, each with its source episodes and acts."""

from __future__ import annotations

from typing import Annotated, Final, Literal, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from adapters.web.pages.voz import Before
from adapters.web.pictures.spoken_of import Picture, spoken_of
from adapters.web.site import Acting, At, In, Oops, Site, Text, found, said
from edge.domain.events import Data
from edge.domain.knowledge import Tier
from edge.ports_dashboard import DashboardReads, Install
from edge.ports_knowledge import ClusterView

router = APIRouter()

SHOWN: Final = 30
NAMED: Final = 26
CLUSTERS: Final = 6
FACTS: Final = 3
EPISODES: Final = 40


@router.get("/knowledge")
def listed(
    request: Request,
    site: At,
    visitor: In,
    q: Annotated[str, Query(max_length=400)] = "",
    tier: Literal["all", "hypothesis", "contested", "curated"] = "all",
    before: Before = None,
) -> Response:
    """What is known: found by words, or the latest first."""
    asked = q.strip()
    only: Tier | None = None if tier == "all" else tier
    with site.reading() as (_, reads):
        counts = reads.known_count()
        items = [] if asked else reads.recently_known(SHOWN + 1, before, only)
        first = not asked and before is None
        clusters = _clusters(site, reads) if first else []
        picture = _picture(site, reads, clusters) if first else None
    if asked:
        with site.pool.one() as install:  # search writes the vectors it is missing: no snapshot around it
            items = [item for item, _ in install.found(asked, SHOWN)]
    older = items[SHOWN - 1].position if len(items) > SHOWN else None
    return site.page(
        request,
        "knowledge.html",
        visitor=visitor,
        live=not asked and before is None,
        items=items[:SHOWN],
        counts=counts,
        known=sum(counts.values()),
        picture=picture,
        clusters=clusters,
        older=older,
        before=before,
        tier=tier,
        q=asked,
    )


def _clusters(site: Site, reads: DashboardReads) -> list[ClusterView]:
    """The clusters that matter most, worked out once for what is known, and kept while that stays so."""
    known = reads.clusters()
    key = known.key()
    kept = site.kept.get("clusters")
    if kept is None or kept[0] != key:
        kept = site.kept["clusters"] = (key, known.views(CLUSTERS, FACTS))
    return cast("list[ClusterView]", kept[1])


def _picture(site: Site, reads: DashboardReads, clusters: list[ClusterView]) -> Picture | None:
    """Drawn once for what is spoken of, and kept while that stays so. A cluster has one colour."""
    named = reads.most_spoken_of(NAMED)
    if not named:
        return None
    ties = reads.ties([one.id for one in named])
    groups = {id_: n for n, cluster in enumerate(clusters) for id_, _ in cluster.entities}
    told = (tuple(named), tuple(ties), tuple(groups.items()))
    kept = site.kept.get("spoken-of")
    if kept is None or kept[0] != told:
        kept = site.kept["spoken-of"] = (told, spoken_of(named, ties, groups))
    return cast("Picture", kept[1])


@router.get("/knowledge/subjects/{id_}")
def subject(request: Request, site: At, visitor: In, id_: str) -> Response:
    """What is said of one subject."""
    with site.reading() as (_, reads):
        entity = found(reads.entity(id_))
        items = reads.said_of(id_, SHOWN)
    return site.page(request, "subject.html", visitor=visitor, live=True, subject=entity, items=items)


@router.get("/knowledge/{id_}")
def one(request: Request, site: At, visitor: In, id_: str) -> Response:
    """One statement: its tier, the episodes it stands in, what the operator said of it."""
    with site.reading() as (_, reads):
        item, curation = reads.knowledge.item(id_), reads.knowledge.curation(id_)
        if item is None:
            raise Oops(404, "not-here")
        episodes = [reads.episode(episode) for episode in item.episodes[-EPISODES:][::-1]]
    context: Data = {"episodes": [episode for episode in episodes if episode], "curation": curation}
    return site.page(request, "fact.html", visitor=visitor, live=True, item=item, **context)


@router.post("/knowledge/{id_}/{act}")
def curate(
    site: At,
    visitor: Acting,
    id_: str,
    act: Literal["promote", "contest", "retire"],
    reason: Text = "",
    statement: Text = "",
) -> Response:
    """The operator's word on a statement."""
    with site.reading() as (_, reads):
        if reads.knowledge.subject(id_) is None and reads.knowledge.curation(id_) is None:
            raise Oops(404, "not-here")
    why = "" if act == "promote" else said(reason)
    own_words = said(statement) if statement.strip() else None

    def do(edge: Install) -> object:
        if act == "promote":
            return edge.curation.promote(id_, own_words, [])
        return edge.curation.contest(id_, why) if act == "contest" else edge.curation.retire(id_, why)

    done = {"promote": "promoted", "contest": "contested", "retire": "retired"}[act]
    return site.act(visitor, done, do, f"/knowledge/{id_}" if act != "retire" else "/knowledge")
