"""The tables of docs/recap-precision.md are what the Recap shows of the set, figure by figure.

Which pairs belong together is a person's judgement; what is shown, and every count, is held to here.
When the relation or the rule reading changes, this fails with the figures that are new: look at the
pairs, and write the figures into the page (it says how to print them).
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import Final

from edge.recap import ALIKE
from tests.support.recap_pairs import whole
from tests.support.recap_pairs.measured import THRESHOLDS, WEEKS, measured, shown, tables

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PAGE: Final = (DOCS / "recap-precision.md").read_text("utf-8")


def test_the_tables_are_those_that_are_measured() -> None:
    lines = groupby(PAGE.splitlines(), lambda line: line.startswith("|"))
    assert ["\n".join(rows) for is_table, rows in lines if is_table] == tables()


def test_the_page_and_the_concepts_say_how_large_the_set_is() -> None:
    every = whole()
    pairs = len(every.artefatos) * len(every.sessions)
    related, across = len(every.related), sum(map(every.across, every.related))
    told = " ".join(PAGE.split())
    assert f"{len(every.artefatos)} invented artefatos and {len(every.sessions)} invented sessions" in told
    assert f"Of their {pairs:,} pairs {related} belong together, {across} of these across" in told
    at = measured(shown(ALIKE, WEEKS["one week of 76"]))
    assert f"Of {across} such pairs it finds {at.right_across}" in told
    concepts = " ".join((DOCS / "concepts.md").read_text("utf-8").split())
    assert f"Of {related} pairs that belong together and {pairs - related:,} that do not" in concepts
    assert f"{at.shown} were shown and {at.right} of them were right" in concepts
    assert f"{ALIKE} or more by the cosine" in concepts


def test_each_session_and_artefato_is_named_once_and_related_to_what_there_is() -> None:
    every = whole()
    slugs = [told.name for told in every.artefatos]
    names = [told.name for told in every.sessions]
    assert len({*slugs, *names}) == len(slugs) + len(names)
    assert {slug for slug, _ in every.related} == set(slugs)
    assert re.findall(r"asks for a likeness of (\d\.\d+)", PAGE) == [str(ALIKE)]


def test_what_is_shown_is_mostly_right_and_finds_what_is_said_in_one_language() -> None:
    assert ALIKE in THRESHOLDS
    for weeks in WEEKS.values():
        at = measured(shown(ALIKE, weeks))
        assert at.precision >= 0.9
        assert at.alike >= 0.9


def test_no_near_threshold_is_better_by_more_than_one_pair_in_fifty() -> None:
    for weeks in WEEKS.values():
        best = max(measured(shown(threshold, weeks)).both for threshold in THRESHOLDS)
        assert best - measured(shown(ALIKE, weeks)).both <= 0.02
