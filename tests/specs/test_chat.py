"""When a chat is open, parked, closed; what the operator may say in it; the guard of its close."""

from __future__ import annotations

import itertools

import pytest

from edge.domain import chat as chats
from edge.domain.chat import guard, has_answer, is_actionable, state_of
from edge.domain.language import MAX_COMMENT_BYTES
from tests.specs.given import chat
from tests.support.facts import (
    Fact,
    answered,
    asked,
    commented,
    disposed,
    happened,
    replied,
    resolved,
)

CLOSINGS = [
    resolved(outcome="replied"),
    resolved(outcome="acknowledged"),
    resolved(outcome="folded-to-direction", direction_id="d1"),
    resolved(outcome="retired-direction", direction_id="d1"),
    disposed(state="semantic_answered", ref="study"),
    disposed(state="dead_lettered", reason="sent twice"),
]
NOT_CLOSINGS = [
    replied(),
    asked(),
    answered(),
    disposed(state="receipt_sent"),
    disposed(state="semantic_answer_required"),
    disposed(state="semantic_answered"),  # without a ref
    disposed(state="semantic_answered", ref="  "),
    disposed(state="dead_lettered"),  # without a reason
    disposed(state="dead_lettered", reason=""),
]


# -- open, parked, closed ----------------------------------------------------------------------


@pytest.mark.parametrize("closing", CLOSINGS, ids=lambda f: str(f.data.get("outcome") or f.data["state"]))
def test_anything_terminal_closes_a_chat_on_either_rail(closing: Fact) -> None:
    assert state_of(chat(commented(), closing).state) == "closed"
    assert not is_actionable(chat(commented(), closing).state)


@pytest.mark.parametrize("said", NOT_CLOSINGS, ids=lambda f: f"{f.type}-{f.data.get('state')}")
def test_a_reply_a_question_a_receipt_or_a_broken_terminal_closes_nothing(said: Fact) -> None:
    assert chat(commented(), said).state["closed_by"] is None


def test_how_it_was_closed_first_stands_whatever_comes_after() -> None:
    for first, later in itertools.permutations(CLOSINGS, 2):
        once, twice = chat(commented(), first).state, chat(commented(), first, later).state
        assert twice["closed_by"] == once["closed_by"]
        if once["outcome"]:
            assert (twice["outcome"], twice["direction_id"]) == (once["outcome"], once["direction_id"])


def test_an_unanswered_question_parks_a_chat_and_its_answer_brings_it_back() -> None:
    parked = chat(commented(), asked()).state
    assert (state_of(parked), is_actionable(parked), has_answer(parked)) == ("parked", False, False)
    back = chat(commented(), asked(), answered()).state
    assert (state_of(back), is_actionable(back), has_answer(back)) == ("open", True, True)


def test_a_chat_asked_again_is_parked_until_that_question_is_answered_too() -> None:
    facts = [commented(), asked(), answered(), asked(clarify_id="q2")]
    assert state_of(chat(*facts).state) == "parked"
    assert state_of(chat(*facts, answered(clarify_id="q2")).state) == "open"


def test_the_first_answer_wins_and_an_answer_to_nothing_is_inert() -> None:
    state = chat(commented(), asked(), answered(body="one"), answered(body="two")).state
    assert [q["answer"] for q in state["questions"]] == ["one"]
    stray = chat(commented(), asked(), answered(clarify_id="q9")).state
    assert state_of(stray) == "parked"


def test_a_chat_without_its_comment_is_never_actionable() -> None:
    assert not is_actionable(chat(replied()).state)
    assert not is_actionable(chat(asked(), answered()).state)


def test_a_second_comment_under_one_id_changes_nothing() -> None:
    assert chat(commented(body="first"), commented(body="second")).state["body"] == "first"


def test_what_a_stranger_wrote_in_other_shapes_is_passed_over() -> None:
    strange = commented(body="hello")._replace(data={"comment_id": "c1", "body": 7, "harm": "high"})
    state = chat(strange, asked(options=["yes", 3]), asked(clarify_id="q2")).state
    assert (state["body"], state["own_harm"], state["questions"][0]["options"]) == ("", 0, [])


# -- commenting and answering ------------------------------------------------------------------


def test_a_comment_opens_a_chat_with_its_trimmed_words() -> None:
    chat().when(chats.comment, "  olá\n", "study", 20).then(
        (
            "voz.comment",
            {"comment_id": "c1", "body": "olá", "harm": 20, "channel": "native", "target_ref": "study"},
        )
    )


