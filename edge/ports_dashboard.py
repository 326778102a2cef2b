"""What the dashboard needs of an install: its use cases, and the read models as they stand.

The adapter for the web is handed something of this shape; it names neither wiring nor projections.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from edge.domain.chat import Chat
from edge.domain.events import Data
from edge.domain.knowledge import Tier
from edge.domain.steer_history import Move
from edge.ports import Clock, EventLog, Queries, Report, Which
from edge.ports_knowledge import Knowing

if TYPE_CHECKING:
    from edge.domain.streams import Streams
    from edge.knowledge import KnowledgeCuration
    from edge.settings import Settings
    from edge.sources import SourceCuration
    from edge.steering import Steering
    from edge.voz import Voz
from edge.why_nodes import Node


class EpisodeSeen(NamedTuple):
    """An episode as a source of something known."""

    id: str
    position: int
    session: str
    project: str | None
    at: str
    gist: str


class Named(NamedTuple):
    """An entity of the picture: how many episodes speak of it."""

    id: str
    name: str
    episodes: int


class Tied(NamedTuple):
    """Two entities of the picture, and how many facts tie them."""

    source: str
    target: str
    facts: int


class DashboardReads(Queries, Protocol):
    """The read side as pages need it: a page of each, newest first. Nothing here runs the log."""

    def recent_chats(
        self, limit: int, before: int | None = None, which: Which = "all", target: str | None = None
    ) -> list[Chat]:
        """Chats whose comment stands before a position."""
        ...

    def open_chats_by_artefato(self) -> dict[str, int]: ...
    def activity(self, since: str) -> list[tuple[str, str, int]]:
        """(quarter of an hour in UTC, kind, events) from an ISO time on, in order of time."""
        ...

    def moves(self, limit: int) -> list[Move]:
        """The last changes of Direction, oldest first."""
        ...

    def episode(self, id_: str) -> EpisodeSeen | None: ...
    def known_count(self) -> dict[Tier, int]: ...
    def recently_known(
        self, limit: int, before: int | None = None, tier: Tier | None = None
    ) -> list[Knowing]:
        """Statements first said before a position."""
        ...

    def said_of(self, entity: str, limit: int) -> list[Knowing]:
        """What is shown of an entity, its latest first."""
        ...

    def entity(self, id_: str) -> Named | None: ...
    def most_spoken_of(self, limit: int) -> list[Named]: ...
    def ties(self, entities: list[str]) -> list[Tied]:
        """How the given entities are tied to each other."""
        ...


class KnowledgeSearch(Protocol):
    """Search over what is known, as :class:`edge.wiring_knowledge.KnowledgeParts` does it."""

    def search(self, text: str, limit: int, at: str | None = None) -> list[tuple[Knowing, float]]: ...


class Install(Protocol):
    """One opened install, used by one thread at a time."""

    settings: Settings
    streams: Streams

    @property
    def mode(self) -> str: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def log(self) -> EventLog: ...
    @property
    def voz(self) -> Voz: ...
    @property
    def steering(self) -> Steering: ...
    @property
    def curation(self) -> KnowledgeCuration: ...
    @property
    def source_curation(self) -> SourceCuration: ...

    def reads(self) -> DashboardReads:
        """The read models as they stand, without bringing them anywhere."""
        ...

    def current(self) -> Queries:
        """The read models at the log's head: what the dashboard waits for after its own write."""
        ...

    def found(self, text: str, limit: int) -> list[tuple[Knowing, float]]:
        """What is known of a text, in the read models as they stand."""
        ...

    def at(self, when: str, models: Collection[str] = ()) -> Queries:
        """The read models named (or all of them) as of a position or an ISO time."""
        ...

    def clock_at(self, when: str | None) -> datetime: ...
    def briefing_standing(self) -> Data:
        """The Briefing of the read models as they stand, in the shape ``briefing`` prints."""
        ...

    def briefing_at(self, when: str) -> tuple[Data, str]: ...
    def strip(self) -> Data:
        """The health strip of the read models as they stand; ``away`` says why the log cannot be asked."""
        ...

    def why_standing(self, id_: str, kind: str | None = None) -> Node:
        """What stands behind an id, of the read models as they stand."""
        ...

    def close(self) -> None: ...


OpenInstall = Callable[[Report | None], Install]
"""Opens the install anew, with where its progress goes."""
