"""What edge needs from the outside, one Protocol each; adapters implement them, wiring names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from edge.domain.events import Appended, Event, NewEvent
from edge.domain.refusal import EdgeError, Failed

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


Report = Callable[[str, int, int | None], None]
"""Progress of long work: what is being done, how much is done, of how much (None: unknown)."""
