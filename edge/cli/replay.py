"""``edge at P MODEL``: each read model in the shape its own command prints."""

from __future__ import annotations

from typing import Any

from edge.cli import views
from edge.cli.direction import listed
from edge.cli.voz import owed
from edge.domain.refusal import Misused
from edge.health import Lag, health
from edge.wiring import Edge

MODELS = (
    "chats",
    "acts",
    "direction",
    "corpus",
    "episodes",
    "knowledge",
    "clusters",
    "sources",
    "health",
    "briefing",
)


def as_of(edge: Edge, when: str, model: str) -> Any:
    """The model as of a position or a time; exit 2 where there is no such model."""
    if model == "direction":
        return listed(edge, when)
    if model == "briefing":
        return edge.briefing_at(when)[0]
    if model == "clusters":
        return edge.derived.clusters(when)
    if model not in MODELS:
        raise Misused(f"no read model {model!r}", hint=f"one of {', '.join(MODELS)}")
    known = edge.at(when)
    match model:
        case "chats":
            return [views.chat(chat) for chat in known.chats()]
        case "acts":
            return owed(known)
        case "corpus":
            return [views.artefato(state, known) for state in known.artefatos()]
        case "knowledge":
            return [item.as_json(len(item.episodes)) for item in known.knowledge.items()]
        case "sources":
            return [source.as_json() for source in known.sources(edge.clock_at(when))]
        case "episodes":
            return known.episodes()._asdict()
        case _:
            return health(known, edge.mode, Lag(known.position(), 0))
