"""Forgetting, decided: what ends a stream, what quotes it, which keys stay, which steers outlive it."""

from __future__ import annotations

from typing import Any

import pytest

from edge.domain import forgetting
from edge.domain.events import Draft, Event
from edge.domain.forgetting import Going, Keys
from tests.specs import given
from tests.support.facts import (
    Fact,
    commented,
    dropped,
    happened,
    in_one_append,
    planned,
    published,
    replied,
    resolved,
    set_,
    started,
)


def forgotten(stream: str, revision: int, **data: Any) -> Event:
    type_ = f"{stream.partition('-')[0]}.forgotten"
    return Event("x", type_, stream, revision, revision + 1, {"through": revision - 1, **data}, {})


def turn(id_: str, text: str = "x", ts: str | None = "2026-01-01T00:00:00Z") -> dict[str, Any]:
    return {"id": id_, "role": "operator", "ts": ts, "text": text}


def captured(stream: str, *turns: dict[str, Any]) -> Fact:
    data = {"session": stream, "turns": list(turns), "from": 0, "to": 9, "presence": "present"}
    return Fact("episode.captured", f"episode-g.{stream}", data, "sweep")


# -- where a stream begins ------------------------------------------------------------------------


def test_a_stream_begins_with_its_last_end() -> None:
    first = forgetting.boundaries(
        [forgotten("voz-g.c1", 3), forgotten("voz-g.c1", 7), forgotten("grill-g.r", 0)]
    )
    assert first == {"voz-g.c1": 7, "grill-g.r": 0}
    before, after = forgotten("voz-g.c1", 6), forgotten("voz-g.c1", 7)
    assert (forgetting.counts(before, first), forgetting.counts(after, first)) == (False, True)


def test_ends_in_a_row_begin_with_the_first_of_them() -> None:
    parts = [forgotten("episode-g.s", 4, part=0), forgotten("episode-g.s", 5, part=1)]
    assert forgetting.boundaries(parts) == {"episode-g.s": 4}


@pytest.mark.parametrize("part", [-1, 9, "x", None])
def test_a_strangers_part_is_none(part: object) -> None:
    assert forgetting.boundary(forgotten("episode-g.s", 4, part=part)) == 4


def test_an_end_kept_in_another_stream_ends_nothing() -> None:
    stray = forgotten("voz-g.c1", 3)._replace(stream="import-g.c1")
    assert not forgetting.is_forgotten(stray)
    assert forgetting.boundaries([stray]) == {}


# -- what quotes ------------------------------------------------------------------------------------


def going(*facts: Fact) -> tuple[Going, list[Event]]:
    found, events = Going(), happened(facts)
    for event in events:
        found.take(event)
    return found, events


def briefing(*ids: str) -> Fact:
    items = [{"section": "voz", "text": "x", "events": list(ids)}, {"section": "health", "text": "y"}]
    return Fact("briefing.presented", "dispatch-g.d1", {"position": 1, "text": "x", "items": items})


def quotes(found: Going, fact: Fact) -> bool:
    (event,) = happened([fact])
    return found.is_quoted_by(event)


def test_a_briefing_quotes_what_its_items_came_from() -> None:
    found, (comment,) = going(commented("c1"))
    assert quotes(found, briefing(comment.id))
    assert not quotes(found, briefing("another"))


def test_a_briefing_of_the_steer_alone_does_not() -> None:
    found, events = going(commented("c1"), *in_one_append(set_("d1", origin_comment_id="c1"), resolved("c1")))
    assert not quotes(found, briefing(events[1].id))
    assert quotes(found, briefing(events[2].id))


def test_a_run_quotes_the_chats_it_loaded_or_planned() -> None:
    found, _ = going(commented("c1"), replied("c1"))
    assert quotes(found, started("c0", "c1"))
    assert not quotes(found, started("c0"))
    assert quotes(found, planned("c1", "reply"))
    assert not quotes(found, planned("c2", "reply"))


def test_a_run_quotes_the_proposals_on_its_agenda_and_the_evidence_of_its_plans() -> None:
    proposal = {"title": "Idea", "body": "x", "kind": "thread"}
    found, (publication,) = going(published("study", proposes=[proposal]))
    (id_,) = found.proposals
    agenda = started("c0")._replace(data={**started("c0").data, "agenda": [{"do": "set", "id": id_}]})
    assert quotes(found, agenda)
    assert quotes(found, planned("c2", "reply", evidence=[publication.id]))
    assert not quotes(found, planned("c2", "reply", evidence=["study"]))


@pytest.mark.parametrize(
    ("ref", "cited"),
    [("session 0193abcd", True), ("0193abcd-ef-session", True), ("0193", False), ("", False)],
)
def test_a_publication_that_names_the_session_is_told_of(ref: str, cited: bool) -> None:
    found, _ = going(captured("0193abcd-ef-session"))
    (event,) = happened([published("study", cites=[{"ref": ref, "kind": "atividade"}])])
    assert found.is_cited_by(event) is cited


def test_what_strangers_wrote_quotes_nothing() -> None:
    found, _ = going(commented("c1"))
    for data in ({}, {"items": "x"}, {"items": [{"events": "c1"}, 3]}, {"items": [{"events": [None]}]}):
        assert not quotes(found, Fact("briefing.presented", "dispatch-g.d", data))
    assert not quotes(found, Fact("grill.started", "grill-g.r", {"loaded": 3, "agenda": [None]}))


# -- keys ---------------------------------------------------------------------------------------------


def test_keys_are_kept_of_turns_the_stream_has_first() -> None:
    one, copy = happened([captured("s1", turn("a")), captured("s2", turn("a"), turn("b", "y"))])
    keys = Keys()
    keys.own(one)
    assert keys.other(copy) == 1
    kept = keys.of("episode-g.s1")
    assert "a" in kept and "b" not in kept


