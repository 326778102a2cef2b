"""The way to the server: an address as a person writes it, one driver, each failure judged."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

from neo4j import READ_ACCESS, Driver, GraphDatabase, ManagedTransaction, Record, Session, unit_of_work
from neo4j.exceptions import ConfigurationError

from adapters.graph.neo4j.errors import explained_by
from edge.domain.refusal import Misused

T = TypeVar("T")

SCHEMES: Final = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
CONNECT_WITHIN: Final = 5.0
RETRY_WITHIN: Final = 5.0
"""Seconds in which the driver tries a transaction again that failed in passing."""
TRANSACTION_WITHIN: Final = 120.0
"""Seconds after which the server gives up a transaction, and the locks it holds."""


class Address:
    """``bolt://[USER@]HOST[:PORT][/DATABASE]``; ``bolt+s://`` with TLS, ``neo4j://`` for a cluster."""

    def __init__(self, uri: str) -> None:
        try:
            parts = urlsplit(uri)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.scheme not in SCHEMES:
            raise Misused("the graph's address is not one of Neo4j", hint="write it as bolt://HOST:7687")
        if parts.password is not None:
            raise Misused("the graph's address holds a password", hint="give it apart from the address")
        at = f"[{host}]" if ":" in host else host
        self.uri = f"{parts.scheme}://{at}:{port or 7687}"
        self.user = unquote(parts.username) if parts.username else "neo4j"
        self.database = parts.path.strip("/") or "neo4j"
        self.where = f"Neo4j {at}:{port or 7687}"


class Connection:
    """Transactions on one database. Safe to use from several threads, not across a fork."""

    def __init__(self, uri: str, password: str | None) -> None:
        address = Address(uri)
        self.where = address.where
        self.database = address.database
        # Of what it does again by itself the driver would tell on stderr, beside the line that counts.
        logging.getLogger("neo4j").addHandler(logging.NullHandler())
        try:
            self._driver: Driver = GraphDatabase.driver(
                address.uri,
                auth=None if password is None else (address.user, password),
                connection_timeout=CONNECT_WITHIN,
                connection_acquisition_timeout=2 * CONNECT_WITHIN,
                max_transaction_retry_time=RETRY_WITHIN,
                notifications_min_severity="OFF",
                telemetry_disabled=True,
                user_agent="edge",
            )
        except (ConfigurationError, ValueError) as error:
            raise Misused(f"{address.where}: {error}", hint="mend the graph's address") from error
        self._answered = False

    def session(self, **how: Any) -> Session:
        """A session on the database, for several transactions in a row."""
        if not self._answered:
            # Asked once before: inside a transaction the driver would ask a server that is down
            # again and again before it says so.
            with explained_by(self.where):
                self._driver.verify_connectivity()
            self._answered = True
        return self._driver.session(database=self.database, **how)

    def write(self, work: Callable[[ManagedTransaction], T], session: Session | None = None) -> T:
        """The result of ``work`` in one transaction, which may be done several times."""
        if session is None:
            with self.session() as own:
                return self.write(work, own)
        with explained_by(self.where):
            return session.execute_write(unit_of_work(timeout=TRANSACTION_WITHIN)(work))

    def read(self, query: str, /, **parameters: Any) -> list[Record]:
        """What a query gives that changes nothing."""
        with self.session(default_access_mode=READ_ACCESS) as session, explained_by(self.where):
            return session.execute_read(lambda t: list(t.run(query, parameters)))

    def command(self, query: str) -> None:
        """A statement that takes a transaction of its own and is harmless twice, as schema is."""
        with self.session() as session, explained_by(self.where):
            session.run(query).consume()

    def close(self) -> None:
        self._driver.close()
