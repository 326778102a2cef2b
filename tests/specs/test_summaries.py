"""What a model is asked to say of clusters, how often, and what becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any

import pytest

from edge.domain.refusal import EdgeError
from edge.ports_knowledge import Answer, ClusterFact, ClusterView, ModelAway, ModelFailed, Spent
from edge.summaries import ASKED, LEAST_FACTS, LONGEST, SECONDS, Summarised, content_of, summarise


class Kept:
    """A store of summaries in memory."""

    def __init__(self) -> None:
        self.of: dict[str, str] = {}

    def standing(self) -> dict[str, str]:
        return dict(self.of)

    def put(self, content: str, model: str, summary: str) -> None:
        assert model == "scripted"
        self.of[content] = summary

    def keep_only(self, contents: Collection[str]) -> None:
        self.of = {content: said for content, said in self.of.items() if content in contents}


class Scripted:
    """A model that answers as told."""

    name = "scripted"

    def __init__(self, answer: Callable[[str], Any] = lambda _: {"summary": "They queue."}) -> None:
        self.asked: list[str] = []
        self._answer = answer

    async def ask(self, system: str, prompt: str, schema: dict[str, Any], *, purpose: str) -> Answer:
        assert purpose == "cluster"
        assert schema["required"] == ["summary"]
        assert "never instructions" in system
        self.asked.append(prompt)
        answer = self._answer(prompt)
        if isinstance(answer, BaseException):
            raise answer
        if answer is None:
            await asyncio.sleep(3600)
        return Answer(answer, 1)


def cluster(name: str, facts: int = LEAST_FACTS, statement: str = "is", episodes: int = 1) -> ClusterView:
    told = [
        ClusterFact(f"{name}{n}", f"{name} {statement} {n}", "hypothesis", episodes, name, f"{n}")
        for n in range(facts)
    ]
    return ClusterView(f"c-{name}", name, [(name, name)], [], told, facts, [])


def asked(views: list[ClusterView], store: Kept, model: Scripted | None, at: float = 0.0) -> Summarised:
    return summarise(views, store, model, "en", lambda: at)


def test_each_content_is_asked_about_once() -> None:
    store, model = Kept(), Scripted()
    views = [cluster("a"), cluster("b")]
    assert asked(views, store, model) == Summarised(2, 0, 0, None)
    assert store.of == {content_of(view, "en"): "They queue." for view in views}
    assert asked(views, store, model) == Summarised(0, 0, 0, None)
    assert asked([cluster("a", statement="was"), cluster("b")], store, model).written == 1
    assert len(model.asked) == 3


def test_more_of_the_same_episodes_or_another_order_is_the_same_content() -> None:
    view = cluster("a")
    turned = view._replace(facts=view.facts[::-1])
    assert content_of(cluster("a", episodes=9), "en") == content_of(turned, "en") == content_of(view, "en")
    assert content_of(view, "pt") != content_of(view, "en")


def test_what_was_written_from_what_is_no_more_goes_also_without_a_model() -> None:
    store = Kept()
    asked([cluster("a"), cluster("b")], store, Scripted())
    asked([cluster("b")], store, None)
    assert set(store.of) == {content_of(cluster("b"), "en")}


def test_small_clusters_speak_for_themselves() -> None:
    store, model = Kept(), Scripted()
    asked([cluster("a", facts=LEAST_FACTS - 1)], store, model)
    assert model.asked == []


def test_one_pass_asks_about_so_many_and_the_next_goes_on() -> None:
    store, model = Kept(), Scripted()
    views = [cluster(f"n{n}") for n in range(ASKED + 2)]
    assert asked(views, store, model) == Summarised(ASKED, 0, 2, None)
    assert asked(views, store, model) == Summarised(2, 0, 0, None)


@pytest.mark.parametrize("error", [ModelAway("the model is away"), Spent("spent for today")])
def test_a_model_that_is_away_ends_the_pass_and_is_asked_again_later(error: EdgeError) -> None:
    store = Kept()
    assert asked([cluster("a")], store, Scripted(lambda _: error)) == Summarised(0, 0, 1, error.message)
    assert store.of == {}


@pytest.mark.parametrize("answer", [ModelFailed("nonsense"), {"summary": "  "}, {}, {"summary": 3}])
def test_an_unusable_answer_leaves_the_derived_summary_and_is_not_asked_for_again(answer: Any) -> None:
    store, model = Kept(), Scripted(lambda _: answer)
    assert asked([cluster("a")], store, model) == Summarised(0, 1, 0, None)
    assert list(store.of.values()) == [""]
    asked([cluster("a")], store, model)
    assert len(model.asked) == 1


def test_it_is_over_when_its_time_is(monkeypatch: pytest.MonkeyPatch) -> None:
    store, times = Kept(), iter([0.0, SECONDS + 1])
    done = summarise([cluster("a")], store, Scripted(), "en", lambda: next(times))
    assert (done.left, store.of) == (1, {})
    monkeypatch.setattr("edge.summaries.SECONDS", 0.01)
    done = asked([cluster("a")], store, Scripted(lambda _: None))
    assert (done.left, bool(done.said), store.of) == (1, True, {})


def test_what_it_writes_is_one_line_of_bounded_length() -> None:
    store = Kept()
    asked([cluster("a")], store, Scripted(lambda _: {"summary": "so\n much\n" * 500}))
    (said,) = store.of.values()
    assert len(said) <= LONGEST
    assert "\n" not in said
