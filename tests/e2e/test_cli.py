"""The command line as a person types it: what each act gives, and how each refusal is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.person import Person

# -- beginning ---------------------------------------------------------------------------------


def test_init_refuses_to_overwrite_and_a_home_without_identity_runs_nothing(
    person: Person, tmp_path: Path
) -> None:
    assert "exists" in person.is_told(2, "init", "--group", "me")
    for words in (["status"], ["voz", "list"], ["open", "report"], ["grill", "start"]):
        assert "no identity" in person.is_told(2, *words, "--home", tmp_path / "nobody")
    assert not (tmp_path / "nobody").exists()


def test_init_says_where_there_is_no_store_to_sweep(person: Person, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name, missing in (("there", False), ("typo", True)):
        store = tmp_path / name
        said = person.types("init", "--group", "me", "--store", store, "--home", tmp_path / f"of-{name}")
        assert said.code == 0
        assert (f"{store} is not there" in said.out) == missing


@pytest.mark.parametrize("group", ["", "Me", "a b", "x" * 33, "../x"])
def test_a_group_that_is_no_name_is_refused(person: Person, tmp_path: Path, group: str) -> None:
    assert "not a valid name" in person.is_told(3, "init", "--group", group, "--home", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_what_is_no_command_option_or_argument_is_exit_2(person: Person) -> None:
    for words in (
        ["sing"],
        ["voz", "sing"],
        ["voz", "list", "--loud"],
        ["voz", "comment"],
        ["voz", "list", "x"],
    ):
        person.is_told(2, *words)
    person.is_told(2, "voz", "comment", "x", "--harm", "much")
    person.is_told(2, "voz", "list", "--open", "--closed")
    person.is_told(2, "open", "report", "--origin", "nobody")
    person.is_told(2, "voz", "list", "--at", "yesterday")


def test_a_group_named_alone_shows_its_commands(person: Person) -> None:
    seen = person.types("voz")
    assert seen.code == 2
    assert "Example" not in seen.err.splitlines()[0]
    assert any(line.split()[:1] == ["comment"] for line in seen.err.splitlines())


# -- the operator's acts -------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["", "  ", "\n", "x" * 9216, "ã" * 4097])
def test_a_blank_or_oversize_comment_is_refused_and_nothing_written(person: Person, body: str) -> None:
    head = person.head()
    person.is_told(3, "voz", "comment", body)
    person.is_told(3, "voz", "comment", "-", given=body.encode())
    assert person.head() == head


def test_a_comment_comes_from_standard_input_whatever_its_bytes(person: Person) -> None:
    for given, body in [
        ("ação 漢字\n".encode(), "ação 漢字"),
        (b"caf\xe9", "caf\ufffd"),
        (b"a\r\nb", "a\r\nb"),
    ]:
        id_ = person.gets("voz", "comment", "-", given=given)["comment_id"]
        assert person.gets("voz", "show", id_)["body"] == body


def test_what_others_wrote_does_not_move_the_terminal(person: Person) -> None:
    body = "first\x1b[2J\x1b]0;title\x07 \x9b31m\x7f last"
    person.gets("voz", "comment", "-", given=body.encode())
    assert [chat["body"] for chat in person.gets("voz", "list")] == [body]
    for words in (("voz", "list"), ("voz", "timeline"), ("briefing",), ("log", "tail")):
        shown = person.types(*words).out
        assert shown.replace("\n", "").replace("\t", "").isprintable(), words
    assert "first [2J ]0;title   31m  last" in person.types("voz", "list").out
    told = person.types("voz", "show", "x\x1b[2J").err
    assert "\x1b" not in told


def test_a_key_makes_a_retry_land_once_and_is_not_reused(person: Person) -> None:
    first = person.gets("voz", "comment", "one", "--key", "k")
    again = person.gets("voz", "comment", " one ", "--key", "k")
    assert (first["duplicate"], again["duplicate"]) == (False, True)
    assert again | {"duplicate": False} == first
    assert "used for another" in person.is_told(3, "voz", "comment", "two", "--key", "k")
    person.publishes()
    voted = person.gets("voz", "vote", "study", "up", "--key", "k")
    assert person.gets("voz", "vote", "study", "up", "--key", "k") == voted | {"duplicate": True}
    assert "used for another" in person.is_told(3, "voz", "vote", "study", "down", "--key", "k")
    assert person.types("voz", "pending").out.splitlines()[-1].split()[1:] == ["vote", "study", "+1"]
    assert len(person.gets("voz", "list")) == 1


def test_what_is_not_published_is_neither_commented_nor_voted_on(person: Person) -> None:
    head = person.head()
    assert "no artefato 'unknown'" in person.is_told(3, "voz", "comment", "x", "--on", "unknown")
    assert "no artefato 'unknown'" in person.is_told(3, "voz", "vote", "unknown", "up")
    assert "not a valid id" in person.is_told(3, "voz", "vote", "../x", "up")
    person.is_told(2, "voz", "vote", "unknown", "sideways")
    assert person.head() == head


@pytest.mark.parametrize(
    ("words", "saying"),
    [
        (["done"], "no such state"),
        (["dead_lettered"], "needs a reason"),
        (["dead_lettered", "--reason", " "], "needs a reason"),
        (["semantic_answered"], "needs what answers it"),
        (["semantic_answered", "--reason", "x"], "needs what answers it"),
    ],
)
def test_a_bad_state_or_a_missing_reason_or_ref_is_refused(
    person: Person, words: list[str], saying: str
) -> None:
    id_ = person.comments()
    head = person.head()
    assert saying in person.is_told(3, "voz", "dispose", id_, *words)
    assert person.head() == head


def test_a_disposition_of_an_unknown_or_a_closed_act(person: Person) -> None:
    assert "no act 'nothing'" in person.is_told(3, "voz", "dispose", "nothing", "receipt_sent")
    id_ = person.comments()
    person.gets("voz", "withdraw", id_)
    head = person.head()
    assert person.gets("voz", "dispose", id_, "semantic_answered", "--ref", "x")["duplicate"] is True
    assert person.gets("voz", "withdraw", id_)["duplicate"] is True
    assert person.head() == head
    assert person.gets("voz", "show", id_)["closed_by"] == "dead_lettered"


def test_an_answer_needs_its_question_and_is_given_once(person: Person) -> None:
    id_ = person.comments()
    person.gets("grill", "run", "--unattended")
    (question,) = person.gets("voz", "show", id_)["questions"]
    assert "no question 'nothing'" in person.is_told(3, "voz", "answer", "nothing", "sim")
    person.is_told(3, "voz", "answer", question["clarify_id"], " ")
    first = person.gets("voz", "answer", question["clarify_id"][:12], "-", given=b"sim\n")
    assert first["clarify_id"] == question["clarify_id"]
    assert person.gets("voz", "answer", question["clarify_id"], "sim")["duplicate"] is True
    assert "answered already" in person.is_told(3, "voz", "answer", question["clarify_id"], "no")
    seen = person.types("voz", "answer", question["clarify_id"], "no")
    assert "edge voz comment" in seen.err


# -- ids -----------------------------------------------------------------------------------------


def test_an_id_may_be_shortened_to_a_unique_prefix(person: Person) -> None:
    first, second = person.comments("one"), person.comments("two")
    assert person.gets("voz", "show", first[:-1] if first[:-1] != second[:-1] else first)["body"] == "one"
    shared = next(first[:n] for n in range(len(first), 0, -1) if second.startswith(first[:n]))
    assert "begins more than one" in person.is_told(2, "voz", "show", shared)
    assert "begins more than one" in person.is_told(2, "voz", "dispose", shared, "receipt_sent")
    assert "no comment" in person.is_told(3, "voz", "show", "zzzz")
    person.publishes("retry-study")
    assert person.gets("artefato", "show", "retry")["slug"] == "retry-study"
    assert person.gets("voz", "vote", "ret", "up")["duplicate"] is False
