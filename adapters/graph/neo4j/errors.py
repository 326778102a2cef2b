"""What the driver raises, in the one line a person can act on."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from neo4j import exceptions as n4j

from edge.domain.refusal import EdgeError, Failed, Unreachable

_NO_DATABASE: Final = "Neo.ClientError.Database."
_READ_ONLY: Final = {
    "Neo.ClientError.Cluster.NotALeader",
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
    "Neo.ClientError.Statement.AccessMode",
}
_LOGIN: Final = "Neo.ClientError.Security."


class GraphChangedError(Failed):
    """What stands in Neo4j was projected from another log, or is not edge's at all."""

    name = "graph-changed"


@contextmanager
def explained_by(where: str) -> Iterator[None]:
    """Raise what the driver raises inside as an :class:`EdgeError` about ``where``."""
    try:
        yield
    except (n4j.Neo4jError, n4j.DriverError) as error:
        raise explained(error, where) from error
    except (OSError, ssl.SSLError) as error:
        raise Unreachable(f"{where}: {_line(error)}", hint="check graph's address") from error


def explained(error: Exception, where: str) -> EdgeError:
    """The failure in one line; ``where`` names the server, without a password."""
    if isinstance(error, n4j.Neo4jError):
        return _answered(error, where)
    return _unanswered(error, where)


def _answered(error: n4j.Neo4jError, where: str) -> EdgeError:
    code, told = error.code or "", _line(error.message or error)
    if code == f"{_LOGIN}CredentialsExpired":
        return Unreachable(
            f"{where}: the password is still the one it was installed with",
            hint="log in once in Neo4j's browser and set another",
        )
    if code == f"{_LOGIN}AuthenticationRateLimit":
        return Unreachable(f"{where}: too many wrong passwords", hint="wait a few seconds, then try again")
    if code == f"{_LOGIN}Forbidden":
        return Unreachable(
            f"{where} denies this user what was asked", hint="the user needs to read, write and make indices"
        )
    if code.startswith(_LOGIN):
        return Unreachable(f"{where} does not accept the user and password", hint="check both")
    if code.startswith(_NO_DATABASE):
        return Unreachable(
            f"{where}: no such database, or it is stopped", hint="Neo4j's community edition has one: neo4j"
        )
    if (
        code in _READ_ONLY
        or "read-only" in told
        or isinstance(error, n4j.NotALeader | n4j.ForbiddenOnReadOnlyDatabase)
    ):
        return Unreachable(
            f"{where} takes no writes: it is read-only, or not its cluster's leader",
            hint="write neo4j:// instead of bolt:// to be led to the leader",
        )
    if isinstance(error, n4j.TransientError) or code.startswith("Neo.TransientError."):
        return Unreachable(f"{where} cannot do it now: {told}", hint="try again in a moment")
    return Failed(f"{where} refused: {told}", hint="its own log says more")


def _unanswered(error: Exception, where: str) -> EdgeError:
    told = " ".join(_line(cause) for cause in _causes(error))
    if "CERTIFICATE_VERIFY_FAILED" in told:
        return Unreachable(
            f"{where}: its certificate was not signed by a CA known here",
            hint="write +ssc instead of +s in the address to take any certificate",
        )
    if "SSL" in told or "encrypted" in told or isinstance(error.__cause__, ssl.SSLError):
        return Unreachable(f"{where} does not speak TLS", hint="write bolt:// if that is meant")
    if "refused" in told:
        return Unreachable(f"{where}: nothing listens there", hint="is Neo4j running, and the port right?")
    if "resolve" in told or "Name or service not known" in told:
        return Unreachable(f"{where}: no such host", hint="check the graph's address")
    if "HTTP" in told:
        return Unreachable(
            f"{where} speaks HTTP there", hint="name its Bolt port, 7687 unless it was changed"
        )
    if "handshake" in told or "incomplete" in told or isinstance(error, n4j.UnsupportedServerProduct):
        return Unreachable(
            f"{where} does not speak Bolt as it was addressed",
            hint="is it Neo4j's Bolt port, and does it want TLS: bolt+s://?",
        )
    if isinstance(error, n4j.RoutingServiceUnavailable | n4j.WriteServiceUnavailable):
        return Unreachable(f"{where}: no member of the cluster leads now", hint="try again in a moment")
    if isinstance(error, n4j.IncompleteCommit):
        return Unreachable(f"{where} went away while it committed", hint="nothing doubles: try again")
    if isinstance(error, n4j.ServiceUnavailable | n4j.SessionExpired | n4j.ConnectionPoolError):
        return Unreachable(f"{where} does not answer", hint="is Neo4j running, and the network well?")
    return Failed(f"{where}: {_line(error)}", hint="is it a Neo4j of line 5?")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        for each in getattr(error, "exceptions", ()):  # one a member of a cluster
            yield from _causes(each)
        error = error.__cause__ or error.__context__


def _line(told: object) -> str:
    return " ".join(str(told).split())[:300] or type(told).__name__
