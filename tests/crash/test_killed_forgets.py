"""SIGKILL at every call that forgetting makes, then the same again, or whatever looks after it:
nothing of what was forgotten is in any file, and the log is as if it had not been killed."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
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
    command,
    history,
    kill_points,
    opened,
    run,
)
from tests.crash.kill_points import OPERATIONS, asked_of
from tests.crash.templates import with_much_to_forget
from tests.support.memories import (
    ARTEFATO,
    COMMENT,
    OTHER,
    SESSION,
    SLUG,
    Memories,
    found_in,
)
from tests.support.soak import counted, every, more

FEWEST_POINTS = 40


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_NOW", NOW)
    monkeypatch.setenv("EDGE_ACTOR", "operator")


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Memories]:
    home = tmp_path_factory.mktemp("remembering") / "home"
    return home, with_much_to_forget(home)


def asked_for(kind: str, given: Memories) -> tuple[dict[str, Any], str]:
    """What to forget, and the word that then stands nowhere."""
    named = {
        "session": ("s1", SESSION),
        "project": ("loja", f"{OTHER} s3"),
        "comment": (given.open_comment, f"{COMMENT} open"),
        "artefato": (SLUG, ARTEFATO),
    }
    name, canary = named[kind]
    return {"kind": kind, "name": name}, canary


def forgotten(edge: Edge, canary: str) -> None:
    assert edge.forgetting.pending() == []
    assert found_in(edge.settings.home, canary) == []
    assert edge.health()["errors"] == []
    assert_derived_from_its_log(edge)


def begun(edge: Edge) -> bool:
    """Whether it stands in the log what is to be forgotten."""
    types = ("episode.forgotten", "voz.forgotten", "artefato.forgotten")
    return any(edge.log.read_all(types=types))


@pytest.mark.parametrize(
    ("kind", "stride"),
    [("session", every(3)), ("project", every(11)), ("comment", every(2)), ("artefato", every(6))],
)
def test_killed_anywhere_it_is_finished_by_the_same_again_or_by_whatever_comes(
    remembering: tuple[Path, Memories], tmp_path: Path, kind: str, stride: int
) -> None:
    template, given = remembering
    asked, canary = asked_for(kind, given)
    ask(template, asked)
    shutil.copytree(template, tmp_path / "uninterrupted")
    with opened(tmp_path / "uninterrupted") as edge:
        OPERATIONS["forget"](edge, asked)
        forgotten(edge, canary)
        expected = history(edge)
    homes = kill_points(template, tmp_path / "work", "forget", stride)
    assert len(homes) * stride > FEWEST_POINTS
    resumed = 0
    for n, home in enumerate(homes):
        with opened(home) as edge:
            edge.embedded_log.verify()
            if n % 2 and begun(edge):
                assert edge.finish_forgetting() == []
                resumed += 1
            else:
                OPERATIONS["forget"](edge, asked_of(home))
            assert history(edge) == expected, home.name
            forgotten(edge, canary)
        shutil.rmtree(home)
    assert resumed > len(homes) // 4


def test_what_finishes_it_can_be_killed_too(remembering: tuple[Path, Memories], tmp_path: Path) -> None:
    template, given = remembering
    asked, canary = asked_for("session", given)
    ask(template, asked)
    for home in kill_points(template, tmp_path / "first", "forget", 3):
        with opened(home) as edge:
            if begun(edge):
                break
    homes = kill_points(home, tmp_path / "second", "finish_forgetting", every(5))
    assert len(homes) > 8
    for place in homes:
        with opened(place) as edge:
            assert edge.finish_forgetting() == []
            forgotten(edge, canary)
        shutil.rmtree(place)


def test_killed_at_any_moment_the_next_command_finishes_it(
    remembering: tuple[Path, Memories], tmp_path: Path, chance: Random
) -> None:
    template, given = remembering
    kinds = ("session", "comment", "artefato", "project")
    killed, takes = 0, 20.0  # the first is left to end: the others are killed within what it took
    for n in range(more(12, 3)):
        home = tmp_path / "home"
        shutil.copytree(template, home)
        asked, canary = asked_for(kinds[n % 4], given)
        words = [] if asked["kind"] == "session" else [f"--{asked['kind']}"]
        line = command("forget", *words, asked["name"], "--yes")
        process = subprocess.Popen(
            line, env=ENVIRON | {"EDGE_HOME": str(home)}, cwd=REPO, stdout=subprocess.DEVNULL
        )
        began = time.monotonic()
        try:
            process.wait(chance.uniform(0.3, 0.95) * takes if n else None)
            takes = min(takes, time.monotonic() - began)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed += 1
        with opened(home) as edge:
            was_begun = begun(edge)
        after = [("doctor",), ("open", "beat")][n % 2] if was_begun else ("forget", *words, asked["name"])
        done = run(home, *after)
        assert done.returncode == 0 or "--project" in after, done.stdout + done.stderr
        with opened(home) as edge:
            forgotten(edge, canary)
        shutil.rmtree(home)
    counted("commands that forget killed at any moment", killed)
    assert killed > 3


KILLED_RESTORE = """
import os, shutil, signal, sys
from adapters.eventlog import sqlite_file
module, name = (sqlite_file, "_check_sound") if sys.argv[1] == "placing" else (shutil, "copyfile")
done = getattr(module, name)
def die(*words):
    done(*words)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(module, name, die)
from edge.__main__ import main
sys.argv[1:] = sys.argv[2:]
main()
"""
"""Of ``log restore``: while the log's own copy is being placed, or while the backup is looked into."""


@pytest.mark.parametrize("point", ["placing", "looking"])
def test_what_a_killed_restore_left_of_the_log_goes_with_what_is_forgotten(
    remembering: tuple[Path, Memories], tmp_path: Path, point: str
) -> None:
    template, given = remembering
    home, backup = tmp_path / "home", tmp_path / "backup.db"
    shutil.copytree(template, home)
    assert run(home, "log", "backup", backup).returncode == 0
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_RESTORE, point, "log", "restore", str(backup)],
        env=ENVIRON | {"EDGE_HOME": str(home)},
        cwd=REPO,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    canary = f"{COMMENT} open"
    assert len(found_in(home, canary)) > len(found_in(template, canary))
    assert run(home, "forget", "--comment", given.open_comment, "--yes").returncode == 0
    with opened(home) as edge:
        forgotten(edge, canary)
