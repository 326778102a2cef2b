"""Links: an event shown in a second stream, as the server's own projections do it."""

from __future__ import annotations

from typing import Final
from uuid import UUID, uuid5

from esdbclient import NewEvent as ProposedEvent
from esdbclient import exceptions as esdb

from adapters.eventlog.eventstoredb.appending import Append
from adapters.eventlog.eventstoredb.connection import Connection
from adapters.eventlog.eventstoredb.reading import read_stream
from edge.domain.events import LINK_TYPE, NO_STREAM, Event
from edge.domain.refusal import Failed

ATTEMPTS: Final = 64
"""How often a stream that others write to meanwhile is read again; more means something is wrong."""


def add_link(connection: Connection, stream: str, event: Event) -> bool:
    """Link the event at the stream's end; False where its link stands there, or the stream was
    deleted for good, by somebody who wants no more of it.

    The link's id is a function of both, and is looked for before every append: the server
    checks no ids at a stream's end.
    """
    link = _link(stream, event)
    for _ in range(ATTEMPTS):
        revision = NO_STREAM
        try:
            for standing in read_stream(connection, stream, None, False, None):
                if standing.id == str(link.id):
                    return False
                revision = standing.revision
            connection.call(Append(stream, [link], revision, connection.timeout))
        except esdb.WrongCurrentVersion:
            continue
        except Failed as error:
            if isinstance(error.__cause__, esdb.StreamIsDeleted | esdb.FailedPrecondition):
                return False
            raise
        return True
    raise Failed(f"{connection.where}: {stream} kept changing under a link to it")


def _link(stream: str, event: Event) -> ProposedEvent:
    target = f"{event.revision}@{event.stream}".encode()
    id_ = uuid5(UUID(event.id), stream)
    return ProposedEvent(LINK_TYPE, target, content_type="application/octet-stream", id=id_)
