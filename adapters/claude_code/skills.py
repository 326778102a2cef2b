"""The skills of edge for Claude Code, and which of those installed are still as edge wrote them.

Each ends in a line with the hash of the rest. A file whose hash is another was changed by hand, and
one without the line is somebody else's: both are kept.
"""

from __future__ import annotations

import re
from hashlib import sha256
from importlib.resources import files
from typing import Final

NAMES: Final = ("edge-open", "edge-close", "edge-grill")
COMMAND: Final = "{edge}"
"""Stands in a skill's text for the command that runs this edge on this home."""
_SIGNED: Final = re.compile(r"<!-- written by edge install, ([0-9a-f]{16}) -->\n\Z")


def text_of(name: str, command: str) -> str:
    """The skill as it is installed."""
    shipped = files("adapters.claude_code").joinpath("skills", f"{name}.md").read_text("utf-8")
    body = shipped.replace(COMMAND, command)
    return f"{body}\n<!-- written by edge install, {_hash(body)} -->\n"


def is_as_written(text: str) -> bool:
    """Whether an installed skill is just what some edge wrote."""
    signed = _SIGNED.search(text)
    return signed is not None and _hash(text[: signed.start() - 1]) == signed[1]


def _hash(body: str) -> str:
    return sha256(body.encode()).hexdigest()[:16]
