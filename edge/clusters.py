"""Clusters as they are shown: each with a label, a summary, its entities and its facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from edge.domain.events import Data
from edge.domain.knowledge import normalised
from edge.domain.language import Lang
from edge.ports_knowledge import ClusterFact, ClusterView, KnownClusters
from edge.summaries import content_of

SUMMARY_FACTS: Final = 3
_TIERS: Final = {"curated": 0, "hypothesis": 1, "contested": 2}


def described(known: KnownClusters, summaries: Mapping[str, str], lang: Lang) -> list[Data]:
    """Every cluster as ``knowledge clusters`` prints it; ``summaries`` by what they were written from."""
    return [_as_json(view, summaries.get(content_of(view, lang))) for view in known.views()]


def _as_json(view: ClusterView, written: str | None) -> Data:
    return {
        "id": view.id,
        "label": view.label,
        "summary": written or derived_summary(view),
        "summary_by": "model" if written else "facts",
        "entities": [name for _, name in view.entities],
        "entity_ids": [id_ for id_, _ in view.entities],
        "hubs": [name for _, name in view.hubs],
        "facts": [fact.id for fact in view.facts],
        "related": view.related,
        "curated": sum(fact.tier == "curated" for fact in view.facts),
        "contested": sum(fact.tier == "contested" for fact in view.facts),
        "size": len(view.entities),
    }


def derived_summary(view: ClusterView) -> str:
    """What is said most of it: curated statements first, doubted ones last."""
    said = sorted(view.facts, key=lambda fact: _TIERS[fact.tier])
    statements = [fact.statement for fact in islice(each_statement_once(said), SUMMARY_FACTS)]
    return " ".join(f"{' '.join(statement.split()).rstrip('.;')}." for statement in statements)


def each_statement_once(facts: Iterable[ClusterFact]) -> Iterator[ClusterFact]:
    """One sentence may state several facts ("a depends on b and c"): the first of them stands for it."""
    seen = set()
    for fact in facts:
        words = normalised(fact.statement)
        if words not in seen:
            seen.add(words)
            yield fact
