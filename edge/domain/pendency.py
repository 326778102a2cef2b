"""Acts of Voz and what each is still owed: a vote its receipt, a comment its answer (0018)."""

from __future__ import annotations

from typing import Final, Literal, TypedDict
from uuid import NAMESPACE_URL, uuid5

from edge.domain.chat import STATES, Chat, state_of, terminal, text_of
from edge.domain.events import Data, Draft, Event
from edge.domain.refusal import Refused

ActKind = Literal["comment", "vote"]

TEXT_SHOWN: Final = 80


class Act(TypedDict):
    """One act, JSON-ready; ``states`` are the dispositions it got, in order."""

    act: str
    kind: ActKind
    event: str
    target: str | None
    text: str | None
    value: int | None
    at: str
    position: int
    stream: str
    revision: int
    open: bool
    states: list[str]
    parked: bool


def initial_vote(vote_id: str) -> Act:
    return Act(
        act=vote_id,
        kind="vote",
        event="",
        target=None,
        text=None,
        value=None,
        at="",
        position=0,
        stream="",
        revision=-1,
        open=True,
        states=[],
        parked=False,
    )


def vote_of(event: Event) -> str | None:
    """The vote an event is about; None where it is about none."""
    if event.type == "voz.vote" or (event.type == "voz.disposition" and not event.data.get("comment_id")):
        return text_of(event.data, "vote_id") or None
    return None


def evolve_vote(act: Act, event: Event) -> Act:
    """Fold one event about a vote into its state, which the fold owns and changes in place."""
    data = event.data
    if event.type == "voz.vote" and not act["position"]:
        value = data.get("value")
        act.update(
            {
                "event": event.id,
                "target": text_of(data, "slug") or None,
                "value": value if isinstance(value, int) else None,
                "at": event.recorded_at,
                "position": event.position,
                "stream": event.stream,
                "revision": event.revision,
            }
        )
    if event.type == "voz.disposition":
        state = text_of(data, "state")
        if state not in act["states"]:
            act["states"].append(state)
    if closes("vote", event.type, data):
        act["open"] = False
    return act


def of_comment(chat: Chat) -> Act:
    """A comment as an act: the same fold that closes its chat says whether it is open."""
    return Act(
        act=chat["comment_id"],
        kind="comment",
        event=chat["event"],
        target=chat["target_ref"],
        text=chat["body"],
        value=None,
        at=chat["at"],
        position=chat["position"],
        stream="",
        revision=chat["revision"],
        open=chat["closed_by"] is None and not chat["forgotten"],
        states=chat["states"],
        parked=state_of(chat) == "parked",
    )


def closes(kind: ActKind, type_: str, data: Data) -> bool:
    """Whether an event settles an act: a terminal does; a receipt does for a vote only (I9)."""
    if terminal(type_, data):
        return True
    return kind == "vote" and type_ == "voz.disposition" and data.get("state") == "receipt_sent"


def is_naked(act: Act) -> bool:
    """Open and without any disposition: what the gate refuses to close over (I11)."""
    return act["position"] > 0 and act["open"] and not act["states"]


def receipt_id(kind: ActKind, act: str) -> str:
    """The id of the one receipt an act ever gets, the same whoever writes it."""
    return str(uuid5(NAMESPACE_URL, f"edge:receipt:{kind}:{act}"))


def receipt(act: Act) -> list[Draft]:
    """The act's receipt, once for ever (I10); nothing for an act already closed."""
    if not act["open"] or "receipt_sent" in act["states"]:
        return []
    return [
        Draft(
            "voz.disposition",
            {f"{act['kind']}_id": act["act"], "state": "receipt_sent"},
            receipt_id(act["kind"], act["act"]),
        )
    ]


def dispose(act: Act, state: str, reason: str | None, ref: str | None) -> list[Draft]:
    """One disposition of an act. On a closed act, or where it stands already, nothing (I9)."""
    if not act["position"]:
        raise Refused(f"no act {act['act']}", hint="`edge voz pending` lists the open ones")
    if state not in STATES:
        raise Refused(f"no such state {state!r}", hint=f"one of {', '.join(STATES)}")
    reason, ref = (reason or "").strip(), (ref or "").strip()
    if state == "dead_lettered" and not reason:
        raise Refused("dead_lettered needs a reason", hint="say why with --reason")
    if state == "semantic_answered" and not ref:
        raise Refused("semantic_answered needs what answers it", hint="name it with --ref")
    if not act["open"]:
        return []
    if state == "semantic_answered" and act["parked"]:
        raise Refused(
            f"{act['act']} is parked on a question to the operator",
            hint="it is answered with `edge voz answer`, or withdrawn with `edge voz withdraw`",
        )
    if state == "receipt_sent":
        return receipt(act)
    if state == "semantic_answer_required" and state in act["states"]:
        return []
    data: Data = {f"{act['kind']}_id": act["act"], "state": state}
    if reason:
        data["reason"] = reason
    if ref:
        data["ref"] = ref
    return [Draft("voz.disposition", data)]


def vote(act: Act, slug: str, value: int) -> list[Draft]:
    """Cast a vote; the same again under one key adds nothing."""
    if value not in (-1, 0, 1):
        raise Refused(f"a vote is up, down or clear, not {value}")
    if act["position"]:
        if (act["target"], act["value"]) == (slug, value):
            return []
        raise Refused("this key was used for another vote", hint="use a new --key for a new vote")
    return [Draft("voz.vote", {"vote_id": act["act"], "slug": slug, "value": value})]


def shown(act: Act) -> Data:
    """The act as ``voz pending`` prints it."""
    return {
        "act": act["act"],
        "kind": act["kind"],
        "target": act["target"],
        "text": act["text"],
        "value": act["value"],
        "at": act["at"],
        "required": "semantic" if act["kind"] == "comment" else "receipt",
        "received": bool(act["states"]),
    }
