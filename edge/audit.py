"""The log looked at directly: which position a time means, which event an id."""

from __future__ import annotations

from datetime import datetime

from edge.domain.events import Event
from edge.domain.grill import moment
from edge.ports import EventLog


def last_position_at(log: EventLog, when: datetime) -> int:
    """The last position before the first event recorded later than ``when``; 0 before all of them.

    The log's own creation does not count: an imported history is older than the log that holds it.
    """
    last = 0
    for event in log.read_all():
        if event.type != "log.created" and moment(event.recorded_at, when) > when:
            break
        last = event.position
    return last


def found(log: EventLog, id_: str) -> Event | None:
    """The event with an id, looked for from the log's end: where no log can look it up."""
    return next((event for event in log.read_all(backwards=True) if event.id == id_), None)
