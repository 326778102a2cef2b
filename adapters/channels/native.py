"""The native channel: terminal and dashboard, whose controls are the core's own acts."""

from __future__ import annotations

from edge.domain.channel import NATIVE, SHOWN, Signal
from edge.ports_channel import Control


class NativeChannel:
    """What it brings is answered where it was said, since both show the log; see :class:`Channel`."""

    name = NATIVE

    def signal(self, said: Control) -> Signal:
        return Signal(
            act=said.act,
            target=said.about,
            text=said.text,
            value=said.value,
            harm=said.harm,
            reply=SHOWN._replace(idempotency_key=said.key),
        )
