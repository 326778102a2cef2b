"""The way to the server: one client at a time, another one when it is lost, each failure judged."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from esdbclient import EventStoreDBClient, NewEvent, RecordedEvent, StreamState
from esdbclient import exceptions as esdb
from esdbclient.common import AbstractReadResponse

from adapters.eventlog.eventstoredb.errors import ConnectionLostError, explained, passes
from edge.domain.events import NO_STREAM
from edge.domain.refusal import EdgeError, Failed, Misused, Unreachable

T = TypeVar("T")

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 15.0

ANSWERS: Final = (esdb.NotFound, esdb.WrongCurrentVersion, esdb.MaximumAppendSizeExceededError)
"""What the server says about the call, not about itself: for the caller to know."""

_PEM: Final = b"-----BEGIN"

_numbers: Final = count(1)


def pause(failures: int) -> float:
    """Seconds to wait after the n-th failure in a row: longer each time, and never in step
    with the others who lost the same server."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 20))
    return random.uniform(0.5, 1) * longest  # noqa: S311  # no secret


class Node:
    """A client of one server. Once retired, all that is under way on it ends.

    The client's own methods retry and reconnect, unseen and for everything at once: a read
    going on elsewhere would end early and look complete. So its services are called directly,
    and what is lost is found out and done again here.
    """

    def __init__(self, client: EventStoreDBClient, user: str | None, password: str | None) -> None:
        self._client = client
        self._call: dict[str, Any] = {
            "metadata": (("connection-name", client.connection_spec.options.ConnectionName),),
            "credentials": client.construct_call_credentials(user, password),
        }
        self.retired = False

    def read(self, **what: Any) -> AbstractReadResponse:
        """Open a read or a subscription; the first answer is waited for by a subscription only."""
        response: AbstractReadResponse = self._client.streams.read(**what, **self._call)
        return response

    def records(self, **what: Any) -> Iterator[RecordedEvent]:
        """What a read gives, to its end. One ended by closing the client raises: it would look
        complete otherwise."""
        with self.read(**what) as response:
            yield from response
        if self.retired:
            raise ConnectionLostError("the connection was closed")

    def tail(self, timeout: float) -> int:
        """The position of the log's very last record, whatever it is."""
        found = list(self.records(backwards=True, limit=1, timeout=timeout))
        return found[0].commit_position or 0 if found else 0

    def append(self, stream: str, events: Sequence[NewEvent], expected: int, timeout: float) -> int:
        """Send an append; the position of its last event."""
        streams = self._client.streams
        send = streams.append if len(events) == 1 else streams.batch_append
        revision = StreamState.NO_STREAM if expected == NO_STREAM else expected
        return send(stream, revision, events, timeout=timeout, **self._call)

    def retire(self) -> None:
        self.retired = True  # first: what ends by closing must be seen to have been lost
        self._client.close()


