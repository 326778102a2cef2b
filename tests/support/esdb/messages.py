"""Between records and the protocol's messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from esdbclient.protos.Grpc import shared_pb2, streams_pb2

from tests.support.esdb.records import ANY, EXISTS, NO_STREAM, Proposed, Record

RecordedEvent = streams_pb2.ReadResp.ReadEvent.RecordedEvent


class BadRequestError(Exception):
    """What no server takes."""


def proposed(message: Any) -> Proposed:
    """An event out of a request. A server wants id, type and content type."""
    missing = {"type", "content-type"} - set(message.metadata)
    if missing:
        raise BadRequestError(f"Required Metadata Property '{missing.pop()}' is missing")
    if not message.id.string:
        raise BadRequestError("an event has no id")
    metadata = message.metadata
    return Proposed(
        message.id.string, metadata["type"], metadata["content-type"], message.custom_metadata, message.data
    )


def size(events: Iterable[Proposed]) -> int:
    """What a server counts against its limit of one append."""
    return sum(len(e.data) + len(e.metadata) + 2 * len(e.type) for e in events)


def expectation(options: Any, oneof: str) -> int:
    """The expected revision of a request, as a number."""
    which = options.WhichOneof(oneof)
    if which in {"revision", "stream_position"}:
        return int(getattr(options, which))
    named = {"no_stream": NO_STREAM, "any": ANY, "stream_exists": EXISTS}
    if which not in named:
        raise BadRequestError(f"'{which}' is not a valid expectation")
    return named[which]


def recorded(record: Record) -> RecordedEvent:
    return RecordedEvent(
        id=shared_pb2.UUID(string=record.id),
        stream_identifier=shared_pb2.StreamIdentifier(stream_name=record.stream.encode()),
        stream_revision=record.revision,
        commit_position=record.position,
        prepare_position=record.position,
        metadata={
            "type": record.type,
            "content-type": record.content_type,
            "created": str(record.created),
        },
        custom_metadata=record.metadata,
        data=record.data,
    )


def delivered(record: Record, target: Record | None, resolve: bool) -> streams_pb2.ReadResp:
    """An event as a read gives it; of a link that resolves to nothing, the link alone."""
    if not resolve or record.type != "$>":
        event = streams_pb2.ReadResp.ReadEvent(event=recorded(record), commit_position=record.position)
    else:
        event = streams_pb2.ReadResp.ReadEvent(
            event=recorded(target) if target else None,
            link=recorded(record),
            commit_position=record.position,
        )
    return streams_pb2.ReadResp(event=event)


def checkpoint(position: int) -> streams_pb2.ReadResp:
    return streams_pb2.ReadResp(
        checkpoint=streams_pb2.ReadResp.Checkpoint(commit_position=position, prepare_position=position)
    )


def caught_up() -> streams_pb2.ReadResp:
    return streams_pb2.ReadResp(caught_up=streams_pb2.ReadResp.CaughtUp())


def confirmation(subscription: str) -> streams_pb2.ReadResp:
    return streams_pb2.ReadResp(
        confirmation=streams_pb2.ReadResp.SubscriptionConfirmation(subscription_id=subscription)
    )


def not_found(stream: str) -> streams_pb2.ReadResp:
    return streams_pb2.ReadResp(
        stream_not_found=streams_pb2.ReadResp.StreamNotFound(
            stream_identifier=shared_pb2.StreamIdentifier(stream_name=stream.encode())
        )
    )
