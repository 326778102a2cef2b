"""The corpus: edge's published artefatos, each with its why (I19)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, TypedDict

from edge.domain.chat import text_of
from edge.domain.direction import proposal_id
from edge.domain.events import Data, Draft, Event, batch_of
from edge.domain.refusal import Refused

MAX_BODY_BYTES: Final = 512 * 1024


class Artefato(TypedDict):
    """One slug, JSON-ready; its body is kept beside it. ``revision`` counts publications from 1.

    ``kernel_append`` and ``publication_append`` name the appends (stream and first revision)
    that the two came in: a kernel belongs to the publication it was appended with.
    """

    slug: str
    title: str
    intent: str | None
    cites: list[Data]
    distills: list[str]
    proposes: list[Data]
    dispatch_id: str | None
    at: str
    first: int
    position: int
    revision: int
    event: str
    kernel_event: str | None
    kernel_append: str
    publication_append: str
    content: str
    forgotten: bool
    """Its words are gone, for good; nothing is published under its name again."""


class Breadcrumb(TypedDict):
    """The last kernel any dispatch or grill left behind."""

    intent: str
    at: str
    event: str
    slug: str | None
    dispatch_id: str | None


def initial(slug: str) -> Artefato:
    return Artefato(
        slug=slug,
        title="",
        intent=None,
        cites=[],
        distills=[],
        proposes=[],
        dispatch_id=None,
        at="",
        first=0,
        position=0,
        revision=0,
        event="",
        kernel_event=None,
        kernel_append="",
        publication_append="",
        content="",
        forgotten=False,
    )


def _append_of(event: Event) -> str:
    return f"{event.stream}@{event.revision - batch_of(event)[0]}"


def evolve(artefato: Artefato, event: Event) -> Artefato:
    """Fold a publication or a kernel into the slug's state, which the fold owns."""
    match event.type:
        case "artefato.published":
            _published(artefato, event)
        case "intent.kernel":
            _explained(artefato, event)
        case "artefato.forgotten":
            artefato.update(initial(artefato["slug"]))
            artefato["forgotten"] = True
    return artefato


def _published(artefato: Artefato, event: Event) -> None:
    data, append = event.data, _append_of(event)
    if artefato["kernel_append"] != append:
        artefato["intent"] = artefato["kernel_event"] = None
    proposes = _records(data, "proposes")
    artefato.update(
        {
            "title": text_of(data, "title"),
            "cites": _records(data, "cites"),
            "distills": [d for d in data.get("distills") or [] if isinstance(d, str)],
            "proposes": proposes,
            "dispatch_id": text_of(data, "dispatch_id") or None,
            "at": event.recorded_at,
            "first": artefato["first"] or event.position,
            "position": event.position,
            "revision": artefato["revision"] + 1,
            "event": event.id,
            "publication_append": append,
            "content": content_of(data),
        }
    )


def _explained(artefato: Artefato, event: Event) -> None:
    intent, append = text_of(event.data, "intent").strip(), _append_of(event)
    if not intent:
        return
    alone = batch_of(event)[1] == 1
    if alone and not artefato["position"]:
        return  # an imported why explains what was published before it, and nothing was
    artefato["intent"], artefato["kernel_event"], artefato["kernel_append"] = intent, event.id, append


def _records(data: Data, key: str) -> list[Data]:
    value = data.get(key)
    return [r for r in value if isinstance(r, dict)] if isinstance(value, list) else []


def content_of(data: Data) -> str:
    """What a publication says, hashed, so that the same one sent again is known."""
    from hashlib import sha256

    said = {k: data.get(k) or [] for k in ("slug", "title", "body", "cites", "distills", "proposes")}
    return sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


def in_debt(artefato: Artefato) -> bool:
    """Published without a why: only a foreign writer can do that, and health names it."""
    return artefato["position"] > 0 and not artefato["intent"]


def publish(artefato: Artefato, publication: Data, intent: str, republish: bool) -> list[Draft]:
    """Kernel and artefato in one append; nothing where this dispatch published just this before.

    ``publication`` is the data of ``artefato.published`` as it will stand in the log.
    """
    slug = publication["slug"]
    if not intent.strip():
        raise Refused("an artefato needs its why", hint="say it with --intent")
    body = text_of(publication, "body")
    if not body.strip():
        raise Refused("the artefato is blank")
    if len(body.encode("utf-8", "replace")) > MAX_BODY_BYTES:
        raise Refused("the artefato is larger than 512 KiB", hint="split it, or link to what is large")
    if artefato["forgotten"]:
        raise Refused(f"{slug} was forgotten, for good", hint="publish under another slug")
    same_dispatch = artefato["dispatch_id"] == publication.get("dispatch_id")
    if artefato["position"] and same_dispatch and artefato["content"] == content_of(publication):
        return []
    if artefato["position"] and not republish:
        raise Refused(f"{slug} is published already", hint="publish a new revision with --republish")
    kernel: Data = {"slug": slug, "intent": intent.strip()}
    if publication.get("dispatch_id"):
        kernel["dispatch_id"] = publication["dispatch_id"]
    return [Draft("intent.kernel", kernel), Draft("artefato.published", publication)]


def proposal_ids(artefato: Artefato) -> list[str]:
    """The ids its proposals have in Direction, in their order."""
    return [
        proposal_id(artefato["slug"], text_of(p, "title"), text_of(p, "body")) for p in artefato["proposes"]
    ]


def impact(tiers: Iterable[str | None]) -> Data:
    """What became of an artefato's proposals, derived from where each stands in Direction (I21)."""
    counts = {"proposed": 0, "set": 0, "gone": 0}
    for tier in tiers:
        counts[tier or "gone"] += 1
    return {"proposes": sum(counts.values()), "open": counts["proposed"], "accepted": counts["set"],
            "rejected": counts["gone"]}  # fmt: skip
