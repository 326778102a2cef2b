"""A model behind an OpenAI-shaped API; see :class:`edge.ports_knowledge.Model`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from adapters.cognition.answers import MAX_TOKENS, Said, failed, settled, wanted
from adapters.openai_api import TIMEOUT, Api, AsyncApi, BlockingApi, FormatRefused
from edge.domain.events import Data
from edge.domain.language import clean, tokens
from edge.ports_knowledge import Answer

_SCHEMA, _OBJECT, _NONE = 0, 1, 2
"""How a server is told that JSON is wanted: by the schema, as some object, not at all."""
_LOOK: Final = 5.0
_LISTED: Final = 5


class OpenAIModel:
    """Asks by schema where the server takes one, and puts the schema into the prompt where not."""

    def __init__(
        self,
        model: str,
        url: str,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._api = AsyncApi(Api(self.name, url, key), timeout, pause)
        self._format = _SCHEMA

    async def ask(self, system: str, prompt: str, schema: Data, *, purpose: str) -> Answer:
        return await settled(self.name, partial(self._say, clean(system), schema), clean(prompt), schema)

    async def _say(self, system: str, schema: Data, prompt: str) -> Said:
        while True:
            tried = self._format
            body = self._body(system, prompt, schema, tried)
            try:
                return self._said(await self._api.post("chat/completions", body), system + prompt)
            except FormatRefused as refused:
                if tried == _NONE:
                    raise failed(f"{self.name} refuses the question: {refused}") from None
                self._format = max(self._format, tried + 1)  # and so for every later question

    def _body(self, system: str, prompt: str, schema: Data, how: int) -> Data:
        body: Data = {"model": self._model, "stream": False}
        if how == _SCHEMA:
            named = {"name": "answer", "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        else:
            system = f"{system}\n\n{wanted(schema)}"
        if how == _OBJECT:
            body["response_format"] = {"type": "json_object"}
        body["messages"] = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        return body

    def _said(self, document: Data, asked: str) -> Said:
        choice = _first(document.get("choices"))
        message = choice.get("message") if choice else None
        if choice is None or not isinstance(message, dict):
            raise failed(f"{self.name} answered without an answer", tokens=_spent(document, asked))
        text = _text(message.get("content"))
        spent = _spent(document, asked + text)
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            raise failed(f"{self.name} refused to answer", tokens=spent)
        if choice.get("finish_reason") == "length":
            raise failed(
                f"{self.name} was cut off before its answer was whole",
                hint="give the model a longer context or answer, at its server",
                tokens=spent,
            )
        return Said(text, spent)

    def look(self) -> str:
        """What is found where the model should be; raises ModelAway."""
        api = BlockingApi(self._api.api, _LOOK, lambda _seconds: None)
        listed = api.get("models").get("data")
        names = [m["id"] for m in listed or () if isinstance(m, dict) and isinstance(m.get("id"), str)]
        if names and self._model not in names and f"{self._model}:latest" not in names:
            some = ", ".join(name[:60] for name in names[:_LISTED])
            raise self._api.api.away("it has no such model", f"it has {some}")
        return f"{self.name} at {self._api.api.at}"


def _first(choices: Any) -> Data | None:
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, dict) else None


def _text(content: Any) -> str:
    """The text of a message: as it is, or in the parts some servers cut it into."""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _spent(document: Data, texts: str) -> int:
    """Tokens in and out as the server counts them; as edge estimates where it does not, or cannot have."""
    usage = document.get("usage")
    if isinstance(usage, dict):
        total = usage.get("total_tokens")
        if isinstance(total, int) and 0 < total <= MAX_TOKENS:
            return total
        parts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        known = sum(n for n in parts if isinstance(n, int) and n > 0)
        if 0 < known <= MAX_TOKENS:
            return known
    return tokens(texts)
