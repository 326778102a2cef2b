"""The parts of an install that extract and answer for knowledge.

Nothing here is imported before something is extracted or asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final

from edge.domain.episodes import said_at
from edge.domain.grill import moment
from edge.domain.refusal import Misused
from edge.extraction import Bounds, Estimate, Extracted, Extraction, Lease, Trouble
from edge.graphing import Followed, GraphFollowing
from edge.health import STOPPED
from edge.ports_knowledge import EpisodeText, Knowing

if TYPE_CHECKING:
    from adapters.graph.extractor import GraphitiExtractor
    from adapters.graph.neo4j.graph import Neo4jGraph
    from edge.ports_knowledge import Embedder, KnownGraph, Model
    from edge.wiring import Edge
    from projections.known import StoredVectors


AGAIN: Final = "extracting again"
"""Name under which the host notes up to where results are to be replaced, while that is under way."""


class KnowledgeParts:
    """Extraction over one install, made of adapters when first used."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._waiting = _Waiting(edge, self)
        self._anew = 0
        """While it extracts anew: nothing extracted up to here is known."""

    @property
    def model(self) -> Model | None:
        """None: the rules extract."""
        return self._edge.model

    @property
    def embedder(self) -> Embedder:
        return self._edge.embedder

    @cached_property
    def vectors(self) -> StoredVectors:
        from projections.known import StoredVectors

        return StoredVectors(self._edge.store)

    @property
    def known(self) -> KnownGraph:
        """The hypothesis tier; to be read inside a snapshot of the store."""
        from projections.known import Known, KnownSince

        return KnownSince(self._edge.store, self._anew) if self._anew else Known(self._edge.store)

    @cached_property
    def extractor(self) -> GraphitiExtractor:
        from adapters.graph.extractor import GraphitiExtractor

        search = self.graph.search if self.searches_in_graph else None
        return GraphitiExtractor(
            self._edge.settings.group,
            self.model,
            self.embedder,
            self.vectors,
            self._waiting,
            candidates=search,
        )

    @property
    def searches_in_graph(self) -> bool:
        """Whether candidates of what is extracted or asked for are looked for in the graph."""
        return self._edge.settings.search == "neo4j"

    @cached_property
    def lease(self) -> Lease:
        from adapters.lease import FileLease

        return FileLease(self._edge.settings.home / "extract.lock")

    @cached_property
    def graph(self) -> Neo4jGraph:
        from adapters.graph.neo4j.graph import Neo4jGraph

        edge, settings = self._edge, self._edge.settings
        if settings.graph is None:
            raise Misused(
                "no graph is configured", hint='add a line like graph = "neo4j://HOST" to edge.toml'
            )
        return Neo4jGraph(
            settings.graph,
            settings.graph_password,
            settings.group,
            self.embedder,
            self.vectors,
            log_id=edge.log_id,
        )

    def follow(self) -> Followed | None:
        """Bring the graph to where the read models stand; None where none is configured."""
        return self._following().follow() if self._edge.settings.graph else None

    def rebuild_graph(self) -> Followed:
        """The graph again from the start, out of the read models."""
        return self._following().rebuild()

    def catch_graph_up(self) -> None:
        """Bring the graph to where the read models are, what they let go of too; raises where it is down."""
        self._following().carry_on()

    def _following(self) -> GraphFollowing:
        queries = self._edge.current()
        return GraphFollowing(lambda: self.graph, self.known, queries.knowledge, queries.snapshot, queries)

    def extract(self, dispatch_id: str | None = None) -> Extracted:
        """One bounded pass over what waits. Why it ended early is noted for ``status``."""
        done = self._extraction().run(dispatch_id)
        notes = self._edge.current()
        said = f"{done.stopped}: {done.said}" if done.said else ""
        if (notes.noted(STOPPED) or "") != said:
            notes.note(STOPPED, said)
        return done

    def search(self, text: str, limit: int, at: str | None = None) -> list[tuple[Knowing, float]]:
        """What is known of a text, best first, now or as it was."""
        from projections.known import StoredVectors

        if at is None:
            view = self._edge.current().knowledge
            if self.searches_in_graph:
                return view.found(self.graph.find(text, limit))
            return view.search(text, self.embedder, self.vectors, limit)
        then = self._edge.at(at)
        return then.knowledge.search(text, self.embedder, StoredVectors(then.store), limit)

    def found(self, text: str, limit: int) -> list[tuple[Knowing, float]]:
        """What is known of a text in the read models as they stand, best first."""
        standing = self._edge.reading.queries.knowledge
        return standing.search(text, self.embedder, self.vectors, limit)

    def passes(self) -> Iterator[Extracted]:
        """One pass after another, as long as each ends only because it reached its bounds."""
        while True:
            done = self.extract()
            yield done
            if done.stopped not in ("episodes", "seconds"):
                return

    def extract_again(self) -> Extracted:
        """Ask anew for every episode that was extracted. What was begun and cut off is finished:
        only what still has its result of before is asked for."""
        notes = self._edge.current()
        begun = int(notes.noted(AGAIN) or 0) or notes.position()
        notes.note(AGAIN, str(begun))
        self.try_again()
        done = self._knowing_since(begun, lambda: self._extraction().again(begun))
        if not done.stopped and done.lag <= done.failed:
            notes.note(AGAIN, "")
        return done

    def _knowing_since(self, position: int, work: Callable[[], Extracted]) -> Extracted:
        """Extract with nothing known but what was extracted after a position."""
        self._anew = position
        self.__dict__.pop("extractor", None)
        try:
            return work()
        finally:
            self._anew = 0
            self.__dict__.pop("extractor", None)

    def try_again(self) -> None:
        """Let episodes that were set aside be tried again."""
        from projections.extraction_queue import settle

        settle(self._edge.store.connection)

    def estimate(self) -> Estimate:
        """What the next pass would take on."""
        return self._extraction().estimate(self.model is not None)

    def _extraction(self) -> Extraction:
        settings = self._edge.settings
        self._edge.current()
        return Extraction(
            self._edge.journal,
            lambda: self.extractor,
            self._waiting,
            self.lease,
            Bounds(settings.extract_days, settings.extract_episodes, settings.extract_seconds),
            time.monotonic,
            self._edge.report or (lambda _what, _done, _of: None),
        )

    def close(self) -> None:
        """Let go of what was opened."""
        if "graph" in self.__dict__:
            self.graph.close()
        if "vectors" in self.__dict__:
            self.vectors.close()


