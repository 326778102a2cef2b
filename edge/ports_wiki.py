"""What the wiki needs from the outside: where pages are kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class Kept(NamedTuple):
    """What keeping pages came to, by name. ``left``: somebody else's file stands where a page would."""

    pages: int
    changed: list[str]
    removed: list[str]
    left: list[str]


class Pages(Protocol):
    """A directory of pages, of which only edge's own are ever touched."""

    def locked(self) -> AbstractContextManager[None]:
        """No other process keeps pages there inside."""
        ...

    def key(self) -> str | None:
        """What the pages there were made of, as last kept; None where that is not known."""
        ...

    def keep(self, pages: Mapping[str, str], key: str) -> Kept:
        """Have these pages stand there, and none of edge's own beside them."""
        ...
