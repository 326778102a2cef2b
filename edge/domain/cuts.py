"""Where a run of turns is cut into episodes, and a long turn into parts. Pure arithmetic.

Sizes are the bytes a text takes as UTF-8 JSON, so that an episode of control characters
stays an append that the log takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from edge.domain.events import Data

MAX_EPISODE: Final = 256 * 1024
_FRAME: Final = 8 * 1024  # what an episode says beside its turns
MAX_TURNS: Final = MAX_EPISODE - _FRAME
"""Bytes the turns of one episode may take together."""
_TURN_FRAME: Final = 512
MAX_PART: Final = MAX_TURNS - _TURN_FRAME


def stored_size(text: str) -> int:
    """Bytes of the text as a UTF-8 JSON string, without its quotes."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def turn_size(turn: Data) -> int:
    """Bytes the turn takes in its episode, rounded up."""
    beside = len(turn["id"]) + len(turn.get("ts") or "")
    return stored_size(turn["text"]) + min(_TURN_FRAME, 64 + 6 * beside)


def parts(turn: Data) -> Iterator[Data]:
    """The turn itself, or numbered parts of it that each fit an episode.

    Where it is cut depends on its text alone, so every copy of it is cut alike.
    """
    text = turn["text"]
    if len(text) * 6 <= MAX_PART or stored_size(text) <= MAX_PART:
        yield turn
        return
    at, number = 0, 1
    while at < len(text):
        end = at + _fitting(text, at)
        yield {**turn, "text": text[at:end], "part": number}
        at, number = end, number + 1


def _fitting(text: str, at: int) -> int:
    """How many characters from ``at`` fit one part; at least one."""
    count = min(MAX_PART, len(text) - at)
    size = stored_size(text[at : at + count])
    while size > MAX_PART:
        count = max(1, min(count - 1, count * MAX_PART // size))
        size = stored_size(text[at : at + count])
    return count
