"""Curation of knowledge: what the operator promoted, contested, merged or retired, by id.

It stands above what extraction contributed: a promoted statement outlives its episodes, and an
extraction that says the same again under another id changes nothing about it.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypedDict

from edge.domain.chat import text_of
from edge.domain.events import Data, Draft, Event
from edge.domain.knowledge import CONTESTED, MERGED, PROMOTED, RETIRED
from edge.domain.refusal import Refused

Standing = Literal["curated", "contested", "merged", "retired"]

_STANDING: Final[dict[str, Standing]] = {
    PROMOTED: "curated",
    CONTESTED: "contested",
    MERGED: "merged",
    RETIRED: "retired",
}
TYPES: Final = frozenset(_STANDING)


class Curation(TypedDict):
    """One curated id, JSON-ready."""

    id: str
    standing: Standing
    statement: str | None
    """The operator's: what it was promoted as."""
    about: str | None
    """``words_hash`` of what extraction says under a fact's id, so that the same said again under another
    id is known. Goes with the words it stands for."""
    reason: str | None
    into: str | None
    evidence: list[str]
    origin_comment_id: str | None
    at: str
    """When it was last curated, ISO 8601 UTC."""
    position: int
    events: list[str]


class Subject(NamedTuple):
    """What there is to curate under an id: a fact's statement, or an entity's name."""

    kind: Literal["fact", "entity"]
    words: str


def evolve(curation: Curation | None, event: Event, about: str | None = None) -> Curation:
    """Fold one knowledge event; ``about`` is the hash of what extraction says under a fact's id then."""
    data = event.data
    before = curation or Curation(
        id=event.data["id"],
        standing="contested",
        statement=None,
        about=None,
        reason=None,
        into=None,
        evidence=[],
        origin_comment_id=None,
        at="",
        position=0,
        events=[],
    )
    after = before.copy()
    after["standing"] = _STANDING[event.type]
    after["statement"] = text_of(data, "statement") or before["statement"]
    after["about"] = about or before["about"]
    after["reason"] = text_of(data, "reason") or None
    after["into"] = text_of(data, "into") or None
    if event.type == PROMOTED:
        after["evidence"] = [str(ref) for ref in data.get("evidence") or ()]
        after["origin_comment_id"] = text_of(data, "origin_comment_id") or None
    after["at"] = event.recorded_at
    after["position"] = event.position
    after["events"] = [*before["events"], event.id]
    return after


def promote(
    id_: str,
    subject: Subject | None,
    curation: Curation | None,
    statement: str | None,
    evidence: list[str],
    origin_comment_id: str | None = None,
) -> list[Draft]:
    """Make a hypothesis curated, in its own words or the operator's; the same again adds nothing."""
    _known(id_, subject, curation)
    if subject is not None and subject.kind == "entity":
        raise Refused(f"{id_} is an entity, and only a fact is promoted", hint="`edge knowledge list`")
    words = subject.words if subject else (curation["statement"] if curation else None)
    said = (statement or "").strip() or words or ""
    if not said.strip():
        raise Refused(f"{id_} has no words to promote", hint="give them with --statement")
    if curation and curation["standing"] == "curated" and curation["statement"] == said:
        return []
    data: Data = {"id": id_, "statement": said, "evidence": evidence}
    if origin_comment_id:
        data["origin_comment_id"] = origin_comment_id
    return [Draft(PROMOTED, data)]


def contest(id_: str, subject: Subject | None, curation: Curation | None, reason: str) -> list[Draft]:
    """Doubt it openly: it stays, shown as contested."""
    return _reasoned(CONTESTED, "contested", id_, subject, curation, reason)


def retire(id_: str, subject: Subject | None, curation: Curation | None, reason: str) -> list[Draft]:
    """Take it out of what is shown, for good or until it is promoted again."""
    return _reasoned(RETIRED, "retired", id_, subject, curation, reason)


def merge(
    id_: str,
    subject: Subject | None,
    curation: Curation | None,
    into: str,
    other: Subject | None,
    others_curation: Curation | None,
) -> list[Draft]:
    """Say that two ids are one: what the first has counts to the second."""
    _known(id_, subject, curation)
    _known(into, other, others_curation)
    if id_ == into:
        raise Refused(f"{id_} cannot be merged into itself")
    if subject and other and subject.kind != other.kind:
        raise Refused(f"{id_} is {_named(subject)} and {into} {_named(other)}: they cannot be one")
    if others_curation and others_curation["standing"] in ("merged", "retired"):
        raise Refused(
            f"{into} is {others_curation['standing']}", hint="merge into what is shown, or promote it"
        )
    if curation and curation["standing"] == "merged" and curation["into"] == into:
        return []
    return [Draft(MERGED, {"id": id_, "into": into})]


def _reasoned(
    type_: str, standing: Standing, id_: str, subject: Subject | None, curation: Curation | None, reason: str
) -> list[Draft]:
    _known(id_, subject, curation)
    if not reason.strip():
        raise Refused("this needs its reason", hint="say why with --reason")
    if curation and curation["standing"] == standing and curation["reason"] == reason.strip():
        return []
    return [Draft(type_, {"id": id_, "reason": reason.strip()})]


def _known(id_: str, subject: Subject | None, curation: Curation | None) -> None:
    if subject is None and curation is None:
        raise Refused(f"no knowledge {id_!r}", hint="`edge knowledge list` or `search` names what there is")


def _named(subject: Subject) -> str:
    return "an entity" if subject.kind == "entity" else "a fact"
