"""Knowledge curated by hand: promoted, contested, merged or retired, outside any grill."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from edge.domain import curated
from edge.domain.curated import Curation
from edge.domain.events import Draft
from edge.journal import Act, Journal
from edge.ports import ReadSide
from edge.ports_knowledge import KnowledgeView


class CuratedAt(NamedTuple):
    """``position`` None: it stood so already, and nothing was written."""

    id: str
    position: int | None


class KnowledgeCuration:
    """Writes knowledge.* as the operator; what there is to curate is what the read models show."""

    def __init__(self, journal: Journal, reads: ReadSide) -> None:
        self._journal = journal
        self._reads = reads

    def promote(self, id_: str, statement: str | None, evidence: list[str]) -> CuratedAt:
        """Make a hypothesis curated, in its own words or the operator's."""
        return self._write(
            id_, lambda known, now: curated.promote(id_, known.subject(id_), now, statement, evidence)
        )

    def contest(self, id_: str, reason: str) -> CuratedAt:
        """Doubt it openly; it stays, and is shown as contested."""
        return self._write(id_, lambda known, now: curated.contest(id_, known.subject(id_), now, reason))

    def retire(self, id_: str, reason: str) -> CuratedAt:
        """Take it out of what is shown."""
        return self._write(id_, lambda known, now: curated.retire(id_, known.subject(id_), now, reason))

    def merge(self, id_: str, into: str) -> CuratedAt:
        """Say that two facts, or two entities, are one."""
        return self._write(id_, lambda known, now: merged(known, id_, now, into))

    def _write(self, id_: str, decide: Callable[[KnowledgeView, Curation | None], list[Draft]]) -> CuratedAt:
        recorded = self._journal.decide(
            self._journal.streams.knowledge(id_),
            none_yet,
            curated.evolve,
            lambda now: decide(self._reads.current().knowledge, now),
            Act("operator"),
        )
        return CuratedAt(id_, recorded.at.position if recorded else None)


def merged(known: KnowledgeView, id_: str, now: Curation | None, into: str) -> list[Draft]:
    return curated.merge(id_, known.subject(id_), now, into, known.subject(into), known.curation(into))


def none_yet() -> Curation | None:
    """No curation of an id."""
    return None
