"""The documentation, done as it says.

Every ``sh`` block of README.md and docs/ is run, in order, in a home of its own per file with the
bundled sessions as the transcript store. It must exit 0, or as the comment before it says
(``<!-- exit 3 -->``); a ``text`` block right after it must be what it prints, apart from ids, times
and sizes. Words in capitals (COMMENT, QUESTION, STEER, PROPOSAL, FACT; COMMENT2 for the second) stand for
ids, and are filled in from what stands in the home. A ``console`` block is not run: it installs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edge.cli.main import _MODULES
from tests.e2e.pages import blocks, plain

REPO = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
FILES = [REPO / "README.md", *sorted((REPO / "docs").glob("*.md"))]
ON_A_SERVER = REPO / "docs" / "eventstoredb.md"
"""Typed where there is one: see :mod:`tests.e2e.test_on_eventstoredb`."""

PLACEHOLDER = re.compile(r"\b(COMMENT|QUESTION|STEER|PROPOSAL|FACT)([2-9]?)\b")


class Reader:
    """A person who types what a file says, in a home and a directory of their own."""

    def __init__(self, place: Path) -> None:
        self.home, self.at = place / "home", place / "work"
        self.home.mkdir()
        shutil.copytree(REPO / "demo", self.at / "demo", ignore=shutil.ignore_patterns("__pycache__"))
        self.environ = {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "LC_ALL": "C",
            "CLAUDE_CONFIG_DIR": str(self.at / "demo" / "sessions"),
        }

    def types(self, script: str) -> tuple[int, str]:
        """Run a block; its exit code, and what it printed. Of stderr only the line of an error:
        on a slow machine progress may stand before it."""
        filled = PLACEHOLDER.sub(lambda word: self._ids(word[1])[int(word[2] or 1) - 1], script)
        done = subprocess.run(
            ["sh", "-euc", filled],
            env=self.environ,
            cwd=self.at,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        error = done.stderr.strip().splitlines()[-1:] if done.returncode else []
        return done.returncode, done.stdout + "\n".join(error)

    def _ids(self, kind: str) -> list[str]:
        return [str(id_) for id_ in _IDS[kind](self)]

    def known(self, words: str) -> Any:
        return json.loads(self.types(f"edge {words} --json")[1])

    def plain(self, text: str) -> str:
        """The text without what differs from run to run."""
        return plain(text.replace(str(self.home), "/home/me").replace(str(self.at), "/home/me/edge"))


_IDS: dict[str, Callable[[Reader], list[Any]]] = {
    "COMMENT": lambda r: [c["comment_id"] for c in r.known("voz list --open") or r.known("voz list")],
    "QUESTION": lambda r: [
        q["clarify_id"]
        for chat in r.known("voz list --parked")
        for q in chat["questions"]
        if q["answer"] is None
    ],
    "STEER": lambda r: [s["id"] for s in r.known("direction list")["set"]],
    "FACT": lambda r: [f["id"] for f in r.known("knowledge list")],
    "PROPOSAL": lambda r: [s["id"] for s in r.known("direction list")["proposed"]],
}


@pytest.mark.parametrize("path", [f for f in FILES if f != ON_A_SERVER], ids=lambda path: path.name)
def test_what_it_shows_can_be_typed_and_says_what_it_shows(path: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    printed = ""
    for block in blocks(path):
        where = f"{path.name}:{block.line}"
        if block.language == "sh":
            code, printed = reader.types(block.text)
            assert code == block.exit, f"{where} ended with exit {code}\n{block.text}\n{printed}"
        elif block.language == "text" and block.follows:
            assert reader.plain(printed) == reader.plain(block.text), where
        elif block.language == "python":
            compile(block.text, where, "exec")
        elif block.language == "json":
            json.loads(block.text)


def test_every_make_target_the_docs_name_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (REPO / "Makefile").read_text(), re.MULTILINE))
    for path in FILES:
        named = set(re.findall(r"(?:`|\$ )make ([a-z]+)", path.read_text("utf-8")))
        assert named <= targets, path.name


def test_every_link_between_the_pages_leads_somewhere() -> None:
    for path in [*FILES, REPO / "CHANGELOG.md", REPO / "demo" / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_every_command_stands_in_the_readme() -> None:
    table = (REPO / "README.md").read_text("utf-8")
    missing = [name for name in _MODULES if f"`edge {name}" not in table]
    assert not missing
