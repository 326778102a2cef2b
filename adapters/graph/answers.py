"""The shapes a model answers in, and what is kept of an answer: cleaned, bounded, whole."""

from __future__ import annotations

from collections.abc import Collection

from graphiti_core.prompts.dedupe_edges import EdgeDuplicate
from graphiti_core.prompts.extract_edges import ExtractedEdges
from graphiti_core.prompts.extract_nodes import ExtractedEntities
from pydantic import BaseModel, Field

from adapters.graph.cleaning import (
    MAX_ENTITIES,
    MAX_FACTS,
    MAX_STATEMENT,
    clean,
    clean_moment,
    clean_name,
    clean_relation,
)
from adapters.graph.prompting import Context
from edge.domain.knowledge import normalised


class Entities(ExtractedEntities):
    """The entities of an episode, and its gist with them."""

    gist: str = Field("", description="What was done and decided, in one or two sentences")


class Judgement(EdgeDuplicate):
    """Which known facts a new one repeats and which it contradicts."""

    id: int = Field(..., description="The id of the question this answers")


class Judgements(BaseModel):
    """One judgement for every question."""

    answers: list[Judgement]


def entities_of(said: Entities) -> tuple[list[Context], int]:
    """Entities as Graphiti takes them, each name once, and how many were left out."""
    kept: dict[str, Context] = {}
    for entity in said.extracted_entities:
        name = clean_name(entity.name)
        if name and normalised(name) not in kept and len(kept) < MAX_ENTITIES:
            kept[normalised(name)] = {
                "name": name,
                "entity_type_id": entity.entity_type_id,
                "episode_indices": [0],
            }
    return list(kept.values()), len(said.extracted_entities) - len(kept)


def facts_of(said: ExtractedEdges, names: Collection[str], at: str) -> tuple[list[Context], int]:
    """Facts between the entities there are, each dated, and how many were left out.

    A fact without a usable date is dated ``at``: Graphiti would ask again for each, and take a
    failure to answer for an undated fact.
    """
    plain = {normalised(name): name for name in names}
    kept: list[Context] = []
    for edge in said.edges:
        source = plain.get(normalised(clean_name(edge.source_entity_name)))
        target = plain.get(normalised(clean_name(edge.target_entity_name)))
        statement = clean(edge.fact, MAX_STATEMENT)
        if source and target and source != target and statement and len(kept) < MAX_FACTS:
            kept.append(
                {
                    "source_entity_name": source,
                    "target_entity_name": target,
                    "relation_type": clean_relation(edge.relation_type),
                    "fact": statement,
                    "valid_at": clean_moment(edge.valid_at) or at,
                    "invalid_at": clean_moment(edge.invalid_at),
                    "episode_indices": [0],
                }
            )
    return kept, len(said.edges) - len(kept)
