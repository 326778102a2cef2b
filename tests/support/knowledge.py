"""A knowledge read model in memory, as extraction sees it: contributions folded, changes remembered."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from edge.domain.events import Data
from edge.domain.knowledge import Entity, Fact, fold, with_mention, with_statement
from edge.ports_knowledge import EpisodeText, KnownEpisode


class FoldedKnowledge:
    """A :class:`edge.ports_knowledge.KnownGraph` over contributions; positions count its changes."""

    def __init__(self) -> None:
        self.contributions: list[tuple[str, Data]] = []
        self.entities: dict[str, Entity] = {}
        self.facts: dict[str, Fact] = {}
        self._episodes: dict[str, KnownEpisode] = {}
        self._position = 0
        self._changed: dict[str, dict[str, int]] = {"entity": {}, "fact": {}, "episode": {}}

    def add(self, text: EpisodeText, data: Data) -> None:
        """An ``episode.extracted`` came to the log."""
        self._position += 1
        self.contributions.append((text.id, data))
        for said in data["entities"]:
            self.entities[said["id"]] = with_mention(self.entities.get(said["id"]), said, text.id)
            self._change("entity", said["id"])
        for said in data["facts"]:
            self.facts[said["id"]] = with_statement(self.facts.get(said["id"]), said, text.id)
            self._change("fact", said["id"])
        at = text.at.isoformat()
        self._episodes[text.id] = KnownEpisode(
            text.id, at, text.session, text.project, data["gist"], alive=True
        )
        self._change("episode", text.id)

    def leave_out(self, episode: str) -> None:
        """Forget an episode: what only it told is gone, the rest is folded without it."""
        self._position += 1
        gone = [data for name, data in self.contributions if name == episode]
        self.contributions = [each for each in self.contributions if each[0] != episode]
        entities, facts = fold(self.contributions)
        for data in gone:
            for said in data["entities"]:
                self.entities[said["id"]] = entities.get(said["id"], Entity(said["id"]))
                self._change("entity", said["id"])
            for said in data["facts"]:
                self.facts[said["id"]] = facts.get(said["id"], Fact(said["id"]))
                self._change("fact", said["id"])
        self._episodes[episode] = KnownEpisode(episode, "", "", None, "", alive=False)
        self._change("episode", episode)

    def position(self) -> int:
        return self._position

    def entities_changed(self, after: int = 0) -> Iterator[Entity]:
        return iter([self.entities[owner] for owner in self._since("entity", after)])

    def facts_changed(self, after: int = 0) -> Iterator[Fact]:
        return iter([self.facts[owner] for owner in self._since("fact", after)])

    def episodes_changed(self, after: int = 0) -> Iterator[KnownEpisode]:
        return iter([self._episodes[owner] for owner in self._since("episode", after)])

    def _change(self, kind: str, owner: str) -> None:
        self._changed[kind].pop(owner, None)
        self._changed[kind][owner] = self._position

    def _since(self, kind: str, after: int) -> list[str]:
        """Ids changed after a position, in the order they changed last."""
        found = []
        for owner, position in reversed(self._changed[kind].items()):
            if position <= after:
                break
            found.append(owner)
        return found[::-1]


class KeptVectors:
    """A :class:`edge.ports_knowledge.VectorStore` in memory; ``made`` counts what was put."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], bytes] = {}
        self.made = 0

    def vectors(self, embedder: str, owners: Collection[str]) -> dict[str, bytes]:
        keys = [(embedder, owner) for owner in owners]
        return {key[1]: self.kept[key] for key in keys if key in self.kept}

    def put_vectors(self, embedder: str, vectors: dict[str, bytes]) -> None:
        self.made += len(vectors)
        self.kept.update(((embedder, owner), raw) for owner, raw in vectors.items())


class KeptTexts:
    """:class:`edge.ports_knowledge.EpisodeTexts` of those it was given."""

    def __init__(self) -> None:
        self.texts: dict[str, EpisodeText] = {}

    def text(self, episode: str) -> EpisodeText | None:
        return self.texts.get(episode)
