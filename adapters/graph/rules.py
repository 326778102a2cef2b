"""Graphiti's questions answered without a model, from a reading of the episode.

Names are the same where they normalise to the same; a fact is the same where its words are; a
fact contradicts only where the words say so, and then what stood between the same two ends and
what :meth:`RuleClient.against` finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from adapters.graph.cleaning import (
    MAX_ENTITIES,
    MAX_FACTS,
    MAX_STATEMENT,
    clean,
    clean_moment,
    clean_name,
    clean_relation,
)
from adapters.graph.index import Index
from adapters.graph.kinds import type_id
from adapters.graph.prompting import (
    ENTITIES,
    FACTS,
    SAME_ENTITIES,
    SAME_FACTS,
    SUMMARIES,
    Context,
    ContextClient,
)
from adapters.graph.reading import Read, Related
from adapters.graph.staging import Unsupported
from edge.domain.events import Data
from edge.domain.knowledge import normalised

RULES: Final = "rules"
REPLACES: Final = "replaces"


class Reader(Protocol):
    """Reads an episode by rules; :func:`adapters.graph.reading.read` is the one there is."""

    def __call__(
        self, turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None
    ) -> Read: ...


class RuleClient(ContextClient):
    """Answers for one episode at a time; see :meth:`begin`."""

    def __init__(self, index: Index) -> None:
        super().__init__()
        self._index = index
        self.dropped = 0

    def begin(self, read: Read, at: str) -> None:
        """Answer from this reading; ``at`` dates what it does not date."""
        self.trouble = []
        self._names = {clean_name(named.name): named.label for named in read.names[:MAX_ENTITIES]}
        self._names.pop("", None)
        said = [_cleaned(related, at) for related in read.relations[:MAX_FACTS]]
        self._facts = [
            fact for fact in said if fact.statement and {fact.source, fact.target} <= self._names.keys()
        ]
        self._by_words = {normalised(fact.statement): fact for fact in self._facts}
        self.dropped = len(read.relations) - len(self._facts)

    async def answer(self, question: str, context: Context) -> Context:
        if question == ENTITIES:
            return {"extracted_entities": [_entity(name, label) for name, label in self._names.items()]}
        if question == FACTS:
            return {"edges": [_edge(fact) for fact in self._facts]}
        if question == SAME_ENTITIES:
            return {"entity_resolutions": _resolved(context)}
        if question == SAME_FACTS:
            return self._judged(context)
        if question == SUMMARIES:
            return {"summaries": []}  # an entity's summary is its facts
        raise Unsupported(f"the rules have no answer to {question}")

    def against(self, statement: str) -> list[str]:
        """The known facts with other ends that a marked statement makes doubtful: where it says that
        something was replaced, whatever held of that; else none, since only the same ended."""
        fact = self._by_words.get(normalised(statement))
        if fact is None or not fact.contradicts or fact.relation.casefold() != REPLACES:
            return []
        return [
            known.id
            for entity in self._index.named(fact.target)
            for known in self._index.facts_of(entity.id)
            if known.closed is None
        ]

    def _judged(self, context: Context) -> Context:
        words = normalised(context["new_edge"])
        same = [each["idx"] for each in context["existing_edges"] if normalised(each["fact"]) == words]
        fact = self._by_words.get(words)
        if fact is None or not fact.contradicts:
            return {"duplicate_facts": same, "contradicted_facts": []}
        ended = self._with_the_relation(fact)
        candidates = [
            *(each for each in context["existing_edges"] if normalised(each["fact"]) in ended),
            *context["edge_invalidation_candidates"],
        ]
        return {
            "duplicate_facts": same,
            "contradicted_facts": [each["idx"] for each in candidates if each["idx"] not in same],
        }

    def _with_the_relation(self, fact: Related) -> set[str]:
        """The words of the known facts between the two ends that say the very relation that ended."""
        return {
            normalised(known.statement)
            for entity in self._index.named(fact.source)
            for known in self._index.facts_of(entity.id)
            if known.source == entity.id and known.relation.casefold() == fact.relation.casefold()
        }


def _cleaned(related: Related, at: str) -> Related:
    return Related(
        clean_name(related.source),
        clean_relation(related.relation),
        clean_name(related.target),
        clean(related.statement, MAX_STATEMENT),
        clean_moment(related.valid_at) or at,
        related.contradicts,
    )


def _entity(name: str, label: str) -> Context:
    return {"name": name, "entity_type_id": type_id(label), "episode_indices": [0]}


def _edge(fact: Related) -> Context:
    return {
        "source_entity_name": fact.source,
        "target_entity_name": fact.target,
        "relation_type": fact.relation,
        "fact": fact.statement,
        "valid_at": fact.valid_at,
        "invalid_at": None,
        "episode_indices": [0],
    }


def _resolved(context: Context) -> list[Context]:
    """Each extracted entity the known one of its normalised name, else none."""
    known: dict[str, int] = {}
    for candidate in context["existing_nodes"]:
        known.setdefault(normalised(candidate["name"]), candidate["candidate_id"])
    return [
        {
            "id": entity["id"],
            "name": entity["name"],
            "duplicate_candidate_id": known.get(normalised(entity["name"]), -1),
        }
        for entity in context["extracted_nodes"]
    ]
