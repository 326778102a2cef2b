"""Revisions counted as if no stream held links: how envelopes travel from one log to another.

Links stay behind, since the other log may not know them, or has its own. So the second event
of a steer is its second in every log, whatever links stand between.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, NamedTuple

from edge.domain.events import LINK_TYPE, NO_STREAM, Event
from edge.domain.streams import category
from edge.ports import EventLog

_HOLDS_LINKS: Final = "direction"
"""The one category that is linked into."""


def may_hold_links(stream: str) -> bool:
    return category(stream) == _HOLDS_LINKS


class Unlinked(NamedTuple):
    """A stream as it stands: its events but for links, the number of the first, and its end."""

    events: list[Event]
    first: int
    revision: int

    @property
    def next(self) -> int:
        """The number of the event that comes next."""
        return self.first + len(self.events)


def unlinked(log: EventLog, stream: str) -> Unlinked:
    """The stream without its links. What was truncated away counts as events."""
    all_ = list(log.read(stream))
    if not all_:
        return Unlinked([], 0, NO_STREAM)
    return Unlinked([e for e in all_ if e.type != LINK_TYPE], all_[0].revision, all_[-1].revision)


class Numbering:
    """Numbers events that are met in log order, none of them newer than the numbering."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._links: dict[str, list[int]] = {}

    def number(self, event: Event) -> int:
        """The event's revision, were there no links."""
        if not may_hold_links(event.stream):
            return event.revision
        if event.stream not in self._links:
            links = [e.revision for e in self._log.read(event.stream) if e.type == LINK_TYPE]
            self._links[event.stream] = links
        return event.revision - bisect_left(self._links[event.stream], event.revision)
