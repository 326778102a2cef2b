"""I1 to I12, I19, I20 and I25 over random days, each computed again from the log alone."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from edge.domain.events import by_append
from projections.queries import ReadModels
from projections.runner import Runner
from tests.properties import witness
from tests.properties.operators_days import ACTS, Days
from tests.properties.witness import BODIES
from tests.support.house import LOG_ID, House, briefing_text, dump, folded, replayed
from tests.support.soak import SOAKING, more

WEIGHTED = [name for name, often in ACTS.items() for _ in range(often)]
DAYS = st.lists(st.tuples(st.sampled_from(WEIGHTED), st.integers(0, 9999)), min_size=20, max_size=45)
BOUNDED = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=not SOAKING,
    database=None,
    phases=(Phase.generate,),  # shrinking a day takes minutes, and it is short enough to read
)


@given(DAYS)
@settings(BOUNDED, max_examples=more(100, 4))
def test_whatever_happens_in_whatever_order_every_rule_of_the_log_holds(acts: list[tuple[str, int]]) -> None:
    Days().live(acts)


COMMENTS = st.lists(
    st.tuples(st.sampled_from(list(BODIES)), st.sampled_from([0, 5, 20, 40]), st.sampled_from([0.0, 30.0])),
    min_size=3,
    max_size=12,
)


@given(COMMENTS, st.integers(1, 12), st.integers(1, 400))
@settings(BOUNDED, max_examples=more(80, 4))
def test_a_batch_is_taken_by_harm_up_to_its_caps_and_the_same_log_gives_it_again(
    comments: list[tuple[str, int, float]], max_chats: int, max_tokens: int
) -> None:
    house = House()
    for body, harm, hours in comments:
        house.voz.comment(body, None, harm)
        house.hand_clock.move(hours)
    again = replayed(house.events())
    again.hand_clock.at = house.clock.now()
    started = house.grill.start("unattended", max_chats, max_tokens)
    loaded, overflow, _ = witness.batch(house.events(), house.clock.now(), max_chats, max_tokens)
    said = [(c["comment_id"], c["harm"], c["tokens"]) for c in started.run["loaded"]]
    assert said == [tuple(ranked) for ranked in loaded]
    assert len(started.overflow) == overflow
    repeated = again.grill.start("unattended", max_chats, max_tokens)
    recorded = ("cursor", "now", "mode", "caps", "loaded", "overflow", "awaiting", "agenda")
    assert [repeated.run[name] for name in recorded] == [started.run[name] for name in recorded]  # type: ignore[literal-required]


class Replayed(Days):
    """The same days; when they are over, all that is derived is derived again and compared."""

    def check(self) -> None:
        """Left to the other days."""

    def look_back(self) -> None:
        self.live_read_models_equal_a_replay()
        self.pages_never_end_inside_an_append()
        self.the_same_log_and_clock_give_the_same_briefing_and_no_positions()
        witness.check_publications(self.house.events())

    def live_read_models_equal_a_replay(self) -> None:
        self.house.current()
        assert dump(self.house.store.connection) == dump(folded(self.log).connection)

    def pages_never_end_inside_an_append(self) -> None:
        """Stepped one position after the other: always at the end of an append, and as a fold of
        just that prefix would be."""
        events = self.house.events()
        ends = [append[-1].position for append in by_append(events)]
        stepping = folded(self.log, until=0)
        runner = Runner(self.log, stepping, "log-g")
        for step, position in enumerate(range(self.log.head() + 1)):
            reached = runner.catch_up(position)
            assert reached == max((end for end in ends if end <= position), default=0)
            assert reached == stepping.position()
            if step % 97 == 13:
                assert dump(stepping.connection) == dump(self.prefix(reached))
        assert dump(stepping.connection) == dump(self.house.store.connection)

    def prefix(self, position: int) -> Any:
        house = replayed([e for e in self.house.events() if e.position <= position])
        house.current()
        return house.store.connection

    def the_same_log_and_clock_give_the_same_briefing_and_no_positions(self) -> None:
        now = self.house.clock.now()
        text = briefing_text(self.house, self.house.current(), now)
        again = ReadModels(folded(self.log, LOG_ID))
        assert briefing_text(self.house, again, now) == text
        elsewhere = replayed(self.house.events(), lambda position: position * 5 + 90_001)
        assert briefing_text(elsewhere, elsewhere.current(), now) == text


@given(DAYS)
@settings(BOUNDED, max_examples=more(25, 4))
def test_whatever_happened_all_that_is_derived_can_be_derived_again(acts: list[tuple[str, int]]) -> None:
    days = Replayed()
    days.live(acts)
    days.look_back()
