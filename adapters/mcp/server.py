"""The server: the SDK's protocol over the wire, one call of a tool at a time."""

from __future__ import annotations

import logging
import signal
import sys
from functools import partial
from typing import Any

import anyio
from anyio import to_thread
from mcp import types
from mcp.server.lowlevel.server import Server

from adapters.mcp.tools import TOOLS, Desk, called
from adapters.mcp.wire import Wire

_INSTRUCTIONS = (
    "edge is the operator's mentor: it keeps what the operator decided and said. Its tools read that,"
    " publish, propose and settle comments. None of them can speak, decide or curate as the operator."
)


def serve(desk: Desk, version: str) -> None:
    """Answer until the input ends or a signal says so."""
    _log_in_lines()
    anyio.run(_served, desk, version)


async def _served(desk: Desk, version: str) -> None:
    wire = Wire()
    server = _server(desk, version)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, tasks.cancel_scope)
        async with wire.up() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _end_on_signal(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


def _server(desk: Desk, version: str) -> Server[Any]:
    one = anyio.CapacityLimiter(1)  # the log is written by one call after the other

    async def listed(_context: object, _asked: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.listed() for tool in TOOLS])

    async def call(_context: object, asked: types.CallToolRequestParams) -> types.CallToolResult:
        do = partial(called, desk, asked.name, dict(asked.arguments or {}))
        # What is under way when the client goes is left to the log, where an append is whole or not there.
        return await to_thread.run_sync(do, limiter=one, abandon_on_cancel=True)

    return Server(
        "edge", version=version, instructions=_INSTRUCTIONS, on_list_tools=listed, on_call_tool=call
    )


class _Line(logging.Formatter):
    """A line and no trace: standard error is what a client shows its user."""

    def format(self, record: logging.LogRecord) -> str:
        return f"edge mcp: {' '.join(record.getMessage().split())[:500]}"


def _log_in_lines() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Line())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
