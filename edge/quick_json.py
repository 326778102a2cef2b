"""JSON by pydantic's encoder and decoder, in a fifth and in half of the standard library's time.

They are imported at the first use: who only reads what is folded starts without them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any


@cache
def encoder() -> Callable[[object], bytes]:
    """Writes a value as JSON in UTF-8, and NaN and infinities as they are, which are no JSON.

    What it gives raises ValueError for what has no JSON, is nested too deep, or is no UTF-8.
    """
    from pydantic_core import to_json

    return to_json


@cache
def decoder() -> Callable[[str], Any]:
    """Reads JSON; what it gives raises ValueError for what is none, or nested deeper than it goes."""
    from pydantic_core import from_json

    return partial(from_json, cache_strings="keys")


def is_at_hand() -> bool:
    """Whether something imported them already, so that a few texts are worth them too."""
    return "pydantic_core" in sys.modules
