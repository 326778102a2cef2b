"""The grill without a model: it settles what a rule truly settles, and asks closed questions else."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.cognition.rules import MAX_STEERS, RuleCognition
from edge.domain.chat import Chat
from edge.domain.direction import Item
from edge.domain.language import language_of
from edge.domain.plan import ChatPlan, planned_close
from tests.specs.given import chat, run, steers
from tests.support.facts import Fact, answered, asked, commented, proposed, set_, started

CACHE = set_("d1", "Cache agressivo")
DEPLOY = set_("d2", "Deploy automático")
PT, EN = "Incluir na Direction como «{}»? sim/não", "Fold into Direction as «{}»? yes/no"
LISTED = "\n1. Cache agressivo\n2. Deploy automático"


def settle(state: Chat, *of: Fact) -> ChatPlan:
    live: list[Item] = [item for item in steers(*of).values() if item["tier"] != "gone"]
    return RuleCognition().settle(state, live, language_of(state["body"], "en"))


def said(body: str, *of: Fact) -> ChatPlan:
    return settle(chat(commented(body=body)).state, *of)


def and_answered(body: str, answer: str, *of: Fact) -> tuple[ChatPlan, Chat]:
    """What is decided once the operator answered the question that was asked first."""
    question = said(body, *of)
    facts = [
        commented(body=body),
        asked(options=question.options, question=question.question),
        answered(body=answer),
    ]
    state = chat(*facts).state
    return settle(state, *of), state


def takes(entry: ChatPlan, state: Chat, *of: Fact) -> Any:
    """An unattended run takes the entry: the outcome or question its close would write."""
    live = {id_: item for id_, item in steers(*of).items() if item["tier"] != "gone"}
    last = planned_close(run([started("c1")]), entry, state, live, "h" * 64)["events"][-1]
    return last["data"].get("outcome") or last["data"]["question"]


# -- without an answer -------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["Obrigado!", "Thanks, great work", "muito obrigada"])
def test_thanks_are_acknowledged_on_their_own_evidence(body: str) -> None:
    entry = said(body)
    assert (entry.decision, entry.ambiguous) == ("acknowledge", False)
    assert takes(entry, chat(commented(body=body)).state) == "acknowledged"


@pytest.mark.parametrize(
    ("body", "question", "labels"),
    [
        ("Testes primeiro, sempre", PT, ["sim", "não"]),
        ("Always write the tests first", EN, ["yes", "no"]),
        ("Thanks, but the retries fail", EN, ["yes", "no"]),
        ("O relatório chegou ontem", PT, ["sim", "não"]),
    ],
)
def test_anything_else_is_parked_with_a_closed_question_in_the_comments_language(
    body: str, question: str, labels: list[str]
) -> None:
    entry, question = said(body), question.format(body)
    assert (entry.decision, entry.ambiguous, entry.question) == ("park", True, question)
    assert [o["label"] for o in entry.options] == labels
    assert takes(entry, chat(commented(body=body)).state) == question


def test_a_question_of_the_operators_would_fold_as_a_thread() -> None:
    assert said("Qual é o prazo?").options[0]["steer"]["kind"] == "thread"
    assert said("Devemos testar").options[0]["steer"]["kind"] == "priority"


def test_a_long_comment_is_offered_under_a_title_that_fits() -> None:
    entry = said("Devemos " + "testar " * 40)
    assert len(entry.options[0]["steer"]["title"]) <= 80
    assert takes(entry, chat(commented(body="x")).state).startswith("Incluir na Direction como «Devemos")


@pytest.mark.parametrize(
    ("body", "asks", "none"),
    [
        ("Isso está errado", "Qual destes steers isto retira? 1/2/nenhum" + LISTED, "nenhum"),
        ("That is wrong, I disagree", "Which of these steers does it retire? 1/2/none" + LISTED, "none"),
    ],
)
def test_a_contradiction_with_live_steers_asks_which_it_retires(body: str, asks: str, none: str) -> None:
    entry = said(body, CACHE, DEPLOY)
    assert entry.question == asks
    assert [(o["key"], o["decision"], o.get("direction_id")) for o in entry.options] == [
        ("1", "retire", "d1"),
        ("2", "retire", "d2"),
        ("none", "acknowledge", None),
    ]
    assert entry.options[-1]["label"] == none


def test_a_contradiction_is_asked_about_the_steers_that_share_its_words() -> None:
    entry = said("Discordo do cache", CACHE, DEPLOY)
    assert [o.get("direction_id") for o in entry.options] == ["d1", None]


def test_a_contradiction_without_steers_that_are_set_may_fold() -> None:
    assert said("Isso está errado").options[0]["decision"] == "fold"
    assert said("Isso está errado", proposed("d3")).options[0]["decision"] == "fold"


def test_no_more_steers_are_offered_than_can_be_told_apart() -> None:
    entry = said("Isso está errado", *(set_(f"d{n}", f"Steer {n}") for n in range(9)))
    assert len(entry.options) == MAX_STEERS + 1
    assert entry.options[-2]["direction_id"] == "d8"  # the latest


# -- with an answer ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "answer", "outcome"),
    [
        ("Testes primeiro, sempre", "sim", "folded-to-direction"),
        ("Testes primeiro, sempre", "yes", "folded-to-direction"),
        ("Always write the tests first", "sim", "folded-to-direction"),
        ("Always write the tests first", "no", "acknowledged"),
        ("Testes primeiro, sempre", "não, obrigado", "acknowledged"),
    ],
)
def test_the_option_an_answer_chooses_is_acted_on(body: str, answer: str, outcome: str) -> None:
    entry, state = and_answered(body, answer)
    assert takes(entry, state) == outcome
    if outcome == "folded-to-direction":
        assert entry.steer is not None
        assert entry.steer.title == body


@pytest.mark.parametrize(
    ("answer", "retired"), [("1", "d1"), ("Deploy automático", "d2"), ("segundo", "d2"), ("nenhum", None)]
)
def test_the_steer_an_answer_chooses_is_retired(answer: str, retired: str | None) -> None:
    entry, state = and_answered("Isso está errado", answer, CACHE, DEPLOY)
    assert entry.direction_id == retired
    assert takes(entry, state, CACHE, DEPLOY) == ("retired-direction" if retired else "acknowledged")


@pytest.mark.parametrize("answer", ["talvez", "sim e não", "pergunte depois"])
def test_an_answer_that_chooses_nothing_is_asked_anew(answer: str) -> None:
    entry, state = and_answered("Testes primeiro, sempre", answer)
    assert entry.decision == "park"
    assert entry.question == (
        f"«{answer}» não escolhe nenhuma das opções."
        " Incluir na Direction como «Testes primeiro, sempre»? sim/não"
    )
    assert takes(entry, state) == entry.question


def test_a_steer_that_left_before_the_answer_is_asked_about_anew() -> None:
    question = said("Isso está errado", CACHE, DEPLOY)
    facts = [commented(body="Isso está errado"), asked(options=question.options), answered(body="1")]
    entry = settle(chat(*facts).state, DEPLOY)
    assert entry.decision == "park"
    assert [o.get("direction_id") for o in entry.options] == ["d2", None]


def test_the_latest_answer_decides() -> None:
    options = said("Testes primeiro, sempre").options
    facts = [
        commented(body="Testes primeiro, sempre"),
        asked(options=options),
        answered(body="talvez"),
        asked(clarify_id="q2", options=options),
        answered(clarify_id="q2", body="não"),
    ]
    entry = settle(chat(*facts).state)
    assert takes(entry, chat(*facts).state) == "acknowledged"


def test_a_comment_of_thanks_that_was_asked_about_follows_its_answer() -> None:
    options = said("Testes primeiro, sempre").options
    state = chat(commented(body="Obrigado"), asked(options=options), answered(body="sim")).state
    assert settle(state).decision == "fold"
