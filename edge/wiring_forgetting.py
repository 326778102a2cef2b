"""How an install forgets: what lets go of forgotten text beside the log, and what still holds some.

Health asks it whenever it is shown; the rest is imported when something is to go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from edge.ports_forget import READ_MODELS, still_holding
from projections.forgotten import ForgettingIndex

if TYPE_CHECKING:
    from edge.forget import Forgetting
    from edge.ports_forget import FollowUp
    from edge.wiring import Edge


def forgetting(edge: Edge) -> Forgetting:
    """Forgets, and finishes what was cut off."""
    from edge.forget import Forgetting

    return Forgetting(edge.journal, edge, ForgettingIndex(edge.store), edge.follow_ups)


def follow_ups(edge: Edge) -> tuple[FollowUp, ...]:
    """What lets go of forgotten text once the log has, in this order."""
    from edge.scrubbing import Scrub

    # each is opened only when it has to let go: health names them, and never fails
    file = Scrub("log file", lambda: edge.embedded_log.scrub())  # noqa: PLW0108  # looked up late
    log = () if edge.settings.log is not None else (file,)
    graph = (Scrub("graph", edge.knowledge.catch_graph_up),) if edge.settings.graph else ()
    wiki = Scrub("wiki", edge.derived.let_go)
    return (Scrub(READ_MODELS, lambda: _scrub_read_models(edge)), *log, wiki, *graph)


def _scrub_read_models(edge: Edge) -> None:
    from edge.health import STOPPED
    from edge.scrubbing import remove_leftovers
    from projections.extraction_queue import silence

    edge.current()
    edge.store.note(STOPPED, "")
    silence(edge.store.connection)
    edge.store.scrub()
    remove_leftovers(edge.settings.home)


def holding(edge: Edge) -> list[str]:
    """What still holds text that was forgotten, by name."""
    return still_holding(ForgettingIndex(edge.store), edge.follow_ups)


def was_forgotten(edge: Edge, stream: str) -> bool:
    """Whether a stream's words were forgotten."""
    return stream in ForgettingIndex(edge.store).beginning(stream)
