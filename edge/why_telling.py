"""One answer to "why" while it is told: what it reads, and what it has told already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Final

from edge.domain.events import LINK_TYPE, Event
from edge.domain.refusal import Refused
from edge.domain.streams import Streams
from edge.ports import EventLog, Place, Queries
from edge.why_nodes import Node, within

DEPTH: Final = 12
"""Things told one inside the other: a foreign log may name causes without end."""


class Telling:
    """The log and the read models one answer is told from, and how a thing in it is told but once.

    ``by_kind`` tells a thing of each kind; with ``until`` the log is what stood up to there.
    """

    def __init__(
        self,
        by_kind: Mapping[str, Callable[[Telling, str], Node | None]],
        log: EventLog,
        streams: Streams,
        queries: Queries,
        now: datetime,
        found: Callable[[str], Event | None],
        until: int | None,
    ) -> None:
        self._by_kind = by_kind
        self.log = log
        self.streams = streams
        self.queries = queries
        self.now = now
        self.found = found
        self.until = until
        self._told: set[tuple[str, str]] = set()
        self._depth = 0

    def first(self, kind: str, id_: str) -> bool:
        """Whether this is told for the first time; from now on it was."""
        new = (kind, id_) not in self._told
        self._told.add((kind, id_))
        return new

    def node(self, kind: str, id_: str) -> Node | None:
        """A thing with what it came from; where it was told already, by its name alone."""
        if (kind, id_) in self._told:
            return Node(kind, id_, "(told above)")
        if self._depth >= DEPTH:
            return Node(kind, id_, f"(`edge why {id_}` goes on)")
        self._told.add((kind, id_))
        self._depth += 1
        try:
            node = self._by_kind[kind](self, id_)
        finally:
            self._depth -= 1
        return node and within(node)

    def nodes(self, *named: tuple[str, object]) -> list[Node]:
        """The things there are; a stranger's event may name anything, or hold no id at all."""
        given = [(kind, id_) for kind, id_ in named if id_ and isinstance(id_, str)]
        return [node for kind, id_ in given if (node := self.node(kind, id_))]

    def read(self, stream: str | None) -> Iterator[Event]:
        found = self.log.read(stream) if stream else iter(())
        return (event for event in found if event.type != LINK_TYPE and self.stood(event))

    def stood(self, event: Event) -> bool:
        return self.until is None or event.position <= self.until

    def at(self, place: Place, id_: str) -> Event | None:
        """The event of a stream with an id; the stream of one session is short."""
        return next((event for event in self.log.read(place.stream) if event.id == id_), None)


def stream_of(stream: Callable[[str], str], id_: str) -> str | None:
    """The stream of an id; None where it is a stranger's id, which no stream of edge's can have."""
    try:
        return stream(id_)
    except Refused:
        return None
