"""What the import of a foreign history needs from the adapter that reads its format."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from edge.domain.events import Data


class Translated(NamedTuple):
    """One foreign record as an event of this log, not yet without secrets."""

    id: str
    stream: str
    type: str
    data: Data
    recorded_at: str
    seq: int | str | None
    """The record's own number, kept in the metadata."""
    otherwise: str | None = None
    """The stream the record would stand in had less been known of what it refers to.

    An earlier import may have put it there; it is not imported a second time.
    """


class Importer(Protocol):
    """Translates the records of one foreign format, in the order they come.

    It remembers what later records may refer to; what a record becomes depends only on the
    records before it and on what the log already holds.
    """

    def translate(self, text: str, record: Data) -> Translated | None:
        """The record as an event; None where this format's records of its kind are passed over.

        ``text`` is the record's line, which its id is made of. Raises
        :class:`~edge.domain.refusal.Refused` saying why the record cannot be taken.
        """
        ...
