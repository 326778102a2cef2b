"""A plan is taken whole or refused whole: coverage (I4), what an unattended run may settle (I5),
the events of each close (I6, I8)."""

from __future__ import annotations

from typing import Any

import pytest

from edge.domain import plan as plans
from edge.domain.events import Data
from edge.domain.plan import ChatPlan, Plan, check_coverage, check_mode, planned_close
from edge.domain.refusal import Refused
from tests.specs.given import chat, run, steers
from tests.support.facts import Fact, answered, asked, commented, planned, proposed, set_, started

HASH = "a" * 64
COMMENT = commented(body="Testes primeiro, sempre")
SETTLED: Data = {"ambiguous": False, "evidence": ["the comment says so"]}
STEER: Data = {"title": "Testes primeiro", "body": "Testes primeiro, sempre", "kind": "priority"}
ASKED_FOLD = asked(
    options=[
        {"key": "yes", "label": "sim", "decision": "fold", "steer": {**STEER, "title": "Regra nova"}},
        {"key": "no", "label": "não", "decision": "acknowledge"},
    ]
)
ASKED_RETIRE = asked(options=[{"key": "1", "label": "Old", "decision": "retire", "direction_id": "d1"}])


def entry(decision: str = "reply", comment_id: str = "c1", **said: Any) -> Data:
    words: Data = {"reply": {"reply": "Visto"}, "fold": {"steer": STEER}, "park": {"question": "Qual?"}}
    return {"comment_id": comment_id, "decision": decision, **SETTLED, **words.get(decision, {}), **said}


def plan(*entries: Data, curate: tuple[Data, ...] = ()) -> Plan:
    return plans.parsed({"chats": list(entries), "curate": list(curate)})


def close(said: Data, *facts: Fact, mode: str = "unattended", of: tuple[Fact, ...] = ()) -> Data:
    """The planned close of c1; ``of`` are the facts of Direction."""
    live = {id_: item for id_, item in steers(*of).items() if item["tier"] != "gone"}
    state = chat(*(facts or (COMMENT,))).state
    return planned_close(run([started("c1", mode=mode)]), ChatPlan(**said), state, live, HASH)


def outcome(data: Data) -> list[tuple[str, Any]]:
    """Type, and what tells most, of each planned event."""
    telling = {
        "voz.reply": "body",
        "voz.clarify": "question",
        "voz.clarify_answer": "body",
        "voz.resolved": "outcome",
    }
    return [(e["type"], e["data"][telling.get(e["type"], "origin_comment_id")]) for e in data["events"]]


# -- coverage ----------------------------------------------------------------------------------


def test_a_plan_that_decides_every_loaded_chat_once_is_taken() -> None:
    check_coverage(run([started("c1", "c2")]), plan(entry(), entry(comment_id="c2")))


@pytest.mark.parametrize(
    ("entries", "saying"),
    [
        ([entry()], "misses c2"),
        ([], "misses c1, c2"),
        ([entry(), entry(comment_id="c2"), entry(comment_id="c9")], "names c9"),
        ([entry(), entry("park"), entry(comment_id="c2")], "decides c1 twice"),
    ],
)
def test_a_plan_that_misses_adds_or_doubles_a_chat_is_refused(entries: list[Data], saying: str) -> None:
    with pytest.raises(Refused, match=saying):
        check_coverage(run([started("c1", "c2")]), plan(*entries))


def test_a_second_plan_for_a_chat_is_refused() -> None:
    planned_once = run([started("c1", "c2"), planned("c1", "reply"), planned("c2", "park")])
    with pytest.raises(Refused, match="c1, c2 stands in a stored plan"):
        check_coverage(planned_once, plan(entry(), entry(comment_id="c2")))


def test_a_later_plan_is_for_exactly_the_chats_that_failed() -> None:
    failed = run([started("c1", "c2"), planned("c1", "reply"), planned("c2", "failed")])
    check_coverage(failed, plan(entry(comment_id="c2")))
    with pytest.raises(Refused, match="c1 stands in a stored plan"):
        check_coverage(failed, plan(entry(), entry(comment_id="c2")))
    with pytest.raises(Refused, match="misses c2"):
        check_coverage(failed, plan())


# -- what an unattended run may do -------------------------------------------------------------


