"""``given(facts).when(decision).then(events)``: how a decision is specified.

What was given is folded by the domain's own ``evolve``; what a decision answers is compared
by type and data, or by the words of its refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from edge.domain import chat as chats
from edge.domain import corpus, direction, grill, pendency, sources
from edge.domain.chat import Chat
from edge.domain.direction import Item
from edge.domain.events import Draft
from edge.domain.refusal import Refused
from tests.support.facts import Fact, happened

State = TypeVar("State")


class Given(Generic[State]):
    """A state, folded from what happened."""

    def __init__(self, state: State) -> None:
        self.state = state

    def when(self, decide: Callable[..., Sequence[Draft]], *args: Any, **named: Any) -> Outcome:
        """Decide on the state, with the command's own arguments after it."""
        try:
            return Outcome([(d.type, d.data) for d in decide(self.state, *args, **named)], None)
        except Refused as refusal:
            return Outcome(None, refusal)


class Outcome:
    """What was decided, or why it was refused."""

    def __init__(self, events: list[tuple[str, Any]] | None, refusal: Refused | None) -> None:
        self._events = events
        self._refusal = refusal

    def then(self, *expected: tuple[str, dict[str, Any]]) -> None:
        assert self._refusal is None, f"refused: {self._refusal}"
        assert self._events == list(expected)

    def then_nothing(self) -> None:
        self.then()

    def then_refused(self, saying: str) -> None:
        """Refused, in one line that says this."""
        assert self._refusal is not None, f"not refused, but decided: {self._events}"
        assert saying in self._refusal.message
        assert "\n" not in self._refusal.message


def chat(*facts: Fact, id_: str = "c1") -> Given[Chat]:
    state = chats.initial(id_)
    for event in happened(facts):
        if event.data.get("comment_id") == id_:
            state = chats.evolve(state, event)
    return Given(state)


def comment_act(*facts: Fact, id_: str = "c1") -> Given[pendency.Act]:
    return Given(pendency.of_comment(chat(*facts, id_=id_).state))


def vote_act(*facts: Fact, id_: str = "v1") -> Given[pendency.Act]:
    state = pendency.initial_vote(id_)
    for event in happened(facts):
        if pendency.vote_of(event) == id_:
            state = pendency.evolve_vote(state, event)
    return Given(state)


def steers(*facts: Fact) -> dict[str, Item]:
    """Every item the facts moved, gone ones too, by id."""
    items: dict[str, Item] = {}
    for event in happened(facts):
        for change in direction.changes(event):
            item = direction.evolve(items.get(change.id), change)
            if item is not None:
                items[change.id] = item
    return items


def item(id_: str, *facts: Fact) -> Given[Item | None]:
    return Given(steers(*facts).get(id_))


def artefato(*facts: Fact, slug: str = "study") -> Given[corpus.Artefato]:
    state = corpus.initial(slug)
    for event in happened(facts):
        if event.data.get("slug") == slug:
            state = corpus.evolve(state, event)
    return Given(state)


def source(ref: str, *facts: Fact) -> Given[sources.Source]:
    state = sources.initial(ref)
    for event in happened(facts):
        state = sources.evolve(state, event)
    return Given(state)


def run(facts: Iterable[Fact], id_: str = "r1") -> grill.Run:
    state = grill.initial(id_)
    for event in happened(facts):
        if event.stream == f"grill-g.{id_}":
            state = grill.evolve(state, event)
    return state
