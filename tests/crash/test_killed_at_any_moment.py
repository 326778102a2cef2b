"""SIGALRM without a handler at moments drawn by lot, in all that edge writes: what is left is whole, and
the same again ends as if nothing had happened."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.exchange import exported
from edge.wiring import Edge
from tests.crash.installs import (
    ENVIRON,
    NOW,
    REPO,
    ask,
    assert_derived_from_its_log,
    history,
    opened,
)
from tests.crash.kill_points import OPERATIONS, asked_of
from tests.crash.templates import (
    made,
    with_a_plan,
    with_episodes_to_extract,
    with_much_to_forget,
    with_sessions_to_sweep,
)
from tests.properties import witness
from tests.support.memories import SLUG
from tests.support.sessions import TALKS
from tests.support.soak import SEED, counted, more

TIMES = more(6)
"""Kills of each operation."""


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_NOW", NOW)
    monkeypatch.setenv("EDGE_ACTOR", "operator")


@pytest.fixture
def template(tmp_path: Path) -> Path:
    return tmp_path / "template"


def died(template: Path, operation: str) -> Iterator[tuple[Path, Edge]]:
    """Each home a kill left, opened; before them, as ``ended``, the one that none did."""
    work = template.parent / "work"
    work.mkdir()
    words = (template, work, operation, TIMES, SEED + len(operation))
    command = [sys.executable, "-m", "tests.crash.kill_moments", *map(str, words)]
    done = subprocess.run(command, env=ENVIRON, cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > TIMES // 6
    counted(f"kills at any moment of {operation}", int(done.stdout))
    ends, midway = (_standing(template), _standing(work / "ended")), 0
    for home in sorted(work.iterdir(), key=lambda home: (home.name != "ended", home.name)):
        midway += _standing(home) not in ends
        with opened(home) as edge:
            assert edge.embedded_log.verify() == []
            yield home, edge
        shutil.rmtree(home)
    counted(f"of the kills of {operation}, with a part of its work done", midway)


def _standing(home: Path) -> tuple[int, int | None, list[str]]:
    """How far the log and the read models are, and the beginnings of the names of the files there."""
    with opened(home) as edge:
        log, read = edge.log.head(), edge.store.position()
    return log, read, sorted(file.name[:8] for file in home.iterdir())


def check(edge: Edge) -> None:
    """What the raw log says, read by code that knows none of edge's folds; and that the folds say it too."""
    witness.check_all(list(edge.log.read_all()))
    assert_derived_from_its_log(edge)


@pytest.mark.parametrize("operation", ["close_a_run", "close_a_dispatch"])
def test_a_close_ends_as_if_it_had_not_been_killed(template: Path, operation: str) -> None:
    with_a_plan(template)
    expected: list[Any] = []
    for home, edge in died(template, operation):
        if home.name == "ended":
            expected = history(edge)
            continue
        witness.check_all(list(edge.log.read_all()))
        assert edge.health()["errors"] == []
        planned = any(edge.log.read_all(types=["grill.planned"]))
        again = "resume_a_run" if planned and operation == "close_a_run" else operation
        OPERATIONS[again](edge, asked_of(home))
        assert history(edge) == expected, home.name
        check(edge)


def test_an_open_leaves_each_turn_once_and_no_dispatch_or_a_whole_one(template: Path) -> None:
    with_sessions_to_sweep(template)
    said = Counter(text for talk in TALKS.values() for _, text in talk)
    for home, edge in died(template, "open_a_dispatch"):
        types = [event.type for event in edge.log.read_all(categories=["dispatch"])]
        assert types in ([], ["dispatch.opened", "briefing.presented"])
        OPERATIONS["open_a_dispatch"](edge, asked_of(home))
        captured = edge.log.read_all(types=["episode.captured"])
        assert Counter(turn["text"] for event in captured for turn in event.data["turns"]) == said, home.name
        check(edge)


def test_an_extraction_gives_each_episode_its_one_result(template: Path) -> None:
    with_episodes_to_extract(template)
    expected: dict[str, Any] = {}
    for home, edge in died(template, "extract"):
        edge.knowledge.extract()
        results = [{**e.data, "cost": None} for e in edge.log.read_all(types=["episode.extracted"])]
        found = {result["episode"]: result for result in results}
        expected = expected or found
        assert len(results) == len(TALKS)
        assert found == expected, home.name
        check(edge)


@pytest.mark.parametrize("kind", ["session", "project", "comment", "artefato"])
def test_a_forgetting_is_finished_by_the_same_again(template: Path, kind: str) -> None:
    given = with_much_to_forget(template)
    names = {"session": "s1", "project": "loja", "comment": given.open_comment, "artefato": SLUG}
    ask(template, {"kind": kind, "name": names[kind]})
    expected: list[Any] = []
    for home, edge in died(template, "forget"):
        OPERATIONS["forget"](edge, asked_of(home))
        assert edge.forgetting.pending() == []
        expected = expected or history(edge)
        assert history(edge) == expected, home.name
        assert_derived_from_its_log(edge)


def test_a_rebuild_leaves_the_models_it_had_or_the_new_ones(template: Path) -> None:
    with_much_to_forget(template)
    ask(template, {})
    for _, edge in died(template, "rebuild"):
        assert_derived_from_its_log(edge)


def test_an_import_takes_in_each_event_once(template: Path, tmp_path: Path) -> None:
    with_much_to_forget(tmp_path / "other")
    with opened(tmp_path / "other") as edge:
        (tmp_path / "other.jsonl").write_text("\n".join(exported(edge.log)), "utf-8")
        brought = {e.id for e in edge.log.read_all() if e.type != "log.created"}
    with made(template):
        pass
    ask(template, {"file": str(tmp_path / "other.jsonl")})
    for home, edge in died(template, "import_a_history"):
        witness.check_whole(list(edge.log.read_all()))
        OPERATIONS["import_a_history"](edge, asked_of(home))
        ids = Counter(e.id for e in edge.log.read_all() if e.type != "log.created")
        assert ids == dict.fromkeys(brought, 1), home.name
        assert_derived_from_its_log(edge)
