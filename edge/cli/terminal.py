"""What may reach a terminal of words that others wrote."""

from __future__ import annotations

import re
from typing import Final

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""All but the tab and the line's end."""


def shown(text: str) -> str:
    """The text without control characters, which would move the terminal instead of being read."""
    return text if text.isprintable() else _CONTROLS.sub(" ", text)
