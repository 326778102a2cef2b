"""A close on a log at a server, killed at each call it makes and at moments by lot, then the same again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest

from edge.wiring import Edge
from tests.crash.installs import (
    ENVIRON,
    NOW,
    REPO,
    ask,
    assert_derived_from_its_log,
    is_receipt,
    opened,
)
from tests.crash.kill_moments import SOONEST
from tests.crash.kill_points import OPERATIONS, asked_of
from tests.crash.test_killed_closes import FEWEST_POINTS
from tests.crash.test_racing_on_eventstoredb import home, server
from tests.properties import witness
from tests.support.soak import counted, more

__all__ = ["home", "server"]

FOLDED = ["voz.comment", "voz.reply", "direction.set", "voz.resolved"]
REPLIED = ["voz.comment", "voz.reply", "voz.resolved"]


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_NOW", NOW)


class Killer:
    """Runs operations in processes that are killed at a call on the log."""

    def __init__(self, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.kill_on_server", str(home)],
            env=ENVIRON,
            cwd=REPO,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def kills(self, operation: str, at: int, after: bool) -> bool:
        """Whether it died there; else it got through."""
        died, _ = self._answer(f"{operation} {at} {'after' if after else 'before'}")
        counted(f"kills before or after a call of {operation} on EventStoreDB", died)
        return died

    def kills_within(self, operation: str, seconds: float) -> tuple[bool, float]:
        """Whether it died so soon (0: it may take its time), and how long it lived."""
        died, lived = self._answer(f"{operation} {seconds} within")
        counted(f"kills at any moment of {operation} on EventStoreDB", died)
        return died, lived

    def _answer(self, line: str) -> tuple[bool, float]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        end, lived = self._process.stdout.readline().split()
        assert end in ("killed", "through")
        return end == "killed", float(lived)

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def killer(home: Path) -> Iterator[Killer]:
    killer = Killer(home)
    yield killer
    killer.close()


CALLS, MOMENTS = "at calls", "at moments"

Kill = Callable[[str], bool]
"""Lets an operation die; whether it did."""


def at_calls(killer: Killer) -> Iterator[Kill]:
    """Before the first call, then after each (before the next one the log is the same), until one lives."""
    died = True

    def kill(operation: str, at: int, after: bool) -> bool:
        nonlocal died
        died = killer.kills(operation, at, after)
        return died

    yield partial(kill, at=1, after=False)
    calls = count(1)
    while died:
        yield partial(kill, at=next(calls), after=True)


def at_moments(killer: Killer, chance: Random, times: int) -> Iterator[Kill]:
    """Within what it takes here and now; the first may take its time, which measures that."""
    takes = inf

    def kill(operation: str, seconds: float) -> bool:
        nonlocal takes
        died, lived = killer.kills_within(operation, seconds)
        takes = takes if died else min(takes, lived)
        return died

    yield partial(kill, seconds=0)
    for _ in range(times):
        yield partial(kill, seconds=chance.uniform(SOONEST, takes))


@pytest.fixture
def kills(where: str, killer: Killer, chance: Random) -> Iterator[Kill]:
    return at_calls(killer) if where == CALLS else at_moments(killer, chance, more(10))


def assert_not_half_closed(edge: Edge, run_id: str) -> None:
    """Of what the run planned for a chat, all stands or nothing."""
    for event in edge.log.read(edge.streams.grill(run_id)):
        if event.type == "grill.planned":
            planned = {e["id"] for e in event.data["events"]}
            standing = {e.id for e in edge.log.read(edge.streams.chat(event.data["comment_id"]))}
            assert planned <= standing or not planned & standing


def a_run(edge: Edge, home: Path) -> tuple[str, str]:
    """Two chats loaded by a run, and what to close it with."""
    folds = edge.voz.comment("Testes primeiro, sempre").id
    replies = edge.voz.comment("Qual é o prazo?").id
    run_id = edge.grill.start("attended", 8, 12_000).run["run_id"]
    entries: list[dict[str, Any]] = [
        {"comment_id": folds, "decision": "fold", "reply": "Feito", "steer": {"title": "Testes primeiro"}},
        {"comment_id": replies, "decision": "reply", "reply": "Sexta"},
    ]
    plan = {"chats": [{**entry, "ambiguous": False, "evidence": ["x"]} for entry in entries]}
    ask(home, {"run": run_id, "plan": plan})
    return folds, replies


@pytest.mark.parametrize("where", [CALLS, MOMENTS])
def test_a_killed_grill_close_is_resumed_as_if_it_had_not_been(
    home: Path, where: str, kills: Iterator[Kill]
) -> None:
    left = []
    for kill in kills:
        with opened(home) as edge:
            folds, replies = a_run(edge, home)
        kill("close_a_run")
        with opened(home) as edge:
            run_id = asked_of(home)["run"]
            assert_not_half_closed(edge, run_id)
            left.append(edge.current().counts().open)
            planned = any(e.type == "grill.planned" for e in edge.log.read(edge.streams.grill(run_id)))
            OPERATIONS["resume_a_run" if planned else "close_a_run"](edge, asked_of(home))
            for chat, types in ((folds, FOLDED), (replies, REPLIED)):
                assert [e.type for e in edge.log.read(edge.streams.chat(chat))] == types
            ended = [e.type for e in edge.log.read(edge.streams.grill(run_id))]
            assert sorted(ended[1:]) == ["grill.closed"] * 2 + ["grill.finished"] + ["grill.planned"] * 2
    assert len(left) > FEWEST_POINTS
    if where == CALLS:
        assert set(left) == {2, 1, 0}  # it died with neither, one and both of the two chats closed
    with opened(home) as edge:
        witness.check_all(list(edge.log.read_all()))
        assert edge.health()["errors"] == []
        assert_derived_from_its_log(edge)


@pytest.mark.parametrize("where", [CALLS, MOMENTS])
def test_a_killed_dispatch_close_publishes_and_receipts_once(home: Path, kills: Iterator[Kill]) -> None:
    opened_ids = 0
    for kill in kills:
        opened_ids += 1
        with opened(home) as edge:
            act = edge.voz.comment("E o custo?").id
            dispatch = edge.dispatches.open(
                "report", None, "operator", lambda _: None, lambda _: None, edge.briefing
            )
        slug = f"study-{opened_ids}"
        artefato = {"slug": slug, "title": "Study", "body": "# Study"}
        asked = {"dispatch": dispatch.dispatch_id, "intent": "why", "artefato": artefato, "answered": {}}
        ask(home, asked)
        kill("close_a_dispatch")
        with opened(home) as edge:
            OPERATIONS["close_a_dispatch"](edge, asked)
            published = [e.type for e in edge.log.read(edge.streams.artefato(slug))]
            assert published == ["intent.kernel", "artefato.published"]
            assert sum(map(is_receipt, edge.log.read(edge.streams.chat(act)))) == 1
            closed = [e.type for e in edge.log.read(edge.streams.dispatch(dispatch.dispatch_id))]
            assert closed.count("dispatch.closed") == 1
    assert opened_ids > FEWEST_POINTS
    with opened(home) as edge:
        witness.check_all(list(edge.log.read_all()))
        assert edge.health()["errors"] == []
        assert_derived_from_its_log(edge)
