"""What edge needs from the outside, one Protocol each; adapters implement them, wiring names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from edge.domain.chat import Chat
from edge.domain.corpus import Artefato, Breadcrumb
from edge.domain.direction import Item
from edge.domain.dispatch import Dispatch
from edge.domain.events import Appended, Data, Event, NewEvent
from edge.domain.grill import Run
from edge.domain.language import Lang
from edge.domain.pendency import Act, ActKind
from edge.domain.refusal import EdgeError, Failed
from edge.domain.sources import Ranked
from edge.domain.steer_history import Move

if TYPE_CHECKING:  # plans cost pydantic, which readers do without
    from edge.domain.plan import ChatPlan
    from edge.ports_knowledge import KnowledgeView, KnownClusters

MAX_APPEND_BYTES = 1024 * 1024
"""All of one append: data + metadata as UTF-8 JSON + 2 bytes a character of each type."""


class WrongRevision(EdgeError):
    """The stream does not end where the writer expected: read again, decide again."""

    name = "conflict"

    def __init__(self, stream: str, expected: int, current: int) -> None:
        super().__init__(f"stream {stream} is at revision {current}, not {expected}")
        self.stream = stream
        self.expected = expected
        self.current = current


class AppendRefused(Failed):
    """A batch that may not be sent: empty, unsized, or larger than :data:`MAX_APPEND_BYTES`."""


class CaughtUp(NamedTuple):
    """A subscription has delivered all there was; what follows is live. ``position`` is safe to store."""

    position: int


class Checkpoint(NamedTuple):
    """A subscription has passed ``position`` without a matching event; safe to store."""

    position: int


class Subscription(Protocol):
    """Events in log order, then live; iterate in one thread, ``stop`` from any."""

    def __iter__(self) -> Iterator[Event | CaughtUp | Checkpoint]: ...
    def stop(self) -> None: ...


class EventLog(Protocol):
    """The log of streams; see ``docs/concepts.md`` for its contract, ``tests/contracts`` for its proof.

    Expected revisions are exact: :data:`~edge.domain.events.NO_STREAM` or the last revision.
    """

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        """All events or none, right after ``expected``.

        Where the batch's ids already stand at ``expected+1…`` nothing is written and their
        place is returned. Raises :class:`WrongRevision` where the stream ends elsewhere (also
        where the batch stands only partly), :class:`AppendRefused` for a batch that may not go.
        """
        ...

    def read(
        self,
        stream: str,
        *,
        from_revision: int | None = None,
        backwards: bool = False,
        limit: int | None = None,
    ) -> Iterator[Event]:
        """A stream's events from ``from_revision`` (inclusive), by default from its start, or
        from its end when ``backwards``. A missing stream is empty."""
        ...

    def read_all(
        self,
        *,
        after: int | None = None,
        before: int | None = None,
        categories: Sequence[str] | None = None,
        types: Sequence[str] | None = None,
        backwards: bool = False,
        limit: int | None = None,
    ) -> Iterator[Event]:
        """Events of all streams in log order (or against it), strictly between ``after`` and ``before``.

        Streams with bounded memory and sees the log as it stood when reading began.
        """
        ...

    def subscribe(self, *, after: int | None = None, categories: Sequence[str] | None = None) -> Subscription:
        """Catch up from after a position, then go on live."""
        ...

    def head(self) -> int:
        """The position of the last event; 0 while there is none."""
        ...

    def truncate_before(self, stream: str, revision: int) -> None:
        """Take out the stream's events before ``revision``, for good as far as the log reaches."""
        ...

    def close(self) -> None: ...


