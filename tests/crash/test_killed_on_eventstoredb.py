"""SIGKILL at every call that a close makes on a log at a server, then the same again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
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
from tests.crash.kill_points import OPERATIONS, asked_of
from tests.crash.test_killed_closes import FEWEST_POINTS
from tests.crash.test_racing_on_eventstoredb import home, server
from tests.support.soak import counted

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
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{operation} {at} {'after' if after else 'before'}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        assert answer in ("killed", "through")
        counted(f"kills before or after a call of {operation} on EventStoreDB", int(answer == "killed"))
        return answer == "killed"

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def killer(home: Path) -> Iterator[Killer]:
    killer = Killer(home)
    yield killer
    killer.close()


def points() -> Iterator[tuple[int, bool]]:
    """Before the first call, then after each: before the next one the log is the same."""
    yield 1, False
    for at in count(1):
        yield at, True


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


def test_a_killed_grill_close_is_resumed_as_if_it_had_not_been(home: Path, killer: Killer) -> None:
    left = []
    for at, after in points():
        with opened(home) as edge:
            folds, replies = a_run(edge, home)
        died = killer.kills("close_a_run", at, after)
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
        if not died:
            break
    assert len(left) > FEWEST_POINTS
    assert set(left) == {2, 1, 0}  # it died with neither, one and both of the two chats closed
    with opened(home) as edge:
        assert edge.health()["errors"] == []
        assert_derived_from_its_log(edge)


def test_a_killed_dispatch_close_publishes_and_receipts_once(home: Path, killer: Killer) -> None:
    opened_ids = 0
    for at, after in points():
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
        died = killer.kills("close_a_dispatch", at, after)
        with opened(home) as edge:
            OPERATIONS["close_a_dispatch"](edge, asked)
            published = [e.type for e in edge.log.read(edge.streams.artefato(slug))]
            assert published == ["intent.kernel", "artefato.published"]
            assert sum(map(is_receipt, edge.log.read(edge.streams.chat(act)))) == 1
            closed = [e.type for e in edge.log.read(edge.streams.dispatch(dispatch.dispatch_id))]
            assert closed.count("dispatch.closed") == 1
        if not died:
            break
    assert opened_ids > FEWEST_POINTS
    with opened(home) as edge:
        assert edge.health()["errors"] == []
        assert_derived_from_its_log(edge)
