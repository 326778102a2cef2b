"""Where a log is that processes race on and die at: once a file, once on an EventStoreDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.eventlog.sqlite import SqliteEventLog
from tests.support.esdb.process import EventStoreProcess


@pytest.fixture(scope="session")
def eventstoredb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    """One server for all; each test begins it anew."""
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db") as server:
        yield server


def empty_log(request: pytest.FixtureRequest, place: Path) -> str:
    """An empty log's file, or its URI; see :func:`tests.crash.logs.log_at`."""
    if request.param == "embedded":
        SqliteEventLog.create(place / "log.db").close()
        return str(place / "log.db")
    server: EventStoreProcess = request.getfixturevalue("eventstoredb")
    server.tell(reset=True)
    return server.uri


@pytest.fixture(params=["embedded", "eventstoredb"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty_log(request, tmp_path)