class Connection:
    """Leads calls to a server, and to another or the same again when it is lost.

    ``timeout`` is how many seconds an answer may take, ``attempts`` how often a call is tried
    in all. Safe to use from several threads, not across a fork.
    """

    def __init__(self, uri: str, timeout: float, attempts: int) -> None:
        self.timeout = timeout
        self.attempts = attempts
        self._uri = uri
        address = _address(uri)
        self.where = f"EventStoreDB {address.netloc.rpartition('@')[2]}"  # never the password
        self._user = unquote(address.username) if address.username else None
        self._password = unquote(address.password) if address.password else None
        self._one_target = address.scheme == "esdb" and "," not in address.netloc
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._node: Node | None = None

    def clone(self) -> Connection:
        """Another way to the same server, to be closed by itself."""
        return Connection(self._uri, self.timeout, self.attempts)

    def node(self) -> Node:
        """The node to call now."""
        with self._lock:
            if self._closed.is_set():
                raise Failed(f"{self.where}: the log was closed")
            if self._node is not None:
                return self._node
        made = self._connected()  # of a cluster this takes a while, in which others may close it
        with self._lock:
            if self._closed.is_set():
                made.retire()
                raise Failed(f"{self.where}: the log was closed")
            if self._node is None:
                self._node = made
            kept = self._node
        if kept is not made:
            made.retire()
        return kept

    def replace(self, node: Node | None) -> None:
        """Call another client from now on: gRPC would stay with a dead connection, and wait
        ever longer before it tries a refused one again."""
        if node is None:
            return
        with self._lock:
            if self._node is node:
                self._node = None
        node.retire()

    def call(self, work: Callable[[Node], T]) -> T:
        """The result of ``work``, which may be done several times."""
        failures = 0
        while True:
            node = None
            try:
                node = self.node()
                return work(node)
            except ANSWERS:
                raise
            except (esdb.EventStoreDBClientException, ValueError) as error:
                failures += 1
                self.lost(error, node, failures)
            self.wait(pause(failures))

    def events(
        self, opened: Callable[[Node, RecordedEvent | None], Iterator[RecordedEvent]]
    ) -> Iterator[RecordedEvent]:
        """What a read gives; where it is cut off it is opened again, after the last event given."""
        last: RecordedEvent | None = None
        failures = 0
        while True:
            node, began = None, last
            try:
                node = self.node()
                for record in opened(node, last):
                    last = record
                    yield record
                return
            except ANSWERS:
                raise
            except (esdb.EventStoreDBClientException, ValueError) as error:
                if last is not began:
                    failures = 0
                    if isinstance(error, esdb.GrpcDeadlineExceeded):
                        continue  # a reader may take longer than the deadline: it just goes on
                failures += 1
                self.lost(error, node, failures)
            self.wait(pause(failures))

    def lost(self, error: Exception, node: Node | None, failures: int) -> None:
        """Take note of a failure. Raises it, in one line, where trying again would not help,
        or has not helped ``attempts`` times."""
        if self._closed.is_set():
            raise Failed(f"{self.where}: the log was closed") from error
        may_pass = self.may_pass(error, node)
        self.replace(node)
        if not may_pass or failures >= self.attempts:
            raise explained(error, self.where) from error

    def may_pass(self, error: Exception, node: Node | None) -> bool:
        """Whether to try again; of a cluster another node may lead."""
        if isinstance(error, ValueError):
            if node is None or not node.retired:
                raise error  # a closed channel is said so; anything else is a mistake here
            return True
        if isinstance(error, esdb.NodeIsNotLeader):
            return not self._one_target
        return passes(error)

    def wait(self, seconds: float) -> None:
        """Wait, but not beyond the connection's end."""
        self._closed.wait(seconds)

    def close(self) -> None:
        """End everything under way."""
        self._closed.set()
        with self._lock:
            node, self._node = self._node, None
        if node:
            node.retire()

    def _connected(self) -> Node:
        try:
            client = EventStoreDBClient(self._complete())
        except ValueError as error:
            raise self._misused(str(error)) from None
        except OSError as error:
            raise Unreachable(
                f"{self.where}: {error.filename} cannot be read: {error.strerror}",
                hint="check the files named in the log's URI",
                lasting=True,
            ) from error
        if client.root_certificates is not None and _PEM not in client.root_certificates:
            client.close()  # gRPC would say of it what it says of a host it cannot find
            raise Unreachable(
                f"{self.where}: there is no certificate in tlsCaFile",
                hint="name the CA's file in the URI: tlsCaFile=/path/to/ca.crt",
                lasting=True,
            )
        return Node(client, self._user, self._password)

    def _complete(self) -> str:
        """The URI with two options more, where it has not set them itself.

        A number of its own makes the client's channel unlike any other: gRPC lets like channels
        share a TCP connection, a dead one too. (The client hands this option over under a name
        gRPC does not know, so that it changes nothing else.) And a cluster is asked once at a
        time for its leader: asking again is done here.
        """
        given = {name.lower() for name, _ in parse_qsl(urlsplit(self._uri).query)}
        own = {"KeepAliveInterval": next(_numbers), "MaxDiscoverAttempts": 1}
        added = "&".join(f"{name}={value}" for name, value in own.items() if name.lower() not in given)
        return f"{self._uri}{'&' if '?' in self._uri else '?'}{added}"

    def _misused(self, told: str) -> EdgeError:
        if "Username and password" in told:
            return Misused(
                f"{self.where}: over TLS it takes a user and a password",
                hint="esdb://USER:PASSWORD@HOST:2113, or add tls=false",
            )
        return Misused(f"{self.where}: {told.partition(': ' + self._uri)[0]}", hint="mend the log's URI")


def with_password(uri: str, password: str | None) -> str:
    """The URI with the password of the user it names, unless it has one."""
    user, at, rest = uri.partition("://")[2].partition("@")
    if not at or ":" in user or password is None:
        return uri
    return f"{uri.partition('://')[0]}://{user}:{quote(password, safe='')}@{rest}"


def _address(uri: str) -> Any:
    address = urlsplit(uri)
    if address.scheme not in {"esdb", "esdb+discover"} or not address.netloc.rpartition("@")[2]:
        raise Misused(
            "the log's URI is not one of EventStoreDB",
            hint="write it as esdb://HOST:2113 or esdb+discover://NAME",
        )
    return address
