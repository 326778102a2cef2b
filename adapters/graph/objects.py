"""Graphiti's objects made of what the index knows, without validating again what was stored.

Within one extraction a known entity or fact is always the same object: Graphiti changes them in
place, and a fact both repeated and contradicted keeps both that way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode

from adapters.graph.index import Index
from adapters.graph.staging import Staging
from edge.domain.knowledge import Entity, Fact
from edge.ports_knowledge import EpisodeText

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for when a known thing was recorded, which Graphiti asks for and nothing here needs."""
MAX_TEXT: Final = 60_000
"""Characters of an episode a model reads; of a longer one its beginning and its end."""
_CUT: Final = "\n[…]\n"
_FRAME: Final = re.compile(
    r"<(/?(?:CURRENT|PREVIOUS|ENTIT|EXISTING|REFERENCE|FACT)[^<>]{0,40})>", re.IGNORECASE
)
"""The tags that frame parts of a prompt: words from an episode must not end their own part."""


class Objects:
    """Known entities, facts and episodes of one group as Graphiti's own objects."""

    def __init__(self, group: str, index: Index, summary: Callable[[Entity], str]) -> None:
        self.group = group
        self.index = index
        self._summary = summary
        self.staging = Staging()

    def node(self, owner: str) -> EntityNode:
        found = self.staging.known_nodes.get(owner)
        if found is None:
            found = self.staging.known_nodes[owner] = self._node(self.index.entities[owner])
        return found

    def edge(self, owner: str) -> EntityEdge:
        found = self.staging.known_edges.get(owner)
        if found is None:
            found = self.staging.known_edges[owner] = self._edge(self.index.facts[owner])
        return found

    def _node(self, entity: Entity) -> EntityNode:
        return EntityNode.model_construct(
            uuid=entity.id,
            name=entity.name,
            group_id=self.group,
            labels=["Entity", *entity.labels],
            created_at=EPOCH,
            name_embedding=None,
            summary=self._summary(entity),
            attributes=dict(entity.attributes or {}),
        )

    def _edge(self, fact: Fact) -> EntityEdge:
        closed = fact.closed or (None, None)
        return EntityEdge.model_construct(
            uuid=fact.id,
            group_id=self.group,
            source_node_uuid=fact.source,
            target_node_uuid=fact.target,
            created_at=EPOCH,
            name=fact.relation,
            fact=fact.statement,
            fact_embedding=None,
            episodes=list(fact.episodes),
            expired_at=moment(closed[1]),
            valid_at=moment(fact.valid_from),
            invalid_at=moment(closed[0]),
            reference_time=moment(fact.reference_time),
            attributes=dict(fact.attributes or {}),
        )

    def episode(self, text: EpisodeText, most: int = MAX_TEXT) -> EpisodicNode:
        """An episode with at most ``most`` characters of what was said in it."""
        return EpisodicNode.model_construct(
            uuid=text.id,
            name=text.session,
            group_id=self.group,
            labels=[],
            created_at=EPOCH,
            source=EpisodeType.message,
            source_description=described(text),
            content=said(text, most),
            valid_at=text.at,
            entity_edges=[],
            episode_metadata=None,
        )


def described(text: EpisodeText) -> str:
    """Where an episode comes from, in a line."""
    where = f" in {text.project}" if text.project else ""
    return f"a conversation with a coding agent ({text.surface}){where}"


def said(text: EpisodeText, most: int) -> str:
    """The turns as ``role: words``, their middle left out where they are longer than ``most``."""
    lines = "\n".join(f"{turn['role']}: {turn['text']}" for turn in text.turns)
    lines = _FRAME.sub(r"‹\1›", lines)
    if len(lines) <= most:
        return lines
    half = max(0, (most - len(_CUT)) // 2)
    return lines[:half] + _CUT + lines[-half:]


def moment(text: str | None) -> datetime | None:
    """An ISO time as stored, aware; None where there is none or it cannot be read."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
