"""Sources curated by hand: an opinion held of one, or held no longer, outside any grill."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from edge.domain import sources
from edge.domain.events import Draft
from edge.domain.refs import normal, ref_hash
from edge.domain.sources import Source
from edge.journal import Act, Journal


class CuratedSource(NamedTuple):
    """``position`` None: it stood so already, and nothing was written."""

    ref: str
    position: int | None


class SourceCuration:
    """Writes source.* as the operator."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def curate(self, ref: str, opinion: str) -> CuratedSource:
        """Hold an opinion of a source, above any score."""
        return self._write(ref, lambda source: sources.curate(source, opinion, None))

    def retire(self, ref: str, reason: str) -> CuratedSource:
        """Hold it no longer; what its signals weigh counts again."""
        return self._write(ref, lambda source: sources.retire(source, reason))

    def _write(self, ref: str, decide: Callable[[Source], list[Draft]]) -> CuratedSource:
        one = normal(ref)
        recorded = self._journal.decide(
            self._journal.streams.source(ref_hash(one)),
            lambda: sources.initial(one),
            sources.evolve,
            decide,
            Act("operator"),
        )
        return CuratedSource(one, recorded.at.position if recorded else None)
