"""What models may cost in a day, and how it is counted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from edge.budget import NOTE, BudgetedModel, Tally, check, tally_of
from edge.ports_knowledge import Answer, ModelAway, ModelFailed, Spent


class Notebook:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def noted(self, name: str) -> str | None:
        return self.kept.get(name)

    def note(self, name: str, value: str) -> None:
        self.kept[name] = value


class Costly:
    """A model that answers or fails at the cost it is told."""

    name = "costly"

    def __init__(self, *outcomes: int | BaseException) -> None:
        self.outcomes = list(outcomes)
        self.asked = 0

    async def ask(self, system: str, prompt: str, schema: dict[str, Any], *, purpose: str) -> Answer:
        self.asked += 1
        await asyncio.sleep(0)  # so that calls run side by side
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return Answer({}, outcome)


class Day:
    """A host whose day and watch are turned by hand."""

    def __init__(self, cap: int, *outcomes: int | BaseException) -> None:
        self.notes = Notebook()
        self.date = "2026-11-30"
        self.now = 0.0
        self.cap = cap
        self.model = Costly(*outcomes)
        self.budgeted = self.opened()

    def opened(self) -> BudgetedModel:
        return BudgetedModel(self.model, self.cap, self.notes, lambda: self.date, self._watch)

    def _watch(self) -> float:
        self.now += 1.5
        return self.now

    def asks(self, purpose: str = "extract", prompt: str = "x" * 40) -> Answer:
        return asyncio.run(self.budgeted.ask("", prompt, {}, purpose=purpose))


def failing(error: ModelAway | ModelFailed, spent: int) -> ModelAway | ModelFailed:
    error.tokens = spent
    return error


def test_calls_tokens_and_seconds_are_counted_by_purpose() -> None:
    day = Day(1_000, 30, 50, 7)
    day.asks()
    day.asks()
    day.asks("grill")
    assert day.budgeted.tally() == Tally("2026-11-30", 3, 0, 87, 4.5, {"extract": 80, "grill": 7})
    assert day.opened().tally() == day.budgeted.tally()  # another process reads the same


def test_a_call_that_would_pass_the_cap_is_not_made() -> None:
    day = Day(100, 85, 5)
    day.asks()
    day.asks(prompt="x" * 20)
    with pytest.raises(Spent, match=r"the day's 100 tokens for models are used up \(90 in 2 calls\)"):
        day.asks(prompt="x" * 44)
    assert day.model.asked == 2


def test_the_next_day_begins_at_nothing() -> None:
    day = Day(100, 100, 1)
    day.asks()
    with pytest.raises(Spent):
        day.asks()
    day.date = "2026-12-01"
    day.asks()
    assert day.budgeted.tally() == Tally("2026-12-01", 1, 0, 1, 1.5, {"extract": 1})


def test_what_failed_cost_what_it_cost() -> None:
    day = Day(1_000, failing(ModelFailed("nonsense"), 60), failing(ModelAway("gone"), 0))
    for kind in (ModelFailed, ModelAway):
        with pytest.raises(kind):
            day.asks()
    assert day.budgeted.tally()[1:4] == (2, 2, 60)


def test_what_was_given_up_counts_as_what_it_asked() -> None:
    day = Day(1_000, asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        day.asks()
    assert day.budgeted.tally()[1:4] == (1, 1, 10)


def test_calls_side_by_side_reserve_what_they_ask() -> None:
    day = Day(25, 10, 10, 10)

    async def together() -> list[Answer | BaseException]:
        calls = [day.budgeted.ask("", "x" * 40, {}, purpose="extract") for _ in range(3)]
        return await asyncio.gather(*calls, return_exceptions=True)

    outcomes = asyncio.run(together())
    assert [type(o) for o in outcomes] == [Answer, Answer, Spent]
    assert day.budgeted.tally().tokens == 20


@pytest.mark.parametrize(
    "noted", [None, "", "{", "[]", "7", '{"day": "2026-11-30", "tokens": "many"}', '{"odd": 1}', '{"day": 1}']
)
def test_a_note_nobody_can_read_begins_the_day_anew(noted: str | None) -> None:
    assert tally_of(noted, "2026-11-30") == Tally("2026-11-30")


def test_the_cap_itself_may_be_reached() -> None:
    check(Tally("d", tokens=90), 100, 10)
    with pytest.raises(Spent):
        check(Tally("d", tokens=90), 100, 11)


def test_what_a_piece_of_work_cost_is_told_by_two_tallies() -> None:
    before, after = Tally("d1", calls=2, tokens=30), Tally("d1", calls=5, tokens=90)
    assert after.since(before) == (3, 60)
    assert Tally("d2", calls=1, tokens=7).since(before) == (1, 7)  # over midnight


def test_the_note_is_one_line_of_json() -> None:
    day = Day(100, 5)
    day.asks()
    assert "\n" not in day.notes.kept[NOTE]
