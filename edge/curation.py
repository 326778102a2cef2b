"""Curation in an attended grill: what each ``do`` of a plan writes, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edge.domain import curated as knowledge
from edge.domain import direction, sources
from edge.domain.events import Data, Draft
from edge.domain.refs import normal, ref_hash
from edge.domain.refusal import Refused
from edge.domain.streams import check_item_id
from edge.journal import Journal
from edge.knowledge import merged, none_yet
from edge.ports_knowledge import KnowledgeView

if TYPE_CHECKING:
    from edge.domain.plan import CurationPlan


def curated(
    entry: CurationPlan, item: direction.Item | None, journal: Journal, known: KnowledgeView
) -> tuple[str, list[Draft]]:
    """The stream a curation is written to and its events; refused where it would change nothing."""
    match entry.do:
        case "set":
            return journal.streams.direction(entry.id), _set(entry, item)
        case "drop":
            check_item_id(entry.id, "direction id")
            return journal.streams.direction(entry.id), direction.drop(item, entry.id, entry.reason or "")
        case "source":
            return _source(entry, journal)
    return _knowledge(entry, journal, known)


def _knowledge(entry: CurationPlan, journal: Journal, known: KnowledgeView) -> tuple[str, list[Draft]]:
    stream = journal.streams.knowledge(entry.id)
    now, _ = journal.load(stream, none_yet(), knowledge.evolve)
    subject, reason = known.subject(entry.id), entry.reason or ""
    match entry.do:
        case "promote":
            drafts = knowledge.promote(entry.id, subject, now, entry.statement, entry.evidence)
        case "contest":
            drafts = knowledge.contest(entry.id, subject, now, reason)
        case "retire":
            drafts = knowledge.retire(entry.id, subject, now, reason)
        case _:
            if not entry.into:
                raise Refused(f"merging {entry.id} needs `into`: the one that stays")
            drafts = merged(known, entry.id, now, entry.into)
    if not drafts:
        raise Refused(f"{entry.id} is {entry.do}d so already")
    return stream, drafts


def _set(entry: CurationPlan, item: direction.Item | None) -> list[Draft]:
    said: Data = {name: getattr(entry, name) for name in ("title", "body", "kind", "expires_at")}
    if item is not None:
        said = {name: value if value is not None else item[name] for name, value in said.items()}  # type: ignore[literal-required]
    fields = direction.steer_fields(
        said["title"] or "",
        said["body"] or "",
        said["kind"] or "priority",
        said["expires_at"],
        item["relates_to"] if item is not None else None,
    )
    return direction.set_(item, entry.id, fields, entry.supersedes)


def _source(entry: CurationPlan, journal: Journal) -> tuple[str, list[Draft]]:
    ref = normal(entry.id)
    stream = journal.streams.source(ref_hash(ref))
    source, _ = journal.load(stream, sources.initial(ref), sources.evolve)
    drafts = sources.curate(source, entry.opinion or "", None)
    if not drafts:
        raise Refused(f"the source {entry.id} is curated with this opinion already")
    return stream, drafts
