"""Direction streams that read complete: what moved a steer elsewhere is linked into its stream.

A steer set in a chat, or proposed by a publication, stands in the stream of that append (an
append reaches one stream only). Where the log can link, its ``direction-`` stream shows it too.
No fold reads links; they are for who looks at the streams themselves.
"""

from __future__ import annotations

import json
from typing import Final

from edge.domain.direction import changes
from edge.domain.events import Event
from edge.domain.refusal import Refused
from edge.domain.streams import Streams
from edge.ports import EventLog, Links, Queries

MOVING: Final = ("direction.proposed", "direction.set", "direction.dropped", "artefato.published")
LINKED: Final = "linked"
"""Noted on each host: the event up to which links were written. Lost, all are looked for again."""


class Linking:
    """Writes the links that are missing, from where it got to last time."""

    def __init__(self, log: EventLog, links: Links, streams: Streams, notes: Queries) -> None:
        self._log = log
        self._links = links
        self._streams = streams
        self._notes = notes
        self._position: int | None = None

    def catch_up(self, position: int) -> int:
        """Link all there is, unless that has been done up to ``position``; how many were new."""
        if self._position is None:
            self._position = self._noted()
        if position <= self._position:
            return 0
        last = next(self._log.read_all(backwards=True, limit=1), None)
        if last is None:
            return 0
        events = self._log.read_all(after=self._position or None, before=last.position + 1, types=MOVING)
        added = sum(self._linked(event) for event in events)
        place = (last.position, last.id, last.stream, last.revision)
        self._notes.note(LINKED, json.dumps(place))
        self._position = last.position
        return added

    def _linked(self, event: Event) -> int:
        added = 0
        for change in changes(event):
            try:
                stream = self._streams.direction(change.id)
            except Refused:
                continue  # a stranger's id that names no stream
            if stream != event.stream:
                added += self._links.link(stream, event)
        return added

    def _noted(self) -> int:
        """The position noted, where that event still stands there: a log restored behind it is
        looked through from its beginning."""
        try:
            position, id_, stream, revision = json.loads(self._notes.noted(LINKED) or "[]")
        except ValueError:
            return 0
        standing = next(self._log.read(stream, from_revision=revision, limit=1), None)
        same = standing is not None and (standing.id, standing.position) == (id_, position)
        return int(position) if same else 0
