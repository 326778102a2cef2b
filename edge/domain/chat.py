"""A chat: one comment of the operator and everything under it, and when it is closed.

The one rule of what is terminal stands here (I1); the grill and the disposition rail both
ask it, so the two vocabularies cannot disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypedDict

from edge.domain.events import Data, Draft, Event
from edge.domain.language import MAX_COMMENT_BYTES
from edge.domain.refusal import Refused

ClosedBy = Literal["resolved", "semantic_answered", "dead_lettered"]
ChatState = Literal["open", "parked", "closed"]

STATES: Final = ("receipt_sent", "semantic_answer_required", "semantic_answered", "dead_lettered")
TERMINAL_STATES: Final = ("semantic_answered", "dead_lettered")
WITHDRAWN: Final = "withdrawn by the operator"
FORGOTTEN: Final = "voz.forgotten"


class Question(TypedDict):
    clarify_id: str
    question: str
    options: list[Data]
    answer: str | None
    event: str
    """Id of the clarify event."""


class Said(TypedDict):
    type: str
    body: str
    at: str


class Chat(TypedDict):
    """JSON-ready, as the read model keeps it. ``position`` is 0 until the comment itself was seen;
    ``states`` are the dispositions it got."""

    comment_id: str
    event: str
    target_ref: str | None
    body: str
    at: str
    position: int
    revision: int
    own_harm: int
    channel: str
    reply_capability: Data | None
    """How an answer can travel back, as the comment's event has it; None over the native channel."""
    outcome: str | None
    direction_id: str | None
    closed_by: ClosedBy | None
    states: list[str]
    reply: str | None
    questions: list[Question]
    said: list[Said]
    forgotten: bool
    """Its words are gone, for good; nothing more is said under it."""


def initial(comment_id: str) -> Chat:
    return Chat(
        comment_id=comment_id,
        event="",
        target_ref=None,
        body="",
        at="",
        position=0,
        revision=-1,
        own_harm=0,
        channel="native",
        reply_capability=None,
        outcome=None,
        direction_id=None,
        closed_by=None,
        states=[],
        reply=None,
        questions=[],
        said=[],
        forgotten=False,
    )


def text_of(data: Data, key: str) -> str:
    """A text field as it stands, or empty where a stranger wrote something else there."""
    value = data.get(key)
    return value if isinstance(value, str) else ""


def terminal(type_: str, data: Data) -> ClosedBy | None:
    """How an event of this type and data closes a comment; None where it does not."""
    if type_ == "voz.resolved":
        return "resolved"
    if type_ == "voz.disposition":
        state = data.get("state")
        if state == "semantic_answered" and text_of(data, "ref").strip():
            return "semantic_answered"
        if state == "dead_lettered" and text_of(data, "reason").strip():
            return "dead_lettered"
    return None


def evolve(chat: Chat, event: Event) -> Chat:
    """Fold one event of the chat into its state, which the fold owns and changes in place."""
    data = event.data
    chat["revision"] = max(chat["revision"], event.revision)
    match event.type:
        case "voz.comment":
            if not chat["position"]:
                chat.update(
                    {
                        "event": event.id,
                        "target_ref": text_of(data, "target_ref") or None,
                        "body": text_of(data, "body"),
                        "at": event.recorded_at,
                        "position": event.position,
                        "own_harm": data["harm"] if isinstance(data.get("harm"), int) else 0,
                        "channel": text_of(data, "channel") or "native",
                        "reply_capability": reply
                        if isinstance(reply := data.get("reply_capability"), dict)
                        else None,
                    }
                )
                _say(chat, event, "body")
        case "voz.reply":
            chat["reply"] = text_of(data, "body")
            _say(chat, event, "body")
        case "voz.clarify":
            _asked(chat, event)
        case "voz.clarify_answer":
            _answered(chat, event)
        case "voz.disposition":
            state = text_of(data, "state")
            if state not in chat["states"]:
                chat["states"].append(state)
        case "voz.forgotten":
            chat.update(initial(chat["comment_id"]))
            chat["revision"], chat["forgotten"] = event.revision, True
    closed_by = terminal(event.type, data)
    if closed_by and not chat["closed_by"]:
        chat["closed_by"] = closed_by
    if event.type == "voz.resolved" and chat["outcome"] is None:
        chat["outcome"] = text_of(data, "outcome") or None
        chat["direction_id"] = text_of(data, "direction_id") or None
    return chat


def _say(chat: Chat, event: Event, field: str) -> None:
    chat["said"].append(Said(type=event.type, body=text_of(event.data, field), at=event.recorded_at))


