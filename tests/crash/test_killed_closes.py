"""SIGKILL before and after every call that a close makes on the log, then the same again:
the events of a close that was never killed, each once, and never half a chat."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from edge.wiring import Edge
from tests.crash.installs import (
    NOW,
    assert_derived_from_its_log,
    history,
    is_receipt,
    kill_points,
    opened,
    run,
)
from tests.crash.kill_points import OPERATIONS, asked_of
from tests.crash.templates import with_a_plan

FEWEST_POINTS = 8
"""A close makes at least so many calls; fewer would mean that nothing was killed."""


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_NOW", NOW)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("loaded") / "home"
    with_a_plan(home)
    return home


def performed(edge: Edge, home: Path, operation: str) -> None:
    OPERATIONS[operation](edge, asked_of(home))


def uninterrupted(template: Path, home: Path, operation: str) -> list[Any]:
    shutil.copytree(template, home)
    with opened(home) as edge:
        performed(edge, home, operation)
        return history(edge)


def has_a_plan(edge: Edge) -> bool:
    return any(edge.log.read_all(types=["grill.planned"]))


def assert_no_chat_is_half_closed(edge: Edge) -> None:
    standing = {event.id for event in edge.log.read_all()}
    for plan in edge.log.read_all(types=["grill.planned"]):
        ids = [e["id"] for e in plan.data["events"]]
        assert sum(id_ in standing for id_ in ids) in (0, len(ids))
    assert edge.health()["errors"] == []


def test_a_killed_grill_close_is_resumed_as_if_it_had_not_been(loaded: Path, tmp_path: Path) -> None:
    """By its stored plan, where the kill left one; else by the plan given again."""
    expected = uninterrupted(loaded, tmp_path / "uninterrupted", "close_a_run")
    homes = kill_points(loaded, tmp_path / "work", "close_a_run")
    assert len(homes) > 2 * FEWEST_POINTS
    ended, resumed = set(), 0
    for home in homes:
        with opened(home) as edge:
            assert_no_chat_is_half_closed(edge)
            ended.add(edge.current().counts().open)
            resumed += has_a_plan(edge)
            performed(edge, home, "resume_a_run" if has_a_plan(edge) else "close_a_run")
            assert history(edge) == expected
            assert_derived_from_its_log(edge)
    assert ended == {3, 2, 1}  # it died with neither, one and both of the two chats closed
    assert FEWEST_POINTS < resumed < len(homes)


def test_a_receipt_that_lands_between_the_kill_and_the_resume_changes_nothing(
    loaded: Path, tmp_path: Path
) -> None:
    """Resumed by the same plan again."""
    expected = uninterrupted(loaded, tmp_path / "uninterrupted", "close_a_run")
    homes = kill_points(loaded, tmp_path / "work", "close_a_run")
    landed = 0
    for home in homes:
        with opened(home) as edge:
            for id_ in asked_of(home)["chats"]:
                edge.voz.dispose("comment", id_, "receipt_sent", None, None, "dispatch")
            landed += sum(is_receipt(e) for e in edge.log.read_all())
            performed(edge, home, "close_a_run")
            assert history(edge, but=is_receipt) == expected
    assert landed > len(homes)  # most of the kills left a chat open to receive it


def test_a_resume_killed_again_ends_the_same_also_from_the_command_line(loaded: Path, tmp_path: Path) -> None:
    """Killed early, then killed at every point of the resume."""
    expected = uninterrupted(loaded, tmp_path / "uninterrupted", "close_a_run")
    first = kill_points(loaded, tmp_path / "first", "close_a_run")
    homes = kill_points(next(filter(planned_in, first)), tmp_path / "second", "resume_a_run")
    assert len(homes) > FEWEST_POINTS
    by_command = homes[:: len(homes) // 4]
    for home in homes:
        if home in by_command:
            done = run(home, "grill", "close", asked_of(home)["run"], "--json")
            assert done.returncode == 0, done.stderr
        with opened(home) as edge:
            if home not in by_command:
                performed(edge, home, "resume_a_run")
            assert history(edge) == expected


def planned_in(home: Path) -> bool:
    with opened(home) as edge:
        return has_a_plan(edge)


def test_a_killed_dispatch_close_publishes_answers_and_receipts_once(loaded: Path, tmp_path: Path) -> None:
    expected = uninterrupted(loaded, tmp_path / "uninterrupted", "close_a_dispatch")
    homes = kill_points(loaded, tmp_path / "work", "close_a_dispatch")
    assert len(homes) > 2 * FEWEST_POINTS
    left = set()
    for n, home in enumerate(homes):
        with opened(home) as edge:
            types = [e.type for e in edge.log.read_all()]
            assert types.count("intent.kernel") == types.count("artefato.published")
            left.add(len(types))
            performed(edge, home, "close_a_dispatch")
            assert history(edge) == expected
            if n % 3 == 0:
                assert_derived_from_its_log(edge)
    assert len(left) == 6  # before it, after publishing, answering, each receipt, and closing


def test_a_killed_open_leaves_no_dispatch_or_a_whole_one(loaded: Path, tmp_path: Path) -> None:
    homes = kill_points(loaded, tmp_path / "work", "open_a_dispatch")
    found = set()
    for home in homes:
        with opened(home) as edge:
            types = [e.type for e in edge.log.read_all(categories=["dispatch"])]
            found.add(tuple(types))
            assert_derived_from_its_log(edge)
    whole = ("dispatch.opened", "briefing.presented")
    assert found == {whole, whole * 2}  # the one it began with, and the new one
