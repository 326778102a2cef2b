"""An append before it goes out: checked and encoded once, the same for every embedded log."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from edge import quick_json
from edge.domain.events import NewEvent
from edge.ports import MAX_APPEND_BYTES, AppendRefused


class Row(NamedTuple):
    """An event with its metadata and data as JSON text."""

    id: str
    type: str
    metadata: str
    data: str


# pydantic's encoder takes a fifth of the time, but lets NaN and infinities through, which are
# no JSON: where its output may hold one, this one decides.
_strict: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_decode: Final = json.JSONDecoder().raw_decode


def encoded(events: Sequence[NewEvent]) -> list[Row]:
    """The batch as rows. Raises :class:`~edge.ports.AppendRefused` where it may not be sent:
    not a sized sequence (a retry would find a generator empty), empty, not JSON in UTF-8, or
    larger than :data:`~edge.ports.MAX_APPEND_BYTES`."""
    if not isinstance(events, (list, tuple, Sequence)):  # the first two are known at a glance
        raise AppendRefused(f"an append takes a list of events, not a {type(events).__name__}")
    if not events:
        raise AppendRefused("an append takes at least one event")
    to_json = quick_json.encoder()
    rows, size = [], 0
    for id_, type_, data, metadata in events:
        try:
            data_json, metadata_json = to_json(data), to_json(metadata)
            if b"N" in data_json or b"I" in data_json:  # found many times as fast as a word
                _refuse_nan(data, data_json)
        except (TypeError, ValueError, RecursionError) as error:
            raise AppendRefused(f"{type_} holds what JSON in UTF-8 cannot: {error}") from error
        size += 2 * len(type_) + len(data_json) + len(metadata_json)
        rows.append(Row(id_, type_, metadata_json.decode(), data_json.decode()))
    if size > MAX_APPEND_BYTES:
        raise AppendRefused(
            f"the append has {size} bytes, more than the {MAX_APPEND_BYTES} one append may have",
            hint="append less at once",
        )
    return rows


def _refuse_nan(data: object, written: bytes) -> None:
    if b"NaN" in written or b"Infinity" in written:
        _strict(data)


def decoded(text: str) -> Any:
    """What :func:`encoded` made a text of. Raises ValueError where the text is no JSON."""
    return _decode(text)[0]


def decoder_of_many() -> Callable[[str], Any]:
    """A :func:`decoded` that takes less than half the time, after an import that few texts are not worth."""
    quick = quick_json.decoder()

    def decode(text: str) -> Any:
        try:
            return quick(text)
        except ValueError:  # damaged, or nested too deep for it: the other says which
            return decoded(text)

    return decode
