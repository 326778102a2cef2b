"""EventStoreDB's adapter passes the contract, through the unmodified client, on a test double of
the server (see :mod:`tests.support.esdb`); and what it promises beyond it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from edge.ports import EventLog
from tests.contracts.event_log import EventLogContract
from tests.support.esdb.process import EventStoreProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


@pytest.fixture
def log(server: EventStoreProcess) -> Iterator[EventStoreDBEventLog]:
    log = EventStoreDBEventLog(server.uri, heartbeat=0.3)
    yield log
    log.close()


class TestEventStoreDBEventLog(EventLogContract):
    @pytest.fixture
    def log(self, server: EventStoreProcess) -> Iterator[EventLog]:
        log = EventStoreDBEventLog(server.uri, heartbeat=0.3)
        yield log
        log.close()
