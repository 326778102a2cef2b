"""What the pages show: their fenced blocks, and text without what differs from run to run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FENCE = re.compile(r"^(?:<!-- exit (\d+) -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

VARIES = (
    (re.compile(r"\b[0-9a-f]{32}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\b20\d\d-\d\d-\d\d(?:T[0-9:.]+Z)?"), "TIME"),
    (re.compile(r"(?<=[-.])[0-9a-f]{8}\b"), "HASH"),
    (re.compile(r"\b[\d,]+ bytes"), "N bytes"),
    (re.compile(r"\b[\d.]+ s\b"), "N s"),
)


class Block(NamedTuple):
    line: int
    language: str
    text: str
    exit: int
    follows: bool
    """Nothing stands between it and the block before."""


def blocks(path: Path) -> Iterator[Block]:
    text, end = path.read_text("utf-8"), -1
    for fence in FENCE.finditer(text):
        follows = end >= 0 and not text[end : fence.start()].strip()
        line = text.count("\n", 0, fence.start(3))
        yield Block(line, fence[2], fence[3], int(fence[1] or 0), follows)
        end = fence.end()


def plain(text: str) -> str:
    """The text without ids, times and sizes, and without spaces at the ends of lines."""
    for pattern, said in VARIES:
        text = pattern.sub(said, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
