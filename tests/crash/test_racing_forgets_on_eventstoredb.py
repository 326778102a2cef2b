"""Forgetting raced and killed, on an EventStoreDB that settles it."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest

from tests.crash.installs import ask, assert_derived_from_its_log, opened
from tests.crash.kill_points import OPERATIONS, asked_of
from tests.crash.test_killed_on_eventstoredb import Killer, killer
from tests.crash.test_racing_forgets import fixed_clock, test_forgets_beside_a_sweep_a_close_and_an_open
from tests.crash.test_racing_on_eventstoredb import home, server
from tests.support.memories import COMMENT, found_in, with_memories
from tests.support.soak import every, more

pytestmark = pytest.mark.repeat(more(1, 5))

__all__ = ["fixed_clock", "home", "killer", "server", "test_forgets_beside_a_sweep_a_close_and_an_open"]

STRIDE = every(5)


def test_killed_at_a_call_it_is_finished_by_the_next_run(home: Path, killer: Killer) -> None:
    with opened(home) as edge:
        with_memories(edge)
    points = 0
    for at in count(1, STRIDE):
        words = f"{COMMENT} number {at}."
        with opened(home) as edge:
            comment = edge.voz.comment(words).id
            edge.dispatches.open("beat", None, "operator", lambda _: None, lambda _: None, edge.briefing)
        ask(home, {"kind": "comment", "name": comment})
        died = killer.kills("forget", at, True)
        with opened(home) as edge:
            if at % 2:
                edge.finish_forgetting()
            OPERATIONS["forget"](edge, asked_of(home))
            streams = dict.fromkeys(event.stream for event in edge.log.read_all())
            assert words not in json.dumps([e.data for s in streams for e in edge.log.read(s)])
            (home / "asked.json").unlink()
            assert found_in(home, words) == []
            assert edge.forgetting.pending() == []
        points += 1
        if not died:
            break
    assert points > 8
    with opened(home) as edge:
        assert edge.health()["errors"] == []
        assert_derived_from_its_log(edge)


@pytest.fixture(autouse=True)
def operator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_ACTOR", "operator")