def _asked(chat: Chat, event: Event) -> None:
    clarify_id = text_of(event.data, "clarify_id")
    if any(q["clarify_id"] == clarify_id for q in chat["questions"]):
        return
    options = event.data.get("options")
    chat["questions"].append(
        Question(
            clarify_id=clarify_id,
            question=text_of(event.data, "question"),
            options=[o for o in options if isinstance(o, dict)] if isinstance(options, list) else [],
            answer=None,
            event=event.id,
        )
    )
    _say(chat, event, "question")


def _answered(chat: Chat, event: Event) -> None:
    question = question_of(chat, text_of(event.data, "clarify_id"))
    if question is None or question["answer"] is not None:
        return  # an answer to nothing is kept and inert; the first answer wins
    question["answer"] = text_of(event.data, "body")
    _say(chat, event, "body")


def question_of(chat: Chat, clarify_id: str) -> Question | None:
    return next((q for q in chat["questions"] if q["clarify_id"] == clarify_id), None)


def state_of(chat: Chat) -> ChatState:
    if chat["closed_by"] or chat["forgotten"]:
        return "closed"
    return "parked" if any(q["answer"] is None for q in chat["questions"]) else "open"


def is_actionable(chat: Chat) -> bool:
    """Open and without an unanswered clarify (I2)."""
    return chat["position"] > 0 and state_of(chat) == "open"


def has_answer(chat: Chat) -> bool:
    """Whether an answered clarify waits to be used."""
    return any(q["answer"] is not None for q in chat["questions"])


# -- the guard of a close -----------------------------------------------------------------


def guard(events: Sequence[Event], planned_ids: Sequence[str], loaded: int) -> int | Literal["done", "stale"]:
    """What a close must do, from the whole chat stream as it stands (I7).

    ``done``: the planned events stand there already. ``stale``: another close came first.
    Otherwise the revision to append at; late replies and receipts only move it.
    """
    planned = set(planned_ids)
    standing = {event.id for event in events}
    if planned and planned <= standing:
        return "done"
    for event in events:
        if event.id in planned:
            continue
        if terminal(event.type, event.data) or event.type == FORGOTTEN:
            return "stale"
        if event.type == "voz.clarify" and event.revision > loaded:
            return "stale"
    return events[-1].revision if events else -1


# -- what the operator may do ---------------------------------------------------------------


def body_checked(body: str, what: str) -> str:
    """The trimmed text; refused where it is blank or longer than a comment may be."""
    body = body.strip()
    if not body:
        raise Refused(f"the {what} is blank", hint="say something, or leave it")
    size = len(body.encode("utf-8", "replace"))
    if size > MAX_COMMENT_BYTES:
        raise Refused(
            f"the {what} is {size:,} bytes; at most {MAX_COMMENT_BYTES:,} fit",
            hint="split it, or publish it as an artefato",
        )
    return body


def comment(
    chat: Chat,
    body: str,
    target_ref: str | None,
    harm: int,
    channel: str = "native",
    reply: Data | None = None,
) -> list[Draft]:
    """Open a chat. Written again with the same words (a retry under one key) it adds nothing.

    ``reply``: how an answer can travel back over ``channel``; None over the native one.
    """
    body = body_checked(body, "comment")
    if not 0 <= harm <= 100:
        raise Refused(f"harm {harm} is out of range", hint="0 to 100")
    if chat["forgotten"]:
        raise Refused("the comment of this key was forgotten", hint="use a new --key for a new comment")
    if chat["position"]:
        if (chat["body"], chat["target_ref"], chat["own_harm"]) == (body, target_ref, harm):
            return []
        raise Refused("this key was used for another comment", hint="use a new --key for a new comment")
    data: Data = {"comment_id": chat["comment_id"], "body": body, "harm": harm, "channel": channel}
    if target_ref:
        data["target_ref"] = target_ref
    if reply is not None:
        data["reply_capability"] = reply
    return [Draft("voz.comment", data)]


def answer(chat: Chat, clarify_id: str, body: str) -> list[Draft]:
    """Answer a question of the chat; the first answer wins, the same one again adds nothing."""
    body = body_checked(body, "answer")
    question = question_of(chat, clarify_id)
    if question is None:
        raise Refused(f"no question {clarify_id} in this chat", hint="`edge voz list --parked` shows them")
    if question["answer"] == body:
        return []
    if question["answer"] is not None:
        raise Refused("this question was answered already", hint="comment anew with `edge voz comment`")
    if chat["closed_by"]:
        raise Refused("this chat is closed", hint="comment anew with `edge voz comment`")
    return [
        Draft(
            "voz.clarify_answer",
            {"comment_id": chat["comment_id"], "clarify_id": clarify_id, "body": body},
        )
    ]
