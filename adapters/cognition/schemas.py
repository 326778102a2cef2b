"""Whether a value is of a JSON schema: the part of the language that edge and pydantic write.

Models are asked by schemas of edge's own and of Graphiti's; a validator for all of JSON Schema
would be a dependency for ten words of it. A word not known here is passed over, as the
standard has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

_SHOWN: Final = 40

_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: (
        (isinstance(v, int) and not isinstance(v, bool)) or (isinstance(v, float) and v.is_integer())
    ),
}


def problem_with(value: Any, schema: dict[str, Any]) -> str | None:
    """The first thing wrong with the value, with its place; None where nothing is."""
    return _problem(value, schema, "the answer", schema)


def _problem(value: Any, schema: Any, at: str, root: dict[str, Any]) -> str | None:
    if not isinstance(schema, dict):
        return None if schema is not False else f"{at} may not be there"
    if isinstance(schema.get("$ref"), str):
        wrong = _problem(value, _referred(schema["$ref"], root), at, root)
        if wrong:
            return wrong
    return (
        _of_type(value, schema, at)
        or _of_choices(value, schema, at, root)
        or _in_bounds(value, schema, at)
        or (_of_object(value, schema, at, root) if isinstance(value, dict) else None)
        or (_of_array(value, schema, at, root) if isinstance(value, list) else None)
    )


def _referred(reference: str, root: dict[str, Any]) -> Any:
    found: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        if part:
            found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def _of_type(value: Any, schema: dict[str, Any], at: str) -> str | None:
    types = schema.get("type")
    named = [types] if isinstance(types, str) else types or []
    if named and not any(_TYPES[name](value) for name in named if name in _TYPES):
        return f"{at} is not of type {' or '.join(named)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} is none of {', '.join(map(str, schema['enum']))}"
    if "const" in schema and value != schema["const"]:
        return f"{at} is not {schema['const']}"
    return None


def _of_choices(value: Any, schema: dict[str, Any], at: str, root: dict[str, Any]) -> str | None:
    for part in schema.get("allOf", ()):
        wrong = _problem(value, part, at, root)
        if wrong:
            return wrong
    for word in ("anyOf", "oneOf"):  # one too many of oneOf is taken: no schema here tells them apart so
        choices = schema.get(word)
        if choices:
            problems = [_problem(value, choice, at, root) for choice in choices]
            if all(problems):
                return problems[0]
    return None


def _in_bounds(value: Any, schema: dict[str, Any], at: str) -> str | None:
    if isinstance(value, str | list):
        unit = "characters" if isinstance(value, str) else "items"
        kind = "Length" if isinstance(value, str) else "Items"
        least, most = schema.get(f"min{kind}", 0), schema.get(f"max{kind}")
        if len(value) < least:
            return f"{at} has fewer than {least} {unit}"
        if most is not None and len(value) > most:
            return f"{at} has more than {most} {unit}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            return f"{at} is below {schema['minimum']}"
        if value > schema.get("maximum", value):
            return f"{at} is above {schema['maximum']}"
    return None


def _of_object(value: dict[str, Any], schema: dict[str, Any], at: str, root: dict[str, Any]) -> str | None:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{at} lacks {name}"
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name not in known and others is False:
            return f"{at} has {name[:_SHOWN]!r}, which is not asked for"
        place = name[:_SHOWN] if at == "the answer" else f"{at}.{name[:_SHOWN]}"
        wrong = _problem(item, known.get(name, others), place, root)
        if wrong:
            return wrong
    return None


def _of_array(value: list[Any], schema: dict[str, Any], at: str, root: dict[str, Any]) -> str | None:
    for n, item in enumerate(value):
        wrong = _problem(item, schema.get("items", True), f"{at}[{n}]", root)
        if wrong:
            return wrong
    return None
