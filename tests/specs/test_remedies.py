"""Each thing the health strip finds wanting says what to run, and that is a command there is."""

from __future__ import annotations

import shlex
from typing import Any, get_args

import pytest
import typer

from adapters.web import words
from edge.cli.main import app
from edge.domain.health import ErrorKind
from edge.domain.remedies import NAMED, remedies

SOUND: dict[str, Any] = {
    "naked": 0,
    "open_dispatches": [],
    "unfinished_runs": [],
    "projection_lag": 0,
    "knowledge_lag": 0,
    "knowledge": {"failing": None, "set_aside": [], "contested": 0},
    "graph": None,
    "forgetting": [],
    "errors": [],
}
WANTING: dict[str, Any] = {
    "naked": 2,
    "open_dispatches": [],
    "unfinished_runs": ["r1", "r2"],
    "projection_lag": 3,
    "knowledge_lag": 4,
    "knowledge": {"failing": {"episodes": 5}, "set_aside": ["e1"], "contested": 6},
    "graph": {"lag": 7, "said": "refused"},
    "forgetting": ["wiki"],
    "errors": [{"kind": kind, "ids": ["id1", "id2"]} for kind in get_args(ErrorKind)],
}


def test_a_sound_strip_asks_for_nothing() -> None:
    assert remedies(SOUND) == []


def test_everything_that_is_wanting_says_how_much_of_it_there_is() -> None:
    found = {r.item: r.n for r in remedies(WANTING)}
    assert found["naked"] == 2
    assert found["knowledge-failing"] == 5
    assert found["graph-away"] == found["log-changed"] == found["unfinished"] == 1
    assert set(get_args(ErrorKind)) <= set(found)
    assert len(remedies(WANTING)) == 11 + len(get_args(ErrorKind))


def test_an_episode_that_was_set_aside_is_not_told_twice() -> None:
    errors = [{"kind": "quarantined-event", "ids": ["e1"]}]
    assert [r.item for r in remedies({**WANTING, "errors": errors})].count("quarantined-event") == 0


@pytest.mark.parametrize(
    ("dispatches", "naked"),
    [([], "edge open beat && edge close"), (["d1"], "edge close"), (["d1", "d2"], "edge close d2")],
)
def test_what_a_close_sees_to_names_a_dispatch_there_is(dispatches: list[str], naked: str) -> None:
    found = {r.item: r.run for r in remedies({**WANTING, "open_dispatches": dispatches})}
    assert found["naked"] == naked
    assert found["kernel-debt"] == f"{naked} --slug id1 --artefato FILE --intent WHY --republish"


@pytest.mark.parametrize(
    "remedy",
    [r for ids in ([], ["d1"], ["d1", "d2"]) for r in remedies({**WANTING, "open_dispatches": ids})],
    ids=lambda r: r.item,
)
def test_what_to_run_is_a_command_there_is(remedy: Any) -> None:
    assert all(NAMED[remedy.item])
    assert words.has(f"remedy:{remedy.item}")
    for line in remedy.run.split("&&"):
        typed = shlex.split(line)
        assert typed[0] == "edge"
        command: Any = typer.main.get_command(app)
        with command.make_context("edge", [*typed[1:]], resilient_parsing=True) as context:
            name, taken, rest = command.resolve_command(context, typed[1:])
            while hasattr(taken, "commands") and rest:
                name, taken, rest = taken.resolve_command(context, rest)
            taken.make_context(name, rest)  # an option or argument it does not take is refused
