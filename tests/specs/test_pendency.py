"""What each act of Voz is owed, and what may be disposed of it (0018)."""

from __future__ import annotations

import pytest

from edge.domain import pendency
from edge.domain.chat import STATES
from edge.domain.pendency import dispose, is_naked, receipt, receipt_id, shown, vote
from tests.specs.given import comment_act, vote_act
from tests.support.facts import asked, commented, disposed, receipted, replied, resolved, voted

RECEIPT = ("voz.disposition", {"comment_id": "c1", "state": "receipt_sent"})


def test_a_receipt_closes_a_vote_and_never_a_comment() -> None:
    assert not vote_act(voted(), receipted()).state["open"]
    assert comment_act(commented(), disposed()).state["open"]


@pytest.mark.parametrize(
    "closing", [{"state": "dead_lettered", "reason": "no"}, {"state": "semantic_answered", "ref": "r"}]
)
def test_what_is_terminal_for_a_comment_closes_a_vote_too(closing: dict[str, str]) -> None:
    assert not vote_act(voted(), receipted(**closing)).state["open"]


def test_an_act_is_naked_until_it_has_any_disposition_or_is_closed() -> None:
    assert is_naked(comment_act(commented(), replied()).state)
    assert is_naked(vote_act(voted()).state)
    assert not is_naked(comment_act(commented(), disposed(state="semantic_answer_required")).state)
    assert not is_naked(comment_act(commented(), resolved()).state)
    assert not is_naked(vote_act(voted(), receipted()).state)
    assert not is_naked(vote_act().state)


def test_every_open_act_gets_its_receipt_once() -> None:
    comment_act(commented()).when(receipt).then(RECEIPT)
    comment_act(commented(), disposed()).when(receipt).then_nothing()
    comment_act(commented(), resolved()).when(receipt).then_nothing()
    vote_act(voted()).when(receipt).then(("voz.disposition", {"vote_id": "v1", "state": "receipt_sent"}))
    vote_act(voted(), receipted()).when(receipt).then_nothing()


def test_a_receipt_has_one_id_for_ever_and_a_comment_and_a_vote_never_share_it() -> None:
    (once,) = receipt(comment_act(commented()).state)
    (again,) = receipt(comment_act(commented(), replied(), asked()).state)
    assert once.id == again.id == receipt_id("comment", "c1")
    assert receipt_id("comment", "x1") != receipt_id("vote", "x1")


@pytest.mark.parametrize("reason", [None, "", "   "])
def test_dead_lettered_without_a_reason_is_refused(reason: str | None) -> None:
    comment_act(commented()).when(dispose, "dead_lettered", reason, "ref").then_refused("needs a reason")


@pytest.mark.parametrize("ref", [None, "", "   "])
def test_semantic_answered_without_a_ref_is_refused(ref: str | None) -> None:
    comment_act(commented()).when(dispose, "semantic_answered", "why", ref).then_refused("needs what answers")


@pytest.mark.parametrize("state", ["", "done", "receipt", "RECEIPT_SENT"])
def test_another_state_is_refused(state: str) -> None:
    comment_act(commented()).when(dispose, state, "reason", "ref").then_refused("no such state")


@pytest.mark.parametrize("state", STATES)
def test_a_disposition_of_no_act_is_refused(state: str) -> None:
    comment_act(id_="c9").when(dispose, state, "reason", "ref").then_refused("no act c9")
    vote_act(id_="v9").when(dispose, state, "reason", "ref").then_refused("no act v9")


@pytest.mark.parametrize("state", STATES)
def test_on_a_closed_act_a_disposition_is_nothing_and_never_a_second_terminal(state: str) -> None:
    for closing in (resolved(), disposed(state="dead_lettered", reason="r")):
        comment_act(commented(), closing).when(dispose, state, "reason", "ref").then_nothing()
    vote_act(voted(), receipted()).when(dispose, state, "reason", "ref").then_nothing()


def test_a_bad_disposition_is_refused_on_a_closed_act_as_well() -> None:
    closed = comment_act(commented(), resolved())
    closed.when(dispose, "dead_lettered", "", None).then_refused("needs a reason")
    closed.when(dispose, "finished", None, None).then_refused("no such state")


def test_a_parked_chat_is_not_answered_past_its_question_but_may_be_withdrawn() -> None:
    parked = comment_act(commented(), asked())
    parked.when(dispose, "semantic_answered", None, "study").then_refused("parked")
    parked.when(dispose, "dead_lettered", "withdrawn", None).then(
        ("voz.disposition", {"comment_id": "c1", "state": "dead_lettered", "reason": "withdrawn"})
    )
    parked.when(dispose, "receipt_sent", None, None).then(RECEIPT)


def test_an_answer_is_recorded_with_what_answers() -> None:
    comment_act(commented(), disposed()).when(dispose, "semantic_answered", None, " study ").then(
        ("voz.disposition", {"comment_id": "c1", "state": "semantic_answered", "ref": "study"})
    )


def test_what_is_owed_an_answer_is_said_once() -> None:
    required = {"comment_id": "c1", "state": "semantic_answer_required"}
    act = comment_act(commented())
    act.when(dispose, "semantic_answer_required", None, None).then(("voz.disposition", required))
    said = comment_act(commented(), disposed(state="semantic_answer_required"))
    said.when(dispose, "semantic_answer_required", None, None).then_nothing()


# -- votes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1, -1, 0])
def test_a_vote_is_cast_once_under_one_key(value: int) -> None:
    vote_act().when(vote, "study", value).then(
        ("voz.vote", {"vote_id": "v1", "slug": "study", "value": value})
    )
    vote_act(voted(value=value)).when(vote, "study", value).then_nothing()


def test_a_key_reused_for_another_vote_is_refused() -> None:
    vote_act(voted(value=1)).when(vote, "study", -1).then_refused("used for another vote")
    vote_act(voted(value=1)).when(vote, "other", 1).then_refused("used for another vote")


@pytest.mark.parametrize("value", [2, -2])
def test_a_vote_is_up_down_or_clear(value: int) -> None:
    vote_act().when(vote, "study", value).then_refused("a vote is up, down or clear")


def test_a_disposition_of_one_vote_leaves_the_others_on_the_artefato_open() -> None:
    facts = [voted("v1"), voted("v2", value=-1), receipted("v1")]
    assert not vote_act(*facts, id_="v1").state["open"]
    assert vote_act(*facts, id_="v2").state["open"]


def test_pending_says_what_is_required_and_whether_anything_was_received() -> None:
    comment = shown(comment_act(commented(body="hello", target_ref="study"), disposed()).state)
    assert comment | {"at": ""} == {
        "act": "c1",
        "kind": "comment",
        "target": "study",
        "text": "hello",
        "value": None,
        "at": "",
        "required": "semantic",
        "received": True,
    }
    cast = shown(vote_act(voted(value=-1)).state)
    assert (cast["kind"], cast["value"], cast["required"], cast["received"]) == ("vote", -1, "receipt", False)


def test_one_rule_says_what_closes_a_comment_on_both_rails() -> None:
    closings = [resolved(), disposed(state="dead_lettered", reason="r"), disposed(), replied(), asked()]
    for fact in closings:
        closes = pendency.closes("comment", fact.type, fact.data)
        assert closes is not comment_act(commented(), fact).state["open"]
