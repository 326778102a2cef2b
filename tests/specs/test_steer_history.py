"""What a steer's history tells: its changes, when it expired, and who replaced whose edit unseen."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from edge.domain.direction import changes
from edge.domain.steer_history import Line, Move, history
from tests.support.facts import Fact, dropped, happened, proposed, published, set_

LISBON = ZoneInfo("Europe/Lisbon")
NOW = datetime(2026, 12, 31, tzinfo=UTC)


def told(*facts: Fact, of: str = "d1", now: datetime = NOW, zone: Any = UTC) -> list[Line]:
    """The history of one steer, of moves written as the read model writes them."""
    moves = [
        Move(
            event.position,
            change.place,
            change.id,
            change.op,
            event.recorded_at,
            {
                **change.data,
                "reason": change.data.get("id") if change.op == "supersede" else change.data.get("reason"),
                "actor": event.actor,
                "event": event.id,
                "stream": event.stream,
            },
        )
        for event in happened(facts)
        for change in changes(event)
    ]
    return history([m for m in moves if m.id == of], now, zone)


def ops(lines: list[Line]) -> list[str]:
    return [line.op if line.counts else f"({line.op})" for line in lines]


def test_what_happened_is_told_in_order_with_who_did_it() -> None:
    lines = told(proposed("d1"), set_("d1"), dropped("d1", reason="done"))
    assert [(line.op, line.actor) for line in lines] == [
        ("propose", "dispatch"),
        ("set", "operator"),
        ("drop", "operator"),
    ]
    assert lines[-1].said["reason"] == "done"


def test_a_successor_is_named() -> None:
    lines = told(set_("d1"), set_("d2", supersedes="d1"))
    assert (ops(lines), lines[-1].said["reason"]) == (["set", "supersede"], "d2")


def test_a_date_that_passed_is_a_line_at_the_end_of_that_day_in_the_operators_zone() -> None:
    (_, expired) = told(set_("d1", expires_at="2026-12-24"), zone=ZoneInfo("America/New_York"))
    assert (expired.op, expired.event, expired.position) == ("expire", None, None)
    assert expired.at == "2026-12-25T04:59:59Z"  # New York is five hours behind in winter


@pytest.mark.parametrize("day", ["2026-12-31", "2027-01-01"])
def test_a_date_to_come_is_no_line_yet(day: str) -> None:
    assert ops(told(set_("d1", expires_at=day), zone=LISBON)) == ["set"]


def test_a_date_put_off_in_time_never_passed_and_one_put_off_late_did() -> None:
    first = set_("d1", expires_at="2026-11-25").recorded("2026-11-20T12:00:00.000Z")
    later = set_("d1", expires_at="2027-11-25")
    assert ops(told(first, later.recorded("2026-11-25T12:00:00.000Z"))) == ["set", "set"]
    assert ops(told(first, later.recorded("2026-11-26T12:00:00.000Z"))) == ["set", "expire", "set"]


def test_what_is_gone_does_not_expire_and_what_comes_back_may() -> None:
    ends = {"expires_at": "2026-12-01"}
    gone = [set_("d1", **ends), dropped("d1", reason="done")]
    assert ops(told(*gone)) == ["set", "drop"]
    again = set_("d1", expires_at="2026-12-02").recorded("2026-12-01T12:00:00.000Z")
    assert ops(told(*gone, again)) == ["set", "drop", "set", "expire"]


def test_a_date_passes_once_though_what_comes_later_is_passed_over() -> None:
    late = proposed("d1").recorded("2026-12-20T12:00:00.000Z")
    assert ops(told(set_("d1", expires_at="2026-12-01"), late)) == ["set", "expire", "(propose)"]


def test_an_edit_of_a_state_that_another_edited_too_names_the_one_it_replaced() -> None:
    start = set_("d1")
    (begun,) = happened([start])
    one, other = (set_("d1", title=title, basis=begun.position) for title in ("One", "Other"))
    lines = told(start, one, other)
    assert [line.conflicts_with for line in lines] == [None, None, lines[1].event]
    alone = set_("d1", title="One", basis=lines[1].position)
    assert [line.conflicts_with for line in told(start, one, alone)] == [None, None, None]


def test_what_changes_nothing_is_told_as_passed_over() -> None:
    assert ops(told(set_("d1"), proposed("d1"))) == ["set", "(propose)"]
    assert ops(told(set_("d1"), dropped("d1", reason="no").by("dispatch"))) == ["set", "(drop)"]


def test_nothing_counts_after_a_successor_took_its_place() -> None:
    lines = told(set_("d1"), set_("d2", supersedes="d1"), set_("d1", title="Back"))
    assert ops(lines) == ["set", "supersede", "(set)"]


def test_a_drop_of_what_never_was_is_passed_over() -> None:
    assert ops(told(dropped("d1", reason="what?"))) == ["(drop)"]


def test_a_proposal_of_an_artefato_names_it() -> None:
    facts = [published("study", proposes=[{"title": "T", "body": "B", "kind": "thread"}])]
    (event,) = happened(facts)
    (change,) = changes(event)
    (line,) = told(*facts, of=change.id)
    assert (line.op, line.said["from_artefato"]) == ("propose", "study")
