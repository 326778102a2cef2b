"""What happens to artefatos, told as signals of the sources they cite (0009).

Cited: once an artefato, by its first publication that does. Used or ignored: at the close of a
dispatch that published, what its Briefing offered against what it cited. Credit: what became of
an artefato, spread evenly over what its latest revision cites. A proposal that was dropped is the
artefato's no more: set again it credits nothing, unless an artefato has proposed it again.
"""

from __future__ import annotations

from typing import Final, Literal, TypedDict

from edge.domain.chat import text_of
from edge.domain.events import Data, Event
from edge.domain.refs import Kind, normal
from edge.domain.sources import Signal

CITED: Final = 1.0
RELEVANT: Final = 1.5
USED: Final = 0.25
IGNORED: Final = -0.05
ACCEPTED: Final = 2.0
FOLDED: Final = 1.0
VOTED: Final = 0.5

_KINDS: Final[dict[str, Kind]] = {"mundo": "mundo", "atividade": "atividade"}

Change = tuple[Literal[1, -1], Signal]
"""A signal that is added, or one taken back."""


class Citing(TypedDict):
    """What an artefato cites, JSON-ready: refs of its latest revision, and how each was first cited."""

    slug: str
    cites: list[str]
    cited: dict[str, tuple[float, str, str]]
    """Ref → weight, time and event of its signal."""
    voted: tuple[float, str, str, list[str]] | None
    """Of the latest vote: each ref's credit, time, event, the refs."""


class Offer(TypedDict):
    """What a dispatch's Briefing offered and its publications cited, until it is closed."""

    dispatch_id: str
    offered: list[str]
    cited: list[str]
    published: bool
    closed: bool


def citing(slug: str) -> Citing:
    return Citing(slug=slug, cites=[], cited={}, voted=None)


def offer(dispatch_id: str) -> Offer:
    return Offer(dispatch_id=dispatch_id, offered=[], cited=[], published=False, closed=False)


def cites_of(data: Data) -> dict[str, tuple[Kind | None, bool]]:
    """The refs a publication cites in their order: the kind of each, and whether any cite says relevant."""
    found: dict[str, tuple[Kind | None, bool]] = {}
    cites = data.get("cites")
    for cite in cites if isinstance(cites, list) else []:
        ref = normal(text_of(cite, "ref")) if isinstance(cite, dict) else ""
        if ref:
            kind = _KINDS.get(text_of(cite, "kind"))
            found[ref] = (kind, cite.get("relevant") is True or found.get(ref, (None, False))[1])
    return found


def published(state: Citing, event: Event) -> list[Change]:
    """Fold a publication into the artefato's state; the signals it gives."""
    changes: list[Change] = []
    now = cites_of(event.data)
    for ref, (_, relevant) in now.items():
        weight, before = RELEVANT if relevant else CITED, state["cited"].get(ref)
        if before is not None:
            if weight <= before[0]:
                continue
            changes.append((-1, Signal(ref, "cited", state["slug"], *before)))
        state["cited"][ref] = (weight, event.recorded_at, event.id)
        changes.append((1, Signal(ref, "cited", state["slug"], weight, event.recorded_at, event.id)))
    state["cites"] = list(now)
    return changes


def credited(state: Citing, whole: float, about: str, event: Event) -> list[Change]:
    """The signals of something that became of the artefato, spread over what it cites then."""
    refs = state["cites"]
    return [(1, Signal(ref, "credit", about, whole / len(refs), event.recorded_at, event.id)) for ref in refs]


def voted(state: Citing, event: Event) -> list[Change]:
    """Fold a vote: it takes the place of the one before."""
    value = event.data.get("value")
    if value not in (-1, 0, 1) or isinstance(value, bool):
        return []
    about = f"vote:{state['slug']}"
    changes: list[Change] = []
    if state["voted"] is not None:
        weight, at, id_, refs = state["voted"]
        changes = [(-1, Signal(ref, "credit", about, weight, at, id_)) for ref in refs]
    given = credited(state, VOTED * value, about, event) if value else []
    state["voted"] = (
        (given[0][1].weight, event.recorded_at, event.id, list(state["cites"])) if given else None
    )
    return changes + given


def presented(state: Offer, event: Event) -> None:
    """Fold what a Briefing offered."""
    items = event.data.get("items")
    refs = [
        normal(ref)
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, dict) and isinstance(item.get("sources"), list)
        for ref in item["sources"]
        if isinstance(ref, str) and ref.strip()
    ]
    state["offered"] = list(dict.fromkeys([*state["offered"], *refs]))


def cited_in(state: Offer, event: Event) -> None:
    """Fold a publication of the dispatch."""
    state["published"] = True
    state["cited"] = list(dict.fromkeys([*state["cited"], *cites_of(event.data)]))


def settled(state: Offer, event: Event) -> list[Change]:
    """The signals of a dispatch's close: once, and only where it published."""
    if state["closed"]:
        return []
    state["closed"] = True
    if not state["published"]:
        return []
    cited, about = set(state["cited"]), state["dispatch_id"]
    return [
        (
            1,
            Signal(ref, "used", about, USED, event.recorded_at, event.id)
            if ref in cited
            else Signal(ref, "ignored", about, IGNORED, event.recorded_at, event.id),
        )
        for ref in state["offered"]
    ]
