"""The two gRPC services a client talks to."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import grpc
from esdbclient.protos.Grpc import code_pb2, gossip_pb2, shared_pb2, status_pb2, streams_pb2
from esdbclient.protos.Grpc.gossip_pb2_grpc import GossipServicer
from esdbclient.protos.Grpc.streams_pb2_grpc import StreamsServicer
from google.protobuf import any_pb2, empty_pb2

from tests.support.esdb.faults import Faults
from tests.support.esdb.messages import BadRequestError, expectation, proposed, size
from tests.support.esdb.reading import InvalidPositionError, responses
from tests.support.esdb.records import (
    NO_STREAM,
    Place,
    Proposed,
    Records,
    TombstonedError,
    WrongExpectationError,
)

MAX_APPEND = 1024 * 1024


class Node:
    """What both services know of the node they are: who may come in, and whether it leads."""

    def __init__(self, faults: Faults, user: str | None, password: str | None, port: int) -> None:
        self.faults = faults
        self.port = port
        self._credentials = base64.b64encode(f"{user}:{password}".encode()).decode() if user else None

    def admit(self, context: Any) -> None:
        """Refuse who has not the password, and who requires a leader where another leads."""
        sent = dict(context.invocation_metadata())
        if self._credentials and sent.get("authorization") != f"Basic {self._credentials}":
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "")
        if self.faults.leader and sent.get("requires-leader") == "true":
            host, port = self.faults.leader
            context.set_trailing_metadata(
                (
                    ("exception", "not-leader"),
                    ("leader-endpoint-host", host),
                    ("leader-endpoint-port", str(port)),
                )
            )
            context.abort(grpc.StatusCode.NOT_FOUND, "Leader info available")


class Streams(StreamsServicer):
    def __init__(self, node: Node, records: Records) -> None:
        self._node = node
        self._records = records

    def Append(self, requests: Iterator[Any], context: Any) -> Any:
        self._node.admit(context)
        options = next(requests).options
        stream = options.stream_identifier.stream_name.decode()
        answer = streams_pb2.AppendResp
        try:
            events = [proposed(request.proposed_message) for request in requests]
            expected = expectation(options, "expected_stream_revision")
            if size(events) > MAX_APPEND:
                raise BadRequestError(f"Maximum Append Size of {MAX_APPEND} Exceeded.")
            place = self._append(context, stream, events, expected)
        except BadRequestError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except TombstonedError:
            _abort_deleted(context, stream)
        except WrongExpectationError as error:
            wrong = answer.WrongExpectedVersion()
            if error.current == NO_STREAM:
                wrong.current_no_stream.SetInParent()
            else:
                wrong.current_revision = error.current
            return answer(wrong_expected_version=wrong)
        position = answer.Position(commit_position=place.position, prepare_position=place.position)
        return answer(success=answer.Success(current_revision=place.revision, position=position))

    def BatchAppend(self, requests: Iterator[Any], context: Any) -> Iterator[Any]:
        self._node.admit(context)
        pending: dict[str, tuple[Any, list[Any]]] = {}
        for request in requests:
            key = request.correlation_id.string
            if request.HasField("options"):
                pending[key] = (request.options, [])
            options, messages = pending[key]
            messages.extend(request.proposed_messages)
            if request.is_final:
                del pending[key]
                yield self._batch(context, request.correlation_id, options, messages)

    def _batch(self, context: Any, correlation: Any, options: Any, messages: list[Any]) -> Any:
        stream = options.stream_identifier.stream_name.decode()
        answer = streams_pb2.BatchAppendResp(
            correlation_id=correlation, stream_identifier=options.stream_identifier
        )
        try:
            events = [proposed(message) for message in messages]
            expected = expectation(options, "expected_stream_position")
            if size(events) > MAX_APPEND:
                told: Any = shared_pb2.MaximumAppendSizeExceeded(maxAppendSize=MAX_APPEND)
                return _failed(answer, code_pb2.INVALID_ARGUMENT, told)
            place = self._append(context, stream, events, expected)
        except BadRequestError as error:
            told = shared_pb2.BadRequest(message=str(error))
            return _failed(answer, code_pb2.INVALID_ARGUMENT, told)
        except TombstonedError:
            told = shared_pb2.StreamDeleted(stream_identifier=options.stream_identifier)
            return _failed(answer, code_pb2.FAILED_PRECONDITION, told)
        except WrongExpectationError as error:
            told = shared_pb2.WrongExpectedVersion()
            if error.current == NO_STREAM:
                told.current_no_stream.CopyFrom(empty_pb2.Empty())
            else:
                told.current_stream_revision = error.current
            return _failed(answer, code_pb2.FAILED_PRECONDITION, told)
        if place.revision == NO_STREAM:  # of an empty batch
            answer.success.no_stream.CopyFrom(empty_pb2.Empty())
        else:
            answer.success.current_revision = place.revision
        answer.success.position.commit_position = place.position
        answer.success.position.prepare_position = place.position
        return answer

    def _append(self, context: Any, stream: str, events: list[Proposed], expected: int) -> Place:
        """The append itself, with the fault that strikes it."""
        fault = self._node.faults.next("append")
        if fault and fault.when == "before":
            _strike(context, fault)
        place = self._records.append(stream, events, expected)
        if fault and fault.when == "after":
            _strike(context, fault)
        return place

    def Read(self, request: Any, context: Any) -> Iterator[Any]:
        self._node.admit(context)
        faults = self._node.faults
        fault, drops = faults.next("read"), faults.drops
        sent, subscribing = 0, request.options.WhichOneof("count_option") == "subscription"
        try:
            with faults.lock:
                faults.open += subscribing
            for response in responses(
                self._records, faults, request.options, lambda: context.is_active() and faults.drops == drops
            ):
                if fault and sent == fault.after:
                    _strike(context, fault)
                yield response
                sent += 1
        except BadRequestError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except TombstonedError as error:
            _abort_deleted(context, str(error))
        except InvalidPositionError:
            context.abort(grpc.StatusCode.UNKNOWN, "Unexpected ReadAllResult: Error")
        finally:
            with faults.lock:
                faults.open -= subscribing
        if faults.drops != drops and subscribing:
            context.abort(grpc.StatusCode.ABORTED, "Consumer too slow" if drops % 2 else "dropped")

    def Delete(self, request: Any, context: Any) -> Any:
        place = self._remove(request, context, self._records.delete)
        answer = streams_pb2.DeleteResp
        return answer(position=answer.Position(commit_position=place.position))

    def Tombstone(self, request: Any, context: Any) -> Any:
        place = self._remove(request, context, self._records.tombstone)
        answer = streams_pb2.TombstoneResp
        return answer(position=answer.Position(commit_position=place.position))

    def _remove(self, request: Any, context: Any, remove: Callable[[str, int], Place]) -> Place:
        self._node.admit(context)
        stream = request.options.stream_identifier.stream_name.decode()
        expected = expectation(request.options, "expected_stream_revision")
        try:
            return remove(stream, expected)
        except TombstonedError:
            _abort_deleted(context, stream)
        except WrongExpectationError as error:
            context.abort(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"Delete failed due to WrongExpectedVersion. Stream: {stream},"
                f" Expected version: {expected}, Actual version: {error.current}",
            )
        raise AssertionError("abort raises")


class Gossip(GossipServicer):
    """Who is in the cluster: this node, and the leader it was told of."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def Read(self, _request: Any, _context: Any) -> Any:
        state = gossip_pb2.MemberInfo.VNodeState
        leader = self._node.faults.leader
        here = ("127.0.0.1", self._node.port)
        members = [(here, state.Follower if leader else state.Leader)]
        if leader:
            members.append((leader, state.Leader))
        return gossip_pb2.ClusterInfo(
            members=[
                gossip_pb2.MemberInfo(
                    state=role,
                    is_alive=True,
                    http_end_point=gossip_pb2.EndPoint(address=host, port=port),
                )
                for (host, port), role in members
            ]
        )


def _strike(context: Any, fault: Any) -> None:
    if fault.delay:
        time.sleep(fault.delay)  # a slow server is what is played here
    if fault.code != "OK":
        context.abort(fault.status, fault.details)


def _failed(answer: Any, code: Any, told: Any) -> Any:
    details = any_pb2.Any()
    details.Pack(told)
    answer.error.CopyFrom(status_pb2.Status(code=code, message="", details=details))
    return answer


def _abort_deleted(context: Any, stream: str) -> NoReturn:
    context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"Event stream '{stream}' is deleted.")
    raise AssertionError("abort raises")
