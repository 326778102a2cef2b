"""Both channels pass the contract; and what the core makes of one whose medium is elsewhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from adapters.channels.native import NativeChannel
from edge.domain.channel import deliverable, reply_of
from edge.domain.refusal import Refused
from edge.ports_channel import Channel, Control
from edge.voz import Voz
from tests.contracts.channel import SLUG, ChannelContract
from tests.support.courier import Courier, Post
from tests.support.house import House, dump


class TestNativeChannel(ChannelContract):
    @pytest.fixture
    def channel(self) -> Channel[Control]:
        return NativeChannel()

    def comment(self, key: str, text: str, about: str | None = None) -> Control:
        return Control("comment", about, text=text, key=key)

    def vote(self, key: str, slug: str, value: int) -> Control:
        return Control("vote", slug, value=value, key=key)

    def answer(self, key: str, question: str, text: str) -> Control:
        return Control("answer", question, text=text, key=key)


class TestChannelOfElsewhere(ChannelContract):
    @pytest.fixture
    def channel(self) -> Channel[Post]:
        return Courier()

    def comment(self, key: str, text: str, about: str | None = None) -> Post:
        return Post(key, text, about=about)

    def vote(self, key: str, slug: str, value: int) -> Post:
        return Post(key, about=slug, thumb=value)

    def answer(self, key: str, question: str, text: str) -> Post:
        return Post(key, text, question=question)


@pytest.fixture
def house() -> House:
    house = House()
    house.publish(SLUG)
    return house


def heard(house: House, said: Post, **configured: Any) -> str:
    voz = Voz(house.journal, house, NativeChannel(), {"courier"})
    return voz.receive(Courier(**configured).signal(said)).id


def test_the_comments_event_says_what_it_came_over_and_how_an_answer_travels_back(house: House) -> None:
    heard(house, Post("d1", "Tests first", session_ends="2026-11-01T20:00:00Z"), fallback="dead_letter")
    (event,) = house.events("voz.comment")
    assert event.data["channel"] == "courier"
    assert event.data["reply_capability"] == {
        "channel": "courier",
        "address": "r7/p1",
        "expires_at": "2026-11-01T20:00:00Z",
        "threading_mode": "thread",
        "idempotency_key": "d1",
        "fallback_policy": "dead_letter",
    }
    assert event.actor == "operator"


def test_an_answer_goes_back_until_the_session_ends_and_then_falls_back(house: House) -> None:
    ends = "2026-11-01T20:00:00Z"  # twelve hours after the house began
    shown = heard(house, Post("d1", "Tests first", session_ends=ends))
    given_up = heard(house, Post("d2", "Tests last", post=None, session_ends=ends), fallback="dead_letter")
    ways: list[list[tuple[str, bool]]] = []
    for hours in (11.9, 0.2):
        house.hand_clock.move(hours)
        chats = [house.current().chat(id_) for id_ in (shown, given_up)]
        found = [deliverable(reply_of(chat), house.clock.now()) for chat in chats if chat]
        ways.append([(way.how, way.threaded) for way in found])
    assert ways == [[("channel", True), ("channel", False)], [("native", False), ("dead_letter", False)]]


def test_an_act_delivered_again_with_a_later_end_leaves_what_was_recorded(house: House) -> None:
    post = Post("d1", "Tests first", session_ends="2026-11-01T20:00:00Z")
    assert heard(house, post) == heard(house, replace(post, session_ends="2026-11-09T20:00:00Z"))
    (event,) = house.events("voz.comment")
    assert event.data["reply_capability"]["expires_at"] == "2026-11-01T20:00:00Z"


def test_one_key_over_two_channels_is_two_acts(house: House) -> None:
    over_there = heard(house, Post("k", "Tests first"))
    here = house.voz.comment("Tests first", key="k").id
    crafted = house.voz.comment("Tests first", key="courier/comment:k").id
    assert len({over_there, here, crafted}) == 3


def test_a_key_used_again_for_other_words_is_refused(house: House) -> None:
    heard(house, Post("k", "Tests first"))
    with pytest.raises(Refused, match="used for another comment"):
        heard(house, Post("k", "Tests last"))


def test_a_channel_nobody_set_up_is_not_the_operators_voice(house: House) -> None:
    before = house.log.head()
    for post in (Post("a", "Tests first"), Post("b", about=SLUG, thumb=1), Post("c", "yes", question="q")):
        with pytest.raises(Refused, match="'courier' is not set up"):
            house.voz.receive(Courier().signal(post))
    assert house.log.head() == before


def test_an_adapter_hears_only_the_operator(house: House) -> None:
    before = house.log.head()
    with pytest.raises(Refused, match="not the operator"):
        heard(house, Post("a", "Tests first", writer="u-1"))
    assert house.log.head() == before


def test_an_answer_lands_only_in_the_chat_its_channel_knows_it_to_be_of(house: House) -> None:
    parked = heard(house, Post("a", "Prefiro gráficos"))
    house.grill.run(house.cognition, "unattended", (8, 12_000), "pt", "dispatch")
    chat = house.current().chat(parked)
    assert chat is not None
    question = chat["questions"][0]["clarify_id"]
    with pytest.raises(Refused, match="no question"):
        heard(house, Post("b", "não", question=question, chat="another"))
    heard(house, Post("b", "não", question=question, chat=parked))
    assert house.events("voz.clarify_answer")[0].data["body"] == "não"


def test_what_its_medium_said_of_the_way_back_is_forgotten_with_the_comment(house: House) -> None:
    heard(house, Post("a", "Tests first", room="my-own-room"))
    stream = house.events("voz.comment")[0].stream
    house.current()
    assert "my-own-room" in "\n".join(dump(house.store.connection))
    house.foreign("voz.forgotten", stream, through=0, permanent=True, keys=[])
    house.current()
    assert "my-own-room" not in "\n".join(dump(house.store.connection))


def test_the_house_began_when_these_tests_say_it_did(house: House) -> None:
    assert house.clock.now() == datetime.fromisoformat("2026-11-01T08:00:00+00:00")