class Links(Protocol):
    """What a log can that shows an event in a second stream too; readers of the log skip links."""

    def link(self, stream: str, event: Event) -> bool:
        """Show the event at the stream's end, once for ever; False where it was shown already."""
        ...


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, aware, in UTC."""
        ...


class Ids(Protocol):
    def new(self) -> str:
        """A fresh time-ordered UUID, as a string with hyphens."""
        ...


class Redacted(NamedTuple):
    text: str
    found: dict[str, int]
    """How many of each kind were replaced."""


class Redactor(Protocol):
    """Replaces secrets before they can be stored (I23). Redacting twice changes nothing."""

    def redact(self, text: str) -> Redacted: ...


class Counts(NamedTuple):
    """Open Voz, now: chats not closed, those actionable, those parked, open votes, naked acts."""

    open: int
    actionable: int
    awaiting: int
    votes: int
    naked: int


class Presentation(NamedTuple):
    """A Briefing as it was shown: at which cursor it was composed, and where it was recorded."""

    position: int
    cursor: int
    dispatch_id: str
    text: str
    items: list[Data]


Which = Literal["all", "open", "parked", "actionable", "closed"]
IdKind = Literal["comment", "vote", "clarify", "direction", "artefato", "run", "dispatch", "knowledge"]


class Queries(Protocol):
    """What the read models answer, as of :meth:`position`. Lists come in log order."""

    @property
    def knowledge(self) -> KnowledgeView: ...

    def position(self) -> int: ...

    def snapshot(self) -> AbstractContextManager[None]:
        """One consistent view for the reads inside."""
        ...

    def matching(self, kind: IdKind, prefix: str) -> list[str]:
        """At most three ids that begin with ``prefix``; just the one where it is an id itself."""
        ...

    def chats(self, which: Which = "all", target: str | None = None) -> Iterator[Chat]:
        """Chats whose comment was seen; ``open`` is every chat not closed, parked ones too."""
        ...

    def chat(self, comment_id: str) -> Chat | None: ...
    def chat_of_question(self, clarify_id: str) -> str | None: ...
    def act(self, kind: ActKind, act: str) -> Act | None: ...

    def open_acts(self, kind: ActKind, *, naked: bool = False, limit: int | None = None) -> list[Act]:
        """Acts still owed something; ``naked``: only those without any disposition."""
        ...

    def counts(self) -> Counts: ...
    def backlog(self, cursor: int) -> int:
        """Actionable chats at or before ``cursor``."""
        ...

    def items(self) -> list[Item]:
        """Live steers, set and proposed, expired ones too."""
        ...

    def item(self, direction_id: str) -> Item | None: ...
    def moves_of(self, direction_id: str) -> list[Move]:
        """Every change of one steer, oldest first."""
        ...

    def direction_touched(self) -> bool:
        """Whether any event ever moved Direction."""
        ...

    def artefatos(self, last: int | None = None) -> list[Artefato]:
        """Published artefatos at their first-publish place; only the ``last`` few where given."""
        ...

    def artefato(self, slug: str) -> Artefato | None: ...
    def artefato_body(self, slug: str) -> str | None: ...
    def vote_on(self, slug: str) -> int: ...
    def open_chats_on(self, slug: str) -> int: ...
    def sources(self, now: datetime, limit: int | None = None) -> list[Ranked]:
        """Sources in rank order: curated ones first, then by what their signals weigh at the clock."""
        ...

    def source(self, ref: str, now: datetime) -> Ranked | None:
        """One source, by any spelling of its ref."""
        ...

    def breadcrumb(self) -> Breadcrumb | None: ...
    def recent_episodes(self, since: str, limit: int) -> list[tuple[str, int]]:
        """Extracted episodes said since an ISO time, newest first: id, and the position it changed at."""
        ...

    def count_of_recent_episodes(self, since: str, limit: int) -> int:
        """How many of them there are, counted up to a limit."""
        ...

    def episode_place(self, episode: str) -> Place | None:
        """Where an episode was captured."""
        ...

    def episodes_naming(self, entity: str, limit: int) -> tuple[list[str], int]:
        """The latest living episodes that name an entity, in log order, and how many name it in all."""
        ...

    def told_of(self, episodes: Sequence[str]) -> list[RecentEpisode]:
        """What extraction says of these episodes, in the order they are asked for."""
        ...

    def run(self, run_id: str) -> Run | None: ...
    def open_runs(self) -> list[str]: ...

    def last_run(self, *, finished: bool = False) -> Run | None:
        """The run started last; ``finished``: the last that was finished."""
        ...

    def dispatch(self, dispatch_id: str) -> Dispatch | None: ...
    def open_dispatches(self) -> list[str]: ...

    def presentation(self, position: int) -> Presentation | None:
        """The Briefing recorded at, or composed at, a position."""
        ...

    def errors(self) -> list[tuple[str, str]]:
        """(kind, id) of every consistency error, kernel debt, conflict and quarantined event."""
        ...

    def episodes(self) -> EpisodeCounts: ...
    def clusters(self) -> KnownClusters: ...
    def noted(self, name: str) -> str | None:
        """Something measured on this host, by name; no fold of the log."""
        ...

    def note(self, name: str, value: str) -> None: ...


class Place(NamedTuple):
    """Where an event stands."""

    stream: str
    position: int


class RecentEpisode(NamedTuple):
    """An episode as extraction tells of it: when it was said, in which project, what of, and who is named.

    ``events`` are its capture, which is its id, and its extraction.
    """

    id: str
    at: str
    session: str
    project: str | None
    gist: str
    names: list[str]
    events: list[str]


class EpisodeCounts(NamedTuple):
    """Episodes in the log that count, and those of them no extraction has read yet."""

    captured: int
    waiting: int


Report = Callable[[str, int, int | None], None]
"""Progress of long work: what is being done, how much is done, of how much (None: unknown)."""


class ReadSide(Protocol):
    """The read models, brought to the log's head before they answer."""

    def current(self) -> Queries:
        """Queries at the log's head as it is now."""
        ...


class Cognition(Protocol):
    """What decides a chat in a grill run: rules, or a model."""

    def settle(self, chat: Chat, items: Sequence[Item], lang: Lang) -> ChatPlan:
        """What to do with one loaded chat, as a plan entry; ``items`` are the live steers."""
        ...
