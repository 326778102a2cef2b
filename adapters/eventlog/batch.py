"""An append before it goes out: checked and encoded once, the same for every embedded log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from edge.domain.events import NewEvent
from edge.ports import MAX_APPEND_BYTES, AppendRefused


class Row(NamedTuple):
    """An event with its metadata and data as JSON text."""

    id: str
    type: str
    metadata: str
    data: str


# NaN and infinities are no JSON: other readers of the log would stumble over them.
_encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_decode: Final = json.JSONDecoder().raw_decode


def encoded(events: Sequence[NewEvent]) -> list[Row]:
    """The batch as rows. Raises :class:`~edge.ports.AppendRefused` where it may not be sent:
    not a sized sequence (a retry would find a generator empty), empty, not JSON in UTF-8, or
    larger than :data:`~edge.ports.MAX_APPEND_BYTES`."""
    if not isinstance(events, Sequence):
        raise AppendRefused(f"an append takes a list of events, not a {type(events).__name__}")
    if not events:
        raise AppendRefused("an append takes at least one event")
    rows, size = [], 0
    for id_, type_, data, metadata in events:
        row = Row(id_, type_, _text(metadata, type_), _text(data, type_))
        size += 2 * len(type_) + _bytes(row.metadata, type_) + _bytes(row.data, type_)
        rows.append(row)
    if size > MAX_APPEND_BYTES:
        raise AppendRefused(
            f"the append has {size} bytes, more than the {MAX_APPEND_BYTES} one append may have",
            hint="append less at once",
        )
    return rows


def decoded(text: str) -> Any:
    """What :func:`encoded` made a text of. Raises ValueError where the text is no JSON."""
    return _decode(text)[0]


def _text(value: object, type_: str) -> str:
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise AppendRefused(f"{type_} holds what JSON cannot: {error}") from error


def _bytes(text: str, type_: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise AppendRefused(f"{type_} holds a lone surrogate, which UTF-8 cannot store") from error