@pytest.mark.parametrize("decision", ["reply", "acknowledge", "fold", "retire"])
def test_an_ambiguous_chat_without_an_answer_may_only_be_parked_unattended(decision: str) -> None:
    with pytest.raises(Refused, match="may only park it"):
        close(entry(decision, ambiguous=True, direction_id="d1"), of=(set_("d1"),))
    with pytest.raises(Refused, match="may only park it"):
        close(entry(decision, ambiguous=True, direction_id="d1"), COMMENT, asked(), of=(set_("d1"),))
    close(entry("park", ambiguous=True))


def test_a_chat_nobody_marked_counts_as_ambiguous() -> None:
    said = entry("acknowledge")
    del said["ambiguous"]
    with pytest.raises(Refused, match="may only park it"):
        close(said)


def test_an_answered_chat_may_be_settled_unattended() -> None:
    data = close(entry("acknowledge", ambiguous=True), COMMENT, asked(), answered())
    assert data["events"][-1]["data"]["answers"] == ["q1"]
    assert data["ambiguous"] is True


@pytest.mark.parametrize("evidence", [[], [""], [" ", "\n"]])
@pytest.mark.parametrize("decision", ["reply", "acknowledge", "fold"])
def test_an_unattended_run_settles_nothing_without_evidence(decision: str, evidence: list[str]) -> None:
    with pytest.raises(Refused, match="only on evidence"):
        close(entry(decision, evidence=evidence))
    close(entry(decision, evidence=evidence), mode="attended")


@pytest.mark.parametrize("decision", ["reply", "acknowledge", "fold"])
def test_an_attended_run_settles_an_ambiguous_chat(decision: str) -> None:
    assert close(entry(decision, ambiguous=True), mode="attended")["events"]


def test_an_unattended_run_curates_nothing_and_asks_nobody() -> None:
    curate: Data = {"do": "set", "id": "d1", "evidence": ["x"]}
    questions = [{"question": "Qual?", "answer": "o primeiro"}]
    unattended, attended = run([started("c1")]), run([started("c1", mode="attended")])
    with pytest.raises(Refused, match="curates nothing"):
        check_mode(unattended, plan(entry(), curate=(curate,)))
    with pytest.raises(Refused, match="nobody to ask"):
        check_mode(unattended, plan(entry(asked=questions)))
    check_mode(attended, plan(entry(asked=questions), curate=(curate,)))


def test_a_fold_the_comment_does_not_say_is_refused_unattended() -> None:
    foreign = {**STEER, "title": "Deploy às sextas"}
    with pytest.raises(Refused, match="does not say 'deploy'"):
        close(entry("fold", steer=foreign))
    with pytest.raises(Refused, match="does not say 'nunca'"):
        close(entry("fold", steer={**STEER, "body": "Testes primeiro, nunca depois"}))
    assert close(entry("fold", steer=foreign), mode="attended")["events"]


def test_what_edge_itself_replied_is_not_what_the_operator_said() -> None:
    reply = Fact("voz.reply", "voz-g.c1", {"comment_id": "c1", "body": "Deploy às sextas?"}, "grill")
    with pytest.raises(Refused, match="does not say 'deploy'"):
        close(entry("fold", steer={**STEER, "title": "Deploy"}), COMMENT, reply)


def test_a_fold_in_the_words_of_the_comment_or_its_answer_is_taken() -> None:
    assert close(entry("fold"))["events"]
    said = [COMMENT, asked(), answered(body="Sim: publicar às sextas")]
    assert close(entry("fold", steer={**STEER, "title": "Publicar às sextas"}), *said)["events"]


def test_a_fold_the_operator_chose_is_taken_in_the_options_words() -> None:
    chosen = {**STEER, "title": "Regra nova"}
    assert close(entry("fold", steer=chosen), COMMENT, ASKED_FOLD, answered(body="sim"))["events"]
    with pytest.raises(Refused, match="does not say 'regra'"):
        close(entry("fold", steer=chosen), COMMENT, ASKED_FOLD, answered(body="não"))
    with pytest.raises(Refused, match="does not say 'outra'"):
        other = {**STEER, "title": "Outra regra"}
        close(entry("fold", steer=other), COMMENT, ASKED_FOLD, answered(body="sim"))


@pytest.mark.parametrize("body", ["Larguem o cache agressivo", "o steer d1 não vale mais"])
def test_a_steer_the_comment_names_is_retired_unattended(body: str) -> None:
    of = (set_("d1", "Cache agressivo"),)
    said = entry("retire", direction_id="d1")
    assert outcome(close(said, commented(body=body), of=of))[-1] == ("voz.resolved", "retired-direction")


