"""The contract of the port Channel: a suite any adapter passes by saying how its medium says things.

    class TestMyChannel(ChannelContract):
        @pytest.fixture
        def channel(self): ...
        def comment(self, key, text, about): ...
        def vote(self, key, slug, value): ...
        def answer(self, key, question, text): ...

``key`` stands for one act: said twice with it, it is one act that was delivered again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adapters.channels.native import NativeChannel
from edge.cli.views import candidate
from edge.domain.channel import checked, deliverable
from edge.domain.harm import intent_of
from edge.ports_channel import Channel
from edge.voz import Spoken, Voz
from tests.support.house import House

SLUG = "retry-study"
TEXTS = (
    "Isto está errado, não faça isso",
    "From now on every report names its sources",
    "Which of our calls still lack a time limit?",
    "Obrigado, ficou ótimo",
    "+1",
    "yes",
    "日本語のコメント “quoted” 👍 <b>not a tag</b> {not} %s a format",
)


class ChannelContract:
    @pytest.fixture
    def channel(self) -> Channel[Any]:
        raise NotImplementedError("override with the adapter under test")

    def comment(self, key: str, text: str, about: str | None = None) -> Any:
        raise NotImplementedError

    def vote(self, key: str, slug: str, value: int) -> Any:
        raise NotImplementedError

    def answer(self, key: str, question: str, text: str) -> Any:
        raise NotImplementedError

    @pytest.fixture
    def house(self) -> House:
        house = House()
        house.publish(SLUG)
        return house

    @pytest.fixture
    def hear(self, house: House, channel: Channel[Any]) -> Callable[[Any], Spoken]:
        """What an install does with what its channel says."""
        voz = Voz(house.journal, house, NativeChannel(), {channel.name})
        return lambda said: voz.receive(channel.signal(said))

    def asked(self, house: House, hear: Callable[[Any], Spoken], text: str = "Prefiro gráficos") -> str:
        """A question that a run of the rules parked a comment on."""
        hear(self.comment("what it is asked about", text, SLUG))
        house.grill.run(house.cognition, "unattended", (8, 12_000), "pt", "dispatch")
        (chat,) = house.current().chats("parked")
        return chat["questions"][0]["clarify_id"]

    # -- the translation -------------------------------------------------------------------

    @pytest.mark.parametrize("text", TEXTS)
    def test_the_control_says_which_act_it_is_never_the_words(self, channel: Channel[Any], text: str) -> None:
        acts = [
            channel.signal(said)
            for said in (
                self.comment("k", text, SLUG),
                self.vote("k", SLUG, -1),
                self.answer("k", "q1", text),
            )
        ]
        assert [(s.act, s.target) for s in acts] == [("comment", SLUG), ("vote", SLUG), ("answer", "q1")]
        assert [(s.text, s.value) for s in acts] == [(text, 0), ("", -1), (text, 0)]

    def test_what_it_says_keeps_the_contract_and_names_the_channel(self, channel: Channel[Any]) -> None:
        for said in (self.comment("k", "a"), self.vote("k", SLUG, 1), self.answer("k", "q1", "yes")):
            signal = channel.signal(said)
            assert checked(signal) == signal
            assert signal.reply.channel == channel.name

    def test_a_second_delivery_says_the_same_and_another_act_does_not(self, channel: Channel[Any]) -> None:
        def key(said: Any) -> str | None:
            return channel.signal(said).reply.idempotency_key

        assert key(self.comment("k", "a")) == key(self.comment("k", "a"))
        assert key(self.comment("k", "a")) != key(self.comment("l", "a"))

    # -- what becomes of it ------------------------------------------------------------------

    @pytest.mark.parametrize("text", TEXTS)
    def test_a_comment_lands_word_for_word_and_the_core_reads_what_it_directs(
        self, house: House, hear: Callable[[Any], Spoken], text: str
    ) -> None:
        spoken = hear(self.comment("k", text, SLUG))
        (loaded,) = house.grill.start("unattended", 8, 12_000).loaded
        assert loaded.chat["comment_id"] == spoken.id
        assert (loaded.chat["body"], loaded.chat["target_ref"]) == (text, SLUG)
        told = candidate(loaded, house.current())
        assert told["intent"] == intent_of(text)
        weight = {"contradict": ["contradicts +30"], "steer": ["steers +10"]}.get(told["intent"] or "", [])
        assert [r for r in told["reasons"] if "newest" not in r] == weight

    def test_whatever_is_delivered_again_adds_nothing(
        self, house: House, hear: Callable[[Any], Spoken]
    ) -> None:
        question = self.asked(house, hear)
        acts = [
            self.comment("one", "Keep the tests short", SLUG),
            self.vote("two", SLUG, 1),
            self.answer("three", question, "não"),
        ]
        first = [hear(said) for said in acts]
        before = house.log.head()
        again = [hear(said) for said in (*acts, *acts)]
        assert house.log.head() == before
        assert not any(spoken.duplicate for spoken in first)
        assert again == [spoken._replace(duplicate=True) for spoken in (*first, *first)]

    def test_two_deliveries_at_once_land_once(self, house: House, hear: Callable[[Any], Spoken]) -> None:
        for said, type_ in (
            (self.comment("one", "Keep the tests short"), "voz.comment"),
            (self.vote("two", SLUG, 1), "voz.vote"),
        ):
            house.memory.interrupt(0, lambda said=said: hear(said))  # type: ignore[attr-defined]
            assert hear(said).duplicate
            assert len(house.events(type_)) == 1

    def test_an_act_delivered_again_after_its_chat_closed_opens_nothing(
        self, house: House, hear: Callable[[Any], Spoken]
    ) -> None:
        thanks = self.comment("one", "Obrigado, ficou ótimo", SLUG)
        hear(thanks)
        house.grill.run(house.cognition, "unattended", (8, 12_000), "pt", "dispatch")
        before = house.log.head()
        assert hear(thanks).duplicate
        assert (house.log.head(), list(house.current().chats("open"))) == (before, [])

    def test_a_question_is_answered_and_the_next_run_acts_on_it(
        self, house: House, hear: Callable[[Any], Spoken]
    ) -> None:
        hear(self.answer("a", self.asked(house, hear), "não"))
        house.grill.run(house.cognition, "unattended", (8, 12_000), "pt", "dispatch")
        (chat,) = house.current().chats("closed")
        assert chat["outcome"] == "acknowledged"

    def test_a_vote_gets_its_receipt_like_any_other(
        self, house: House, hear: Callable[[Any], Spoken]
    ) -> None:
        hear(self.vote("v", SLUG, -1))
        assert house.current().vote_on(SLUG) == -1
        house.publish("another")
        assert house.current().open_acts("vote") == []

    def test_an_answer_can_go_back_while_nothing_stands_against_it(
        self, house: House, channel: Channel[Any]
    ) -> None:
        way_back = deliverable(channel.signal(self.comment("k", "a")).reply, house.clock.now())
        assert way_back.how == ("native" if channel.name == "native" else "channel")
