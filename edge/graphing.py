"""The graph database follows what is known. Where it is down, only the graph is behind (I18)."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, Protocol

from edge.domain.events import Data
from edge.domain.refusal import EdgeError
from edge.ports_knowledge import CuratedStatement, Graph, KnowledgeView, KnownGraph

NOTE: Final = "graph"
"""Name under which the host notes how far the graph has followed, and why no further."""


class Notes(Protocol):
    def noted(self, name: str) -> str | None: ...
    def note(self, name: str, value: str) -> None: ...


class Followed(NamedTuple):
    """How far the graph has followed, how much changed, and what kept it from going on."""

    position: int
    changes: int
    said: str | None


class GraphFollowing:
    """Brings the graph to where the read models stand, seen at one moment."""

    def __init__(
        self,
        graph: Callable[[], Graph],
        known: KnownGraph,
        view: KnowledgeView,
        snapshot: Callable[[], AbstractContextManager[None]],
        notes: Notes,
    ) -> None:
        self._graph = graph
        self._known = known
        self._view = view
        self._snapshot = snapshot
        self._notes = notes

    def follow(self) -> Followed:
        """Carry on from where it stands; trouble is noted and told, not raised."""
        before = noted(self._notes)
        try:
            return self.carry_on()
        except EdgeError as error:
            position = before.position if before else 0
            if before is None or before.said != error.message:
                self._note(Followed(position, 0, error.message))
            return Followed(position, 0, error.message)

    def carry_on(self) -> Followed:
        """Carry on from where it stands; raises where the graph is down."""
        return self._follow(anew=False)

    def rebuild(self) -> Followed:
        """Everything again from the start, without a model; raises where the graph is down."""
        return self._follow(anew=True)

    def _follow(self, *, anew: bool) -> Followed:
        graph = self._graph()
        with self._snapshot():
            target = self._known.position()
            statements = curated_statements(self._view)
            changes = (graph.rebuild if anew else graph.project)(self._known, statements)
        reached = graph.position()
        done = Followed(reached, changes, None if reached >= target else "another host is at it")
        before = noted(self._notes)
        if before is None or (before.position, before.said) != (done.position, done.said):
            self._note(done)
        return done

    def _note(self, followed: Followed) -> None:
        self._notes.note(NOTE, json.dumps({"position": followed.position, "said": followed.said}))


def noted(notes: Notes) -> Followed | None:
    """What was noted last; None where the graph never followed from this host."""
    try:
        found: Data = json.loads(notes.noted(NOTE) or "null")
        return Followed(int(found["position"]), 0, found["said"])
    except (ValueError, TypeError, KeyError):
        return None


def curated_statements(view: KnowledgeView) -> list[CuratedStatement]:
    """What the operator promoted, as the graph takes it."""
    found = []
    for item in view.items("curated"):
        curation = view.curation(item.id)
        said = CuratedStatement(
            item.id,
            item.statement,
            curation["at"] if curation else "",
            evidence=tuple(item.episodes),
            valid_from=item.valid_from,
        )
        if item.entities:
            source, *rest = item.entities
            said = said._replace(source=source, target="".join(rest[:1]))
        found.append(said)
    return found