class _Waiting:
    """See :class:`edge.extraction.Waiting`, and the episodes' words for the extractor."""

    def __init__(self, edge: Edge, parts: KnowledgeParts) -> None:
        self._edge = edge
        self._parts = parts

    def current(self) -> None:
        self._edge.current()
        with self._edge.store.snapshot():
            self._parts.extractor.refresh(self._parts.known)
        if self._parts.model and self._parts.searches_in_graph:
            self._parts.catch_graph_up()

    def ids(self, since: str) -> list[str]:
        from projections.episodes import waiting

        return waiting(self._edge.store.connection, since)

    def extracted(self, until: int) -> list[str]:
        from projections.extraction_queue import extracted

        return extracted(self._edge.store.connection, until)

    def text(self, episode: str) -> EpisodeText | None:
        from projections.episodes import place, turns_that_count

        connection = self._edge.store.connection
        found = place(connection, episode)
        if found is None:
            return None
        position = found[1]
        event = next(self._edge.log.read_all(after=position - 1, limit=1), None)
        if event is None or event.id != episode:
            return None
        data = event.data
        said = moment(said_at(data["turns"], event.recorded_at), datetime.min)
        turns = tuple(turns_that_count(connection, position, data["turns"]))
        return EpisodeText(episode, said, data["session"], data["surface"], data.get("project"), turns)

    def troubles(self) -> dict[str, Trouble]:
        from projections.extraction_queue import troubles

        return troubles(self._edge.store.connection)

    def trouble(self, episode: str, trouble: Trouble) -> None:
        from projections.extraction_queue import note

        note(self._edge.store.connection, episode, trouble)

    def settled(self, episode: str) -> None:
        from projections.extraction_queue import settle

        settle(self._edge.store.connection, episode)

    def cost_each(self) -> float | None:
        from projections.extraction_queue import cost_each

        model = self._parts.model
        return cost_each(self._edge.store.connection, model.name if model else "rules")
