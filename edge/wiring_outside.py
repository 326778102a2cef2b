"""What an install stands on outside of edge: its log, clock, redactor and embedder. Each adapter is
imported when first used."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Final

from edge.domain.refusal import EdgeError, Failed, Misused, Refused
from edge.domain.streams import Streams
from edge.ports import Report
from edge.settings import Settings, moment_named

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from adapters.eventlog.sqlite import SqliteEventLog
    from edge.domain.events import Event
    from edge.journal import Journal
    from edge.ports import Clock, EventLog, Redactor
    from edge.ports_knowledge import Embedder

MODE: Final = "embedded"


class Outside:
    """The outside of one install, as its settings name it."""

    def __init__(self, settings: Settings, report: Report | None = None) -> None:
        self.settings = settings
        self.report = report
        self.streams = Streams(settings.group)
        self._say: Callable[[str], None] | None = None
        """Where what runs on tells what does not go well; None where nothing runs on."""

    @property
    def mode(self) -> str:
        """Which log the install stands on, as the health strip says it."""
        return MODE if self.settings.log is None else "eventstoredb"

    @cached_property
    def clock(self) -> Clock:
        from adapters.system import FixedClock, SystemClock

        fixed = os.environ.get("EDGE_NOW")
        if not fixed:
            return SystemClock()
        try:
            return FixedClock(moment_named(fixed, self.settings.tz))
        except Misused as error:
            raise Misused(f"EDGE_NOW: {error.message}", hint=error.hint) from None

    @cached_property
    def log(self) -> EventLog:
        if self.settings.log is None:
            return self.embedded_log
        from adapters.eventlog.eventstoredb import EventStoreDBEventLog

        # A worker tries again by itself, and says so each time: nothing is to be tried unsaid beneath it.
        tried = {"attempts": 1} if self._say else {}
        return EventStoreDBEventLog(
            self.settings.log, password=self.settings.log_password, lost=self._server_lost, **tried
        )

    @cached_property
    def embedded_log(self) -> SqliteEventLog:
        """The embedded log, for what only a file allows; refused where the log is a server's."""
        from adapters.eventlog.sqlite import SqliteEventLog

        if self.settings.log is not None:
            raise Refused(
                f"the log is on {self.settings.log_name}, not in a file here",
                hint="EventStoreDB has its own checks, backup and restore",
            )
        if not self.settings.log_path.exists():
            raise Failed(
                f"the log {self.settings.log_path} is gone",
                hint="`edge log restore BACKUP` brings it back; `edge init` makes a new one elsewhere",
            )
        return SqliteEventLog(self.settings.log_path)

    @cached_property
    def redactor(self) -> Redactor:
        from adapters.redaction.secrets import SecretRedactor

        return SecretRedactor()

    @cached_property
    def journal(self) -> Journal:
        from adapters.system import TimeOrderedIds
        from edge.journal import Journal

        return Journal(self.log, self.streams, self.redactor, self.clock, TimeOrderedIds())

    @cached_property
    def log_id(self) -> str:
        """The identity of the log, from its first event."""
        first: Event | None = next(self.log.read(self.streams.log, limit=1), None)
        if first is None or not isinstance(first.data.get("log_id"), str):
            raise Misused(
                f"the log {self.settings.log_name} is not of group {self.settings.group!r}",
                hint="set the group it was made with in edge.toml",
            )
        return str(first.data["log_id"])

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder the settings name; raises ModelAway where it is not installed."""
        from edge.wiring_services import embedder_of

        return embedder_of(self.settings)

    def _server_lost(self, error: EdgeError, seconds: float) -> None:
        """A subscription lost its server; it goes on by itself."""
        if self._say:
            self._say(f"{error.message}; trying again in {seconds:.1f} s")

    def hang_up(self) -> None:
        """End what is under way on a log's server, from any thread; a log in a file waits for nobody."""
        if self.settings.log is not None:
            self.log.close()


def create_log(path: Path) -> None:
    """Make an empty embedded log; refused where the path is taken."""
    from adapters.eventlog.sqlite import SqliteEventLog

    SqliteEventLog.create(path).close()


def sqlite_version() -> str:
    import apsw

    return apsw.sqlite_lib_version()
