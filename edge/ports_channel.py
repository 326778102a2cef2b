"""The port by which the operator's acts come in: one channel, one adapter (0018).

Only the coming in is a port. How an answer could leave again is decided by
:func:`edge.domain.channel.deliverable`; edge sends nothing anywhere.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeVar

from edge.domain.channel import Act, Signal

Said_contra = TypeVar("Said_contra", contravariant=True)


class Channel(Protocol[Said_contra]):
    """Translates what its medium says into the core's terms: transport, shape and identity stay in it.

    An adapter types the *act*, from the control that was used, and never the intent, which only the
    words tell. It reads and writes nothing else.
    """

    @property
    def name(self) -> str:
        """Lower case, digits, ``-`` and ``_``; the ``channel`` of each signal's capability."""
        ...

    def signal(self, said: Said_contra) -> Signal:
        """One act as a signal. The same act delivered again has the same idempotency key.

        Refuses (:class:`~edge.domain.refusal.Refused`) what is no act, and what the operator did not say.
        """
        ...


class Control(NamedTuple):
    """A control of terminal or dashboard, and what the operator put in it.

    ``about``: a slug, or for an answer the question's id. ``key``: makes a second submit land once.
    """

    act: Act
    about: str | None
    text: str = ""
    value: int = 0
    harm: int = 0
    key: str | None = None
