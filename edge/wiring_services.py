"""Which adapters stand for the services that settings name; the part of wiring that few commands need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from edge.ports_knowledge import Model
from edge.services import named

if TYPE_CHECKING:
    from edge.settings import Settings


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
