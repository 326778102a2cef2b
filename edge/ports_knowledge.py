"""What knowledge needs from the outside: who extracts, a model, vectors, and what is known so far.

Extraction is a function: (an episode, what is known) → a contribution. The contribution becomes
one ``episode.extracted`` event; entities and facts are the fold of those (I16–I18).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from edge.domain.curated import Curation, Subject
from edge.domain.events import Data
from edge.domain.knowledge import Entity, Fact, Tier
from edge.domain.refusal import EdgeError, Failed, Unreachable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class EpisodeText(NamedTuple):
    """One episode as extraction reads it: only the turns that count, as they stand in the log."""

    id: str
    """The ``episode.captured`` event's id; the extraction's stream and Graphiti's episode uuid."""
    at: datetime
    """When it was said: the last turn's time, else when it was recorded."""
    session: str
    surface: str
    project: str | None
    turns: tuple[Data, ...]
    """``{id, role, ts, text, part?}`` as captured."""


# -- models ---------------------------------------------------------------------------------


class Answer(NamedTuple):
    """A model's structured answer, already of the schema it was asked for; ``tokens`` in and out."""

    data: dict[str, Any]
    tokens: int


class ModelAway(Unreachable):
    """No model answers now (down, no key, rate limit that would outlast the wait): try again later."""

    tokens = 0
    """What the question cost all the same, where it was asked more than once."""


class ModelFailed(Failed):
    """The model answered, and not usably: nonsense, a part, a refusal, for this question."""

    tokens = 0
    """What the question cost all the same."""


class Model(Protocol):
    """A language model asked for one structured answer at a time."""

    name: str
    """As settings and ``by`` of an extraction name it, like ``claude`` or ``openai:qwen3``."""

    async def ask(self, system: str, prompt: str, schema: dict[str, Any], *, purpose: str) -> Answer:
        """The answer as an object of the JSON schema. ``purpose`` is for the tally only.

        Retries are bounded and its own; raises :class:`ModelAway` or :class:`ModelFailed`.
        """
        ...


# -- vectors --------------------------------------------------------------------------------


class Embedder(Protocol):
    """Texts to unit vectors. Vectors of different ``name`` are never compared."""

    @property
    def name(self) -> str:
        """Changes whenever its vectors do."""
        ...

    @property
    def dimension(self) -> int:
        """How long its vectors are. A service is asked the first time: raises :class:`ModelAway`."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of ``dimension`` float32 a text, of length 1 (a blank text: all zero).

        Raises :class:`ModelAway` where a service behind it does not answer.
        """
        ...


class VectorStore(Protocol):
    """Vectors kept beside the read models: disposable, made again by the embedder."""

    def vectors(self, embedder: str, owners: Collection[str]) -> dict[str, bytes]:
        """Float32 bytes by the id of the entity or fact; those there are of this embedder."""
        ...

    def put_vectors(self, embedder: str, vectors: dict[str, bytes]) -> None: ...


# -- what is known --------------------------------------------------------------------------


class KnownEpisode(NamedTuple):
    """An extracted episode; not ``alive`` where it was forgotten or was no operator's (I15)."""

    id: str
    at: str
    session: str
    project: str | None
    gist: str
    alive: bool


class KnownGraph(Protocol):
    """The hypothesis tier as of one position, as far as it changed after another.

    What is gone comes with ``alive`` False and no text. Use inside one ``snapshot``.
    """

    def position(self) -> int: ...
    def entities_changed(self, after: int = 0) -> Iterator[Entity]: ...
    def facts_changed(self, after: int = 0) -> Iterator[Fact]: ...
    def episodes_changed(self, after: int = 0) -> Iterator[KnownEpisode]: ...


class Knowing(NamedTuple):
    """One statement as it is listed: a hypothesis, a contested one, or what the operator curated."""

    id: str
    statement: str
    tier: Tier
    entities: list[str]
    """Names."""
    episodes: list[str]
    """The living episodes it stands in, in log order."""
    valid_from: str | None
    position: int
    """Where it was first said."""
    events: list[str]
    """The extractions that say so, then what the operator said of it."""

    def as_json(self, score: float) -> Data:
        """As ``knowledge list`` and ``search`` print it."""
        return {
            "id": self.id,
            "statement": self.statement,
            "tier": self.tier,
            "entities": self.entities,
            "episodes": self.episodes,
            "valid_from": self.valid_from,
            "score": score,
        }