def test_a_key_that_a_staying_stream_has_first_is_that_streams() -> None:
    first, copy = happened([captured("s1", turn("a")), captured("s2", turn("z"))])
    keys = Keys()
    keys.own(copy)  # the same words at the same time, logged again under a new id
    keys.other(first)
    assert keys.of("episode-g.s2") == ["z"]


def test_of_two_streams_that_go_each_key_is_with_the_first() -> None:
    one, two = happened([captured("s1", turn("a")), captured("s2", turn("a"), turn("b", "y"))])
    keys = Keys()
    for event in (two, one):
        keys.own(event)
    assert "a" in keys.of("episode-g.s1")
    assert "a" not in keys.of("episode-g.s2") and "b" in keys.of("episode-g.s2")


def test_many_keys_come_in_parts_and_none_in_one() -> None:
    keys = [str(n) for n in range(forgetting.KEYS_AN_EVENT + 1)]
    assert [len(part) for part in forgetting.in_parts(keys)] == [forgetting.KEYS_AN_EVENT, 1]
    assert list(forgetting.in_parts([])) == [[]]


# -- steers -------------------------------------------------------------------------------------------


def kept(id_: str, goes: list[Fact], stays: list[Fact]) -> list[Draft]:
    """What is appended for a steer where some of the facts go; those come first."""
    whole, rest = given.steers(*goes, *stays), given.steers(*stays)
    return forgetting.kept(id_, whole.get(id_), rest.get(id_))


def test_a_steer_set_in_what_goes_is_set_anew_as_it_stands() -> None:
    born = set_("d1", "Tests first", origin_comment_id="c1", supersedes="d0", expires_at="2027-01-31")
    (draft,) = kept("d1", [born], [])
    assert (draft.type, draft.data) == (
        "direction.set",
        {
            "id": "d1",
            "title": "Tests first",
            "body": "Tests first",
            "kind": "priority",
            "expires_at": "2027-01-31",
            "supersedes": "d0",
            "origin_comment_id": "c1",
            "basis": 3,
        },
    )


def test_a_steer_edited_by_hand_since_stands_by_itself() -> None:
    assert kept("d1", [set_("d1", "Tests first")], [set_("d1", "Tests before")]) == []


def test_a_steer_dropped_since_is_not_brought_back() -> None:
    assert kept("d1", [set_("d1")], [dropped("d1")]) == []


def test_a_steer_that_what_goes_took_out_is_taken_out_again() -> None:
    set_first, taken_out = set_("d1"), dropped("d1", reason="says the comment")
    whole, rest = given.steers(set_first, taken_out), given.steers(set_first)
    (draft,) = forgetting.kept("d1", whole["d1"], rest["d1"])
    assert (draft.type, draft.data["reason"]) == ("direction.dropped", forgetting.RETIRED)


def test_what_was_only_proposed_goes_with_what_proposed_it() -> None:
    proposal = {"title": "Idea", "body": "x", "kind": "thread"}
    (id_,) = given.steers(published("study", proposes=[proposal]))
    assert kept(id_, [published("study", proposes=[proposal])], []) == []


def test_a_strangers_steer_is_kept_in_the_shape_a_steer_has() -> None:
    odd = Fact(
        "direction.set", "voz-g.c1", {"id": "d1", "body": "do\nthis", "kind": "?", "expires_at": "soon"}
    )
    (draft,) = kept("d1", [odd], [])
    assert (draft.data["title"], draft.data["kind"]) == ("do", "priority")
    assert "expires_at" not in draft.data


# -- what has ended takes nothing more -------------------------------------------------------------------


END = Fact("voz.forgotten", "voz-g.c1", {"through": 0, "permanent": True})


def test_a_forgotten_chat_is_closed_and_says_nothing() -> None:
    from edge.domain import chat as chats
    from edge.domain import pendency

    state = chats.initial("c1")
    for event in happened([commented("c1", "words"), replied("c1"), END]):
        state = chats.evolve(state, event)
    assert (state["body"], state["said"], state["position"]) == ("", [], 0)
    assert chats.state_of(state) == "closed"
    assert not pendency.of_comment(state)["open"]
    assert pendency.receipt(pendency.of_comment(state)) == []
    given.Given(state).when(chats.comment, "words", None, 0).then_refused("was forgotten")


def test_a_close_of_a_forgotten_chat_is_stale() -> None:
    from edge.domain.chat import guard

    events = happened([commented("c1"), END])
    assert guard(events, ["p1"], 0) == guard(events[1:], ["p1"], 0) == "stale"


def test_a_run_that_was_forgotten_is_no_run_any_more() -> None:
    run = given.run([started("c1"), Fact("grill.forgotten", "grill-g.r1", {"through": 0})])
    assert (run["state"], run["loaded"]) == ("forgotten", [])


@pytest.mark.parametrize("opened", [None, {"kind": "beat", "origin": "beat"}])
def test_a_dispatch_goes_on_only_where_it_was_open(opened: dict[str, str] | None) -> None:
    from edge.domain import dispatch

    data = {"through": 1, "opened": opened} if opened else {"through": 1}
    facts = [
        Fact("dispatch.opened", "dispatch-g.d1", {"kind": "beat", "origin": "beat"}),
        *([] if opened else [Fact("dispatch.closed", "dispatch-g.d1", {})]),
        Fact("dispatch.forgotten", "dispatch-g.d1", data),
    ]
    state = dispatch.initial("d1")
    for event in happened(facts):
        state = dispatch.evolve(state, event)
    assert (state["state"], state["kind"]) == (("open", "beat") if opened else ("none", ""))
