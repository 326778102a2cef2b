"""Somebody at a terminal: types a command line, sees what is printed and how it ended."""

from __future__ import annotations

import io
import json
import os
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest

from edge.cli.main import main
from edge.settings import FILE, Settings
from edge.wiring import Edge


class Seen(NamedTuple):
    code: int
    out: str
    err: str


class Heard(Protocol):
    """What was printed since it was asked last: pytest's own, or one that outlives a test."""

    def readouterr(self) -> Any: ...


class Person:
    """Types in this process: the whole command line but for the start of an interpreter."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch, capture: Heard) -> None:
        self.home = home
        self._patch = patch
        self._capture = capture
        for name in [*os.environ]:
            if name == "CLAUDECODE" or name.startswith("EDGE_"):
                patch.delenv(name)
        patch.setenv("EDGE_ACTOR", "operator")
        patch.setenv("EDGE_HOME", str(home))

    def types(self, *words: object, given: bytes = b"") -> Seen:
        """One command line; ``given`` is its standard input."""
        self._patch.setattr(sys, "argv", ["edge", *map(str, words)])
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        self._capture.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = self._capture.readouterr()
        assert isinstance(ended.value.code, int)
        return Seen(ended.value.code, said.out, said.err)

    def gets(self, *words: object, given: bytes = b"") -> Any:
        """The JSON a command prints that must succeed."""
        seen = self.types(*words, "--json", given=given)
        assert seen.code == 0, seen.err
        return json.loads(seen.out)

    def is_told(self, code: int, *words: object, given: bytes = b"") -> str:
        """The one line a command fails with, the same as JSON where JSON is asked for."""
        seen = self.types(*words, given=given)
        assert seen.code == code, seen
        assert seen.out == ""
        assert seen.err.startswith("edge: ")
        assert seen.err.count("\n") == 1
        as_json = self.types(*words, "--json", given=given)
        assert (as_json.code, as_json.out) == (code, "")
        error = json.loads(as_json.err)["error"]
        assert set(error) == {"code", "message", "hint"}
        assert " ".join(error["message"].split()) in seen.err
        return str(error["message"])

    def comments(self, body: str = "Testes primeiro, sempre", *words: object) -> str:
        return str(self.gets("voz", "comment", body, *words)["comment_id"])

    def publishes(self, slug: str = "study", *words: object) -> Any:
        """A dispatch of its own."""
        self.gets("open", "report")
        file = self.home / f"{slug}.md"
        file.write_text("# Um estudo\n\nação\n", "utf-8")
        return self.gets("close", "--intent", "to know why", "--artefato", file, "--slug", slug, *words)

    def as_agent(self) -> None:
        self._patch.setenv("EDGE_ACTOR", "agent")

    def sets(self, **environ: str | None) -> None:
        for name, value in environ.items():
            if value is None:
                self._patch.delenv(name, raising=False)
            else:
                self._patch.setenv(name, value)

    def head(self) -> int:
        """The head of the log as it stands, looked at beside the command line."""
        with closing(Edge(written_in(self.home))) as edge:
            return edge.log.head()

    @property
    def mode(self) -> str:
        return Edge(written_in(self.home)).mode


def written_in(home: Path) -> Settings:
    """The settings of a home, whatever the environment says."""
    found = tomllib.loads((home / FILE).read_text("utf-8"))
    return Settings(home, found["group"], log=found.get("log"))
