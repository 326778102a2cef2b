"""One append, sent as often as it takes and written once."""

from __future__ import annotations

from esdbclient import NewEvent as ProposedEvent
from esdbclient import exceptions as esdb

from adapters.eventlog.eventstoredb.connection import Node


class Append:
    """An append that may be sent again: before each further try it is looked for in its place.

    Not every failure says whether the batch was written. Sent again at the same expected
    revision it could not be doubled, but where another has written after it, the server
    answers by ids only as long as it finds them.
    """

    def __init__(self, stream: str, batch: list[ProposedEvent], expected: int, timeout: float) -> None:
        self._stream = stream
        self._batch = batch
        self._expected = expected
        self._timeout = timeout
        self._in_doubt = False

    def __call__(self, node: Node) -> int:
        """The position of the batch's last event."""
        if self._in_doubt:
            position = self._standing(node)
            if position is not None:
                return position
        self._in_doubt = True
        return node.append(self._stream, self._batch, self._expected, self._timeout)

    def _standing(self, node: Node) -> int | None:
        try:
            found = list(
                node.records(
                    stream_name=self._stream,
                    stream_position=self._expected + 1,
                    limit=len(self._batch),
                    timeout=self._timeout,
                )
            )
        except esdb.NotFound:
            return None
        if [e.id for e in found] != [e.id for e in self._batch]:
            return None
        return found[-1].commit_position
