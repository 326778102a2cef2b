"""The cases and sessions beside the repository, where they are: what was said is known of each."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.sweeping import Home, grow

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="no ../shared/data beside the repository")

CASES = sorted(p.name for p in (DATA / "cases").glob("*.jsonl"))
SESSIONS = sorted(p.name for p in (DATA / "transcripts").glob("*.jsonl"))


def expected(kind: str, name: str) -> Any:
    return json.loads((DATA / kind / name).read_text("utf-8"))


def cold(tmp_path: Path, *names: str, kind: str = "cases") -> Home:
    home = Home(tmp_path / "cold")
    for name in names:
        path = home.root / "projects" / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((DATA / kind / name).read_bytes())
        home.sweep()
    return home


@pytest.mark.parametrize("name", [n for n in CASES if not n.startswith("18b")])
def test_a_case_read_cold_holds_what_was_said(tmp_path: Path, name: str) -> None:
    want = expected("cases", "expected.json")[name]
    assert Counter(cold(tmp_path, name).said()) == Counter(want["utterances"])


@pytest.mark.parametrize("name", CASES)
def test_a_case_read_byte_by_byte_is_the_case_read_cold(tmp_path: Path, name: str) -> None:
    content = (DATA / "cases" / name).read_bytes()
    home = Home(tmp_path / "grown")
    grow(home, home.root / "projects" / "p" / name, content, range(1, len(content)))
    assert home.tally() == cold(tmp_path, name).tally()


def test_a_fork_after_its_source_adds_nothing_of_the_operators(tmp_path: Path) -> None:
    home = cold(tmp_path, "18a-fork-source.jsonl", "18b-fork-copy.jsonl")
    assert Counter(home.said()) == Counter(["shared one", "shared two"])


def test_a_fork_before_its_source_counts_each_turn_once(tmp_path: Path) -> None:
    home = cold(tmp_path, "18b-fork-copy.jsonl", "18a-fork-source.jsonl")
    assert Counter(home.said()) == Counter(["shared one", "shared two"])


def test_a_fork_alone_keeps_copied_words_the_operators(tmp_path: Path) -> None:
    home = cold(tmp_path, "18b-fork-copy.jsonl")
    assert Counter(home.said()) == Counter(["shared one", "shared two"])
    assert "only in the fork" not in home.said()


def utterances(name: str, truth: dict[str, Any]) -> Counter[str]:
    records = (DATA / "transcripts" / name).read_bytes().split(b"\n")
    lines = truth["typed_user_record_lines"] + truth["queued_only_delivered_lines"]
    said: Counter[str] = Counter()
    for number in lines:
        content = json.loads(records[number - 1])["message"]["content"]
        said[content if isinstance(content, str) else content[0]["text"]] += 1
    return said


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_read_cold_holds_what_was_typed(tmp_path: Path, name: str) -> None:
    truth = expected("transcripts", "truth.json")[name]
    home = cold(tmp_path, name, kind="transcripts")
    assert Counter(home.said()) == utterances(name, truth)
    assert len(home.said()) == truth["operator_utterances_total"]
    assert len(home.said("command")) == len(truth["slash_command_with_typed_args_lines"])


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_read_in_pieces_is_the_session_read_cold(tmp_path: Path, name: str) -> None:
    content = (DATA / "transcripts" / name).read_bytes()
    chance = random.Random(name)
    cuts, at = [], 0
    for line in content.split(b"\n"):
        cuts += [at + chance.randint(0, len(line)) for _ in range(3)] + [at + len(line) + 1]
        at += len(line) + 1
    home = Home(tmp_path / "grown")
    grow(home, home.root / "projects" / "p" / name, content, [c for c in cuts if 0 < c < len(content)])
    assert home.tally() == cold(tmp_path, name, kind="transcripts").tally()


def test_accents_survive_a_machine_without_a_locale(tmp_path: Path) -> None:
    name = "12-utf8-non-ascii.jsonl"
    path = tmp_path / "store" / "projects" / "p" / name
    path.parent.mkdir(parents=True)
    path.write_bytes((DATA / "cases" / name).read_bytes())
    code = (
        "import json, sys; from pathlib import Path; from tests.support.sweeping import Home;"
        "home = Home(Path(sys.argv[1])); home.sweep(); print(json.dumps(home.said()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "store")],
        cwd=Path(__file__).resolve().parents[2],
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.environ["PATH"]},
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == expected("cases", "expected.json")[name]["utterances"]
