"""``edge forget`` as a person types it: asked first, told what goes, what stays and what is not reached."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.person import Person
from tests.support.memories import found_in, write_sessions


@pytest.fixture
def swept(person: Person) -> Person:
    write_sessions(person.home.parent / "transcripts")
    assert person.gets("sweep")["sessions"] == 3
    return person


def test_a_session_is_named_by_the_beginning_of_its_id(swept: Person) -> None:
    told = swept.gets("forget", "s1", "--dry-run")
    assert (told["kind"], told["name"], told["dry_run"], told["already"]) == ("session", "s1", True, False)
    assert told["streams"][0]["stream"] == "episode-me.s1"
    assert swept.gets("at", swept.head(), "episodes")["captured"] == 3
    done = swept.gets("forget", "s1")
    assert {**done, "dry_run": True} == told
    assert any("transcripts themselves" in what for what in done["not_reached"])
    assert any("scavenged" in what for what in done["not_reached"]) == (swept.mode == "eventstoredb")
    assert swept.gets("forget", "s1")["already"] is True
    assert swept.gets("sweep")["turns"] == 0
    assert found_in(swept.home, "canarysessionwords") == []
    assert swept.gets("status")["forgetting"] == []


def test_in_words_it_says_what_went_and_what_it_does_not_reach(swept: Person) -> None:
    said = swept.types("forget", "--project", "loja").out
    assert said.startswith("forgotten: project loja (2 sessions)\n  episode-me.s1  1 event\n")
    assert "not reached: backups and exports made before" in said
    assert "exclude in edge.toml" in said
    assert swept.types("forget", "s1").out == "session s1 was forgotten before\n"
    assert swept.types("forget", "s1", "--dry-run").out.startswith("session s1 was forgotten before: nothing")


def test_a_comment_and_an_artefato_forgotten_are_said_to_be(person: Person) -> None:
    person.publishes("study")
    comment = person.comments("Testes primeiro", "--on", "study")
    run = person.gets("grill", "start")["run_id"]
    person.gets("forget", "--comment", comment)
    assert "was forgotten" in person.is_told(3, "voz", "show", comment)
    assert "was forgotten" in person.is_told(3, "grill", "show", run)
    assert "was forgotten" in person.is_told(3, "grill", "close", run, "--plan", "-", given=b'{"chats": []}')
    assert person.gets("voz", "list") == []
    stays = person.comments("Fica", "--on", "study")
    person.gets("forget", "--artefato", "study")
    assert "was forgotten" in person.is_told(3, "artefato", "show", "study")
    assert person.gets("artefato", "list") == []
    assert [c["target_ref"] for c in person.gets("voz", "list")] == ["study"]
    assert "study (forgotten)" in person.types("voz", "show", stays).out
    (event,) = person.gets("log", "show", "artefato-me.study")
    assert (event["type"], event["metadata"]["actor"]) == ("artefato.forgotten", "operator")
    if person.mode == "embedded":
        assert person.gets("log", "verify")["ok"] is True
    assert person.gets("doctor")["ok"] is True


def test_what_is_not_there_is_refused_and_what_is_not_one_thing_is_a_misuse(swept: Person) -> None:
    head = swept.head()
    assert "no session 'x9' was taken in" in swept.is_told(3, "forget", "x9")
    assert "no session of project" in swept.is_told(3, "forget", "--project", "/nowhere")
    assert "no comment" in swept.is_told(3, "forget", "--comment", "x9")
    assert "no artefato" in swept.is_told(3, "forget", "--artefato", "x9")
    assert "more than one session: s1, s2, s3" in swept.is_told(2, "forget", "s")
    for words in ([], ["s1", "--project", "loja"], [""], ["--comment", " "]):
        assert "one thing to forget" in swept.is_told(2, "forget", *words)
    assert swept.head() == head


def test_it_is_the_operators_own_act(swept: Person) -> None:
    head = swept.head()
    swept.as_agent()
    for words in (["s1"], ["s1", "--dry-run"], ["--project", "loja", "--yes"]):
        assert "operator's own act" in swept.is_told(3, "forget", *words)
    assert swept.head() == head


@pytest.mark.parametrize(("answer", "code", "left"), [("n\n", 130, 3), ("y\n", 0, 2), ("\n", 130, 3)])
def test_on_a_terminal_it_asks_first(swept: Person, answer: str, code: int, left: int) -> None:
    told, out = on_a_terminal(swept, answer, "forget", "s1")
    assert told == code
    assert "would forget session s1" in out
    assert "Forget all of this, for good?" in out
    assert swept.gets("at", swept.head(), "episodes")["captured"] == left


def test_on_a_terminal_yes_is_said_beforehand(swept: Person) -> None:
    told, out = on_a_terminal(swept, "", "forget", "s1", "--yes")
    assert told == 0
    assert "for good?" not in out


def on_a_terminal(person: Person, answer: str, *words: str) -> tuple[int, str]:
    """One command line with a terminal for its streams; the exit code, and what the terminal shows."""
    outer, inner = pty.openpty()
    environ = {**os.environ, "EDGE_HOME": str(person.home), "COLUMNS": "200"}
    process = subprocess.Popen(
        [sys.executable, "-m", "edge", *words], stdin=inner, stdout=inner, stderr=inner, env=environ,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    os.close(inner)
    os.write(outer, answer.encode())
    shown = b""
    while True:
        try:
            piece = os.read(outer, 4096)
        except OSError:  # its end, as Linux tells it
            break
        if not piece:
            break
        shown += piece
    os.close(outer)
    return process.wait(), shown.decode()


def test_a_step_that_cannot_be_taken_now_is_named_and_taken_by_the_next_command(
    swept: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edge.domain.refusal import Failed
    from projections.store import ReadStore

    def busy(_store: ReadStore) -> None:
        raise Failed("it is kept busy")

    with monkeypatch.context() as patch:
        patch.setattr(ReadStore, "scrub", busy)
        seen = swept.types("forget", "s1", "--json")
        assert seen.code == 1
        assert json.loads(seen.out)["pending"] == [{"name": "read models", "why": "it is kept busy"}]
        strip = swept.gets("status")
        assert (strip["forgetting"], strip["degraded"]) == (["read models"], True)
        assert swept.types("doctor").code == 1
    assert swept.gets("doctor")["ok"] is True
    assert swept.gets("status")["degraded"] is False
    assert found_in(swept.home, "canarysessionwords") == []
