"""What of a model's text is an answer, and what is wrong with one that is none."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from adapters.cognition.answers import MAX_TEXT, Said, object_in, settled
from adapters.cognition.schemas import problem_with
from edge.ports_knowledge import Answer, ModelAway, ModelFailed

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "said": {"$ref": "#/$defs/Said"}},
    "required": ["n"],
    "$defs": {"Said": {"type": "array", "items": {"$ref": "#/$defs/Word"}}, "Word": {"type": "string"}},
}


class Scripted:
    """Says what it was told to, and keeps what it was asked."""

    def __init__(self, *texts: str | Exception) -> None:
        self.texts = list(texts)
        self.asked: list[str] = []

    async def say(self, prompt: str) -> Said:
        self.asked.append(prompt)
        text = self.texts.pop(0)
        if isinstance(text, Exception):
            raise text
        return Said(text, 10)

    def settles(self, schema: dict[str, Any] = SCHEMA) -> Answer:
        return asyncio.run(settled("m", self.say, "How many?", schema))


@pytest.mark.parametrize(
    "text",
    [
        '{"n": 1}',
        '\n {"n": 1}\n',
        '```json\n{"n": 1}\n```',
        '```\n{"n": 1}\n```',
        '```\n{"n": 1} \n\t \n  ```',
        '```json\n{"n": 1}```',
        'Here it is:\n\n```json\n{"n": 1}\n```\nAnything else?',
        'Of course! {"n": 1} is the answer.',
        '<think>{"n": 7}? No. It is one.</think>\n{"n": 1}',
    ],
)
def test_an_object_is_found_in_what_models_wrap_it_in(text: str) -> None:
    assert object_in(text) == {"n": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one",
        "1",
        '["n", 1]',
        '{"n": 1',
        '{"n": NaN}',
        '{"n": 1e999}',
        '{"n": ' + "1" * 5_000 + "}",
        '{"n": ' + "[" * 100_000,
        "}{",
        "{" * 1_000 + "}" * 1_000,
    ],
)
def test_nonsense_and_parts_are_no_object(text: str) -> None:
    assert object_in(text) is None


def test_a_fence_that_never_ends_is_given_up_however_many_blanks_it_begins_with() -> None:
    assert object_in("```\n" + " " * (MAX_TEXT - 5) + "x") is None  # looking anew from each takes an hour


def test_what_no_file_could_hold_is_replaced() -> None:
    assert object_in('{"n": "a\\ud800b"}') == {"n": "a?b"}


def test_a_good_answer_is_asked_for_once() -> None:
    model = Scripted('{"n": 2, "said": ["um", "dois"]}')
    assert model.settles() == Answer({"n": 2, "said": ["um", "dois"]}, 10)
    assert model.asked == ["How many?"]


def test_a_wrong_answer_is_told_what_is_wrong_with_it_once() -> None:
    model = Scripted('{"n": "two"}', '{"n": 2}')
    assert model.settles() == Answer({"n": 2}, 20)
    again = model.asked[1]
    assert again.startswith("How many?")
    assert "n is not of type integer" in again
    assert json.dumps(SCHEMA) in again


@pytest.mark.parametrize("second", ['{"n": 1.5}', "no", '{"n": 1, "said": [1]}', " " * MAX_TEXT + '{"n": 1}'])
def test_an_answer_that_stays_wrong_fails_with_what_it_cost(second: str) -> None:
    model = Scripted("what?", second)
    with pytest.raises(ModelFailed, match="answered twice, and not as it was asked") as raised:
        model.settles()
    assert raised.value.tokens == 20
    assert len(model.asked) == 2
    assert "\n" not in raised.value.message


@pytest.mark.parametrize("error", [ModelAway("m is away"), ModelFailed("m refused")])
def test_a_model_that_goes_away_between_tells_what_the_first_answer_cost(
    error: ModelAway | ModelFailed,
) -> None:
    with pytest.raises(type(error)):
        Scripted("what?", error).settles()
    assert error.tokens == 10


def test_a_long_answer_is_not_quoted_back_whole() -> None:
    model = Scripted("x" * 100_000, '{"n": 1}')
    model.settles()
    assert len(model.asked[1]) < 10_000


@pytest.mark.parametrize(
    ("value", "schema", "wrong"),
    [
        (True, {"type": "integer"}, "the answer is not of type integer"),
        (2.0, {"type": "integer"}, None),
        (None, {"type": ["string", "null"]}, None),
        (1, {"type": ["string", "null"]}, "the answer is not of type string or null"),
        ("c", {"enum": ["a", "b"]}, "the answer is none of a, b"),
        ("c", {"const": "a"}, "the answer is not a"),
        ({}, {"required": ["a"]}, "the answer lacks a"),
        ({"a": {}}, {"properties": {"a": {"required": ["b"]}}}, "a lacks b"),
        ({"z": 1}, {"additionalProperties": False}, "the answer has 'z', which is not asked for"),
        ({"z": 1}, {"additionalProperties": {"type": "string"}}, "z is not of type string"),
        ({"a": [{"b": 1}]}, {"properties": {"a": {"items": {"required": ["c"]}}}}, "a[0] lacks c"),
        ([], {"minItems": 1}, "the answer has fewer than 1 items"),
        ("abc", {"maxLength": 2}, "the answer has more than 2 characters"),
        (-1, {"minimum": 0}, "the answer is below 0"),
        (2, {"maximum": 1}, "the answer is above 1"),
        (1, {"anyOf": [{"type": "string"}, {"type": "null"}]}, "the answer is not of type string"),
        (None, {"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        (1, {"oneOf": [{"type": "string"}, {"type": "integer"}]}, None),
        (1, {"allOf": [{"type": "integer"}, {"minimum": 3}]}, "the answer is below 3"),
        ({"a": 1}, {"title": "T", "description": "d", "format": "x", "default": {}}, None),
        (1, False, "the answer may not be there"),
        (1, True, None),
    ],
)
def test_the_first_thing_wrong_is_said_with_its_place(value: Any, schema: Any, wrong: str | None) -> None:
    assert problem_with(value, schema) == wrong


class Part(BaseModel):
    name: str = Field(min_length=1)
    kind: Literal["a", "b"] = "a"
    next: Part | None = None


def test_what_pydantic_writes_is_understood() -> None:
    schema = Part.model_json_schema()
    assert problem_with({"name": "x", "next": {"name": "y", "kind": "b"}}, schema) is None
    assert (
        problem_with({"name": "x", "next": {"name": ""}}, schema) == "next.name has fewer than 1 characters"
    )
    assert problem_with({"name": "x", "kind": "c"}, schema) == "kind is none of a, b"


def test_an_answer_that_nests_without_end_is_wrong_and_no_crash() -> None:
    text = '{"name": "a", "next": ' * 400 + '{"name": "a"}' + "}" * 400
    model = Scripted(text, '{"name": "a"}')
    assert model.settles(Part.model_json_schema()).data == {"name": "a"}
