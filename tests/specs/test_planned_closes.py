"""The events of a planned close: what each decision writes, with which ids (I6, I8)."""

from __future__ import annotations

from edge.domain import plan as plans
from edge.domain.plan import ChatPlan, planned_close
from tests.specs.given import chat, run, steers
from tests.specs.planning import COMMENT, HASH, SETTLED, close, entry, outcome, plan
from tests.support.facts import answered, asked, proposed, set_, started


def test_each_decision_has_its_events_and_its_outcome() -> None:
    of = (set_("d1", "Testes primeiro"),)
    retire = entry("retire", direction_id="d1", reply="Retirado")
    assert outcome(close(entry())) == [("voz.reply", "Visto"), ("voz.resolved", "replied")]
    assert outcome(close(entry("acknowledge"))) == [("voz.resolved", "acknowledged")]
    assert outcome(close(entry("park"))) == [("voz.clarify", "Qual?")]
    assert outcome(close(entry("failed", reason="model down"))) == []
    assert outcome(close(entry("fold", reply="Feito"))) == [
        ("voz.reply", "Feito"),
        ("direction.set", "c1"),
        ("voz.resolved", "folded-to-direction"),
    ]
    assert outcome(close(retire, of=of)) == [
        ("voz.reply", "Retirado"),
        ("direction.dropped", "c1"),
        ("voz.resolved", "retired-direction"),
    ]


def test_a_fold_and_a_retire_name_one_direction_id_in_both_their_events() -> None:
    folded = close(entry("fold"))["events"]
    assert folded[-1]["data"]["direction_id"] == folded[-2]["data"]["id"]
    retired = close(entry("retire", direction_id="d1"), of=(set_("d1", "Testes primeiro"),))["events"]
    assert retired[-1]["data"]["direction_id"] == retired[-2]["data"]["id"] == "d1"


def test_a_fold_makes_a_new_steer_also_where_one_of_that_title_stands() -> None:
    first = close(entry("fold"))["events"][-1]["data"]["direction_id"]
    assert first not in steers(set_("d1", "Testes primeiro"))
    other = planned_close(
        run([started("c1", run="r2")], "r2"), ChatPlan(**entry("fold")), chat(COMMENT).state, {}, HASH
    )
    assert other["events"][-1]["data"]["direction_id"] != first


def test_a_retire_edits_what_stood_when_it_was_planned() -> None:
    of = (proposed("d0"), set_("d1", "Testes primeiro"))
    (dropped, _) = close(entry("retire", direction_id="d1"), of=of)["events"]
    assert dropped["data"]["basis"] == steers(*of)["d1"]["position"]


def test_what_was_asked_in_the_terminal_lands_in_the_close_and_is_used_by_it() -> None:
    said = entry("acknowledge", ambiguous=True, asked=[{"question": "Qual?", "answer": "a primeira"}])
    data = close(said, COMMENT, asked(), answered(), mode="attended")
    assert outcome(data) == [
        ("voz.clarify", "Qual?"),
        ("voz.clarify_answer", "a primeira"),
        ("voz.resolved", "acknowledged"),
    ]
    clarify_id = data["events"][0]["data"]["clarify_id"]
    assert data["events"][-1]["data"]["answers"] == ["q1", clarify_id]


def test_the_same_plan_gives_the_same_ids_and_another_gives_others() -> None:
    once, again = close(entry("fold")), close(entry("fold"))
    assert once == again
    ids = [e["id"] for e in once["events"]]
    assert len(set(ids)) == len(ids)
    live = chat(COMMENT).state
    other = planned_close(run([started("c1")]), ChatPlan(**entry("fold")), live, {}, "b" * 64)
    assert not set(ids) & {e["id"] for e in other["events"]}


def test_two_plans_are_the_same_by_content_and_not_by_spelling() -> None:
    defaults = {**entry(), "intent": None, "asked": []}
    assert plans.hash_of(plan(entry())) == plans.hash_of(plan(defaults))
    assert plans.hash_of(plan(entry())) != plans.hash_of(plan(entry(reply="Outra")))


def test_evidence_the_ambiguous_mark_and_the_intent_are_stored_with_the_plan() -> None:
    data = close(entry("fold"))
    assert (data["evidence"], data["ambiguous"], data["intent"]) == (SETTLED["evidence"], False, "steer")
    assert close(entry("fold", intent="endorse"))["intent"] == "endorse"
    assert close(entry("failed", reason=" model down "))["reason"] == "model down"
