"""Direction: which steers hold, in which tier, and what may be done to one."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from edge.domain import direction
from edge.domain.direction import drop, is_expired, listed, new_id, proposal_id, propose, steer_fields
from edge.domain.refusal import Refused
from edge.domain.streams import ITEM_ID
from tests.specs.given import item, steers
from tests.support.facts import Fact, dropped, proposed, publication, set_

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FIELDS = {"title": "Tests first", "body": "No merge without one", "kind": "priority"}


def tiers(*facts: Fact) -> dict[str, str]:
    return {id_: state["tier"] for id_, state in steers(*facts).items()}


def shown(*facts: Fact, now: datetime = NOW) -> dict[str, list[str]]:
    lists = listed(steers(*facts).values(), now, UTC)
    return {name: [steer["id"] for steer in found] for name, found in lists.items()}


# -- the fold ----------------------------------------------------------------------------------


def test_set_outranks_a_later_proposal_of_the_same_id() -> None:
    state = steers(proposed("d1", "old"), set_("d1", "mine"), proposed("d1", "late"))["d1"]
    assert (state["tier"], state["title"]) == ("set", "mine")


def test_the_last_event_of_a_tier_wins() -> None:
    assert steers(set_("d1", "one"), set_("d1", "two"))["d1"]["title"] == "two"
    assert steers(proposed("d1", "one"), proposed("d1", "two"))["d1"]["title"] == "two"


def test_a_drop_takes_an_item_out_and_its_id_may_be_proposed_again() -> None:
    assert tiers(set_("d1"), dropped("d1")) == {"d1": "gone"}
    assert tiers(set_("d1"), dropped("d1"), proposed("d1")) == {"d1": "proposed"}


def test_an_item_reborn_keeps_nothing_of_its_old_life() -> None:
    old = set_("d1", origin_comment_id="c1", supersedes="d0")
    state = steers(old, dropped("d1"), proposed("d1"))["d1"]
    assert (state["origin_comment_id"], state["supersedes"], state["reason"]) == (None, None, None)


def test_what_was_superseded_stays_gone_when_its_successor_is_dropped() -> None:
    facts = [set_("d1"), set_("d2", supersedes="d1")]
    assert tiers(*facts) == {"d1": "gone", "d2": "set"}
    assert tiers(*facts, dropped("d2")) == {"d1": "gone", "d2": "gone"}


def test_an_item_that_supersedes_itself_or_nothing_known_simply_stands() -> None:
    assert tiers(set_("d1", supersedes="d1")) == {"d1": "set"}
    assert tiers(set_("d1", supersedes="unknown")) == {"d1": "set", "unknown": "gone"}


def test_what_was_superseded_comes_back_under_no_event_of_its_id() -> None:
    facts = [set_("d1"), set_("d2", supersedes="d1"), set_("d1")]
    assert tiers(*facts) == {"d1": "gone", "d2": "set"}


def test_first_seen_order_is_kept_through_promotion() -> None:
    assert shown(proposed("a"), proposed("b"), set_("c"), set_("b"), set_("a"))["set"] == ["a", "b", "c"]


def test_a_later_edit_keeps_where_the_steer_came_from() -> None:
    state = steers(set_("d1", origin_comment_id="c1"), set_("d1", "edited"))["d1"]
    assert (state["title"], state["origin_comment_id"]) == ("edited", "c1")


@pytest.mark.parametrize("actor", ["dispatch", "sweep", "extractor", ""])
def test_a_set_item_dropped_by_anyone_but_the_operator_stays_and_is_reported(actor: str) -> None:
    state = steers(set_("d1"), dropped("d1").by(actor))["d1"]
    assert (state["tier"], state["unauthorised_drop"]) == ("set", True)


@pytest.mark.parametrize("actor", ["operator", "grill", "import"])
def test_the_operator_a_grill_and_an_import_drop_a_set_item(actor: str) -> None:
    assert tiers(set_("d1"), dropped("d1").by(actor)) == {"d1": "gone"}


def test_anyone_drops_a_proposal() -> None:
    assert tiers(proposed("d1"), dropped("d1").by("dispatch")) == {"d1": "gone"}


def test_a_drop_of_nothing_makes_nothing() -> None:
    assert steers(dropped("d1")) == {}


def test_two_edits_from_the_same_basis_conflict_and_the_later_stands() -> None:
    state = steers(set_("d1"), set_("d1", "one", basis=3), set_("d1", "two", basis=3))["d1"]
    assert (state["title"], state["conflict"]) == ("two", True)
    settled = steers(set_("d1"), set_("d1", "one", basis=3), set_("d1", "two", basis=8))["d1"]
    assert not settled["conflict"]


def test_an_edit_that_knew_of_the_conflict_settles_it() -> None:
    conflict = [set_("d1"), set_("d1", "one", basis=3), set_("d1", "two", basis=3)]
    assert not steers(*conflict, set_("d1", "three", basis=14))["d1"]["conflict"]


def test_an_artefatos_proposals_are_folded_from_its_publication() -> None:
    proposes = [{"title": "Cache less", "body": "It hides bugs", "kind": "constraint"}]
    id_ = proposal_id("study", "Cache less", "It hides bugs")
    state = steers(*publication(proposes=proposes))[id_]
    assert (state["tier"], state["from_artefato"], state["kind"]) == ("proposed", "study", "constraint")
    assert id_.startswith("study.")
    assert len(id_) == len("study.") + 8
    assert ITEM_ID.fullmatch(id_)


# -- expiry ------------------------------------------------------------------------------------


def test_a_date_means_the_end_of_that_day_in_the_operators_zone() -> None:
    (state,) = steers(set_("d1", expires_at="2026-11-20")).values()
    zone = ZoneInfo("America/Sao_Paulo")  # UTC-3
    assert not is_expired(state, datetime(2026, 11, 21, 2, 59, 59, tzinfo=UTC), zone)
    assert is_expired(state, datetime(2026, 11, 21, 3, 0, 1, tzinfo=UTC), zone)
    assert is_expired(state, datetime(2026, 11, 21, 0, 0, 1, tzinfo=UTC), UTC)


def test_expired_items_leave_their_tier_and_are_listed_apart() -> None:
    facts = [set_("d1", expires_at="2026-11-19"), proposed("d2", expires_at="2026-11-01"), set_("d3")]
    assert shown(*facts) == {"set": ["d3"], "proposed": [], "expired": ["d1", "d2"]}


def test_a_strangers_date_that_is_none_never_expires() -> None:
    assert shown(set_("d1", expires_at="soon"))["set"] == ["d1"]


# -- decisions ---------------------------------------------------------------------------------


def test_a_proposal_says_what_it_began_from() -> None:
    item("d1").when(propose, "d1", FIELDS).then(("direction.proposed", {"id": "d1", **FIELDS}))
    known = item("d1", proposed("d1"))
    assert known.state is not None
    known.when(propose, "d1", FIELDS).then(
        ("direction.proposed", {"id": "d1", **FIELDS, "basis": known.state["position"]})
    )


def test_a_set_item_is_not_proposed_again() -> None:
    item("d1", set_("d1")).when(propose, "d1", FIELDS).then_refused("d1 is set already")


def test_a_promotion_keeps_where_the_proposal_came_from() -> None:
    known = item("d1", proposed("d1", from_artefato="study"))
    assert known.state is not None
    data = {"id": "d1", **FIELDS, "basis": known.state["position"], "from_artefato": "study"}
    known.when(direction.set_, "d1", FIELDS).then(("direction.set", data))


def test_only_a_live_steer_is_dropped_and_only_with_a_reason() -> None:
    item("d1").when(drop, "d1", "done").then_refused("no live steer d1")
    item("d1", set_("d1"), dropped("d1")).when(drop, "d1", "done").then_refused("no live steer d1")
    item("d1", set_("d1")).when(drop, "d1", "  ").then_refused("needs a reason")


@pytest.mark.parametrize(
    ("changed", "saying"),
    [
        ({"title": " "}, "needs a title"),
        ({"title": "a\nb"}, "one line"),
        ({"title": "x" * 81}, "81 characters"),
        ({"body": " "}, "needs a body"),
        ({"kind": "goal"}, "no such kind"),
        ({"expires_at": "soon"}, "not a date"),
    ],
)
def test_a_steer_without_its_fields_is_refused(changed: dict[str, str], saying: str) -> None:
    with pytest.raises(Refused, match=saying):
        steer_fields(**{**FIELDS, **changed})  # type: ignore[arg-type]


def test_a_title_of_80_characters_fits() -> None:
    assert steer_fields("x" * 80, "body", "phase")["title"] == "x" * 80


@pytest.mark.parametrize("title", ["Testes à frente!", "漢字", "x" * 80, "-._", "Ünïcode & co"])
def test_a_new_id_is_readable_valid_and_differs_with_what_made_it(title: str) -> None:
    assert ITEM_ID.fullmatch(new_id(title, "a"))
    assert new_id(title, "a") == new_id(title, "a") != new_id(title, "b")
