"""A channel of elsewhere, made up to prove the port: a messenger with rooms, threads and sessions that end.

It lives here only. A post is a message in a room, a pressed vote under a report, or what was typed
into the box under a question; the messenger delivers each at least once.
"""

from __future__ import annotations

from dataclasses import dataclass

from edge.domain.channel import Fallback, ReplyCapability, Signal
from edge.domain.refusal import Refused

OPERATOR = "u-0"
"""Who the operator is over there."""


@dataclass(frozen=True)
class Post:
    delivery: str
    """The same for the same post, however often it comes."""
    text: str = ""
    room: str = "r7"
    post: str | None = "p1"
    """The post itself, where a thread may hang; None in a room that has none."""
    writer: str = OPERATOR
    about: str | None = None
    question: str | None = None
    chat: str | None = None
    thumb: int | None = None
    session_ends: str | None = None


class Courier:
    name = "courier"

    def __init__(self, fallback: Fallback | None = None) -> None:
        self._fallback = fallback

    def signal(self, said: Post) -> Signal:
        if said.writer != OPERATOR:
            raise Refused(f"{said.writer} is not the operator")
        reply = ReplyCapability(
            channel=self.name,
            address=f"{said.room}/{said.post}" if said.post else said.room,
            expires_at=said.session_ends,
            threading_mode="thread" if said.post else "flat",
            idempotency_key=said.delivery,
            fallback_policy=self._fallback,
        )
        if said.thumb is not None:
            return Signal("vote", said.about, value=said.thumb, reply=reply)
        if said.question is not None:
            return Signal("answer", said.question, text=said.text, comment_id=said.chat, reply=reply)
        return Signal("comment", said.about, text=said.text, reply=reply)
