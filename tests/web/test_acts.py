"""What the operator does on the pages: each lands once, shows at once, or is refused as a page."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.lived_in import SLUG, unattended
from tests.web.operator import Operator


def test_a_comment_lands_and_shows_at_once(operator: Operator) -> None:
    back = operator.sends("/voz", "/voz", body="Diz <b>isto</b> primeiro", harm="50")
    assert back == "/voz?done=commented#timeline"
    seen = operator.browser.get(back).text
    assert "Diz &lt;b&gt;isto&lt;/b&gt; primeiro" in seen
    assert "urgency 50" in seen


def test_a_comment_on_an_artefato_leads_back_to_it(operator: Operator) -> None:
    back = operator.sends(f"/artefatos/{SLUG}", "/voz", body="And at night?")
    assert back.startswith(f"/artefatos/{SLUG}?done=commented")
    assert "And at night?" in operator.sees(f"/artefatos/{SLUG}")


def test_a_form_sent_twice_lands_once(operator: Operator) -> None:
    fields = {**operator.form("/voz", "/voz"), "body": "Once, please"}
    operator.posts("/voz", fields)
    head = operator.written()
    operator.posts("/voz", fields)
    assert operator.written() == head


def test_a_form_sent_many_times_at_once_lands_once(operator: Operator) -> None:
    fields = {**operator.form("/voz", "/voz"), "body": "Once, however often"}
    with ThreadPoolExecutor(4) as tabs:
        list(tabs.map(lambda _: operator.posts("/voz", fields), range(8)))
    operator.edge.current()
    said = [c for c in operator.edge.reads().chats() if c["body"] == "Once, however often"]
    assert len(said) == 1


def test_two_tabs_each_send_their_own(operator: Operator) -> None:
    one, other = operator.form("/voz", "/voz"), operator.form("/voz", "/voz")
    operator.posts("/voz", {**one, "body": "from one tab"})
    operator.posts("/voz", {**other, "body": "from the other"})
    seen = operator.sees("/voz")
    assert "from one tab" in seen
    assert "from the other" in seen


def test_the_key_of_one_comment_takes_no_other(operator: Operator) -> None:
    fields = operator.form("/voz", "/voz")
    operator.posts("/voz", {**fields, "body": "first"})
    head = operator.written()
    assert "Nothing was written" in operator.posts("/voz", {**fields, "body": "second"}, 409)
    assert operator.written() == head


def test_a_question_is_answered_and_the_next_grill_folds_the_answer_into_direction(
    operator: Operator,
) -> None:
    question = operator.edge.reads().recent_chats(1, which="parked")[0]
    clarify = question["questions"][0]["clarify_id"]
    action = f"/voz/questions/{clarify}"
    back = operator.sends("/voz", action, choice="yes")
    assert f"#c-{question['comment_id']}" in back
    assert "you answered" in operator.sees("/voz")
    unattended(operator.edge)
    operator.edge.current()
    seen = operator.sees(f"/voz/{question['comment_id']}")
    assert "folded into Direction" in seen
    assert "/direction/from-now-on-every-report-names-its-sources" in seen


def test_an_answer_given_already_is_refused_and_the_same_again_lands_once(operator: Operator) -> None:
    question = operator.edge.reads().recent_chats(1, which="parked")[0]["questions"][0]["clarify_id"]
    action = f"/voz/questions/{question}"
    fields = operator.form("/voz", action)
    operator.posts(action, {**fields, "body": "yes"})
    head = operator.written()
    operator.posts(action, {**fields, "body": "yes"})
    assert "settled already" in operator.posts(action, {**fields, "body": "no"}, 409)
    assert operator.written() == head


def test_a_vote_is_cast_changed_and_taken_back(operator: Operator) -> None:
    page, action = f"/artefatos/{SLUG}", f"/artefatos/{SLUG}/vote"
    operator.sends(page, action, value="up")
    assert "You found it useful" in operator.sees(page)
    operator.sends(page, action, value="down")
    assert "You found it not useful" in operator.sees(page)
    operator.sends(page, action, value="clear")
    assert "No vote yet" in operator.sees(page)
    fields = operator.form(page, action)
    operator.posts(action, {**fields, "value": "up"})
    head = operator.written()
    operator.posts(action, {**fields, "value": "up"})
    assert operator.written() == head


def test_a_proposal_is_accepted_once_and_another_rejected_with_its_reason(operator: Operator) -> None:
    one, other = [item["id"] for item in operator.edge.reads().items() if item["tier"] == "proposed"]
    fields = operator.form("/direction", f"/direction/{one}/accept")
    operator.posts(f"/direction/{one}/accept", fields)
    head = operator.written()
    operator.posts(f"/direction/{one}/accept", fields)
    assert operator.written() == head
    reason = {"csrf": operator.csrf(), "reason": "not this year"}
    operator.posts(f"/direction/{other}/reject", reason)
    head = operator.written()
    operator.posts(f"/direction/{other}/reject", reason)
    assert operator.written() == head
    assert "not this year" in operator.sees(f"/direction/{other}")
    operator.posts(f"/direction/{other}/accept", {"csrf": operator.csrf()}, 409)
    operator.browser.get("/lang/pt")
    refused = operator.posts(f"/direction/{other}/accept", {"csrf": operator.csrf()}, 409)
    assert f"nenhuma proposta viva {other}" in refused
    operator.edge.current()
    assert operator.edge.reads().item(one)["tier"] == "set"  # type: ignore[index]


def test_accepting_keeps_what_the_artefato_proposed_and_where_it_came_from(operator: Operator) -> None:
    before = next(item for item in operator.edge.reads().items() if item["tier"] == "proposed")
    operator.posts(f"/direction/{before['id']}/accept", {"csrf": operator.csrf()})
    operator.edge.current()
    after = operator.edge.reads().item(before["id"])
    assert after is not None
    kept = ("title", "body", "kind", "from_artefato")
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}  # type: ignore[literal-required]


def test_knowledge_is_promoted_contested_and_retired(operator: Operator) -> None:
    one = operator.edge.reads().recently_known(1, tier="hypothesis")[0].id
    page = f"/knowledge/{one}"
    operator.sends(page, f"{page}/promote", statement="In my words")
    assert "In my words" in operator.sees(page)
    assert "curated" in operator.sees(page)
    operator.sends(page, f"{page}/contest", reason="no longer sure")
    assert "no longer sure" in operator.sees(page)
    head = operator.written()
    operator.sends(page, f"{page}/contest", reason="no longer sure")
    assert operator.written() == head
    operator.sends(page, f"{page}/retire", reason="over")
    assert "retired" in operator.sees(page)


def test_a_comment_is_withdrawn(operator: Operator) -> None:
    chat = operator.edge.reads().recent_chats(1, which="open")[0]["comment_id"]
    operator.sends(f"/voz/{chat}", f"/voz/{chat}/withdraw")
    assert "withdrawn or set aside" in operator.sees(f"/voz/{chat}")


@pytest.mark.parametrize(
    ("status", "action", "fields"),
    [
        (422, "/voz", {"body": "   \n "}),
        (422, "/voz", {}),
        (413, "/voz", {"body": "á" * 4_097}),
        (413, "/voz", {"body": "x" * 70_000}),
        (404, "/voz", {"body": "on what?", "on": "no-such-slug"}),
        (404, "/voz", {"body": "on what?", "on": "../../etc/passwd"}),
        (422, "/voz", {"body": "how?", "harm": "101"}),
        (422, "/voz", {"body": "how?", "harm": "much"}),
        (404, "/voz/questions/nope", {"body": "yes"}),
        (404, "/artefatos/nope/vote", {"value": "up"}),
        (422, f"/artefatos/{SLUG}/vote", {"value": "sideways"}),
        (422, f"/artefatos/{SLUG}/vote", {}),
        (404, "/voz/nope/withdraw", {}),
        (404, "/direction/nope/accept", {}),
        (404, "/knowledge/nope/promote", {}),
        (422, "/knowledge/nope/burn", {}),
        (404, "/nope", {}),
    ],
)
def test_what_cannot_be_taken_is_a_page_and_nothing_is_written(
    operator: Operator, status: int, action: str, fields: dict[str, str]
) -> None:
    csrf, head = operator.csrf(), operator.written()
    seen = operator.posts(action, {"csrf": csrf, **fields}, status)
    assert "Nothing was written" in seen
    assert 'href="/static/style.css"' in seen
    assert operator.written() == head


def test_each_weight_of_a_source_leads_to_what_it_came_from(operator: Operator) -> None:
    operator.edge.voz.vote(SLUG, 1)
    (source, *_) = operator.edge.current().sources(operator.edge.clock.now())
    assert {why["signal"] for why in source.why} >= {"cited", "used", "credit"}
    positions = {event.id: event.position for event in operator.edge.log.read_all()}
    page = operator.sees(f"/sources/one?ref={source.ref}")
    for why in source.why:
        about, event = why["about"], why["event"]
        cited = why["signal"] == "cited"
        where = f"/artefatos/{about}" if cited else f"/why?id={event}&kind=event"
        assert f'<a href="{where}">{about}</a>' in page
        assert (about if cited else f"position {positions[event]}") in operator.sees(where)


def test_secrets_are_replaced_before_they_are_written(operator: Operator) -> None:
    operator.sends("/voz", "/voz", body="Staging uses AKIAIOSFODNN7EXAMPLE, is that right?")
    seen = operator.sees("/voz")
    assert "AKIAIOSFODNN7EXAMPLE" not in seen
    assert "[redacted:aws-key]" in seen
