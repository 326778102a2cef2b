"""SIGKILL while projecting into Neo4j: wherever it fell, the next projection ends as if it had not."""

from __future__ import annotations

import subprocess
import sys
from uuid import uuid4

import pytest
from neo4j import Driver

from tests.crash.graph_projector import Work
from tests.crash.installs import ENVIRON, REPO
from tests.support.neo4j.dump import bare, checkpoint, dump
from tests.support.neo4j.process import Server

MOMENTS = 2
EACH = 20
"""Every how manieth step; 1 is all of them, and takes minutes."""


@pytest.mark.parametrize("seed", [2, 3], ids=["carrying-on", "rebuilding"])
def test_at_every_step(neo4j_server: Server, seed: int) -> None:
    groups = _killed(neo4j_server, seed, "steps", EACH)
    assert len(groups) > 40 // EACH
    _all_as_uninterrupted(neo4j_server, seed, groups)


@pytest.mark.parametrize("seed", [4], ids=["carrying-on"])
def test_at_any_moment(neo4j_server: Server, seed: int) -> None:
    _all_as_uninterrupted(neo4j_server, seed, _killed(neo4j_server, seed, "moments", MOMENTS))


def _killed(server: Server, seed: int, mode: str, argument: int) -> list[str]:
    """Groups in which a projector was killed and another has carried on."""
    prefix = f"k{uuid4().hex[:8]}"
    words = (*server, prefix, str(seed), mode, str(argument))
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.graph_projector", *words],
        cwd=REPO,
        env=ENVIRON,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [line.split()[0] for line in done.stdout.splitlines()]


def _all_as_uninterrupted(server: Server, seed: int, groups: list[str]) -> None:
    undisturbed = Work(*server, f"u{uuid4().hex[:8]}", seed)
    undisturbed.base()
    undisturbed.whole()
    with bare(server) as driver:
        expected, position = _state(driver, undisturbed.group)
        assert expected
        for group in groups:
            assert _state(driver, group) == (expected, position), group


def _state(driver: Driver, group: str) -> tuple[list[str], object]:
    stands = checkpoint(driver, group)
    assert "claim" not in stands
    return dump(driver, group), stands["position"]
