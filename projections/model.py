"""What a read model is: its tables, its version, and how an event changes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import apsw

from edge.domain.events import Event


class ReadModel:
    """One read model over one connection. Rows change only inside the runner's transaction.

    For each page the runner calls ``expect`` with the events that concern the model, then
    ``apply`` with one after the other, then ``flush``. ``expect`` may read at once what they
    will change, ``apply`` may keep changes in memory until ``flush``; ``discard`` drops what a
    rolled-back page left there.
    """

    NAME: ClassVar[str]
    VERSION: ClassVar[int]
    TABLES: ClassVar[dict[str, str]]
    """Table name → its DDL (with its indexes), as one script."""
    BESIDE: ClassVar[dict[str, str]] = {}
    """Tables of this host that the model keeps besides, made where they are missing; no fold of the log."""
    TYPES: ClassVar[frozenset[str]]
    """The event types it folds."""
    REFOLDED_AFTER: ClassVar[frozenset[str]] = frozenset()
    """The ``*.forgotten`` types that take something it may have folded, and which it cannot take
    out again by itself: after one the model is folded anew, and so equal to a rebuilt one."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def learn(self, event: Event) -> None:
        """A forgotten event, told before a fold from the start reads any text. By default it is enough
        that what stands before it in its stream is passed over."""

    def expect(self, events: Sequence[Event]) -> None:
        """By default nothing is read before it is needed."""

    def apply(self, event: Event) -> None:
        raise NotImplementedError

    def flush(self) -> None:
        raise NotImplementedError

    def discard(self) -> None:
        raise NotImplementedError
