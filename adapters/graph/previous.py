"""Earlier episodes as Graphiti is shown them: a bounded piece of each, the last few kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from graphiti_core.nodes import EpisodicNode

from adapters.graph.objects import Objects
from edge.ports_knowledge import EpisodeTexts

_KEPT: Final = 16
_EACH: Final = 2_000
"""Characters of an earlier episode: enough to tell whom a later one means."""


class Previous:
    """Episodes by id, from the log, where the index knows them as alive."""

    def __init__(self, objects: Objects, texts: EpisodeTexts) -> None:
        self._objects = objects
        self._texts = texts
        self._kept: OrderedDict[str, EpisodicNode | None] = OrderedDict()

    def nodes(self, episodes: Sequence[str]) -> list[EpisodicNode]:
        """Those of the episodes that are known and still have their words, in the order asked."""
        found = [self._node(episode) for episode in episodes if self._objects.index.episode(episode)]
        return [node for node in found if node is not None]

    def _node(self, episode: str) -> EpisodicNode | None:
        if episode not in self._kept:
            text = self._texts.text(episode)
            self._kept[episode] = self._objects.episode(text, _EACH) if text else None
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(episode)
        return self._kept[episode]
