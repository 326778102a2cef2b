"""What one call of ``add_episode`` would write, held back: its whole result as one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode

Row = dict[str, Any]


class Unsupported(RuntimeError):
    """Graphiti asked the driver for something it does not have: a method, a filter, Cypher."""


@dataclass
class Staging:
    """The rows and the objects of one extraction. Rows staged twice: the last wins."""

    episodes: dict[str, Row] = field(default_factory=dict)
    nodes: dict[str, Row] = field(default_factory=dict)
    mentions: dict[tuple[str, str], Row] = field(default_factory=dict)
    edges: dict[str, Row] = field(default_factory=dict)
    known_nodes: dict[str, EntityNode] = field(default_factory=dict)
    """Known entities as Graphiti was given them; one object each, since it changes them in place."""
    known_edges: dict[str, EntityEdge] = field(default_factory=dict)
    trouble: list[BaseException] = field(default_factory=list)
    """Errors raised into Graphiti: it swallows some, which must not pass as success."""

    def stage_episodes(self, rows: Sequence[Row]) -> None:
        self.episodes.update((row["uuid"], row) for row in rows)

    def stage_nodes(self, rows: Sequence[Row]) -> None:
        self.nodes.update((row["uuid"], row) for row in rows)

    def stage_mentions(self, rows: Sequence[Row]) -> None:
        self.mentions.update(((row["source_node_uuid"], row["target_node_uuid"]), row) for row in rows)

    def stage_edges(self, rows: Sequence[Row]) -> None:
        self.edges.update((row["uuid"], row) for row in rows)
