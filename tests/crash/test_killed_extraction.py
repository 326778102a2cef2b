"""SIGKILL before and after every call an extraction makes on the log, extractors side by side, a
forgotten episode in between: each episode has one result, and what is known is the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.domain.knowledge import fold
from edge.wiring import Edge
from tests.crash.installs import (
    NOW,
    assert_derived_from_its_log,
    kill_points,
    opened,
    together,
)
from tests.crash.templates import with_episodes_to_extract
from tests.support.sessions import TALKS
from tests.support.soak import every

FEWEST_POINTS = 3 * len(TALKS)


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_NOW", NOW)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("swept") / "home"
    with_episodes_to_extract(home)
    return home


def results(edge: Edge) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each extraction gave, but for how long it took."""
    for event in edge.log.read_all(types=["episode.extracted"]):
        yield str(event.data["episode"]), {**event.data, "cost": None}


@pytest.fixture(scope="module")
def expected(swept: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    home = tmp_path_factory.mktemp("whole") / "home"
    shutil.copytree(swept, home)
    with opened(home) as edge:
        assert edge.knowledge.extract().episodes == len(TALKS)
        found = dict(results(edge))
    entities, facts = fold(found.items())
    assert len(entities) >= 5, "the talks should say something"
    assert len(facts) >= 3
    assert any(len(entity.episodes) > 1 for entity in entities.values()), "they speak of the same things"
    return found


def assert_each_once(edge: Edge, expected: dict[str, dict[str, Any]]) -> None:
    found = list(results(edge))
    assert len(found) == len(expected)
    assert dict(found) == expected
    assert_derived_from_its_log(edge)


def test_a_killed_extraction_goes_on_as_if_it_had_not_been(
    swept: Path, expected: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    homes = kill_points(swept, tmp_path / "work", "extract")
    assert len(homes) > 2 * FEWEST_POINTS
    done = set()
    for home in homes:
        with opened(home) as edge:
            done.add(len(list(results(edge))))
    assert done == set(range(len(TALKS) + 1))  # it died with none, with some and with all extracted
    for home in homes[:: every(max(1, len(homes) // 12))]:
        with opened(home) as edge:
            edge.knowledge.extract()
            assert_each_once(edge, expected)


def test_extractors_side_by_side_give_each_episode_one_result(
    swept: Path, expected: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(swept, home)
    ends = together(home, *[("open", "report", "--json")] * 2)
    assert [code for code, _, _ in ends] == [0, 0], ends
    with opened(home) as edge:
        edge.knowledge.extract()
        assert_each_once(edge, expected)


def test_where_the_lease_fails_the_stream_settles_it(
    swept: Path, expected: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """Two extractors without a lease between them, in step: the loser of each append moves on."""
    home = tmp_path / "home"
    shutil.copytree(swept, home)
    with opened(home) as one, opened(home) as other:
        appended = one.log.append

        def race(stream: str, *args: Any, **more: Any) -> Any:
            if stream.startswith("extraction-"):  # just before it appends, the other does
                one.__dict__["log"].append = appended
                other.knowledge.__dict__["lease"] = _NoLease()
                other.knowledge.extract()
            return appended(stream, *args, **more)

        one.log.append = race  # type: ignore[method-assign]
        done = one.knowledge.extract()
        assert done.episodes == 0
        assert done.failed == 0
        assert_each_once(one, expected)


class _NoLease:
    def held(self) -> Any:
        from contextlib import nullcontext

        return nullcontext()
