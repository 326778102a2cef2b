"""That a soak tries more, draws other lots each time, says what it counted, and ends with what it found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[2]
TESTS = """
import pytest
from tests.support.soak import counted, every, more

LOTS = []

@pytest.mark.repeat(more(1, 3))
def test_that_kills(chance):
    LOTS.append(chance.random())
    counted("kills", more(2))

def test_that_none_drew_what_another_did():
    counted("lots", len(set(LOTS)))
    counted("tried of ten", len(range(0, 10, every(5))))

def test_that_finds():
    assert False
"""


def soaked(place: Path, **seed: str) -> tuple[int, list[str]]:
    """Exit code and table of a run over :data:`TESTS`."""
    tests, report = place / "test_some.py", place / "report.md"
    tests.write_text(TESTS, "utf-8")
    config = ["-c", str(REPO / "pyproject.toml"), "-p", "tests.conftest", "-n", "0"]
    words = [sys.executable, "-m", "pytest", *config, "--soak-report", str(report), str(tests)]
    environ = {name: value for name, value in os.environ.items() if name != "SOAK_SEED"} | seed
    done = subprocess.run(words, cwd=REPO, env=environ, capture_output=True, text=True, check=False)
    return done.returncode, report.read_text("utf-8").splitlines()


def test_a_soak_writes_what_it_tried_and_what_it_found(tmp_path: Path) -> None:
    code, lines = soaked(tmp_path, SOAK_SEED="7")
    assert code == 1
    assert any(line.startswith("`make soak SEED=7`") for line in lines)
    assert "4 tests passed, 0 skipped, 1 found something." in lines
    assert next(line for line in lines if line.startswith("- ")).endswith("::test_that_finds")
    assert lines[-3:] == ["| kills | 60 |", "| lots | 3 |", "| tried of ten | 10 |"]


def test_any_other_run_is_short(tmp_path: Path) -> None:
    _, lines = soaked(tmp_path)
    assert lines[-3:] == ["| kills | 2 |", "| lots | 1 |", "| tried of ten | 2 |"]


def test_what_make_soak_runs_is_there() -> None:
    told = subprocess.run(["make", "-n", "soak"], cwd=REPO, capture_output=True, text=True, check=True).stdout
    named = [word for word in told.split() if word.startswith("tests/")]
    assert len(named) > 3
    assert [word for word in named if not (REPO / word).exists()] == []
