"""MCP's wire over standard input and output: JSON-RPC, one message a line, and nothing besides.

The SDK's own transport reads lines of any length and passes over what is no message without a word,
so that whoever sent it waits for ever. Here a line has a bound, and each that is refused is answered.
While the wire is up, file 1 is standard error: what a library prints never gets between messages.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

MAX_LINE: Final = 4 * 1024 * 1024
"""An artefato of 512 KiB fits, every sign of it escaped."""
_ENDS: Final = 4096
_ANSWERS: Final = 5.0
"""Seconds that requests still under way are given once the input has ended."""

_ID: Final = r'"id"\s*:\s*(?P<id>-?\d{1,18}|"[^"\\]{0,100}")'
_VERSION: Final = r'"jsonrpc"\s*:\s*"2\.0"'
_AT_HEAD: Final = re.compile(rf'\s*\{{\s*(?:{_VERSION}\s*,\s*|"method"\s*:\s*"[^"\\]*"\s*,\s*)*{_ID}')
_AT_TAIL: Final = re.compile(rf"{_ID}\s*(?:,\s*{_VERSION}\s*)?\}}\s*\Z")

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]
RequestId = int | str


class Line(NamedTuple):
    """What came up to the end of a line; of a too long one only its two ends. Empty: the input ended."""

    data: bytes
    is_whole: bool = True


class Wire:
    """The two files, and which requests are still owed an answer."""

    def __init__(self) -> None:
        self._incoming = os.fdopen(os.dup(0), "rb")
        self._outgoing = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._owed: set[RequestId] = set()
        self._one = anyio.Lock()
        self._scope = anyio.CancelScope()

    @asynccontextmanager
    async def up(self) -> AsyncIterator[tuple[Incoming, Outgoing]]:
        """The streams for the SDK's server. They end with the input, or when nobody reads any more."""
        to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            self._scope = tasks.cancel_scope
            tasks.start_soon(self._hear, to_server)
            tasks.start_soon(self._say, from_server)
            yield incoming, outgoing
            self._scope.cancel()

    async def _hear(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with to_server:
            while (line := await to_thread.run_sync(self._next, abandon_on_cancel=True)).data:
                if line.is_whole and not line.data.strip():
                    continue
                message = _message(line)
                if message is None:
                    await self._refuse(line)
                    continue
                if isinstance(message, types.JSONRPCRequest):
                    self._owed.add(message.id)
                await to_server.send(SessionMessage(message))
            with anyio.move_on_after(_ANSWERS):
                while self._owed:
                    await anyio.sleep(0.02)

    async def _say(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for outgoing in from_server:
                message = outgoing.message
                await self._write(message.model_dump_json(by_alias=True, exclude_unset=True))
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
                    self._owed.discard(message.id)

    async def _refuse(self, line: Line) -> None:
        if line.is_whole:
            code, why = types.PARSE_ERROR, "the line is no JSON-RPC message"
        else:
            code, why = types.INVALID_REQUEST, f"the message is over {MAX_LINE:,} bytes: nothing was done"
        error = {"code": code, "message": why}
        await self._write(json.dumps({"jsonrpc": "2.0", "id": _id_in(line), "error": error}))

    async def _write(self, text: str) -> None:
        async with self._one:
            try:
                await to_thread.run_sync(self._put, text.encode("utf-8") + b"\n", abandon_on_cancel=True)
            except BrokenPipeError:
                self._scope.cancel()  # nobody reads any more

    # -- in threads of their own, for they wait ----------------------------------------------

    def _next(self) -> Line:
        line = self._incoming.readline(MAX_LINE + 1)
        if len(line) <= MAX_LINE or line.endswith(b"\n"):
            return Line(line)
        head, tail, more = line[:_ENDS], line[-_ENDS:], line
        while more and not more.endswith(b"\n"):
            more = self._incoming.readline(MAX_LINE)
            tail = (tail + more)[-_ENDS:]
        return Line(head + tail, False)

    def _put(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._outgoing, left) :]


def _message(line: Line) -> types.JSONRPCMessage | None:
    if not line.is_whole:
        return None
    try:
        message = types.jsonrpc_message_adapter.validate_json(line.data, by_name=False)
    except ValidationError:
        return None
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line.data):
        return None  # a request whose id is none: taken for a notification, nobody would answer it
    return message


def _id_in(line: Line) -> RequestId | None:
    """The id of a message that is refused, where it can be made out: its sender waits for that."""
    if line.is_whole:
        try:
            document = json.loads(line.data)
        except (ValueError, RecursionError):
            return None
        id_ = document.get("id") if isinstance(document, dict) else None
        return id_ if isinstance(id_, int | str) and not isinstance(id_, bool) else None
    text = line.data.decode("utf-8", "replace")
    found = _AT_HEAD.match(text) or _AT_TAIL.search(text)
    return json.loads(found["id"]) if found else None
