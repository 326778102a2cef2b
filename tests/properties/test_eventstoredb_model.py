"""The model of the logs, with EventStoreDB's adapter beside the others, on the double of its server."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from tests.properties.test_log_model import LogModel, streams
from tests.support.esdb.process import EventStoreProcess
from tests.support.soak import more

running: list[EventStoreProcess] = []
"""The one double of this module: each example begins it anew, which is cheaper than another process."""


def setup_module() -> None:
    running.append(EventStoreProcess(Path(tempfile.mkdtemp()) / "esdb.db", "--links"))


def teardown_module() -> None:
    running.pop().kill()


class EventStoreDBModel(LogModel):
    @initialize()
    def begin(self) -> None:
        super().begin()
        running[0].tell(reset=True)
        self.logs.append(EventStoreDBEventLog(running[0].uri))
        self.positions.append([])

    @rule(stream=streams, back=st.integers(-1, 4))
    def truncate(self, stream: str, back: int) -> None:
        super().truncate(stream, back)
        running[0].tell(scavenge=True)  # before it, all streams still show what was truncated


TestEventStoreDBModel = EventStoreDBModel.TestCase
TestEventStoreDBModel.settings = settings(
    max_examples=more(8, 4),
    stateful_step_count=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
