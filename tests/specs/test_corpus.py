"""The corpus: nothing is published without its why, and each why belongs to its publication."""

from __future__ import annotations

from typing import Any

import pytest

from edge.domain import corpus, sources
from edge.domain.corpus import impact, in_debt, publish
from tests.specs.given import artefato, source
from tests.support.facts import Fact, in_one_append, kernel, publication, published

STUDY: dict[str, Any] = {"slug": "study", "title": "A study", "body": "# A study", "dispatch_id": "b1"}


def test_kernel_and_artefato_are_one_decision() -> None:
    artefato().when(publish, STUDY, " to know why ", False).then(
        ("intent.kernel", {"slug": "study", "intent": "to know why", "dispatch_id": "b1"}),
        ("artefato.published", STUDY),
    )


@pytest.mark.parametrize("intent", ["", " ", "\n"])
def test_an_artefato_without_its_why_is_refused(intent: str) -> None:
    artefato().when(publish, STUDY, intent, False).then_refused("needs its why")
    artefato(*publication()).when(publish, STUDY, intent, True).then_refused("needs its why")


@pytest.mark.parametrize("body", ["", " \n"])
def test_a_blank_artefato_is_refused(body: str) -> None:
    artefato().when(publish, {**STUDY, "body": body}, "why", False).then_refused("blank")


def test_an_artefato_takes_512_kib_and_not_one_byte_more() -> None:
    fits = {**STUDY, "body": "ã" * (256 * 1024)}
    assert artefato().when(publish, fits, "why", False)._refusal is None
    larger = {**STUDY, "body": "ã" * (256 * 1024) + "x"}
    artefato().when(publish, larger, "why", False).then_refused("larger than 512 KiB")


def test_what_is_published_is_republished_only_by_saying_so() -> None:
    standing = artefato(*publication(dispatch_id="b0"))
    standing.when(publish, STUDY, "why", False).then_refused("published already")
    assert standing.when(publish, STUDY, "why", True)._refusal is None


def test_the_same_publication_of_one_dispatch_counts_as_done() -> None:
    standing = artefato(*publication(dispatch_id="b1"))
    standing.when(publish, STUDY, "why", False).then_nothing()
    standing.when(publish, STUDY, "why", True).then_nothing()
    other = {**STUDY, "body": "# Another"}
    standing.when(publish, other, "why", False).then_refused("published already")


def test_an_artefato_keeps_its_place_and_shows_its_latest_revision() -> None:
    state = artefato(*publication(title="one"), *publication("other"), *publication(title="two")).state
    assert (state["title"], state["revision"]) == ("two", 2)
    assert state["first"] < state["position"]


def test_a_why_belongs_to_the_publication_it_came_with() -> None:
    state = artefato(*publication(intent="first why"), published(title="two")).state
    assert state["intent"] is None
    assert in_debt(state)
    again = artefato(*publication(intent="first why"), *publication(intent="second why")).state
    assert again["intent"] == "second why"


def test_an_imported_why_explains_the_latest_publication_before_it() -> None:
    assert artefato(published(), kernel(intent="late why")).state["intent"] == "late why"
    later = artefato(published(), kernel(intent="one"), kernel(intent="two")).state
    assert later["intent"] == "two"
    assert artefato(kernel(intent="too early"), published()).state["intent"] is None


@pytest.mark.parametrize(
    "facts",
    [[published()], in_one_append(kernel(intent="  "), published()), [published(), kernel(intent="")]],
)
def test_a_foreign_publication_without_a_why_is_debt(facts: list[Fact]) -> None:
    assert in_debt(artefato(*facts).state)


def test_what_a_stranger_wrote_in_other_shapes_is_passed_over() -> None:
    state = artefato(published(cites="none", distills=[1, "a"], proposes={"a": 1})).state
    assert (state["cites"], state["distills"], state["proposes"]) == ([], ["a"], [])


def test_impact_is_what_became_of_its_proposals() -> None:
    assert impact(["proposed", "set", "gone", None]) == {
        "proposes": 4,
        "open": 1,
        "accepted": 1,
        "rejected": 2,
    }


def test_content_is_the_same_where_what_was_left_out_stands_empty() -> None:
    full = {**STUDY, "cites": [], "distills": [], "proposes": []}
    assert corpus.content_of(STUDY) == corpus.content_of(full)
    assert corpus.content_of(STUDY) != corpus.content_of({**STUDY, "distills": ["a"]})


# -- sources under curation --------------------------------------------------------------------


def curated(ref: str = "https://example.org", opinion: str = "sound") -> Fact:
    return Fact("source.curated", "source-g.x", {"ref": ref, "opinion": opinion})


def test_a_curated_source_holds_the_operators_opinion_until_retired() -> None:
    held = source("https://example.org", curated())
    assert (held.state["curated"], held.state["opinion"]) == (True, "sound")
    retired = Fact("source.retired", "source-g.x", {"ref": "https://example.org", "reason": "moved"})
    assert not source("https://example.org", curated(), retired).state["curated"]


def test_an_opinion_is_needed_and_the_same_one_again_adds_nothing() -> None:
    source("https://example.org").when(sources.curate, " ", None).then_refused("needs the operator's opinion")
    source(" ").when(sources.curate, "sound", None).then_refused("needs its ref")
    source("https://example.org", curated()).when(sources.curate, "sound ", None).then_nothing()
    source("https://example.org", curated()).when(sources.curate, "weak", "c1").then(
        (
            "source.curated",
            {"ref": "https://example.org", "opinion": "weak", "origin_comment_id": "c1"},
        )
    )
