"""What a channel hands to the core, and whether an answer can travel back over it (0018).

A channel types the act, by which of its controls was used; what the words direct is the core's to
read (:mod:`edge.domain.harm`), the same whatever they came over.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from edge.domain.chat import Chat, text_of
from edge.domain.events import Data
from edge.domain.language import Lang
from edge.domain.refusal import Refused

Act = Literal["comment", "vote", "answer"]
Threading = Literal["thread", "flat"]
"""``thread``: an answer stands under what it answers. ``flat``: it is a message of its own."""
Fallback = Literal["native", "dead_letter"]
"""What becomes of an answer that cannot travel back: it is shown where the log is, or given up."""
How = Literal["native", "channel", "dead_letter"]
Reason = Literal["native", "reachable", "no-address", "expired", "unreadable-expiry", "unknown-threading"]

NATIVE: Final = "native"
"""The channel of terminal and dashboard: they show the log, so an answer that stands in it has arrived."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


class ReplyCapability(NamedTuple):
    """How an answer can travel back over the channel an act came in by: more than an address, which
    alone would be a lie where a session closes or a window ends.

    ``expires_at``: an ISO time from which on nothing can be sent there, in UTC where it names no zone,
    and the first moment of a date; None: it stays open.
    ``idempotency_key``: what each delivery of one act has in common, so that it lands once.
    """

    channel: str
    address: str
    expires_at: str | None = None
    threading_mode: str | None = None
    idempotency_key: str | None = None
    fallback_policy: str | None = None

    def as_data(self) -> Data:
        """As ``voz.comment`` keeps it, without what is not said."""
        return {name: value for name, value in self._asdict().items() if value is not None}


SHOWN: Final = ReplyCapability(NATIVE, "log")
"""The native channel's: there is nothing to deliver."""


class Signal(NamedTuple):
    """One act of the operator in the core's own terms, whatever channel it came over.

    ``target``: the slug a comment or a vote is about (None: nothing in particular), or the id of the
    question an answer is to. ``comment_id``: the chat an answer belongs to, where the channel knows
    it; a comment's own id follows from the idempotency key. ``text`` is a comment's or an answer's,
    ``value`` (+1, -1, 0 takes it back) a vote's.
    """

    act: Act
    target: str | None
    text: str = ""
    value: int = 0
    harm: int = 0
    comment_id: str | None = None
    reply: ReplyCapability = SHOWN


def checked(signal: Signal) -> Signal:
    """The signal, where it keeps the contract; refused, with what is wrong, where it does not."""
    reply = signal.reply
    if not _NAME.fullmatch(reply.channel):
        raise Refused(f"no channel is called {reply.channel!r}", hint="a-z, 0-9, - and _, at most 32")
    if signal.act != "comment" and not signal.target:
        raise Refused(f"the {signal.act} names nothing that it is about")
    if reply.idempotency_key is not None and not reply.idempotency_key.strip():
        raise Refused("the key is blank")
    if reply.channel == NATIVE:
        return signal
    if not reply.idempotency_key:
        raise Refused(
            f"a signal over {reply.channel} has no idempotency key",
            hint="channels deliver again: name what both deliveries have in common",
        )
    if not reply.address.strip():
        raise Refused(f"a signal over {reply.channel} has no address to answer to")
    if reply.expires_at is not None and _moment(reply.expires_at) is None:
        raise Refused(f"{reply.expires_at!r} is not a time", hint="write it as 2026-12-31T09:00:00Z")
    if reply.threading_mode not in (None, "thread", "flat"):
        raise Refused(f"no such threading mode {reply.threading_mode!r}", hint="thread or flat")
    if reply.fallback_policy not in (None, "native", "dead_letter"):
        raise Refused(f"no such fallback policy {reply.fallback_policy!r}", hint="native or dead_letter")
    return signal


def act_id(group: str, act: Act, reply: ReplyCapability) -> str | None:
    """The id that every delivery of one act gets; None where nothing tells two of them apart.

    Channels keep apart: two of them may use the same key, and mean two acts.
    """
    if reply.idempotency_key is None:
        return None
    kind = act if reply.channel == NATIVE else f"{reply.channel}/{act}"
    return uuid5(NAMESPACE_URL, f"edge:{group}:{kind}:{reply.idempotency_key}").hex


class Delivery(NamedTuple):
    """How an answer would leave. ``channel``: to ``address``, under what it answers where ``threaded``.
    ``native``: it is shown in terminal and dashboard. ``dead_letter``: it reaches nobody, for ``why``."""

    how: How
    why: Reason
    address: str | None = None
    threaded: bool = False


def deliverable(reply: ReplyCapability, now: datetime) -> Delivery:
    """Whether an answer can travel back at ``now`` (aware), and if not, what becomes of it.

    What cannot be read is not trusted: an answer is shown here rather than promised elsewhere.
    """
    if reply.channel == NATIVE:
        return Delivery("native", "native")
    why = _hindrance(reply, now)
    if why is not None:
        return Delivery("dead_letter" if reply.fallback_policy == "dead_letter" else "native", why)
    return Delivery("channel", "reachable", reply.address, reply.threading_mode == "thread")


def _hindrance(reply: ReplyCapability, now: datetime) -> Reason | None:
    if not reply.address.strip():
        return "no-address"
    if reply.expires_at is not None:
        end = _moment(reply.expires_at)
        if end is None:
            return "unreadable-expiry"
        if now >= end:
            return "expired"
    return None if reply.threading_mode in (None, "thread", "flat") else "unknown-threading"


def reply_of(chat: Chat) -> ReplyCapability:
    """How an answer to a chat can travel back: as its comment's event has it, which a stranger may
    have written; over the native channel there is nothing to travel."""
    if chat["channel"] == NATIVE:
        return SHOWN
    kept = chat["reply_capability"] or {}
    said = [text_of(kept, name) or None for name in ReplyCapability._fields[2:]]
    return ReplyCapability(chat["channel"], text_of(kept, "address"), *said)


def told(delivery: Delivery, channel: str, lang: Lang) -> str:
    """The delivery in a line for a person; empty over the native channel."""
    if delivery.why == "native":
        return ""
    if delivery.how == "channel":
        said = _TOLD["thread" if delivery.threaded else "flat"][lang]
    else:
        said = _TOLD[delivery.how][lang].replace("{why}", _TOLD[delivery.why][lang])
    return f"{_TOLD['came'][lang]}; {said}".format(channel=channel, address=delivery.address)


_TOLD: Final[dict[str, dict[Lang, str]]] = {
    "came": {"en": "came over {channel}", "pt": "veio por {channel}"},
    "thread": {
        "en": "an answer can go back to {address}, in its thread",
        "pt": "uma resposta pode voltar para {address}, na sua conversa",
    },
    "flat": {
        "en": "an answer can go back to {address}, as a message of its own",
        "pt": "uma resposta pode voltar para {address}, como mensagem à parte",
    },
    "native": {
        "en": "no answer can go back ({why}): it is shown here",
        "pt": "nenhuma resposta pode voltar ({why}): é mostrada aqui",
    },
    "dead_letter": {
        "en": "no answer can go back ({why}), and that channel wants none elsewhere",
        "pt": "nenhuma resposta pode voltar ({why}), e esse canal não a quer noutro lado",
    },
    "no-address": {"en": "it named no address", "pt": "não disse para onde"},
    "expired": {"en": "its time is over", "pt": "o prazo acabou"},
    "unreadable-expiry": {"en": "its end cannot be read", "pt": "o prazo não se lê"},
    "unknown-threading": {"en": "how it threads is not known", "pt": "não se sabe como junta respostas"},
}


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
