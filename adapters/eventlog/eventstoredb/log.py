"""The log itself: appends that are never doubled, reads, subscriptions, truncation."""

from __future__ import annotations

import json
import re
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import uuid4

from esdbclient import NewEvent as ProposedEvent
from esdbclient import exceptions as esdb

from adapters.eventlog.eventstoredb.appending import Append
from adapters.eventlog.eventstoredb.connection import Connection, Node, with_password
from adapters.eventlog.eventstoredb.errors import passes
from adapters.eventlog.eventstoredb.events import Filter, proposed
from adapters.eventlog.eventstoredb.links import add_link
from adapters.eventlog.eventstoredb.reading import read_all, read_stream
from adapters.eventlog.eventstoredb.subscription import EventStoreDBSubscription, Lost
from edge.domain.events import NO_STREAM, Appended, Event, NewEvent
from edge.domain.refusal import Failed, Unreachable
from edge.ports import AppendRefused, WrongRevision

TIMEOUT: Final = 10.0
ATTEMPTS: Final = 5
HEARTBEAT: Final = 20.0

_ENDS_AT: Final = re.compile(r"last event is (\d+) not")
_TRUNCATE_BEFORE: Final = "$tb"


class EventStoreDBEventLog:
    """An :class:`~edge.ports.EventLog` on the server or cluster at ``uri``, connected when used,
    that has :class:`~edge.ports.Links`. ``password`` is the user's, where the URI names only the user.

    A call whose answer is lost is tried ``attempts`` times, each for at most ``timeout``
    seconds, and ends as :class:`~edge.domain.refusal.Unreachable`. ``lost`` is told when a
    subscription loses the server. Safe to use from several threads; not across a fork.

    Two things are the server's: what was truncated is still seen by ``read_all`` until a
    scavenge, and ``Appended.written`` says True of a batch that another process wrote just
    before, with the same ids.
    """

    def __init__(
        self,
        uri: str,
        *,
        password: str | None = None,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        heartbeat: float = HEARTBEAT,
        lost: Lost | None = None,
    ) -> None:
        self._connection = Connection(with_password(uri, password), timeout, attempts)
        self._heartbeat = heartbeat
        self._lost = lost
        self._lock = threading.Lock()
        self._known_head: int | None = None
        self._closed = False
        self._subscriptions: weakref.WeakSet[EventStoreDBSubscription] = weakref.WeakSet()

    # Appending

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        batch = proposed(events)
        self._check_open()
        if expected < NO_STREAM:
            raise WrongRevision(stream, expected, self._current(stream))
        known = self._head_known()
        try:
            position = self._connection.call(Append(stream, batch, expected, self._connection.timeout))
        except esdb.WrongCurrentVersion as error:
            raise WrongRevision(stream, expected, self._ends_at(stream, str(error))) from None
        except esdb.MaximumAppendSizeExceededError as error:
            raise AppendRefused(f"the server takes less in one append: {error}") from error
        except Unreachable as error:
            with self._lock:
                self._known_head = None
            doubt = " (it may have been written all the same)" if passes(error.__cause__) else ""
            raise Unreachable(error.message, hint=error.hint + doubt, lasting=error.lasting) from error
        with self._lock:
            self._known_head = max(self._known_head or 0, position)
        return Appended(expected + len(batch), position, written=position > known)

    def _head_known(self) -> int:
        """A position that the next event written will stand behind. The server does not say
        whether it wrote a batch or found it; only where it stands."""
        with self._lock:
            known = self._known_head
        if known is None:
            known = self.head()
            with self._lock:
                self._known_head = max(self._known_head or 0, known)
        return known

    def _ends_at(self, stream: str, told: str) -> int:
        found = _ENDS_AT.search(told)
        if found:
            return int(found[1])
        return NO_STREAM if "does not exist" in told else self._current(stream)

    def _current(self, stream: str) -> int:
        last = next(self.read(stream, backwards=True, limit=1), None)
        return last.revision if last else NO_STREAM

    # Reading

    def read(
        self,
        stream: str,
        *,
        from_revision: int | None = None,
        backwards: bool = False,
        limit: int | None = None,
    ) -> Iterator[Event]:
        self._check_open()
        if limit == 0:
            return iter(())
        return read_stream(self._connection, stream, from_revision, backwards, limit)

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
        self._check_open()
        wanted = Filter(categories, types)
        if limit == 0 or wanted.wants_none:
            return iter(())
        return read_all(self._connection, after, before, wanted, backwards, limit)

    def subscribe(
        self, *, after: int | None = None, categories: Sequence[str] | None = None
    ) -> EventStoreDBSubscription:
        self._check_open()
        subscription = EventStoreDBSubscription(
            self._connection.clone(), after, categories, self._heartbeat, self._lost
        )
        with self._lock:
            self._subscriptions.add(subscription)
        return subscription

    def head(self) -> int:
        last = next(self.read_all(backwards=True, limit=1), None)
        return last.position if last else 0

    # The rest

    def link(self, stream: str, event: Event) -> bool:
        """See :class:`edge.ports.Links`."""
        self._check_open()
        return add_link(self._connection, stream, event)

    def truncate_before(self, stream: str, revision: int) -> None:
        self._check_open()
        current = self._current(stream)
        if revision > max(current, 0):  # the last event stays: it holds the stream's revision
            raise Failed(f"stream {stream} ends at revision {current}, before {revision}")
        while True:
            try:
                self._connection.call(lambda node: self._truncate(node, stream, revision))
            except esdb.WrongCurrentVersion:
                continue  # another set the stream's metadata: it is read again
            return

    def _truncate(self, node: Node, stream: str, revision: int) -> None:
        name, timeout = f"$${stream}", self._connection.timeout
        metadata, version = {}, NO_STREAM
        try:
            for record in node.records(stream_name=name, backwards=True, limit=1, timeout=timeout):
                metadata, version = json.loads(record.data), record.stream_position
        except esdb.NotFound:
            pass
        if metadata.get(_TRUNCATE_BEFORE, 0) >= revision:
            return
        metadata[_TRUNCATE_BEFORE] = revision
        event = ProposedEvent("$metadata", json.dumps(metadata).encode(), id=uuid4())
        node.append(name, [event], version, timeout)

    def close(self) -> None:
        """End subscriptions and reads, and let go of the server."""
        with self._lock:
            self._closed = True
            subscriptions = list(self._subscriptions)
        for subscription in subscriptions:
            subscription.stop()
        self._connection.close()

    def _check_open(self) -> None:
        if self._closed:
            raise Failed(f"{self._connection.where}: the log was closed")
