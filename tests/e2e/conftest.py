"""A person with an install of their own, once with its log in a file and once on EventStoreDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.person import Person
from tests.support.esdb.process import EventStoreProcess


@pytest.fixture(scope="session")
def eventstoredb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    """One server for all; each test begins it anew."""
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db") as server:
        yield server


@pytest.fixture(params=["embedded", "eventstoredb"])
def log_uri(request: pytest.FixtureRequest) -> str | None:
    """Where the person's log is; None: in a file of their home."""
    if request.param == "embedded":
        return None
    server: EventStoreProcess = request.getfixturevalue("eventstoredb")
    server.tell(reset=True)
    return server.uri


@pytest.fixture
def person(
    log_uri: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Person:
    """Their home is begun, their transcript store is empty."""
    store = tmp_path / "transcripts"
    store.mkdir()
    person = Person(tmp_path / "home", monkeypatch, capsys)
    where = ("--log", log_uri) if log_uri else ()
    begun = person.types("init", "--group", "me", "--zone", "UTC", "--store", store, *where)
    assert begun.code == 0, begun.err
    return person
