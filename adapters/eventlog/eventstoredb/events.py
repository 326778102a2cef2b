"""Between the log's events and the client's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from esdbclient import NewEvent as ProposedEvent
from esdbclient import RecordedEvent

from adapters.eventlog.batch import decoded, encoded
from edge.domain.events import Data, Event, NewEvent, batch_of
from edge.domain.streams import category
from edge.ports import AppendRefused


def proposed(events: Sequence[NewEvent]) -> list[ProposedEvent]:
    """The batch as the client takes it; a list, since a retry would find a generator empty and
    report success. Raises :class:`~edge.ports.AppendRefused` where it may not be sent."""
    rows = encoded(events)
    batch = []
    for row in rows:
        try:
            id_ = UUID(row.id)
        except ValueError:
            id_ = None
        if id_ is None or str(id_) != row.id:
            raise AppendRefused(f"{row.type} has the id {row.id!r}, and EventStoreDB takes a UUID only")
        batch.append(ProposedEvent(row.type, row.data.encode(), row.metadata.encode(), id=id_))
    return batch


def event_of(record: RecordedEvent) -> Event:
    """The event as the log gives it."""
    return Event(
        str(record.id),
        record.type,
        record.stream_name,
        record.stream_position,
        record.commit_position or 0,
        _object(record.data),
        _object(record.metadata),
    )


def _object(text: bytes) -> Data:
    """A JSON object; nothing for what is none, which no edge wrote: others may share the server."""
    try:
        found = decoded(text.decode())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def ends_append(event: Event) -> bool:
    """Whether the event is the last of its append."""
    index, size = batch_of(event)
    return index == size - 1


class Filter:
    """Which events of all streams are wanted; system events and links never are."""

    def __init__(self, categories: Sequence[str] | None, types: Sequence[str] | None = None) -> None:
        self._categories = None if categories is None else frozenset(categories)
        self._types = None if types is None else frozenset(types)
        self.wants_none = self._categories == frozenset() or self._types == frozenset()

    def options(self) -> dict[str, Any]:
        """The filter as the server applies it. It takes one of the two, and one pattern: the
        client joins several to ``^A|B$``, which is anchored at neither."""
        if self._categories is not None:
            names = _alternatives(self._categories)
            return {"filter_include": [f"{names}(-.*)?"], "filter_by_stream_name": True}
        if self._types is not None:
            return {"filter_include": [_alternatives(self._types)]}
        return {"filter_include": [r"[^\$].*"]}

    def wants(self, record: RecordedEvent) -> bool:
        """What the server's filter leaves to decide."""
        if record.type.startswith("$") or record.stream_name.startswith("$"):
            return False
        if self._types is not None and record.type not in self._types:
            return False
        return self._categories is None or category(record.stream_name) in self._categories


def _alternatives(words: frozenset[str]) -> str:
    return f"({'|'.join(sorted(map(re.escape, words)))})" if words else "(?!)"
