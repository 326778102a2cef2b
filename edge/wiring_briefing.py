"""How an install stands, and the Briefing: at the log's head, as it stands, and as it was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from edge.domain.refusal import EdgeError, Misused
from edge.health import Lag, health
from edge.wiring_forgetting import holding

if TYPE_CHECKING:
    from edge.briefing import Briefing
    from edge.domain.events import Data
    from edge.recap_prose import Write
    from edge.wiring import Edge

LAG_COUNTED: Final = 1_000
"""Events behind the log's head that a page counts, at most."""


def briefing(edge: Edge, budget: int | None, in_prose: bool) -> Briefing:
    """The Briefing at the log's head; ``in_prose``: with a configured model's words of the Recap."""
    from edge.briefing import BUDGET_TOKENS, compose
    from edge.recap import refresh

    now, zone, lang = edge.clock.now(), edge.settings.tz, edge.settings.lang
    edge.current().clusters().refresh()
    refresh(edge.current(), now)
    write = _recap_writer(edge) if in_prose else None
    return compose(edge.current(), edge.health(), now, zone, lang, budget or BUDGET_TOKENS, write)


def _recap_writer(edge: Edge) -> Write | None:
    if edge.model is None:
        return None
    from edge.recap_prose import writer

    return writer(edge.model, edge.settings.lang, edge.journal.redacted)


def briefing_standing(edge: Edge) -> Data:
    """The Briefing of the read models as they stand, without bringing them to the log's head."""
    from edge.briefing import compose

    now, zone, lang = edge.clock.now(), edge.settings.tz, edge.settings.lang
    composed = compose(edge.reads(), strip(edge), now, zone, lang)
    return {**composed.as_json(), "position": composed.position, "recomputed": False}


def briefing_at(edge: Edge, when: str, budget: int | None) -> tuple[Data, str]:
    """The Briefing as it was shown at a position; recomputed, and a note that says so, where none was.

    One that was shown has the size it had: a budget for it is refused.
    """
    from edge.briefing import BUDGET_TOKENS, as_presented, compose

    position = edge.position_of(when)
    presented = edge.current().presentation(position) if when.isdecimal() else None
    if presented is not None and budget:
        raise Misused(
            f"the Briefing at {when} was shown, and is given back as it was",
            hint="leave out --budget-tokens",
        )
    if presented is not None:
        return as_presented(presented), ""
    from projections.forgotten import ForgettingIndex

    queries = edge.at(when)
    now, zone, lang = edge.clock_at(when), edge.settings.tz, edge.settings.lang
    measured = health(queries, edge.mode, Lag(position, 0))
    composed = compose(queries, measured, now, zone, lang, budget or BUDGET_TOKENS)
    why = f"no Briefing was shown at {when}"
    if when.isdecimal() and ForgettingIndex(edge.store).briefing(position):
        why = f"the Briefing shown at {when} was forgotten"
    note = f"({why}: recomputed from the log)\n\n"
    return {**composed.as_json(), "position": composed.position, "recomputed": True}, note


def health_at_head(edge: Edge) -> Data:
    """The health strip; a swapped log is part of it, not an error of it."""
    from projections.runner import LogChangedError

    changed = False
    try:
        queries = edge.current()
    except LogChangedError:
        queries, changed = edge.reading.queries, True
    lag = edge.reading.runner.lag()
    return health(queries, edge.mode, Lag(edge.log.head(), lag, changed, holding(edge)))


def strip(edge: Edge) -> Data:
    """The health strip of the read models as they stand; the log is asked for its end alone.

    ``away`` says why it could not be asked.
    """
    queries = edge.reads()
    try:
        head, away = edge.log.head(), None
        after = edge.log.read_all(after=queries.position() or None, limit=LAG_COUNTED)
        behind = sum(1 for _ in after) if head > queries.position() else 0
    except EdgeError as error:
        head, behind, away = queries.position(), 0, error.message
    return {**health(queries, edge.mode, Lag(head, behind)), "away": away}
