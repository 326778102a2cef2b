"""From what a model wrote to an answer one can use: one JSON object, of the schema it was asked for.

A model wraps its object in prose or fences, forgets a field, stops half-way. The first is taken
off, the second is told to it once, the third is no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, NamedTuple

from adapters.cognition.schemas import problem_with
from edge.ports_knowledge import Answer, ModelAway, ModelFailed

MAX_TEXT: Final = 512 * 1024
"""Characters of an answer; no question of edge's has a longer one."""
MAX_TOKENS: Final = 100_000_000
"""Of one answer: no model reads or writes as many, and what says more does not count."""
_QUOTED_BACK: Final = 4_000
_THOUGHT: Final = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_FENCED: Final = re.compile(r"```[a-zA-Z0-9]{0,10}[ \t]*\n(.*?)```", re.DOTALL)
"""What stands before its end may be blank: a pattern that left that out would look at each blank again
from every one before it, and many take hours."""


class Said(NamedTuple):
    """What a model wrote, and what it cost in tokens, in and out."""

    text: str
    tokens: int


Say = Callable[[str], Awaitable[Said]]
"""Puts one prompt to a model; raises ModelAway or ModelFailed."""


async def settled(name: str, say: Say, prompt: str, schema: dict[str, Any]) -> Answer:
    """The answer to the prompt. One that cannot be used is told what is wrong with it, once."""
    said = await say(prompt)
    data, wrong = _read(said.text, schema)
    if data is not None:
        return Answer(data, said.tokens)
    try:
        again = await say(_told(prompt, said.text, wrong, schema))
    except (ModelAway, ModelFailed) as error:
        error.tokens += said.tokens
        raise
    data, wrong = _read(again.text, schema)
    if data is not None:
        return Answer(data, said.tokens + again.tokens)
    raise failed(
        f"{name} answered twice, and not as it was asked: {wrong}",
        hint="another model may do better: see model in edge.toml",
        tokens=said.tokens + again.tokens,
    )


def failed(message: str, *, hint: str = "", tokens: int = 0) -> ModelFailed:
    """The refusal of one answer, with what it cost."""
    error = ModelFailed(message, hint=hint)
    error.tokens = tokens
    return error


def wanted(schema: dict[str, Any]) -> str:
    """How a model is told the shape of its answer, where no parameter of a call can."""
    return (
        "Answer with one JSON object of the JSON schema below, and with nothing else:"
        f" no prose, no code fence.\n{json.dumps(schema, ensure_ascii=False)}"
    )


def _told(prompt: str, text: str, wrong: str, schema: dict[str, Any]) -> str:
    before = text if len(text) <= _QUOTED_BACK else f"{text[:_QUOTED_BACK]}…"
    return (
        f"{prompt}\n\nTo this you answered:\n{json.dumps(before, ensure_ascii=False)}\n"
        f"That cannot be used: {wrong}. {wanted(schema)}"
    )


def _read(text: str, schema: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The object in the text, or what is wrong with it."""
    if len(text) > MAX_TEXT:
        return None, f"it is longer than {MAX_TEXT:,} characters"
    found = object_in(text)
    if found is None:
        return None, "it holds no whole JSON object"
    try:
        wrong = problem_with(found, schema)
    except RecursionError:
        wrong = "it nests too deeply"
    return (None, wrong) if wrong else (found, "")


def object_in(text: str) -> dict[str, Any] | None:
    """The JSON object a text is, or wraps in a fence or in prose; None where it holds none."""
    for candidate in _candidates(_THOUGHT.sub("", text, count=1).strip()):
        try:
            found = json.loads(candidate, parse_constant=_no_number, strict=False)
            if isinstance(found, dict):
                return _storable(found)
        except (ValueError, RecursionError):
            continue
    return None


def _candidates(text: str) -> Iterator[str]:
    yield text
    for fenced in _FENCED.finditer(text):
        yield fenced[1]
    begin, end = text.find("{"), text.rfind("}")
    if 0 <= begin < end:
        yield text[begin : end + 1]


def _storable(found: dict[str, Any]) -> dict[str, Any]:
    """The object as UTF-8 can hold it: half of a surrogate pair cannot stand anywhere."""
    plain = json.dumps(found, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    whole: dict[str, Any] = json.loads(plain)
    return whole


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
