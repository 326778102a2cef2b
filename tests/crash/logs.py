"""A log by where it is, for processes that open their own."""

from __future__ import annotations

from pathlib import Path

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from adapters.eventlog.sqlite import SqliteEventLog
from edge.ports import EventLog


def log_at(where: str) -> EventLog:
    """The log at an EventStoreDB's URI, else in the file of that name."""
    return EventStoreDBEventLog(where) if where.startswith("esdb:") else SqliteEventLog(Path(where))
