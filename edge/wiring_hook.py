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
    from edge.briefing import compose, rendered
    from projections.models import MODELS
    from projections.standing import StandingModels
    from projections.store import StandingStore

    if not settings.read_path.exists():
        return None
    edge = Edge(settings)
    store = StandingStore(settings.read_path, MODELS)
    try:
        queries = StandingModels(store)
        measured = health(queries, edge.mode, Lag(queries.position(), 0))
        composed = compose(queries, measured, edge.clock.now(), settings.tz, settings.lang, budget)
        # clusters that are not kept were not looked at: nothing is said of them, least that there are none
        said = [section for section in composed.sections if section.items or section.name != "knowledge"]
        return rendered(said, settings.lang)
    finally:
        store.close()
