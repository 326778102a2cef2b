"""What a read model is: its tables, its version, and how an event changes it."""

from __future__ import annotations

from typing import ClassVar

import apsw

from edge.domain.events import Event


class ReadModel:
    """One read model over one connection. Rows change only inside the runner's transaction.

    ``apply`` may keep changes in memory until ``flush``, which the runner calls before it
    commits a page; ``discard`` drops what a rolled-back page left in memory.
    """

    NAME: ClassVar[str]
    VERSION: ClassVar[int]
    TABLES: ClassVar[dict[str, str]]
    """Table name → its DDL (with its indexes), as one script."""
    TYPES: ClassVar[frozenset[str]]
    """The event types it folds."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def apply(self, event: Event) -> None:
        raise NotImplementedError

    def flush(self) -> None:
        raise NotImplementedError

    def discard(self) -> None:
        raise NotImplementedError
