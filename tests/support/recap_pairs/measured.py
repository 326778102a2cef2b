"""How often the Recap is right over the set, by the likeness it asks for."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Final, NamedTuple

from edge.recap import ARTEFATOS
from tests.support.recap_pairs import Pair, Told, found, whole

THRESHOLDS: Final = (0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.15, 0.16, 0.17, 0.18, 0.2, 0.25, 0.3)
WEEKS: Final = {"one week of 76": 1, "four weeks of 19": 4}
"""Into how many windows the sessions are dealt. In four, most artefatos have nothing to be related to."""


class Measured(NamedTuple):
    """Counts of pairs."""

    shown: int
    right: int
    related: int
    right_across: int
    related_across: int
    """Of pairs in two languages."""

    @property
    def precision(self) -> float:
        return self.right / self.shown if self.shown else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.related

    @property
    def both(self) -> float:
        """Their harmonic mean."""
        return 2 * self.right / (self.shown + self.related)

    @property
    def alike(self) -> float:
        """Recall where both are in one language."""
        return (self.right - self.right_across) / (self.related - self.related_across)

    @property
    def across(self) -> float:
        return self.right_across / self.related_across


@cache
def shown(threshold: float, weeks: int, *, by_project: bool = False) -> frozenset[Pair]:
    """The pairs a Briefing shows; ``by_project``: were the name of a session's own project to count."""
    every = whole()
    sessions = [_nowhere(told) for told in every.sessions] if by_project else every.sessions
    return frozenset(
        pair
        for first in range(0, len(every.artefatos), ARTEFATOS)
        for week in range(weeks)
        for pair in found(every.artefatos[first : first + ARTEFATOS], sessions[week::weeks], threshold)
    )


def measured(pairs: Collection[Pair], of: Collection[str] | None = None) -> Measured:
    """``of``: these artefatos only."""
    every = whole()
    slugs = {told.name for told in every.artefatos} if of is None else set(of)
    related = {pair for pair in every.related if pair[0] in slugs}
    told = {pair for pair in pairs if pair[0] in slugs}
    right = told & related
    return Measured(
        len(told),
        len(right),
        len(related),
        sum(map(every.across, right)),
        sum(map(every.across, related)),
    )


def halves() -> tuple[list[str], list[str]]:
    """Every other artefato: of two that are near to each other one is in each."""
    slugs = [told.name for told in whole().artefatos]
    return slugs[::2], slugs[1::2]


def chosen(of: Collection[str], weeks: int, *, by_project: bool) -> float:
    """The threshold that is best for these artefatos, of several the smallest."""
    return max(THRESHOLDS, key=lambda t: (measured(shown(t, weeks, by_project=by_project), of).both, -t))


def tables() -> list[str]:
    """Precision and recall by threshold, a table for each kind of week; then what halves choose."""
    return [*(_by_threshold(name, weeks) for name, weeks in WEEKS.items()), _crossed()]


def _by_threshold(name: str, weeks: int) -> str:
    rows = [
        f"| {name}: from | shown | right | precision | recall | in one language | across two |",
        "|---|---|---|---|---|---|---|",
    ]
    for threshold in THRESHOLDS:
        m = measured(shown(threshold, weeks))
        rows.append(
            f"| {threshold:.2f} | {m.shown} | {m.right} | {m.precision:.2f} | {m.recall:.2f}"
            f" | {m.alike:.2f} | {m.across:.2f} |"
        )
    return "\n".join(rows)


def _crossed() -> str:
    rows = [
        "| window | a project's own name | chosen on one half | precision on the other | recall there |",
        "|---|---|---|---|---|",
    ]
    for name, weeks in WEEKS.items():
        for by_project in (True, False):
            for here, there in (halves(), halves()[::-1]):
                best = chosen(here, weeks, by_project=by_project)
                m = measured(shown(best, weeks, by_project=by_project), there)
                counts = "counts" if by_project else "does not"
                rows.append(f"| {name} | {counts} | {best:.2f} | {m.precision:.2f} | {m.recall:.2f} |")
    return "\n".join(rows)


def _nowhere(told: Told) -> Told:
    return told._replace(what=told.what._replace(project=None))
