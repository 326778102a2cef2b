"""``edge hook`` as Claude Code starts it: exit 0 within two seconds, whatever it is fed or meets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from edge.domain.episodes import BRIEFING_BEGIN, BRIEFING_END
from edge.services import MODEL_CALL
from tests.support.sessions import write_talks
from tests.support.sweeping import Session

EDGE = [sys.executable, "-m", "edge"]
SECONDS = 2.0
HEAVY = """typer click rich pydantic grpc esdbclient neo4j graphiti_core openai fastapi numpy mcp networkx
    detect_secrets adapters.graph adapters.transcripts edge.sweep edge.cli.main""".split()


class Ended(NamedTuple):
    out: bytes
    err: bytes
    line: dict[str, Any] | None


class Install:
    """A home with something to say, and the hook on it."""

    def __init__(self, place: Path) -> None:
        self.home, self.place, self.store = place / "home", place, place / "store"
        self.store.mkdir()
        kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
        self.environ = {**kept, "HOME": str(place), "EDGE_ACTOR": "operator", "EDGE_HOME": str(self.home)}
        self.types("init", "--group", "me", "--store", str(self.store))
        self.types("voz", "comment", "Devemos medir antes de otimizar")
        self.types("status")

    def types(self, *words: str) -> bytes:
        return subprocess.run([*EDGE, *words], env=self.environ, check=True, capture_output=True).stdout

    def lines(self) -> list[dict[str, Any]]:
        path = self.home / "hook.log"
        return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []

    def hook(self, script: str = "edge hook session-start </dev/null", **environ: str) -> Ended:
        """Run by a shell, where `edge` is this one. Slow only by the machine, it is tried again."""
        python = f'edge() {{ exec {sys.executable} -m edge "$@"; }}\n'
        for last in (False, False, True):
            before, began = len(self.lines()), time.monotonic()
            done = subprocess.run(
                ["bash", "-c", python + script], env=self.environ | environ, cwd=self.place,
                capture_output=True, check=False, timeout=60,
            )  # fmt: skip
            given_up = any("not done within" in line["said"] for line in self.lines()[before:])
            if last or (time.monotonic() - began < SECONDS and not given_up):
                break
        assert time.monotonic() - began < SECONDS
        assert (done.returncode, done.stderr) == (0, b"")
        new = self.lines()[before:]
        assert len(new) <= 1
        return Ended(done.stdout, done.stderr, new[0] if new else None)


@pytest.fixture
def install(tmp_path: Path) -> Install:
    return Install(tmp_path)


def shown(ended: Ended) -> str:
    assert ended.line is not None
    assert ended.line["outcome"] == "shown", ended.line
    assert len(ended.out.decode()) <= 10_001  # with its newline
    return str(json.loads(ended.out)["hookSpecificOutput"]["additionalContext"])


def failed(ended: Ended) -> str:
    assert ended.out == b""
    assert ended.line is not None
    assert ended.line["outcome"] == "failed"
    return str(ended.line["said"])


def test_a_session_is_told_its_briefing_from_what_is_folded(install: Install) -> None:
    log = (install.home / "log.db").read_bytes()
    document = json.dumps({"session_id": "abc", "cwd": "/home/op", "hook_event_name": "SessionStart"})
    text = shown(install.hook(f"edge hook session-start <<< '{document}'"))
    assert text.startswith(BRIEFING_BEGIN)
    assert "Devemos medir antes de otimizar" in text
    assert text.endswith(BRIEFING_END)
    assert install.lines()[-1]["session"] == "abc"
    assert (install.home / "log.db").read_bytes() == log


def test_status_shows_the_last_hook_and_the_last_that_failed(install: Install) -> None:
    assert json.loads(install.types("status", "--json"))["hook"] is None
    install.hook("edge hook session-start <<< nonsense")
    install.hook()
    standing = json.loads(install.types("status", "--json"))["hook"]
    assert standing["last"]["outcome"] == "shown"
    assert standing["failure"]["said"] == "the hook's input is not JSON"
    said = install.types("status").decode()
    assert "last hook 20" in said
    assert "last hook that failed 20" in said


@pytest.mark.parametrize(
    "script",
    [
        "edge hook session-start <&-",
        "edge hook session-start </dev/null",
        "exec 2>&- <&-; edge hook session-start",
        "edge hook session-start < <(sleep 5 2>&-)",  # a pipe that is held open and says nothing
        'edge hook session-start < <(echo \'{"cwd": "/home/op"}\'; sleep 5 2>&-)',
        "edge hook session-start --no-such-option </dev/null",
        "edge --home $EDGE_HOME --debug hook session-start </dev/null",
        "unset EDGE_HOME; edge --home=$HOME/home hook session-start </dev/null",
        "LC_ALL=C edge hook session-start </dev/null",
    ],
)
def test_a_closed_or_silent_input_is_no_reason_not_to_tell(install: Install, script: str) -> None:
    assert "Devemos medir" in shown(install.hook(script))


@pytest.mark.parametrize(
    "script",
    [
        "edge hook session-start </dev/zero",
        "yes | edge hook session-start",
        "printf '\\xff\\xfe{' | edge hook session-start",
        'echo \'{"cwd": "/home\' | edge hook session-start',
        "echo '[1]' | edge hook session-start",
        "head -c 300000 /dev/zero | tr '\\0' '[' | edge hook session-start",
        "{ echo '{\"a\": \"'; head -c 3000000 /dev/zero | tr '\\0' x; } | edge hook session-start",
    ],
)
def test_a_broken_or_endless_input_is_said_and_nothing_told(install: Install, script: str) -> None:
    assert failed(install.hook(script)).startswith("the hook's input is not")


@pytest.mark.parametrize("script", [
    "edge hook session-start </dev/null >/dev/full",
    "edge hook session-start </dev/null | true; sleep 0",
    "edge hook session-start </dev/null >&-",
])  # fmt: skip
def test_nobody_to_tell_is_no_error(install: Install, script: str) -> None:
    install.hook(script)


def test_other_events_and_no_event_do_nothing(install: Install) -> None:
    for words in ("stop", "--home", "", "'../../x y'", "x" * 5_000):
        assert install.hook(f"edge hook {words} </dev/null").out == b""
    assert {line["outcome"] for line in install.lines()} == {"nothing"}


def test_without_an_install_there_is_nothing_to_say(install: Install) -> None:
    for home in (install.place / "nowhere", install.store, Path("/dev/null/x")):
        assert install.hook(EDGE_HOME=str(home)) == (b"", b"", None)
    assert not (install.place / "nowhere").exists()
    assert list(install.store.iterdir()) == []


def test_edges_own_question_to_a_model_has_no_hook(install: Install) -> None:
    assert install.hook(**{MODEL_CALL: "1"}) == (b"", b"", None)


def test_a_project_that_is_left_out_is_told_nothing(install: Install) -> None:
    toml = install.home / "edge.toml"
    left_out = 'exclude = ["/home/op/horta", "clients"]'
    toml.write_text(toml.read_text("utf-8").replace("exclude = []", left_out), "utf-8")
    for cwd, outcome in (("/home/op/horta/x", "nothing"), ("/x/clients", "nothing"), ("/home/op", "shown")):
        ended = install.hook(f"echo '{json.dumps({'cwd': cwd})}' | edge hook session-start")
        assert ended.line is not None
        assert ended.line["outcome"] == outcome, ended.line


def test_what_it_meets_in_the_home_is_said(install: Install) -> None:
    read, kept = install.home / "read.db", (install.home / "read.db").read_bytes()
    for beside in ("-wal", "-shm"):
        read.with_name(read.name + beside).unlink(missing_ok=True)
    read.unlink()
    ended = install.hook()
    assert ended.line is not None
    assert ended.line["said"].startswith("nothing is folded yet")
    read.write_bytes(b"no database at all" * 100)
    assert "cannot be read" in failed(install.hook())
    read.write_bytes(kept)
    toml = install.home / "edge.toml"
    toml.write_text("group = [")
    assert "edge.toml" in failed(install.hook())


def test_tables_of_other_code_are_not_touched(install: Install) -> None:
    with closing(apsw.Connection(str(install.home / "read.db"))) as store:
        store.execute("UPDATE checkpoints SET version = 0")
    assert "not of this edge's code" in failed(install.hook())


def test_a_writer_at_work_does_not_hold_the_session(install: Install) -> None:
    with closing(apsw.Connection(str(install.home / "read.db"))) as store:
        store.execute("BEGIN EXCLUSIVE; DELETE FROM chats")
        assert "Devemos medir" in shown(install.hook())


def test_a_home_that_takes_no_line_is_no_error(install: Install) -> None:
    (install.home / "hook.log").mkdir()
    done = subprocess.run(
        [*EDGE, "hook", "session-start"], env=install.environ, capture_output=True, check=True, input=b""
    )
    assert b"Devemos medir" in done.stdout


def test_what_hangs_is_given_up_in_time(install: Install) -> None:
    os.mkfifo(install.home / "fifo")
    (install.home / "edge.toml").unlink()
    (install.home / "edge.toml").symlink_to(install.home / "fifo")  # to read it waits for ever
    assert "not done within" in failed(install.hook())


def loaded(install: Install) -> set[str]:
    """The modules a hook imports that has something to show."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "edge", "hook", "session-start"],
        env=install.environ, capture_output=True, check=True, input=b"",
    )  # fmt: skip
    assert b"additionalContext" in done.stdout
    found = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "edge.hook" in found
    return found


def test_it_loads_only_what_it_needs(install: Install) -> None:
    assert loaded(install).isdisjoint(HEAVY)


def test_it_works_out_no_clusters(install: Install) -> None:
    write_talks(install.store)
    install.types("open", "beat")
    assert "## Knowledge" in shown(install.hook())
    assert loaded(install).isdisjoint(HEAVY)
    with closing(apsw.Connection(str(install.home / "read.db"))) as store:
        store.execute("DELETE FROM knowledge_clusters_of")  # as after an extraction nobody was briefed on
    assert "## Knowledge" not in shown(install.hook())
    assert loaded(install).isdisjoint(HEAVY)


def test_what_is_told_is_not_swept_as_the_operators_words(install: Install) -> None:
    text = shown(install.hook())
    session = Session(version="2.1.40")
    session.user(f"{text}\nvamos começar")
    session.write(install.store)
    swept = json.loads(install.types("sweep", "--dry-run", "--json"))
    assert [turn["text"] for s in swept["captured"] for turn in s["turns"]] == ["vamos começar"]
