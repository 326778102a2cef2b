"""Why of an event by its own id."""

from __future__ import annotations

from edge.domain.chat import text_of
from edge.why_knowledge import of_episode
from edge.why_nodes import Node, event_node, subject_of
from edge.why_telling import Telling


def of_event(telling: Telling, id_: str) -> Node | None:
    """Any event: as the thing it tells of, else as it stands, with what led to it."""
    if telling.queries.episode_place(id_):
        return of_episode(telling, id_)
    event = telling.found(id_)
    if event is None or not telling.stood(event):
        return None
    named = subject_of(event)
    if named and (node := telling.node(*named)):
        return event_node(event)._replace(because=[node])
    cause = text_of(event.metadata, "$causationId")
    led = telling.node("event", cause) if cause and cause != id_ else None
    return event_node(event)._replace(because=[led] if led else [])
