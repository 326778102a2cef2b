"""What models cost on this host in a day of the operator's, and the cap that ends it.

The tally is measured here and no fold of the log: it stands in the read store, and deleting
that begins it anew. Calls of two processes that end in the same instant may count as one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

from edge.domain.language import tokens
from edge.ports_knowledge import Answer, Model, ModelAway, ModelFailed, Spent

NOTE: Final = "model tally"


class Notes(Protocol):
    """Where the tally is kept: see :class:`edge.ports.Queries`."""

    def noted(self, name: str) -> str | None: ...
    def note(self, name: str, value: str) -> None: ...


class Tally(NamedTuple):
    """A day's calls of models. ``tokens`` in and out; ``purposes``: the tokens of each."""

    day: str
    calls: int = 0
    failed: int = 0
    tokens: int = 0
    seconds: float = 0.0
    purposes: dict[str, int] = {}  # noqa: RUF012  # never changed in place

    def with_call(self, purpose: str, spent: int, seconds: float, answered: bool) -> Tally:
        return Tally(
            self.day,
            self.calls + 1,
            self.failed + (not answered),
            self.tokens + spent,
            round(self.seconds + seconds, 3),
            {**self.purposes, purpose: self.purposes.get(purpose, 0) + spent},
        )

    def since(self, before: Tally) -> tuple[int, int]:
        """Calls and tokens after an earlier tally; of this day alone, where that was another day's."""
        same = before.day == self.day
        return self.calls - before.calls * same, self.tokens - before.tokens * same

    def written(self) -> str:
        return json.dumps(self._asdict())


def tally_of(noted: str | None, day: str) -> Tally:
    """The tally noted last, if it is that day's; a new day, or a note nobody can read, begins at nothing."""
    try:
        found: dict[str, Any] = json.loads(noted or "{}")
        tally = Tally(**found)
        is_whole = all(isinstance(n, int | float) for n in tally[1:5]) and isinstance(tally.purposes, dict)
    except (ValueError, TypeError):
        return Tally(day)
    return tally if is_whole and tally.day == day else Tally(day)


def check(tally: Tally, cap: int, wanted: int) -> None:
    """Refuse a call that would pass the cap; ``wanted`` is what is asked, running calls included."""
    if tally.tokens + wanted <= cap:
        return
    raise Spent(
        f"the day's {cap:,} tokens for models are used up ({tally.tokens:,} in {tally.calls:,} calls)",
        hint="the rest waits for tomorrow; tokens_per_day under [extract] in edge.toml allows more",
    )


class BudgetedModel:
    """A :class:`~edge.ports_knowledge.Model` that is counted, and raises ``Spent`` at the day's cap."""

    def __init__(
        self,
        model: Model,
        cap: int,
        notes: Notes,
        today: Callable[[], str],
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = model.name
        self.cap = cap
        self._model = model
        self._notes = notes
        self._today = today
        self._seconds = seconds
        self._running = 0

    def tally(self) -> Tally:
        """Today's, so far."""
        return tally_of(self._notes.noted(NOTE), self._today())

    async def ask(self, system: str, prompt: str, schema: dict[str, Any], *, purpose: str) -> Answer:
        asked = tokens(system + prompt)
        check(self.tally(), self.cap, self._running + asked)
        self._running += asked
        began, spent, answered = self._seconds(), asked, False  # given up half-way, it was asked all the same
        try:
            answer = await self._model.ask(system, prompt, schema, purpose=purpose)
            spent, answered = answer.tokens, True
        except (ModelAway, ModelFailed) as error:
            spent = error.tokens
            raise
        finally:
            self._running -= asked
            counted = self.tally().with_call(purpose, spent, self._seconds() - began, answered)
            self._notes.note(NOTE, counted.written())
        return answer