@pytest.mark.parametrize("blank", ["", " ", "\n\t\u2003"])
def test_a_blank_comment_or_answer_is_refused(blank: str) -> None:
    chat().when(chats.comment, blank, None, 0).then_refused("the comment is blank")
    chat(commented(), asked()).when(chats.answer, "q1", blank).then_refused("the answer is blank")


def test_a_comment_takes_8192_bytes_and_not_one_more() -> None:
    assert MAX_COMMENT_BYTES == 8192
    for char in ("x", "ã", "漢"):
        fits = char * (8192 // len(char.encode()))
        chat().when(chats.comment, f" {fits} ", None, 0).then(
            ("voz.comment", {"comment_id": "c1", "body": fits, "harm": 0, "channel": "native"})
        )
        chat().when(chats.comment, fits + char, None, 0).then_refused("at most 8,192 fit")


@pytest.mark.parametrize("harm", [-1, 101])
def test_urgency_is_0_to_100(harm: int) -> None:
    chat().when(chats.comment, "hello", None, harm).then_refused("out of range")


def test_the_same_comment_again_under_one_key_adds_nothing() -> None:
    chat(commented(body="hello", harm=5)).when(chats.comment, " hello ", None, 5).then_nothing()


@pytest.mark.parametrize(
    ("body", "on", "harm"), [("other", None, 5), ("hello", "study", 5), ("hello", None, 6)]
)
def test_a_key_reused_for_another_comment_is_refused(body: str, on: str | None, harm: int) -> None:
    given = chat(commented(body="hello", harm=5))
    given.when(chats.comment, body, on, harm).then_refused("used for another comment")


def test_an_answer_lands_on_its_question() -> None:
    chat(commented(), asked()).when(chats.answer, "q1", " sim ").then(
        ("voz.clarify_answer", {"comment_id": "c1", "clarify_id": "q1", "body": "sim"})
    )


def test_the_same_answer_again_adds_nothing_and_another_is_refused() -> None:
    given = chat(commented(), asked(), answered(body="sim"))
    given.when(chats.answer, "q1", "sim").then_nothing()
    given.when(chats.answer, "q1", "não").then_refused("answered already")


def test_an_answer_to_no_question_is_refused() -> None:
    chat(commented()).when(chats.answer, "q1", "sim").then_refused("no question q1")


@pytest.mark.parametrize("closing", CLOSINGS, ids=lambda f: str(f.data.get("outcome") or f.data["state"]))
def test_an_answer_on_a_closed_chat_is_refused_with_the_offer_to_comment_anew(closing: Fact) -> None:
    outcome = chat(commented(), asked(), closing).when(chats.answer, "q1", "sim")
    outcome.then_refused("closed")
    assert outcome._refusal is not None
    assert "edge voz comment" in outcome._refusal.hint


# -- the guard of a close ----------------------------------------------------------------------


def test_an_untouched_chat_is_closed_at_its_revision() -> None:
    assert guard(happened([commented()]), ["p1"], 0) == 0


def test_late_replies_receipts_and_answers_only_move_the_revision() -> None:
    late = [
        replied(),
        disposed(state="receipt_sent"),
        disposed(state="semantic_answer_required"),
        answered(),
    ]
    assert guard(happened([commented(), asked(), *late]), ["p1"], 1) == 5


@pytest.mark.parametrize("closing", CLOSINGS, ids=lambda f: str(f.data.get("outcome") or f.data["state"]))
@pytest.mark.parametrize("loaded", [0, 1, 9])
def test_a_terminal_of_another_makes_it_stale_at_any_revision(closing: Fact, loaded: int) -> None:
    assert guard(happened([commented(), closing, replied()]), ["p1"], loaded) == "stale"


def test_a_question_asked_since_makes_it_stale_and_one_asked_before_does_not() -> None:
    events = happened([commented(), asked(), answered()])
    assert guard(events, ["p1"], 0) == "stale"
    assert guard(events, ["p1"], 1) == 2
    assert guard(events, ["p1"], 2) == 2


def test_what_stands_in_full_is_done_also_under_later_events() -> None:
    events = happened([commented(), replied(), resolved(), disposed()])
    planned = [events[1].id, events[2].id]
    assert guard(events, planned, 0) == "done"
    assert guard(events[:2], planned, 0) == 1  # only a part of it is not done


def test_a_planned_question_does_not_make_its_own_close_stale() -> None:
    events = happened([commented(), asked()])
    assert guard(events, [events[1].id], 0) == "done"
