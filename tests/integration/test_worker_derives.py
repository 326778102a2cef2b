"""A worker keeps clusters and wiki current beside the read models."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from edge.cli.worker import _Beside, _every, _wiki
from edge.init import initialise
from edge.settings import Settings


class Looks(threading.Event):
    """A stop that comes after so many looks."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._left = looks

    def wait(self, timeout: float | None = None) -> bool:
        self._left -= 1
        if not self._left:
            self.set()
        return self.is_set()


def test_what_is_behind_is_brought_up_and_trouble_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    initialise(Settings(home, "g"))
    (home / "wiki").write_text("in the way")
    _every(1.0, "wiki", _Beside("wiki", _wiki), home, Looks(3))
    assert capsys.readouterr().err.count("wiki: ") == 1
    (home / "wiki").unlink()
    _every(1.0, "wiki", _Beside("wiki", _wiki), home, Looks(1))
    assert (home / "wiki" / "index.md").exists()
    assert capsys.readouterr().err == ""
