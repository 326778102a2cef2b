"""A lived-in install, made once and copied for each test, and its operator."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.wiring import Edge
from tests.support.house import HandClock
from tests.support.lived_in import NOW, lived_in
from tests.web.operator import Operator


@pytest.fixture(scope="session")
def lived_in_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("lived") / "home"
    lived_in(home).close()
    return home


@pytest.fixture
def edge(lived_in_home: Path, tmp_path: Path) -> Iterator[Edge]:
    """The install of a test, at the time its story ends."""
    home = tmp_path / "home"
    shutil.copytree(lived_in_home, home)
    edge = Edge.at_home(home)
    clock = HandClock()
    clock.at = NOW
    edge.__dict__["clock"] = clock
    yield edge
    edge.close()


@pytest.fixture
def stranger(edge: Edge) -> Iterator[Operator]:
    """Somebody at the browser who has not logged in."""
    with Operator(edge) as someone:
        yield someone


@pytest.fixture
def operator(stranger: Operator) -> Operator:
    return stranger.logs_in()
