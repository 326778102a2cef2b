"""What the client raises, told apart: what may pass by itself, and the one line for what does not."""

from __future__ import annotations

from typing import Any, Final

from esdbclient import exceptions as esdb
from grpc import StatusCode

from edge.domain.refusal import EdgeError, Failed, Unreachable

_FINAL: Final = {
    StatusCode.UNAUTHENTICATED,
    StatusCode.PERMISSION_DENIED,
    StatusCode.INVALID_ARGUMENT,
    StatusCode.FAILED_PRECONDITION,
    StatusCode.UNIMPLEMENTED,
}
"""Answers that stay the same however often one asks."""

_PASSING: Final = (
    esdb.GrpcError,  # unavailable, deadline exceeded, aborted, internal …
    esdb.UnknownError,  # a node that knows no leader just now says no more than this
    esdb.AppendDeadlineExceeded,
    esdb.DiscoveryFailed,
    esdb.CancelledByClient,  # by us, when the connection was replaced under a call
)


class ConnectionLostError(esdb.EventStoreDBClientException):
    """What was being received ended without its end: the connection was closed under it."""


def passes(error: BaseException | None) -> bool:
    """Whether the failure may pass by itself, so that trying again makes sense."""
    if isinstance(error, esdb.GrpcError) and (status(error) in _FINAL or _untrusted(error)):
        return False
    # The client raises the bare exception for a batch nobody answered, or a server not ready.
    return (
        isinstance(error, (*_PASSING, ConnectionLostError)) or type(error) is esdb.EventStoreDBClientException
    )


def status(error: BaseException) -> StatusCode | None:
    """The gRPC status behind the client's exception, where it still has it."""
    code = getattr(_cause(error), "code", None)
    return code() if callable(code) else None


def no_such_position(error: Exception) -> bool:
    """Whether a read may have been refused because no record begins at its position."""
    return isinstance(error, esdb.UnknownError | esdb.InternalError) or status(error) in {
        StatusCode.INVALID_ARGUMENT,
        StatusCode.OUT_OF_RANGE,
    }


def explained(error: Exception, where: str) -> EdgeError:
    """The failure in one line. ``where`` names the server, without a password."""
    told = " ".join(_details(error).split())
    if isinstance(error, esdb.DiscoveryFailed):
        if error.__cause__ is None:
            return Unreachable(f"{where}: the cluster has no leader now", hint="try again in a moment")
        return explained(_as_exception(error.__cause__), where)
    if isinstance(error, esdb.NodeIsNotLeader):
        leader = f"; {error.leader_grpc_target} leads" if error.leader_grpc_target else ""
        return Unreachable(
            f"{where} is not the leader of its cluster{leader}",
            hint="name all its nodes, esdb://a:2113,b:2113,c:2113, or use esdb+discover://",
        )
    if status(error) is StatusCode.UNAUTHENTICATED:
        return Unreachable(
            f"{where} does not accept the user and password",
            hint="check both in the log's URI",
            lasting=True,
        )
    if status(error) is StatusCode.PERMISSION_DENIED or isinstance(error, esdb.AccessDeniedError):
        return Unreachable(
            f"{where} denies this user what was asked",
            hint="the user needs to read $all, and to write the streams of the group",
            lasting=True,
        )
    if isinstance(error, esdb.StreamIsDeleted) or (
        isinstance(error, esdb.FailedPrecondition) and "is deleted" in told
    ):
        return Failed(
            f"{where}: a stream was deleted for good (tombstoned)", hint="it cannot be written again"
        )
    if isinstance(error, esdb.FailedPrecondition) or (
        isinstance(error, esdb.GrpcError) and status(error) in _FINAL
    ):
        return Failed(f"{where} refused: {told}")
    return _unreachable(error, where, told)


def _unreachable(error: Exception, where: str, told: str) -> EdgeError:
    if "CERTIFICATE_VERIFY_FAILED" in told:
        return Unreachable(
            f"{where}: its certificate was not signed by a CA known here",
            hint="name the CA's file in the URI: tlsCaFile=/path/to/ca.crt",
            lasting=True,
        )
    if "WRONG_VERSION_NUMBER" in told:
        return Unreachable(
            f"{where} does not speak TLS", hint="add tls=false to the URI if that is meant", lasting=True
        )
    if isinstance(error, esdb.GrpcDeadlineExceeded | esdb.AppendDeadlineExceeded):
        return Unreachable(f"{where} does not answer in time", hint="is the server well, and the network?")
    if "Connection refused" in told:
        return Unreachable(
            f"{where}: nothing listens there", hint="is the server running, and the port right?"
        )
    if any(sign in told for sign in ("DNS resolution failed", "Name or service not known", "empty address")):
        return Unreachable(f"{where}: no such host", hint="check the log's URI")
    return Unreachable(
        f"{where} cannot be used now: {told[:200] or type(error).__name__}",
        hint="is it well, and is TLS on both sides or on none?",
    )


def _untrusted(error: BaseException) -> bool:
    told = _details(error)
    return "CERTIFICATE_VERIFY_FAILED" in told or "WRONG_VERSION_NUMBER" in told


def _details(error: BaseException) -> str:
    cause = _cause(error)
    details = getattr(cause, "details", None)
    return str(details() if callable(details) else cause or "")


def _cause(error: BaseException) -> Any:
    return error.args[0] if error.args else None


def _as_exception(error: BaseException) -> Exception:
    return error if isinstance(error, Exception) else ConnectionLostError(str(error))
