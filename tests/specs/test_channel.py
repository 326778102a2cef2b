"""What a signal must say to be heard, and whether an answer to it can travel back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from edge.domain.channel import (
    SHOWN,
    Delivery,
    ReplyCapability,
    Signal,
    act_id,
    checked,
    deliverable,
    reply_of,
    told,
)
from edge.domain.language import Lang
from edge.domain.refusal import Refused
from tests.specs.given import chat
from tests.support.facts import commented

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
THERE = ReplyCapability("courier", "r7/p1", idempotency_key="d1", threading_mode="thread")


def over(**said: Any) -> Signal:
    return Signal("comment", None, text="Tests first", reply=THERE._replace(**said))


# -- what is heard -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signal", "saying"),
    [
        (over(channel="Some Where"), "no channel is called"),
        (over(channel=""), "no channel is called"),
        (over(idempotency_key=None), "no idempotency key"),
        (over(idempotency_key=" "), "key is blank"),
        (over(address=" "), "no address"),
        (over(expires_at="soon"), "not a time"),
        (over(threading_mode="sideways"), "no such threading mode"),
        (over(fallback_policy="shout"), "no such fallback policy"),
        (over()._replace(act="vote"), "names nothing"),
        (over()._replace(act="answer"), "names nothing"),
        (Signal("comment", None, reply=SHOWN._replace(idempotency_key="")), "key is blank"),
    ],
)
def test_a_signal_that_breaks_the_contract_is_refused_in_a_line(signal: Signal, saying: str) -> None:
    with pytest.raises(Refused, match=saying) as refused:
        checked(signal)
    assert "\n" not in refused.value.message


def test_terminal_and_dashboard_need_no_key_and_no_address() -> None:
    plain = Signal("comment", None, text="Tests first")
    assert checked(plain) == plain
    assert act_id("g", plain.act, plain.reply) is None


def test_an_acts_id_follows_from_group_channel_act_and_key_alone() -> None:
    later = THERE._replace(address="elsewhere", expires_at="2026-12-01T00:00:00Z", threading_mode="flat")
    assert act_id("g", "comment", THERE) == act_id("g", "comment", later)
    others = [
        act_id("h", "comment", THERE),
        act_id("g", "vote", THERE),
        act_id("g", "comment", THERE._replace(channel="pigeon")),
        act_id("g", "comment", THERE._replace(idempotency_key="d2")),
        act_id("g", "comment", SHOWN._replace(idempotency_key="d1")),
    ]
    assert len({act_id("g", "comment", THERE), *others}) == 6


# -- whether an answer can travel back ---------------------------------------------------------


@pytest.mark.parametrize("now", [NOW - timedelta(days=900), NOW, NOW + timedelta(days=900)])
def test_what_was_said_here_is_answered_here_whatever_the_time(now: datetime) -> None:
    assert deliverable(SHOWN, now) == Delivery("native", "native")


def test_an_open_end_stays_open() -> None:
    found = deliverable(THERE, NOW + timedelta(days=9_000))
    assert found == Delivery("channel", "reachable", "r7/p1", threaded=True)


@pytest.mark.parametrize(("mode", "threaded"), [("thread", True), ("flat", False), (None, False)])
def test_only_a_thread_holds_an_answer_under_what_it_answers(mode: str | None, threaded: bool) -> None:
    assert deliverable(THERE._replace(threading_mode=mode), NOW).threaded is threaded


@pytest.mark.parametrize(
    "end",
    ["2026-11-20T12:00:00Z", "2026-11-20T12:00:00", "2026-11-20T13:00:00+01:00", "2026-11-20T08:00:00-04:00"],
)
def test_a_window_ends_at_its_very_moment_in_whatever_zone_it_is_written(end: str) -> None:
    window = THERE._replace(expires_at=end)
    assert deliverable(window, NOW - timedelta(milliseconds=1)).how == "channel"
    assert deliverable(window, NOW) == Delivery("native", "expired")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"expires_at": "2026-11-20T11:59:00Z"}, "expired"),
        ({"expires_at": "next week"}, "unreadable-expiry"),
        ({"threading_mode": "sideways"}, "unknown-threading"),
        ({"address": " "}, "no-address"),
    ],
)
@pytest.mark.parametrize(
    ("policy", "how"),
    [("native", "native"), ("dead_letter", "dead_letter"), (None, "native"), ("shout", "native")],
)
def test_what_cannot_go_back_falls_back_as_the_channel_said_and_says_why(
    said: dict[str, str], why: str, policy: str | None, how: str
) -> None:
    found = deliverable(THERE._replace(fallback_policy=policy, **said), NOW)
    assert (found.how, found.why, found.address) == (how, why, None)
    langs: tuple[Lang, ...] = ("en", "pt")
    for lang in langs:
        line = told(found, "courier", lang)
        assert "courier" in line
        assert "{" not in line


@pytest.mark.parametrize("kept", [None, "yes", 7, [], {}, {"address": 5}, {"address": None}])
def test_what_a_stranger_wrote_as_a_way_back_is_none(kept: Any) -> None:
    state = chat(commented(channel="courier", reply_capability=kept)).state
    assert deliverable(reply_of(state), NOW) == Delivery("native", "no-address")


def test_what_was_recorded_comes_back_as_it_was_said() -> None:
    state = chat(commented(channel="courier", reply_capability=THERE.as_data())).state
    assert reply_of(state) == THERE


def test_a_comment_that_names_no_channel_was_said_here() -> None:
    assert reply_of(chat(commented()).state) == SHOWN
    assert told(deliverable(SHOWN, NOW), "native", "en") == ""


def test_an_address_is_shown_as_it_stands_whatever_is_in_it() -> None:
    line = told(deliverable(THERE._replace(address="{0} {channel} %s"), NOW), "courier", "en")
    assert line == "came over courier; an answer can go back to {0} {channel} %s, in its thread"
