"""What a budget leaves out of a Briefing, against the definition worked out one line at a time."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from edge import briefing
from edge.briefing import SECTIONS, Item, Section, rendered
from edge.domain.language import Lang, tokens

WORTH = {
    ("direction", "set"): 8,
    ("knowledge", "curated"): 7,
    ("sources", "curated"): 6,
    ("recap", None): 5,
    ("direction", "proposed"): 4,
    ("breadcrumb", None): 4,
    ("recap", "hypothesis"): 3,
    ("knowledge", None): 3,
    ("sources", None): 2,
}
MORE = {"en": "and {} more", "pt": "e mais {}"}
TIERS = st.sampled_from([None, "set", "proposed", "curated", "hypothesis"])
TEXTS = st.text(max_size=4) | st.text("añ…€", min_size=5, max_size=60)  # shorter and longer than a count
ITEMS = st.lists(st.builds(Item, TEXTS, TIERS, st.just([])), max_size=11)  # ten and more: a digit more
LAID_OUT = st.tuples(*[ITEMS] * len(SECTIONS)).map(
    lambda all_: [Section(name, items, "–") for name, items in zip(SECTIONS, all_, strict=True)]
)
LANGS = st.sampled_from(["en", "pt"])


def worth(section: str, tier: str | None) -> int:
    return WORTH.get((section, tier)) or WORTH.get((section, None), 0)


def each_way(sections: Sequence[Section], lang: Lang) -> list[list[Section]]:
    """With nothing left out, then with ever one more line left out of where the least stands."""
    lines = [
        (worth(section.name, item.tier), -place, -nth)
        for place, section in enumerate(sections)
        if section.name not in ("health", "voz")
        for nth, item in enumerate(section.items)
        if nth > 0
    ]
    ways, gone = [list(sections)], [0] * len(sections)
    for _, place, _ in sorted(lines):
        gone[-place] += 1
        ways.append(
            [
                Section(s.name, [*s.items[:-n], Item(MORE[lang].format(n), None, [])], s.empty) if n else s
                for s, n in zip(sections, gone, strict=True)
            ]
        )
    return ways


@given(LAID_OUT, LANGS)
@settings(deadline=None, max_examples=40)
def test_the_first_way_that_fits_is_taken_at_every_budget(sections: list[Section], lang: Lang) -> None:
    ways = each_way(sections, lang)
    long = [tokens(rendered(way, lang)) for way in ways]
    for budget in sorted({n + more for n in long for more in (-1, 0)}):
        fits = next((way for way, n in zip(ways, long, strict=True) if n <= budget), ways[-1])
        assert briefing._within(sections, budget, lang) == fits


@given(LAID_OUT, LANGS, st.integers(0, 2_000), st.integers(0, 200))
@settings(deadline=None, max_examples=100)
def test_a_larger_budget_shows_what_a_smaller_one_does_and_more(
    sections: list[Section], lang: Lang, budget: int, more: int
) -> None:
    small = briefing._within(sections, budget, lang)
    large = briefing._within(sections, budget + more, lang)
    for section, few, many in zip(sections, small, large, strict=True):
        left_out = [section.items != shown.items for shown in (few, many)]
        told = [len(shown.items) - left for shown, left in zip((few, many), left_out, strict=True)]
        assert section.items[: told[0]] == few.items[: told[0]]
        assert section.items[: told[1]] == many.items[: told[1]]
        assert told[0] <= told[1]
