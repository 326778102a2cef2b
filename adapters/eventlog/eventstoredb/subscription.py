"""A subscription that outlives its connections: catch up, go on live, begin again where it stood."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from esdbclient import RecordedEvent
from esdbclient import exceptions as esdb

from adapters.eventlog.eventstoredb.connection import Connection, Node, pause
from adapters.eventlog.eventstoredb.errors import ConnectionLostError, explained
from adapters.eventlog.eventstoredb.events import Filter, ends_append, event_of
from edge.domain.events import Event
from edge.domain.refusal import EdgeError, Failed
from edge.ports import CaughtUp, Checkpoint

WINDOW: Final = 512
"""Events the server looks at for one page of a filtered catch-up."""
WINDOWS_A_CHECKPOINT: Final = 2

Item = Event | CaughtUp | Checkpoint
Lost = Callable[[EdgeError, float], None]
"""Told of a lost connection, and in how many seconds it is tried again."""


class EventStoreDBSubscription:
    """Everything after a position, then what comes.

    The server is asked for a subscription of ``heartbeat`` seconds, again and again from where
    the last one ended: so a connection that died in silence is noticed, and a log in which
    nothing matches still gives checkpoints.

    Before the first connection a server that cannot be reached is raised after the usual
    attempts. From then on it is tried for ever; only what trying again cannot mend is raised.
    """

    def __init__(
        self,
        connection: Connection,
        after: int | None,
        categories: Sequence[str] | None,
        heartbeat: float,
        lost: Lost | None,
    ) -> None:
        self._connection = connection
        self._filter = Filter(categories)
        self._heartbeat = heartbeat
        self._lost = lost
        self._stopped = threading.Event()
        self._was_connected = False
        self._failures = 0
        self._position = after or 0  # where to go on after
        self._last_event = after or 0
        self._last: RecordedEvent | None = None  # the event delivered last
        self._told = after or 0  # the last position the consumer heard of
        self._held = 0  # a checkpoint not told yet: CaughtUp may follow and say it
        self._inside = False  # whether the rest of the last event's append is still to come
        self._caught_up = False

    def stop(self) -> None:
        """End the iteration, at once where it waits. Callable from any thread, more than once."""
        self._stopped.set()
        self._connection.close()

    def __iter__(self) -> Iterator[Item]:
        while not self._stopped.is_set():
            node = None
            try:
                node = self._connection.node()
                yield from self._session(node)
            except (esdb.EventStoreDBClientException, ValueError, EdgeError) as error:
                if self._stopped.is_set():
                    return
                if isinstance(error, EdgeError):
                    raise
                self._recover(error, node)

    def _recover(self, error: Exception, node: Node | None) -> None:
        """Wait before the next try. Raises what no further try can mend."""
        self._failures += 1
        if not self._was_connected:
            self._connection.lost(error, node, self._failures)
        elif isinstance(error, esdb.NodeIsNotLeader) or self._connection.may_pass(error, node):
            self._connection.replace(node)
        else:
            raise explained(error, self._connection.where) from error
        seconds = pause(self._failures)
        if self._lost:
            self._lost(explained(error, self._connection.where), seconds)
        self._connection.wait(seconds)

    def _session(self, node: Node) -> Iterator[Item]:
        """One subscription of the server, until its time is over or it is lost."""
        timeout = self._connection.timeout
        tail = node.tail(timeout)
        if tail < self._last_event:
            raise self._replaced(f"ends at {tail}, before {self._last_event} that was read already")
        if self._last and not _stands(node, self._last, timeout):
            raise self._replaced(f"has not the event at {self._last_event} that was read already")
        with node.read(
            commit_position=self._position or None,
            subscribe=True,
            include_checkpoints=True,
            include_caught_up=True,
            window_size=WINDOW,
            checkpoint_interval_multiplier=WINDOWS_A_CHECKPOINT,
            timeout=self._heartbeat,
            **self._filter.options(),
        ) as response:
            self._was_connected, self._failures, self._held = True, 0, 0
            try:
                yield from self._received(response, tail)
            except esdb.GrpcDeadlineExceeded:
                return  # the next one begins; were the connection dead, it would not
        if not self._stopped.is_set():
            raise ConnectionLostError("the subscription ended")

    def _replaced(self, how: str) -> Failed:
        return Failed(
            f"{self._connection.where} {how}: it was restored or replaced",
            hint="if this log is the right one, `edge rebuild` folds it anew",
        )

    def _received(self, response: Iterator[RecordedEvent], tail: int) -> Iterator[Item]:
        delivered = owed = False
        for record in response:
            if self._stopped.is_set():
                return
            if record.is_caught_up:
                if self._inside and delivered:
                    owed = True
                else:
                    yield from self._at_the_end(tail)
            elif record.is_checkpoint:
                yield from self._passed(record.commit_position or 0)
            elif (record.commit_position or 0) > self._last_event:
                # Compared with the last event: one that a checkpoint ran ahead of is not lost.
                yield from self._tell_held()
                self._position = max(self._position, record.commit_position or 0)
                if self._filter.wants(record):
                    event = event_of(record)
                    self._last_event, self._last = event.position, record
                    self._told = max(self._told, event.position)
                    self._inside, delivered = not ends_append(event), True
                    yield event
            if owed and not self._inside:
                owed = False
                yield from self._at_the_end(tail)

    def _passed(self, position: int) -> Iterator[Item]:
        """A checkpoint of the server's. Nothing is told inside an append, which is whole in the
        log: one beyond its last event delivered means that there is no more of it."""
        if position <= self._position and self._inside:
            return
        self._inside = False
        yield from self._tell_held()
        self._position = max(self._position, position)
        self._held = position
        if self._caught_up:
            yield from self._tell_held()

    def _at_the_end(self, tail: int) -> Iterator[Item]:
        """All there was has been delivered. The server says so at position 0; the log's end as
        it was before the subscription was opened is as good, and safe to store."""
        self._inside = False
        self._position = max(self._position, tail, self._held)
        self._held = 0
        if not self._caught_up:
            self._caught_up, self._told = True, self._position
            yield CaughtUp(self._position)
        elif self._position > self._told:
            self._told = self._position
            yield Checkpoint(self._position)

    def _tell_held(self) -> Iterator[Item]:
        position, self._held = self._held, 0
        if position > self._told:
            self._told = position
            yield Checkpoint(position)


def _stands(node: Node, event: RecordedEvent, timeout: float) -> bool:
    """Whether the event is still where it was; so a log is told from one restored and grown again.
    What was truncated away since is not missed."""
    stream, revision = event.stream_name, event.stream_position
    try:
        found = list(node.records(stream_name=stream, stream_position=revision, limit=1, timeout=timeout))
    except esdb.NotFound:
        return False
    return any(
        r.stream_position > revision or (r.id, r.commit_position) == (event.id, event.commit_position)
        for r in found
    )
