"""JSONL as strangers write it, a line at a time: what cannot be read is one line lost, no more."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO, Final, Literal, NamedTuple

from edge.domain.events import Data
from edge.domain.refusal import Refused

Format = Literal["edge-of-chaos", "envelopes"]

MAX_LINE: Final = 8 * 1024 * 1024
"""Bytes of a line; an append of 1 MiB written with every character escaped is not longer."""

_BOM: Final = b"\xef\xbb\xbf"
_PEEKED: Final = 100


class Line(NamedTuple):
    """A line that is not blank, counted from 1. ``text`` is None where it is none, for ``problem``."""

    number: int
    text: str | None
    problem: str = ""


def lines_of(source: BinaryIO) -> Iterator[Line]:
    """The lines of a file, ended by LF and nothing else, with bounded memory."""
    number = 0
    while raw := source.readline(MAX_LINE + 1):
        number += 1
        if len(raw) > MAX_LINE:
            while not raw.endswith(b"\n") and (rest := source.readline(MAX_LINE)):
                raw = rest
            yield Line(number, None, f"the line is longer than {MAX_LINE:,} bytes")
            continue
        if number == 1:
            raw = raw.removeprefix(_BOM)
        raw = raw.strip(b" \t\r\n")
        if not raw:
            continue
        try:
            yield Line(number, raw.decode())
        except UnicodeDecodeError:
            yield Line(number, None, "the line is not UTF-8")


def record_of(line: Line) -> Data:
    """The JSON object of a line. Raises Refused where there is none."""
    if line.text is None:
        raise Refused(line.problem)
    try:
        record = _decode(line.text)
    except RecursionError:
        raise Refused("the line is nested too deeply") from None
    except ValueError as error:
        said = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise Refused(f"the line is not JSON: {said}") from None
    if not isinstance(record, dict):
        raise Refused("the line is not a JSON object")
    return record


def format_of(lines: Iterable[Line]) -> tuple[Format, Iterator[Line]]:
    """The format of a file by its first record, and all of its lines."""
    rest, peeked = iter(lines), list[Line]()
    for line in rest:
        peeked.append(line)
        try:
            record = record_of(line)
        except Refused:
            if len(peeked) == _PEEKED:
                break
            continue
        found: Format = "envelopes" if {"stream", "revision"} <= record.keys() else "edge-of-chaos"
        return found, chain(peeked, rest)
    return "edge-of-chaos", chain(peeked, rest)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


_decode: Final = json.JSONDecoder(parse_constant=_no_number).decode
