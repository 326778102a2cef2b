"""The extractor: Graphiti's ``add_episode`` on the index, its staged writes turned into one value."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeVar

from adapters.graph.embedding import Remembering
from adapters.graph.index import Index
from adapters.graph.loading import graphiti_version, load_graphiti
from adapters.graph.reading import read
from edge.domain.events import Data
from edge.domain.refusal import EdgeError, Misused
from edge.domain.streams import GROUP
from edge.ports_knowledge import (
    Embedder,
    EpisodeText,
    EpisodeTexts,
    KnownGraph,
    Model,
    ModelAway,
    ModelFailed,
    VectorStore,
)

if TYPE_CHECKING:
    from graphiti_core.driver.search_interface.search_interface import SearchInterface

    from adapters.graph.extraction import Extraction
    from adapters.graph.rules import Reader

EXTRACTION: Final = 1
"""Of the way this package has Graphiti extract; raised when the same episode would come out otherwise."""
_Made = TypeVar("_Made")


class GraphitiExtractor:
    """See :class:`edge.ports_knowledge.Extractor`. Without a model, ``rules`` read the episode.

    Extractions of one extractor happen one after another, on an event loop of its own: call it
    from no coroutine.
    """

    def __init__(
        self,
        group: str,
        model: Model | None,
        embedder: Embedder,
        vectors: VectorStore,
        texts: EpisodeTexts,
        rules: Reader = read,
        candidates: Callable[[], SearchInterface] | None = None,
    ) -> None:
        if not GROUP.fullmatch(group):
            raise Misused(f"group {group!r} is no name of a group")
        self._group = group
        self._model = model
        self._embedder = Remembering(embedder)
        self._texts = texts
        self._rules = rules
        self._candidates = candidates
        self._index = Index(self._embedder, vectors)
        self._one = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._extraction: Extraction | None = None

    @property
    def by(self) -> dict[str, str]:
        return {
            "extractor": "graphiti",
            "version": f"{graphiti_version()}+{EXTRACTION}",
            "model": self._model.name if self._model else "rules",
            "embedder": self._embedder.name,
        }

    def refresh(self, known: KnownGraph) -> None:
        """Bring the index up to date; raises ``ModelAway`` where the embedder does not answer."""
        with self._one:
            self._index.refresh(known)

    def extract(self, episode: EpisodeText) -> Data:
        """One episode's contribution; ``cost`` is calls and tokens of the model, and seconds by the wall.

        Whatever fails, nothing is kept of the attempt.
        """
        with self._one:
            began = time.perf_counter()
            extraction = self._started()
            try:
                data = self._run(extraction.of(episode))
            except EdgeError:
                raise
            except asyncio.CancelledError as error:  # nobody here cancels: a client cut its own call off
                raise ModelAway("the answer was cut off") from error
            except Exception as error:
                # Graphiti or an answer it could not digest: this episode's failure, not the run's
                raise ModelFailed(f"extraction failed: {type(error).__name__}") from error
            finally:
                extraction.end()
            data["cost"]["seconds"] = round(time.perf_counter() - began, 3)
            return data

    def _started(self) -> Extraction:
        """Graphiti, imported when it is first needed."""
        if self._extraction is None:
            load_graphiti(self._embedder.dimension)
            from adapters.graph.extraction import Extraction

            self._extraction = Extraction(
                self._group,
                self._model,
                self._embedder,
                self._index,
                self._texts,
                self._rules,
                self._candidates,
            )
        return self._extraction

    def _run(self, work: Coroutine[Any, Any, _Made]) -> _Made:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            weakref.finalize(self, self._loop.close)
        try:
            return self._loop.run_until_complete(work)
        finally:
            self._loop.run_until_complete(_cancelled())


async def _cancelled() -> None:
    """End what an extraction left running: where one coroutine of Graphiti's failed, its siblings go on."""
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest)