class KnowledgeView(Protocol):
    """What is known, as of one position of the read models."""

    def items(self, tier: Tier | None = None) -> list[Knowing]:
        """All that is shown, in log order, or one tier of it."""
        ...

    def item(self, id_: str) -> Knowing | None: ...
    def subject(self, id_: str) -> Subject | None:
        """What extraction has under an id: a fact's statement or an entity's name."""
        ...

    def curation(self, id_: str) -> Curation | None: ...
    def failing(self) -> Data | None:
        """Waiting episodes that failed and rest: ``{episodes, until, said}``; None where there are none."""
        ...

    def set_aside(self) -> list[str]:
        """Episodes that were tried as often as one is tried, and could not be extracted."""
        ...

    def contested(self) -> int:
        """How many statements are contested."""
        ...

    def cost(self) -> Data:
        """``{episodes, calls, tokens, seconds}`` of every extraction in the log."""
        ...

    def extracted_after(self, position: int) -> int:
        """How many episodes' results stand after a position."""
        ...

    def contested_or_much_cited(self, cited: int, limit: int) -> list[Knowing]:
        """Hypotheses that ask for the operator's word: contested first, then those cited most."""
        ...


# -- the graph ------------------------------------------------------------------------------


class CuratedStatement(NamedTuple):
    """A statement the operator stands by, as the graph takes it. Times are ISO 8601."""

    id: str
    statement: str
    at: str
    """When it was promoted."""
    source: str = "operator"
    target: str = ""
    """Names, not ids: the curated have entities of their own. Without a target it is about the source."""
    relation: str = "CURATED"
    evidence: tuple[str, ...] = ()
    """Ids of the episodes it stands in."""
    valid_from: str | None = None


class Graph(Protocol):
    """A graph database that follows what is known. Nothing of edge is answered from it.

    All raise ``Unreachable`` where it is down.
    """

    def position(self) -> int:
        """Up to where it has followed; 0 before it began."""
        ...

    def project(self, known: KnownGraph, curated: Sequence[CuratedStatement]) -> int:
        """Bring it to where ``known`` is; how much changed. 0 also where another host is at it."""
        ...

    def rebuild(self, known: KnownGraph, curated: Sequence[CuratedStatement]) -> int:
        """Take out everything of this install, and project from the start."""
        ...

    def find(self, text: str, limit: int) -> list[tuple[str, float]]:
        """Ids of statements about a text, best first, with their scores."""
        ...

    def close(self) -> None: ...


class EpisodeTexts(Protocol):
    """The words of episodes, from the log."""

    def text(self, episode: str) -> EpisodeText | None: ...


# -- clusters -------------------------------------------------------------------------------


class ClusterFact(NamedTuple):
    """A fact as a cluster shows it: in the words and the tier it is shown in."""

    id: str
    statement: str
    tier: str
    episodes: int
    source: str
    target: str


class ClusterView(NamedTuple):
    """A cluster in words. Entities and hubs are (id, name), what weighs most first, as facts are.

    ``facts`` may be fewer than the ``told`` there are; ``related`` are ids of other clusters.
    """

    id: str
    label: str
    entities: list[tuple[str, str]]
    hubs: list[tuple[str, str]]
    facts: list[ClusterFact]
    told: int
    related: list[str]


class Promoted(NamedTuple):
    """What the operator promoted, and the events it came from."""

    id: str
    statement: str
    events: list[str]


class KnownClusters(Protocol):
    """The clusters as of one position. Use inside one ``snapshot``."""

    def key(self) -> str:
        """Another text whenever the clusters, or the words they are shown in, may be others."""
        ...

    def views(self, limit: int | None = None, facts: int | None = None) -> list[ClusterView]:
        """The clusters that matter most now first, each with its ``facts`` weightiest facts, or all."""
        ...

    def curated(self, limit: int) -> list[Promoted]:
        """What the operator promoted, the latest first."""
        ...

    def curated_count(self) -> int: ...
    def events_of(self, fact: str, limit: int) -> list[str]:
        """The events a fact came from: what was curated of it, and its latest extractions."""
        ...


# -- extraction -----------------------------------------------------------------------------


class Extractor(Protocol):
    """Makes one episode's contribution out of its text and what is known; writes nothing."""

    @property
    def by(self) -> dict[str, str]:
        """``{extractor, version, model, embedder}``: who a result came from."""
        ...

    def refresh(self, known: KnownGraph) -> None:
        """Take in what changed since the last refresh; from the start the first time."""
        ...

    def extract(self, episode: EpisodeText) -> Data:
        """The data of ``episode.extracted`` but for ``episode`` and ``by``, ``cost`` among it.

        Raises :class:`ModelAway` (nothing can be extracted now) or :class:`ModelFailed` (this
        episode could not). What was learned is not yet known to it: ``refresh`` brings it once
        the log holds it.
        """
        ...


class Spent(EdgeError):
    """The day's allowance of tokens is used up: the rest waits for tomorrow."""
