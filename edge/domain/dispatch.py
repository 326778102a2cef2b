"""A dispatch: one job, opened on a Briefing and closed over receipts (I10, I11)."""

from __future__ import annotations

from typing import Literal, TypedDict

from edge.domain.chat import text_of
from edge.domain.events import Event
from edge.domain.streams import category


class Dispatch(TypedDict):
    """JSON-ready. ``receipts`` and ``answered`` are the acts this dispatch disposed of, in log order."""

    dispatch_id: str
    state: Literal["none", "open", "closed"]
    kind: str
    theme: str | None
    origin: str
    at: str
    position: int
    event: str
    published: list[str]
    receipts: list[str]
    answered: list[str]


def initial(dispatch_id: str) -> Dispatch:
    return Dispatch(
        dispatch_id=dispatch_id,
        state="none",
        kind="",
        theme=None,
        origin="",
        at="",
        position=0,
        event="",
        published=[],
        receipts=[],
        answered=[],
    )


def id_of(event: Event) -> str | None:
    """The dispatch an event belongs to: by its stream, or as the work of one."""
    if category(event.stream) == "dispatch":
        return event.stream.partition(".")[2] or None
    if event.type in ("voz.disposition", "artefato.published"):
        return text_of(event.metadata, "dispatch_id") or text_of(event.data, "dispatch_id") or None
    return None


def evolve(state: Dispatch, event: Event) -> Dispatch:
    """Fold one event of the dispatch's into its state, which the fold owns."""
    data = event.data
    match event.type:
        case "dispatch.opened" if not state["position"]:
            state.update(
                {
                    "state": "open",
                    "kind": text_of(data, "kind"),
                    "theme": text_of(data, "theme") or None,
                    "origin": text_of(data, "origin"),
                    "at": event.recorded_at,
                    "position": event.position,
                    "event": event.id,
                }
            )
        case "dispatch.closed":
            state["state"] = "closed"
        case "dispatch.forgotten":
            _begun_anew(state, event)
        case "artefato.published":
            _once(state["published"], text_of(data, "slug"))
        case "voz.disposition":
            act = text_of(data, "comment_id") or text_of(data, "vote_id")
            by_state = {"receipt_sent": state["receipts"], "semantic_answered": state["answered"]}
            _once(by_state.get(text_of(data, "state"), []), act)
    return state


def _begun_anew(state: Dispatch, event: Event) -> None:
    """Its Briefing was forgotten: one still open goes on as it was opened, of a closed one nothing stays.

    What it published and disposed of stands in other streams, and stays.
    """
    opened = event.data.get("opened")
    if isinstance(opened, dict):
        state.update(
            {
                "state": "open",
                "kind": text_of(opened, "kind"),
                "theme": text_of(opened, "theme") or None,
                "origin": text_of(opened, "origin"),
                "at": event.recorded_at,
                "position": event.position,
                "event": event.id,
            }
        )
    else:
        blank = initial(state["dispatch_id"])
        kept = {name: state[name] for name in ("published", "receipts", "answered")}
        state.update({**blank, **kept})  # type: ignore[typeddict-item]


def _once(ids: list[str], id_: str) -> None:
    if id_ and id_ not in ids:
        ids.append(id_)
