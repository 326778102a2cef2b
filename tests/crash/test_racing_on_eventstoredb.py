"""The races of closers, on an EventStoreDB that settles them: the very same tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.init import initialise
from edge.settings import Settings
from tests.crash.test_racing_closers import (  # the tests themselves, and what they need
    fixed_clock,
    test_eight_closers_give_every_act_one_receipt,
    test_of_eight_closers_of_the_same_chats_each_chat_is_closed_once,
    test_of_two_closers_of_one_chat_one_closes_it_and_the_other_says_stale,
    test_one_key_used_by_eight_processes_lands_once,
)
from tests.support.esdb.process import EventStoreProcess
from tests.support.soak import more

pytestmark = pytest.mark.repeat(more(1, 5))

__all__ = [
    "fixed_clock",
    "test_eight_closers_give_every_act_one_receipt",
    "test_of_eight_closers_of_the_same_chats_each_chat_is_closed_once",
    "test_of_two_closers_of_one_chat_one_closes_it_and_the_other_says_stale",
    "test_one_key_used_by_eight_processes_lands_once",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


@pytest.fixture
def home(server: EventStoreProcess, tmp_path: Path) -> Path:
    server.tell(reset=True)
    store = tmp_path / "transcripts"
    store.mkdir()
    initialise(Settings(tmp_path / "home", "g", root=str(store), log=server.uri))
    return tmp_path / "home"
