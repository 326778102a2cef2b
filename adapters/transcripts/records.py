"""From bytes to JSON records: one pass, bounded memory, and no line ends the file.

Transcripts are written by a program that may be killed at any byte. Lines end with LF only
(U+2028 and CR are text); a line may be torn, padded with NULs, or hold several records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

Record: TypeAlias = dict[str, Any]

CHUNK: Final = 256 * 1024
MAX_LINE: Final = 64 * 1024 * 1024
"""A longer line is passed over: no record is that long."""

_SPACE: Final = re.compile(r"[ \t\r\n\ufeff]*")
_OBJECT: Final = re.compile(r'\{[ \t]*"')
_OBJECT_AHEAD: Final = re.compile(r"[\0 \t\r\n\ufeff]*\{")
_ATTEMPTS: Final = 2_000
_TOO_DEEP: Final = 20_000  # what an attempt that ends in nesting costs, in characters read
_scan = json.JSONDecoder(strict=False).raw_decode


class Line(NamedTuple):
    """Bytes from ``offset`` to ``end`` (past the LF where there is one)."""

    offset: int
    end: int
    content: bytes
    whole: bool
    """False for the last bytes of a file without their LF, and nothing else."""


def lines(file: BinaryIO, offset: int) -> Iterator[Line]:
    """The lines from ``offset`` (a line's beginning) on. Too long ones come as empty content."""
    file.seek(offset)
    held: list[bytes] = []
    size, start = 0, offset
    while chunk := file.read(CHUNK):
        at = 0
        while (stop := chunk.find(b"\n", at)) >= 0:
            size += stop - at
            if held:
                held.append(chunk[at:stop])
                content = b"".join(held) if size <= MAX_LINE else b""
                held = []
            else:
                content = chunk[at:stop]
            yield Line(start, start + size + 1, content, True)
            start, size, at = start + size + 1, 0, stop + 1
        if at < len(chunk):
            size += len(chunk) - at
            if size <= MAX_LINE:
                held.append(chunk[at:] if at else chunk)
            else:
                held = [b""]  # what was held cannot be used any more; only its size still counts
    if size and size <= MAX_LINE:
        yield Line(start, start + size, b"".join(held), False)


class Parsed(NamedTuple):
    records: list[Record]
    bad: bool
    """Something in the line was no record."""


def parse(content: bytes) -> Parsed:
    """All records of one whole line, also after a torn one, glued together, or among NULs."""
    text = content.decode("utf-8", "replace")
    if "\0" in text:
        text = text.replace("\0", "")
    records: list[Record] = []
    bad = False
    at, end = _past_space(text, 0), len(text)
    while at < end:
        try:
            found, at = _scan(text, at)
        except (ValueError, RecursionError):
            bad = True
            after_damage = _next_record(text, at + 1)
            if after_damage is None:
                break
            found, at = after_damage
        if isinstance(found, dict):
            records.append(found)
        else:
            bad = True
        at = _past_space(text, at)
    return Parsed(records, bad)


def whole_begin(content: bytes) -> bytes:
    """The part of an unfinished line that its whole first objects are; empty where none is.

    A whole object cannot become another one by what is written after it; all else can, and
    waits. What it holds depends on its own bytes alone, however much stands behind it.
    """
    if b"}" not in content:
        return b""
    text = content.decode("utf-8", "surrogateescape")
    at = 0
    while begin := _OBJECT_AHEAD.match(text, at):
        try:
            _, at = _scan(text, begin.end() - 1)
        except (ValueError, RecursionError):
            break
    return text[:at].encode("utf-8", "surrogateescape")


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _next_record(text: str, at: int) -> tuple[Record, int] | None:
    """The first record that begins after damage at ``at``, and where it ends.

    An object inside the torn record must not be taken for one: a record fills the line to
    its end, or to the beginning of the next. Work is bounded: hostile lines nest thousands.
    """
    budget = 8 * (len(text) - at) + 1_000
    for attempt, begin in enumerate(_OBJECT.finditer(text, at)):
        if attempt >= _ATTEMPTS or budget < 0:
            return None
        try:
            found, end = _scan(text, begin.start())
        except json.JSONDecodeError as error:
            budget -= max(1, error.pos - begin.start())
            continue
        except (ValueError, RecursionError):
            budget -= _TOO_DEEP
            continue
        budget -= end - begin.start()
        rest = _past_space(text, end)
        if _is_record(found) and (rest == len(text) or _OBJECT.match(text, rest)):
            return found, end
    return None


def _is_record(found: object) -> bool:
    return (
        isinstance(found, dict)
        and isinstance(found.get("type"), str)
        and any(key in found for key in ("uuid", "sessionId", "timestamp", "messageId"))
    )
