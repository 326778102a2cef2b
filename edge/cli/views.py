"""Domain states as the JSON shapes the commands print, and as lines for a person."""

from __future__ import annotations

from collections.abc import Sequence

from edge.domain import corpus
from edge.domain.chat import Chat, is_actionable, state_of
from edge.domain.corpus import Artefato
from edge.domain.events import Data, Event
from edge.domain.grill import Candidate
from edge.domain.harm import intent_of
from edge.domain.language import first_line
from edge.ports import Queries

_WIDTH = 100
_BODY_SHOWN = 4_000


def chat(state: Chat) -> Data:
    return {
        "comment_id": state["comment_id"],
        "target_ref": state["target_ref"],
        "body": state["body"],
        "at": state["at"],
        "position": state["position"],
        "state": state_of(state),
        "actionable": is_actionable(state),
        "harm": state["own_harm"],
        "channel": state["channel"],
        "outcome": state["outcome"],
        "direction_id": state["direction_id"],
        "closed_by": state["closed_by"],
        "receipt": "receipt_sent" in state["states"],
        "reply": state["reply"],
        "questions": [
            {name: q[name] for name in ("clarify_id", "question", "options", "answer")}
            for q in state["questions"]
        ],
    }


def chat_line(state: Chat) -> str:
    said = state_of(state) if state["outcome"] is None else str(state["outcome"])
    target = f" on {state['target_ref']}" if state["target_ref"] else ""
    line = f"{state['comment_id']}  {said}{target}  {first_line(state['body'], _WIDTH)}"
    waiting = [q for q in state["questions"] if q["answer"] is None and not state["closed_by"]]
    return "\n".join([line, *(f"    {q['clarify_id']}  asks: {q['question']}" for q in waiting)])


def candidate(loaded: Candidate, queries: Queries) -> Data:
    """A loaded chat with its rank and its whole context, as ``grill start`` prints it."""
    state = loaded.chat
    return {
        "comment_id": state["comment_id"],
        "harm": loaded.harm.value,
        "reasons": loaded.harm.reasons,
        "tokens": loaded.tokens,
        "intent": intent_of(state["body"]),
        "chat": state["said"],
        "questions": chat(state)["questions"],
        "context": {"target": _target(state, queries), "direction": _steers(queries)},
    }


def _target(state: Chat, queries: Queries) -> Data | None:
    slug = state["target_ref"]
    about = queries.artefato(slug) if slug else None
    if slug is None or about is None:
        return None
    body = queries.artefato_body(slug) or ""
    return {"slug": slug, "title": about["title"], "intent": about["intent"], "body": body[:_BODY_SHOWN]}


def _steers(queries: Queries) -> list[Data]:
    return [{"id": i["id"], "tier": i["tier"], "title": i["title"]} for i in queries.items()]


def artefato(state: Artefato, queries: Queries) -> Data:
    slug, vote = state["slug"], queries.vote_on(state["slug"])
    ids = corpus.proposal_ids(state)
    items = [queries.item(id_) for id_ in ids]
    return {
        "slug": slug,
        "title": state["title"],
        "intent": state["intent"],
        "impact": corpus.impact(item["tier"] if item else None for item in items),
        "cites": state["cites"],
        "distills": state["distills"],
        "proposes": [
            {**p, "id": id_, "tier": item["tier"] if item else "gone"}
            for p, id_, item in zip(state["proposes"], ids, items, strict=True)
        ],
        "at": state["at"],
        "revision": state["revision"],
        "votes": {"up": int(vote > 0), "down": int(vote < 0)},
        "open_chats": queries.open_chats_on(slug),
    }


def event_line(event: Event) -> str:
    said = " ".join(str(v) for v in event.data.values() if isinstance(v, str | int))
    return f"{event.position:>8}  {event.recorded_at}  {event.stream}@{event.revision}  {event.type}  " + (
        first_line(said, _WIDTH)
    )


def agenda(entries: Sequence[Data], known: Queries) -> list[Data]:
    """What there is to curate, each with its words as they are now."""
    shown = []
    for entry in entries:
        item = known.knowledge.item(entry["id"]) if entry.get("do") == "promote" else None
        shown.append({"title": item.statement if item else "", **entry})
    return shown
