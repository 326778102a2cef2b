"""Values as Neo4j can keep them and Graphiti can read them: what models wrote may be neither."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

LONGEST_KEY: Final = 1_000
"""Characters of a text that a range index is kept over; Neo4j refuses more than some 8,000 bytes."""

_LABEL: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_TAKEN: Final = frozenset(
    "Entity Episodic Community Saga EdgeCheckpoint EdgeGone".split()
)  # what edge or Graphiti tell their nodes apart by
_FIXED: Final = frozenset(
    "uuid name group_id summary created_at name_embedding labels source_node_uuid target_node_uuid fact"
    " fact_embedding episodes expired_at valid_at invalid_at reference_time".split()
)
_INT64: Final = 2**63


def text(value: object) -> str:
    """A text without what UTF-8 cannot hold."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def key(value: str) -> str:
    """A text short enough for an index."""
    return text(value)[:LONGEST_KEY]


def time(value: str | None) -> str | None:
    """A moment for Cypher's ``datetime()``, in UTC; None where it is none. (Handing the driver a
    datetime costs more than all else of a fact.)"""
    if not value:
        return None
    try:
        found = datetime.fromisoformat(value)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError, TypeError):
        return None


def labels(said: Iterable[str]) -> list[str]:
    """The labels Graphiti would read back, ``Entity`` among them; one it refuses would fail every read."""
    fine = {label for label in said if _LABEL.fullmatch(label) and label not in _TAKEN}
    return ["Entity", *sorted(label for label in fine if not label.startswith("Entity_"))]


def attributes(said: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is kept as properties beside Graphiti's own."""
    found = {text(name): _property(value) for name, value in (said or {}).items()}
    return {
        name: value
        for name, value in found.items()
        if value is not None and name not in _FIXED and name and "\0" not in name and "`" not in name
    }


def vector(numbers: Sequence[float]) -> str:
    """A vector as its statement takes it apart. As a list of numbers the driver takes eight times
    as long over it, which was two thirds of the whole projection."""
    return " ".join(["%.9g"] * len(numbers)) % tuple(numbers)  # nine digits are a float32 exactly


def _property(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else str(value)
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return [text(each) for each in value]
    return text(json.dumps(value, ensure_ascii=False, default=str))
