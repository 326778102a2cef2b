"""One extraction after another on one Graphiti: what it asks, who answers, what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.search_interface.search_interface import SearchInterface
from graphiti_core.embedder import EmbedderClient
from graphiti_core.nodes import EpisodeType

from adapters.graph.cleaning import MAX_GIST, clean, iso
from adapters.graph.contribution import Contribution
from adapters.graph.driver import IndexDriver
from adapters.graph.embedding import Remembering
from adapters.graph.index import Index
from adapters.graph.kinds import entity_types
from adapters.graph.model import ModelClient
from adapters.graph.objects import described
from adapters.graph.prompting import ContextClient, structured_prompts
from adapters.graph.rules import Reader, RuleClient
from adapters.graph.search import AS_NEO4J, narrow
from adapters.graph.staging import Unsupported
from edge.domain.events import Data
from edge.ports_knowledge import EpisodeText, EpisodeTexts, Model

_AT_ONCE: Final = 256
"""Coroutines Graphiti may run together: all of an episode's facts, so that they are judged as one."""


class Extraction:
    """Graphiti on the index of one group, with rules or a model to answer it."""

    def __init__(
        self,
        group: str,
        model: Model | None,
        embedder: Remembering,
        index: Index,
        texts: EpisodeTexts,
        rules: Reader,
        candidates: Callable[[], SearchInterface] | None = None,
    ) -> None:
        self._group = group
        self._index = index
        self._rules = rules
        self._kinds = entity_types()
        self._model = ModelClient(model) if model else None
        self._ruled = RuleClient(index)
        reach = AS_NEO4J if model else narrow(self._ruled.against)
        # rules look at no summary, and making one costs
        summary = index.summary if model else lambda entity: entity.summary or ""
        self.driver = IndexDriver(group, index, texts, reach, summary)
        if model and candidates:
            self.driver.search_interface = candidates()
        self.graphiti = Graphiti(
            graph_driver=self.driver,
            llm_client=self._client,
            embedder=PortEmbedder(embedder),
            cross_encoder=NoCrossEncoder(),
            prompt_library=structured_prompts(),
            max_coroutines=_AT_ONCE,
        )

    @property
    def _client(self) -> ContextClient:
        return self._model or self._ruled

    async def of(self, episode: EpisodeText) -> Data:
        """The contribution of an episode. Raises what went wrong, also where Graphiti swallowed it."""
        self.driver.begin(episode)
        gist = self._begin(episode)
        await self.graphiti.add_episode(
            name=episode.session,
            episode_body="",  # both are the driver's to tell, by the episode's id
            source_description=described(episode),
            reference_time=episode.at,
            source=EpisodeType.message,
            group_id=self._group,
            uuid=episode.id,
            entity_types=self._kinds,
            previous_episode_uuids=None if self._model else [],
        )
        trouble = [*self._client.trouble, *self.driver.staging.trouble]
        if trouble:
            raise trouble[0]
        cost: dict[str, float] = {"calls": 0, "tokens": 0, "dropped": self._ruled.dropped}
        if self._model:
            gist = self._model.gist or self._read(episode)
            cost = self._model.cost()
        return Contribution(self.driver.staging, self._index, episode).data(gist, cost)

    def end(self) -> None:
        """Let go of what was staged."""
        self.driver.begin()

    def _begin(self, episode: EpisodeText) -> str:
        if self._model:
            self._model.begin(iso(episode.at))
            return ""
        found = self._rules(episode.turns, self._index.known_as, episode.project)
        self._ruled.begin(found, iso(episode.at))
        return clean(found.gist, MAX_GIST)

    def _read(self, episode: EpisodeText) -> str:
        """The gist by rules, where a model gave none."""
        return clean(self._rules(episode.turns, self._index.known_as, episode.project).gist, MAX_GIST)


class PortEmbedder(EmbedderClient):
    """Graphiti's embedder over ours."""

    def __init__(self, embedder: Remembering) -> None:
        self._embedder = embedder

    async def create(self, input_data: object) -> list[float]:
        text = input_data if isinstance(input_data, str) else next(iter(input_data))  # type: ignore[call-overload]
        return (await self.create_batch([text]))[0]

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._embedder.embed(
            [text.replace("\n", " ") for text in input_data_list]
        ).tolist()
        return rows


class NoCrossEncoder(CrossEncoderClient):
    """None is needed; without one here Graphiti would make OpenAI's and want a key."""

    async def rank(self, query: str, passages: list[str]) -> NoReturn:
        raise Unsupported("there is no cross-encoder")
