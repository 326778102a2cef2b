"""``edge log`` as a person types it, over a log in a file and one on EventStoreDB.

Other homes, which a log is carried to, have theirs in a file.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edge.cli.main import main
from tests.support.importing import install, jsonl, line

HISTORY = jsonl(
    [
        line(7, "voz.comment", {"comment_id": "c1", "body": "não use isso"}),
        line(8, "voz.disposition", {"of": 7, "state": "receipt_sent"}),
        line(9, "voz.comment", {"comment_id": "C 2", "body": "x"}),
        line(10, "beat.ran", {"n": 1}),
    ]
)


Typed = Callable[..., str]


@pytest.fixture
def edge(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Run the command line in this process; gives what it printed, or said where it failed."""

    def typed(home: Path, *words: str, code: int = 0, given: bytes = b"", actor: str = "operator") -> str:
        monkeypatch.setenv("EDGE_ACTOR", actor)
        monkeypatch.setattr(sys, "argv", ["edge", "log", *words, "--home", str(home)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code == code, said.err
        return said.err if code else said.out

    return typed


@pytest.fixture
def home(log_uri: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("EDGE_LOG", raising=False)
    place = tmp_path / "home"
    install(place, log=log_uri).close()
    return place


def as_json(text: str) -> Any:
    return json.loads(text)


def carried(exported: str) -> list[Any]:
    """What an export holds but the log's own beginning; positions are each log's."""
    return [{**as_json(one), "position": None} for one in exported.splitlines()[1:]]


def test_a_history_goes_in_out_and_in_again(edge: Typed, home: Path, tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_bytes(HISTORY + b'{"seq": 11, "t')
    first = as_json(edge(home, "import", str(tmp_path / "h.jsonl"), "--json"))
    assert (first["read"], first["imported"], first["known"], first["passed_over"]) == (5, 3, 0, 0)
    assert [(r["line"], r["seq"]) for r in first["refused"]] == [(3, 9), (5, None)]
    assert "comment_id 'C 2'" in first["refused"][0]["reason"]
    told = edge(home, "import", "-", "--format", "edge-of-chaos", given=HISTORY)
    assert "0 imported, 3 known" in told
    assert "line 3 (seq 9): comment_id 'C 2'" in told

    shown = as_json(edge(home, "show", "voz-g.c", "--json"))
    assert [(e["type"], e["revision"]) for e in shown] == [("voz.comment", 0), ("voz.disposition", 1)]
    assert as_json(edge(home, "tail", "-n", "1", "--json"))[0]["type"] == "beat.ran"
    assert as_json(edge(home, "tail", "-n", "0", "--json")) == []
    streams = as_json(edge(home, "streams", "--json"))
    assert [(s["stream"], s["events"]) for s in streams] == [
        ("log-g", 1),
        ("voz-g.c1", 2),
        ("import-g.voz", 1),
    ]
    assert "no stream" in edge(home, "show", "voz-g.zz", code=3)

    exported = edge(home, "export")
    assert len(exported.splitlines()) == 4
    assert "exported 4 events" in edge(home, "export", str(tmp_path / "out.jsonl"))
    assert "is there already" in edge(home, "export", str(tmp_path / "out.jsonl"), code=1)
    other = tmp_path / "other"
    install(other).close()
    assert as_json(edge(other, "import", str(tmp_path / "out.jsonl"), "--json"))["imported"] == 3
    assert carried(edge(other, "export")) == carried(exported)
    stranger = tmp_path / "stranger"
    install(stranger, "h").close()
    assert "edge init --group g" in edge(stranger, "import", "-", code=3, given=exported.encode())


@pytest.mark.parametrize("log_uri", ["embedded"], indirect=True)
def test_a_backup_is_checked_and_brought_back(edge: Typed, home: Path, tmp_path: Path) -> None:
    edge(home, "import", "-", given=HISTORY)
    assert as_json(edge(home, "verify", "--json")) == {"ok": True, "position": 4, "problems": []}
    saved = tmp_path / "saved.db"
    edge(home, "backup", str(saved))
    assert "is there already" in edge(home, "backup", str(saved), code=1)
    edge(home, "import", "-", given=jsonl([line(12, "beat.ran", {"n": 2})]))
    assert "edge rebuild" in edge(home, "restore", str(saved))
    assert len(as_json(edge(home, "tail", "--json"))) == 4
    assert list(home.glob(".restore-*")) == []

    stranger = tmp_path / "stranger"
    install(stranger, "h").close()
    assert "not a log of group 'h'" in edge(stranger, "restore", str(saved), code=3)
    (tmp_path / "text.db").write_text("no database")
    assert "not an edge log" in edge(home, "restore", str(tmp_path / "text.db"), code=1)
    assert "cannot be read" in edge(home, "restore", str(tmp_path / "nothing.db"), code=1)
    assert len(as_json(edge(home, "tail", "--json"))) == 4


@pytest.mark.parametrize("log_uri", ["eventstoredb"], indirect=True)
def test_what_is_for_a_file_is_refused_on_a_server(
    edge: Typed, home: Path, tmp_path: Path, log_uri: str
) -> None:
    edge(home, "import", "-", given=HISTORY)
    place = log_uri.partition("?")[0]
    elsewhere, saved = tmp_path / "elsewhere", tmp_path / "saved.db"
    install(elsewhere).close()
    edge(elsewhere, "backup", str(saved))
    for words in (("verify",), ("backup", str(tmp_path / "new.db")), ("restore", str(saved))):
        said = edge(home, *words, code=3)
        assert said.startswith(f"edge: the log is on {place}, not in a file here")
        assert said.count("\n") == 1
        assert as_json(edge(home, *words, "--json", code=3))["error"]["code"] == "refused"
    assert not (tmp_path / "new.db").exists()
    assert list(home.glob("log.db*")) == []
    assert len(as_json(edge(home, "tail", "--json"))) == 4


def test_an_agent_neither_imports_nor_restores(edge: Typed, home: Path, tmp_path: Path) -> None:
    for words in (("import", "-"), ("restore", str(tmp_path / "x.db"))):
        assert "operator" in edge(home, *words, code=3, actor="agent", given=HISTORY)
    assert len(as_json(edge(home, "tail", "--json", actor="agent"))) == 1


def test_what_cannot_be_read_or_is_no_format_is_said_in_a_line(
    edge: Typed, home: Path, tmp_path: Path
) -> None:
    assert "cannot be read" in edge(home, "import", str(tmp_path / "nothing.jsonl"), code=1)
    assert "cannot be read" in edge(home, "import", str(tmp_path), code=1)
    assert "no such format" in edge(home, "import", "-", "--format", "csv", code=2)
    assert as_json(edge(home, "import", "-", "--json"))["read"] == 0


def test_following_shows_what_comes_and_ends_on_ctrl_c(edge: Typed, home: Path) -> None:
    following = subprocess.Popen(
        [sys.executable, "-m", "edge", "log", "tail", "--follow", "--json", "--home", str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "EDGE_ACTOR": "operator", "LC_ALL": "C"},
    )
    assert following.stdout is not None
    assert json.loads(following.stdout.readline())["type"] == "log.created"
    edge(home, "import", "-", given=HISTORY)
    kinds = [json.loads(following.stdout.readline())["type"] for _ in range(3)]
    assert kinds == ["voz.comment", "voz.disposition", "beat.ran"]
    following.send_signal(signal.SIGINT)
    out, err = following.communicate(timeout=30)
    assert (following.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize(
    "command", ["tail", "streams", "show", "export", "import", "verify", "backup", "restore"]
)
def test_every_command_says_how_it_is_used(command: str) -> None:
    from typer.testing import CliRunner

    from edge.cli.log import app

    done = CliRunner().invoke(app, [command, "--help"])
    assert done.exit_code == 0
    assert f"edge log {command}" in done.output
    assert "--home" in done.output
    assert "--json" in done.output
