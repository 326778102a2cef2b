"""What the dashboard can be refused with is told in Portuguese too: each as the domain itself says it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adapters.web.refusals import told
from edge.domain import chat, curated, direction, pendency, sources
from edge.domain.refusal import Refused

CLOSED = chat.initial("c1")
CLOSED.update({"position": 1, "closed_by": "resolved"})
CLOSED["questions"] = [chat.Question(clarify_id="q", question="?", options=[], answer=None, event="e")]
ANSWERED = chat.initial("c2")
ANSWERED["questions"] = [chat.Question(clarify_id="q", question="?", options=[], answer="sim", event="e")]
SAID = chat.initial("c3")
SAID.update({"position": 1, "body": "one"})

REFUSED: list[Callable[[], object]] = [
    lambda: chat.comment(chat.initial("c"), " ", None, 0),
    lambda: chat.comment(SAID, "another", None, 0),
    lambda: chat.answer(ANSWERED, "q", "não"),
    lambda: chat.answer(CLOSED, "q", "não"),
    lambda: chat.answer(CLOSED, "other", "não"),
    lambda: pendency.dispose(pendency.initial_vote("v"), "dead_lettered", "why", None),
    lambda: direction.drop(None, "d1", "why"),
    lambda: direction.accept(None, "d1"),
    lambda: curated.retire("k", None, None, "why"),
    lambda: curated.promote("k", curated.Subject("entity", "Redis"), None, None, []),
    lambda: curated.contest("k", curated.Subject("fact", "a uses b"), None, " "),
    lambda: sources.curate(sources.initial("s"), " ", None),
    lambda: sources.retire(sources.initial("s"), "why"),
    lambda: sources.retire(sources.initial("s"), " "),
    lambda: sources.curate(sources.initial(" "), "sound", None),
]


@pytest.mark.parametrize("act", REFUSED)
def test_a_refusal_is_told_in_the_language_of_the_page(act: Callable[[], object]) -> None:
    with pytest.raises(Refused) as refused:
        act()
    said = refused.value.message
    assert told(said, "en") == said
    assert told(said, "pt") != said


def test_ids_pass_through_unharmed_and_what_is_not_known_stays() -> None:
    assert told("no live steer «são\\1»", "pt") == "nenhum steer vivo «são\\1»"
    assert told("something else went wrong", "pt") == "something else went wrong"
