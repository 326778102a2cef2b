"""The health strip: what is open, what waits, what a foreign hand broke. Computing it never fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from edge import graphing
from edge.domain.events import Data
from edge.domain.health import grouped
from edge.domain.remedies import remedies
from edge.ports import Queries

LAST_SWEEP: Final = "last_sweep"
"""Name under which the host notes when it last swept."""


STOPPED: Final = "extraction stopped"
"""Name under which the host notes why the last extraction ended before all was read."""


class Lag(NamedTuple):
    """What is measured, not folded: events the read models have not applied, and why if they cannot."""

    head: int
    behind: int
    log_changed: bool = False
    forgetting: Sequence[str] = ()
    """What has not let go yet of all that was forgotten."""


def health(queries: Queries, mode: str, lag: Lag) -> Data:
    """The strip as ``status`` prints it."""
    with queries.snapshot():
        counts = queries.counts()
        last_run, last_finished = queries.last_run(), queries.last_run(finished=True)
        unfinished = queries.open_runs()
        dispatches = queries.open_dispatches()
        errors = grouped(queries.errors())
        backlog = queries.backlog(last_finished["cursor"]) if last_finished else 0
        waiting = queries.episodes().waiting
        last_sweep = queries.noted(LAST_SWEEP)
        knowledge = {
            "waiting": waiting,
            "set_aside": queries.knowledge.set_aside(),
            "failing": queries.knowledge.failing(),
            "stopped": queries.noted(STOPPED) or None,
            "cost": queries.knowledge.cost(),
            "contested": queries.knowledge.contested(),
        }
        followed = graphing.noted(queries)
        graph = followed and {
            "position": followed.position,
            "lag": queries.knowledge.extracted_after(followed.position),
            "said": followed.said,
        }
    if knowledge["set_aside"]:
        errors.append({"kind": "quarantined-event", "ids": knowledge["set_aside"]})
    if lag.log_changed:
        errors.append({"kind": "log-changed", "ids": []})
    strip: Data = {
        "mode": mode,
        "head": lag.head,
        "open": counts.open,
        "actionable": counts.actionable,
        "awaiting": counts.awaiting,
        "backlog": backlog,
        "overflow": last_run["overflow"] if last_run else 0,
        "naked": counts.naked,
        "unfinished_runs": unfinished,
        "open_dispatches": dispatches,
        "errors": errors,
        "projection_lag": lag.behind,
        "knowledge_lag": waiting,
        "knowledge": knowledge,
        "graph": graph,
        "last_sweep": last_sweep,
        "forgetting": list(lag.forgetting),
        "degraded": bool(
            errors
            or unfinished
            or lag.behind
            or lag.log_changed
            or lag.forgetting
            or (graph and graph["said"])
        ),
    }
    return {**strip, "remedies": [remedy._asdict() for remedy in remedies(strip)]}
