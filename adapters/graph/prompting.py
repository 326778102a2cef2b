"""Graphiti's prompts replaced by their structured context, which our clients read.

Graphiti renders each question into English before a client sees it. Here a question keeps the
context it was to be rendered from: rules answer from it, a model's client words it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from graphiti_core.llm_client import LLMClient
from graphiti_core.llm_client.config import LLMConfig, ModelSize
from graphiti_core.prompts.lib import PROMPT_GROUPS, ChatPromptLibrary, create_prompt_library
from graphiti_core.prompts.models import ChatPrompt, Message, SystemMessage, UserMessage
from pydantic import BaseModel

from adapters.graph.staging import Unsupported

Context = dict[str, Any]

ENTITIES: Final = "extract_nodes.extract_message"
SAME_ENTITIES: Final = "dedupe_nodes.nodes"
FACTS: Final = "extract_edges.edge"
SAME_FACTS: Final = "dedupe_edges.resolve_edge"
TIMES: Final = "extract_edges.extract_timestamps"
SUMMARIES: Final = "extract_nodes.extract_summaries_batch"


class _Told(Message):
    """A message that is its context."""

    context: Context


_SYSTEM: Final = SystemMessage(content="")
_USER: Final = UserMessage(content="")


class _Question(ChatPrompt):
    context: Context

    def as_messages(self, *, append_unicode_note: bool = True) -> list[Message]:
        return [_Told.model_construct(role="user", content="", context=self.context)]


def _question(context: Context) -> ChatPrompt:
    return _Question.model_construct(system=_SYSTEM, user=_USER, context=context)


def structured_prompts() -> ChatPromptLibrary:
    """Graphiti's library with every prompt replaced by its context."""
    prompts: dict[str, dict[str, Callable[[Context], ChatPrompt]]] = {
        group: dict.fromkeys(names, _question) for group, names in PROMPT_GROUPS.items()
    }
    return create_prompt_library(prompts)


class ContextClient(LLMClient):
    """A client that answers each kind of question from its context."""

    def __init__(self) -> None:
        super().__init__(LLMConfig(), cache=False)
        self.trouble: list[BaseException] = []
        """What was raised into Graphiti, which swallows some of it."""

    async def answer(self, question: str, context: Context) -> Context:
        """The answer to a question, in the shape Graphiti's response model for it has."""
        raise Unsupported(f"no answer to {question}")

    async def generate_response(
        self,
        messages: list[Message],
        response_model: type[BaseModel] | None = None,
        max_tokens: int | None = None,
        model_size: ModelSize = ModelSize.medium,
        group_id: str | None = None,
        prompt_name: str | None = None,
        *,
        attribute_extraction: bool = False,
        model: str | None = None,
    ) -> Context:
        told = messages[-1]
        try:
            if not isinstance(told, _Told):
                raise Unsupported(f"{prompt_name} came without its context")
            return await self.answer(str(prompt_name), told.context)
        except Exception as error:
            self.trouble.append(error)
            raise

    async def _generate_response(
        self,
        messages: list[Message],
        response_model: type[BaseModel] | None = None,
        max_tokens: int = 0,
        model_size: ModelSize = ModelSize.medium,
        *,
        model: str | None = None,
    ) -> Context:
        raise Unsupported("answers are given whole, by generate_response")
