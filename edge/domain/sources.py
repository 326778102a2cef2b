"""Sources under curation: what the operator holds of one, above any score."""

from __future__ import annotations

from hashlib import sha256
from typing import TypedDict

from edge.domain.chat import text_of
from edge.domain.events import Data, Draft, Event
from edge.domain.refusal import Refused


class Source(TypedDict):
    """One ref, JSON-ready. Curated opinion does not age; only the operator retires it (I22)."""

    ref: str
    curated: bool
    opinion: str | None
    reason: str | None
    position: int
    event: str


def ref_hash(ref: str) -> str:
    """The id of a source's stream."""
    return sha256(ref.strip().encode("utf-8", "replace")).hexdigest()[:32]


def initial(ref: str) -> Source:
    return Source(ref=ref, curated=False, opinion=None, reason=None, position=0, event="")


def evolve(source: Source, event: Event) -> Source:
    match event.type:
        case "source.curated":
            source.update({"curated": True, "opinion": text_of(event.data, "opinion"), "reason": None})
        case "source.retired":
            source.update({"curated": False, "reason": text_of(event.data, "reason")})
        case _:
            return source
    source["position"], source["event"] = event.position, event.id
    return source


def curate(source: Source, opinion: str, origin_comment_id: str | None) -> list[Draft]:
    """Hold an opinion of a source; the same one again adds nothing."""
    if not source["ref"].strip():
        raise Refused("a source needs its ref")
    if not opinion.strip():
        raise Refused("a curated source needs the operator's opinion of it")
    if source["curated"] and source["opinion"] == opinion.strip():
        return []
    data: Data = {"ref": source["ref"].strip(), "opinion": opinion.strip()}
    if origin_comment_id:
        data["origin_comment_id"] = origin_comment_id
    return [Draft("source.curated", data)]
