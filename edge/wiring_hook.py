"""The parts of an install that a hook touches: its settings and its read store, only read.

A hook may not wait and not write, so it neither opens the log nor folds anything.
"""

from __future__ import annotations

from edge.admitting import admitting
from edge.health import Lag, health
from edge.ports_transcripts import Admits, StoreSettings
from edge.settings import Settings
from edge.wiring import Edge


def admits(settings: Settings) -> Admits:
    """Whether a project is one the sweep may read."""
    return admitting(StoreSettings(settings.home, settings.only, settings.exclude))


def briefing_as_it_stands(settings: Settings, budget: int) -> str | None:
    """The Briefing from what this host has folded so far; None where it has folded nothing."""
    from edge.briefing import compose
    from projections.models import MODELS
    from projections.queries import ReadModels
    from projections.store import StandingStore

    if not settings.read_path.exists():
        return None
    edge = Edge(settings)
    store = StandingStore(settings.read_path, MODELS)
    try:
        queries = ReadModels(store)
        measured = health(queries, edge.mode, Lag(queries.position(), 0))
        return compose(queries, measured, edge.clock.now(), settings.tz, settings.lang, budget).text
    finally:
        store.close()