def test_a_steer_the_comment_does_not_name_is_not_retired_unattended() -> None:
    said = entry("retire", direction_id="d1")
    with pytest.raises(Refused, match="does not name d1"):
        close(said, commented(body="Isso está errado"), of=(set_("d1", "Cache agressivo"),))
    with pytest.raises(Refused, match="does not name d1"):
        close(said, COMMENT, ASKED_FOLD, answered(body="sim"), of=(set_("d1", "Cache agressivo"),))


def test_a_steer_the_operator_chose_is_retired_and_no_other() -> None:
    of = (set_("d1", "Cache agressivo"), set_("d2", "Deploy automático"))
    said = [COMMENT, ASKED_RETIRE, answered(body="1")]
    assert close(entry("retire", direction_id="d1"), *said, of=of)["events"]
    with pytest.raises(Refused, match="does not name d2"):
        close(entry("retire", direction_id="d2"), *said, of=of)


def test_an_unattended_fold_supersedes_only_what_the_comment_names() -> None:
    of = (set_("d1", "Cache agressivo"),)
    superseding = entry("fold", steer={**STEER, "supersedes": "d1"})
    with pytest.raises(Refused, match="does not name d1"):
        close(superseding, of=of)
    named = commented(body="Testes primeiro, sempre, e não cache agressivo")
    assert close(superseding, named, of=of)["events"]


# -- what a decision needs ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "saying"),
    [
        (entry("fold", steer=None), "a fold needs the steer"),
        (entry("fold", steer={**STEER, "title": ""}), "c1: a steer needs a title"),
        (entry("fold", steer={"body": "x"}), "c1: a steer needs a title"),
        (entry("fold", steer={**STEER, "title": "x" * 81}), "c1: the title has 81 characters"),
        (entry("fold", steer={**STEER, "kind": "goal"}), "c1: no such kind"),
        (entry("fold", steer={**STEER, "supersedes": "d9"}), "no live steer d9 to supersede"),
        (entry("retire"), "retiring needs the direction_id"),
        (entry("retire", direction_id="d9"), "no live steer d9"),
        (entry("park", question=None), "needs the question"),
        (entry("park", question=" "), "needs the question"),
        (entry("reply", reply=None), "a reply says something"),
        (entry("reply", reply=" "), "a reply says something"),
        (entry("failed"), "failed needs its reason"),
        (entry("failed", reason=" "), "failed needs its reason"),
        (entry(asked=[{"question": " ", "answer": "x"}]), "the question is blank"),
        (entry(asked=[{"question": "x", "answer": ""}]), "the answer is blank"),
        (entry(asked=[{"question": "x", "answer": "y" * 8193}]), "at most 8,192 fit"),
    ],
)
@pytest.mark.parametrize("mode", ["attended", "unattended"])
def test_a_decision_without_what_it_needs_is_refused(said: Data, saying: str, mode: str) -> None:
    with pytest.raises(Refused, match=saying):
        close(said, mode=mode)


def test_a_steer_that_is_gone_is_not_retired() -> None:
    gone = (set_("d1"), Fact("direction.dropped", "direction-g.d1", {"id": "d1", "reason": "done"}))
    with pytest.raises(Refused, match="no live steer d1"):
        close(entry("retire", direction_id="d1"), mode="attended", of=gone)


@pytest.mark.parametrize(
    ("document", "saying"),
    [
        ([], "the plan is not one"),
        ("plan", "the plan is not one"),
        (None, "the plan is not one"),
        ({"chats": [{"decision": "reply"}]}, "chats.0.comment_id"),
        ({"chats": [entry("resolve")]}, "chats.0.decision"),
        ({"chats": [entry(extra=1)]}, "chats.0.extra"),
        ({"chat": []}, "chat: "),
        ({"curate": [{"do": "delete", "id": "x", "evidence": []}]}, "curate.0.do"),
    ],
)
def test_a_document_that_is_no_plan_is_refused_with_the_first_thing_wrong(
    document: object, saying: str
) -> None:
    with pytest.raises(Refused, match=saying) as told:
        plans.parsed(document)
    assert "\n" not in told.value.message


# -- the events of a close -----------------------------------------------------------------------


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
