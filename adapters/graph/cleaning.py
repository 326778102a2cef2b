"""What a model or a rule said, made fit to keep: it is untrusted, whatever it read was too."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Final

MAX_NAME: Final = 160
MAX_STATEMENT: Final = 600
MAX_RELATION: Final = 60
MAX_GIST: Final = 400
MAX_ENTITIES: Final = 80
MAX_FACTS: Final = 120
"""Characters of a text, and things an episode may bring; what is beyond is left out and counted."""
_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
_GAP: Final = re.compile(r"[^\w]+")


def clean(text: object, most: int) -> str:
    """One line of at most ``most`` characters, without anything that is not seen; empty for no text."""
    if not isinstance(text, str):
        return ""
    seen = " ".join(text[: most * 4].split())
    if not seen.isascii() or not seen.isprintable():
        seen = "".join(char for char in seen if unicodedata.category(char) not in _UNSEEN)
        seen = " ".join(seen.split())
    return seen if len(seen) <= most else seen[: most - 1].rstrip() + "…"


def clean_name(text: object) -> str:
    """A name, or nothing where no letter or digit is left of it."""
    name = clean(text, MAX_NAME)
    return name if any(char.isalnum() for char in name) else ""


def clean_relation(text: object) -> str:
    """A relation as one word of letters, digits and underscores; ``RELATES_TO`` where none is left."""
    return _GAP.sub("_", clean(text, MAX_RELATION)).strip("_") or "RELATES_TO"


def clean_moment(text: object) -> str | None:
    """An ISO time in UTC, or None where it is none that can be read."""
    if not isinstance(text, str):
        return None
    try:
        found = datetime.fromisoformat(text.strip())
        return iso(found if found.tzinfo else found.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def iso(moment: datetime) -> str:
    """A time as it stands in events: UTC, ending in Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
