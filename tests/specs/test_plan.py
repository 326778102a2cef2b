"""A plan is taken whole or refused whole: coverage (I4), what an unattended run may settle (I5),
the events of each close (I6, I8)."""

from __future__ import annotations

import pytest

from edge.domain import plan as plans
from edge.domain.events import Data
from edge.domain.plan import check_coverage, check_mode
from edge.domain.refusal import Refused
from tests.specs.given import run
from tests.specs.planning import COMMENT, STEER, close, entry, outcome, plan
from tests.support.facts import Fact, answered, asked, commented, planned, set_, started

ASKED_FOLD = asked(
    options=[
        {"key": "yes", "label": "sim", "decision": "fold", "steer": {**STEER, "title": "Regra nova"}},
        {"key": "no", "label": "não", "decision": "acknowledge"},
    ]
)
ASKED_RETIRE = asked(options=[{"key": "1", "label": "Old", "decision": "retire", "direction_id": "d1"}])


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


def test_a_curation_decided_twice_is_refused() -> None:
    curate: Data = {"do": "set", "id": "d1", "evidence": ["x"]}
    attended = run([started("c1", mode="attended")])
    with pytest.raises(Refused, match="decides set d1 twice"):
        check_coverage(attended, plan(entry(), curate=(curate, {**curate, "title": "other"})))
    check_coverage(attended, plan(entry(), curate=(curate, {**curate, "do": "drop"})))


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
    with pytest.raises(Refused, match="does not say 'Deploy às sextas'"):
        close(entry("fold", steer=foreign))
    with pytest.raises(Refused, match="does not say 'Testes primeiro, nunca depois'"):
        close(entry("fold", steer={**STEER, "body": "Testes primeiro, nunca depois"}))
    assert close(entry("fold", steer=foreign), mode="attended")["events"]


def test_a_fold_that_quotes_no_word_is_refused_unattended() -> None:
    wordless = {**STEER, "title": "🔥", "body": "🔥"}
    with pytest.raises(Refused, match="does not say '🔥'"):
        close(entry("fold", steer=wordless), commented(body="今後は必ずテストを書くこと 🎉"))


@pytest.mark.parametrize(
    ("comment", "title"),
    [
        ("Usar cache sempre", "Não usar cache"),
        ("Always use the cache", "Do not use the cache"),
        ("Keep reports under 2 pages", "Keep reports under 900 pages"),
        ("Use tabs, not spaces", "Use spaces, not tabs"),
    ],
)
def test_a_fold_of_the_contrary_is_refused_unattended(comment: str, title: str) -> None:
    with pytest.raises(Refused, match=f"does not say '{title}'"):
        close(entry("fold", steer={**STEER, "title": title, "body": comment}), commented(body=comment))
    said = entry("fold", steer={**STEER, "title": title, "body": title})
    assert close(said, commented(body=title))["events"]


def test_what_edge_itself_replied_is_not_what_the_operator_said() -> None:
    reply = Fact("voz.reply", "voz-g.c1", {"comment_id": "c1", "body": "Deploy às sextas?"}, "grill")
    with pytest.raises(Refused, match="does not say 'Deploy'"):
        close(entry("fold", steer={**STEER, "title": "Deploy"}), COMMENT, reply)


def test_a_fold_that_leaves_the_comments_denial_out_is_refused_unattended() -> None:
    steer = {**STEER, "title": "Usar cache", "body": "Usar cache"}
    with pytest.raises(Refused, match="leaves the denial out"):
        close(entry("fold", steer=steer), commented(body="Não usar cache"))
    denying = {**STEER, "title": "Não usar cache", "body": "Não usar cache"}
    assert close(entry("fold", steer=denying), commented(body="Não usar cache"))["events"]


@pytest.mark.parametrize("more", [{"expires_at": "2027-01-01"}, {"relates_to": ["rep-a"]}])
def test_an_unattended_fold_sets_no_date_and_no_relation_of_its_own(more: Data) -> None:
    with pytest.raises(Refused, match="no date and no relation"):
        close(entry("fold", steer={**STEER, **more}))


def test_a_comment_that_asks_to_keep_a_steer_retires_none() -> None:
    said = commented(body="Não retire Testes primeiro, eu gosto de Testes primeiro")
    with pytest.raises(Refused, match="to keep a steer"):
        close(entry("retire", direction_id="d1"), said, of=(set_("d1", "Testes primeiro"),))


def test_an_option_chosen_and_then_taken_back_licenses_no_fold() -> None:
    chosen = {**STEER, "title": "Regra nova"}
    taken_back = [asked(clarify_id="q2"), answered(clarify_id="q2", body="não")]
    with pytest.raises(Refused, match="does not say"):
        close(entry("fold", steer=chosen), COMMENT, ASKED_FOLD, answered(body="sim"), *taken_back)


def test_a_fold_in_the_words_of_the_comment_or_its_answer_is_taken() -> None:
    assert close(entry("fold"))["events"]
    said = [COMMENT, asked(), answered(body="Sim: publicar às sextas")]
    assert close(entry("fold", steer={**STEER, "title": "Publicar às sextas"}), *said)["events"]


def test_a_fold_the_operator_chose_is_taken_in_the_options_words() -> None:
    chosen = {**STEER, "title": "Regra nova"}
    assert close(entry("fold", steer=chosen), COMMENT, ASKED_FOLD, answered(body="sim"))["events"]
    with pytest.raises(Refused, match="does not say 'Regra nova'"):
        close(entry("fold", steer=chosen), COMMENT, ASKED_FOLD, answered(body="não"))
    with pytest.raises(Refused, match="does not say 'Outra regra'"):
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
