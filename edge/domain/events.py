"""What an event is: the envelope every stream holds, and the batch it was appended in.

The shapes of each type's data stand in :mod:`edge.domain.catalogue`; reading and folding
need only this module, which is why it is kept free of pydantic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Data: TypeAlias = dict[str, Any]
Actor: TypeAlias = Literal["operator", "grill", "dispatch", "sweep", "extractor", "import"]

ACTORS: Final[tuple[Actor, ...]] = ("operator", "grill", "dispatch", "sweep", "extractor", "import")
LINK_TYPE: Final = "$>"
SCHEMA: Final = 1
"""Version of the event shapes this code writes; older ones go through the upcaster."""

NO_STREAM: Final = -1
"""Expected revision of a stream that must not exist yet: the one before revision 0."""


class NewEvent(NamedTuple):
    """An event about to be appended. ``id`` is a UUID string; ``metadata`` is complete."""

    id: str
    type: str
    data: Data
    metadata: Data


class Event(NamedTuple):
    """An event as it stands in the log.

    ``revision`` counts from 0 in its stream without gaps; ``position`` is global, increasing
    and gapped: compare positions, never count or add them.
    """

    id: str
    type: str
    stream: str
    revision: int
    position: int
    data: Data
    metadata: Data

    @property
    def recorded_at(self) -> str:
        """When it was recorded, ISO 8601 UTC (the writer's clock, or the import's line)."""
        return str(self.metadata.get("recorded_at", ""))

    @property
    def actor(self) -> str:
        return str(self.metadata.get("actor", ""))

    def envelope(self) -> Data:
        """The event as one JSON-ready mapping, the shape ``log show`` and ``log export`` print."""
        return self._asdict()


class Appended(NamedTuple):
    """Where the last event of an append stands. ``written`` is False when a retry found it there."""

    revision: int
    position: int
    written: bool


class Draft(NamedTuple):
    """What a decision wants to record; the journal adds metadata and, where missing, the id."""

    type: str
    data: Data
    id: str | None = None


def batch_of(event: Event) -> tuple[int, int]:
    """Index and size of the append the event belongs to; (0, 1) where a stranger left it out."""
    batch = event.metadata.get("batch")
    if isinstance(batch, list) and len(batch) == 2:
        index, size = batch
        if isinstance(index, int) and isinstance(size, int) and 0 <= index < size:
            return index, size
    return 0, 1


def by_append(events: Iterable[Event]) -> Iterator[Sequence[Event]]:
    """Group events in log order into whole appends (I25).

    A group left unfinished by the end of the input is dropped: its append is not whole yet,
    or the reader was cut inside it. A group whose front was truncated away is passed on.
    """
    group: list[Event] = []
    for event in events:
        index, size = batch_of(event)
        if group and (index == 0 or event.stream != group[0].stream):
            yield group  # the rest of that append was truncated: what remains is whole
            group = []
        group.append(event)
        if index == size - 1:
            yield group
            group = []
