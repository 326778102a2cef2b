"""Text of any origin as Markdown that shows it and does nothing else.

Sessions, comments and models may say anything. Here nothing of it becomes a link, an image, HTML, a
heading or a list: what is there is read, and no more.
"""

from __future__ import annotations

import re
from typing import Final

_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ACTIVE: Final = re.compile(
    r"[\\`*_{}\[\]#|~$&<>]|(?<=\])\(|!(?=\[)"
    r"|:(?=//)|(?<=www)\.|@(?=\w)",  # what readers that link by themselves go by
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"[-+=:%!]|\d+[.)]")
_RUN: Final = re.compile(r"`+")
_PLAIN_CODE: Final = re.compile(r"[\w.:@/-]+", re.ASCII)
LONGEST: Final = 2_000
"""Characters of one text."""


def inline(text: str, limit: int = LONGEST) -> str:
    """The text on one line, every sign of it itself."""
    line = " ".join(_printable(text[: limit * 4]).split())
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    line = _ACTIVE.sub(_inert, line)
    begin = _LEADING.match(line)
    if begin is None:
        return line
    at = begin.end() - 1  # the sign itself, or the one after a number
    return f"{line[:at]}\\{line[at:]}"


def _inert(sign: re.Match[str]) -> str:
    return _ENTITIES.get(sign[0]) or f"\\{sign[0]}"


def prose(text: str) -> str:
    """The text in its paragraphs."""
    parts = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n\n".join(line for line in map(inline, parts) if line)


def code(text: str) -> str:
    """An id or a name as code; where it is not made of plain signs, as text."""
    return f"`{text}`" if _PLAIN_CODE.fullmatch(text) else inline(text)


def block(text: str) -> str:
    """A whole document, shown and not rendered."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept = "\n".join("\t".join(map(_printable, line.split("\t"))) for line in lines)
    fence = "`" * max(3, *(len(run) + 1 for run in _RUN.findall(kept)), 3)
    return f"{fence}markdown\n{kept.rstrip()}\n{fence}"


def link(text: str, page: str) -> str:
    """A link to another page of ours."""
    return f"[{inline(text, 200) or code(page)}]({page})"


def _printable(text: str) -> str:
    """Without signs that nobody sees, some of which turn around what is seen."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
