"""A grill run: what it loaded, what it planned, how each chat ended (I3, I4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, Literal, NamedTuple, TypedDict

from edge.domain import direction
from edge.domain.chat import Chat, has_answer, is_actionable, text_of
from edge.domain.events import Data, Event
from edge.domain.harm import Harm, harm_of
from edge.domain.language import tokens

Mode = Literal["attended", "unattended"]
RunState = Literal["none", "open", "finished", "abandoned", "forgotten"]

MAX_CHATS: Final = 8
MAX_TOKENS: Final = 12_000
AGENDA: Final = 10
MUCH_CITED: Final = 3
"""Episodes that say the same before a hypothesis asks for the operator's word."""
AGEING_DAYS: Final = 7


class Candidate(NamedTuple):
    """One actionable chat with its rank."""

    chat: Chat
    harm: Harm
    tokens: int


class Run(TypedDict):
    """JSON-ready. ``planned`` maps what was planned (see :func:`key_of`) to its grill.planned data."""

    run_id: str
    state: RunState
    mode: Mode
    cursor: int
    now: str
    caps: Data
    loaded: list[Data]
    overflow: int
    awaiting: int
    agenda: list[Data]
    planned: dict[str, Data]
    results: dict[str, str]
    reason: str | None
    at: str
    position: int
    event: str


def initial(run_id: str) -> Run:
    return Run(
        run_id=run_id,
        state="none",
        mode="unattended",
        cursor=0,
        now="",
        caps={},
        loaded=[],
        overflow=0,
        awaiting=0,
        agenda=[],
        planned={},
        results={},
        reason=None,
        at="",
        position=0,
        event="",
    )


def key_of(data: Data) -> str:
    """What a plan entry, a planned or a closed event is about: a comment id, or ``do:id``."""
    curate = data.get("curate")
    if isinstance(curate, dict):
        return f"{curate.get('do')}:{curate.get('id')}"
    return text_of(data, "comment_id")


def evolve(run: Run, event: Event) -> Run:
    """Fold one event of the run's stream into its state, which the fold owns."""
    data = event.data
    match event.type:
        case "grill.started" if run["state"] == "none":
            loaded, agenda = data.get("loaded"), data.get("agenda")
            run.update(
                {
                    "state": "open",
                    "mode": "attended" if data.get("mode") == "attended" else "unattended",
                    "cursor": _number(data, "cursor"),
                    "now": text_of(data, "now"),
                    "caps": data.get("caps") or {},
                    "loaded": [c for c in loaded if isinstance(c, dict)] if isinstance(loaded, list) else [],
                    "overflow": _number(data, "overflow"),
                    "awaiting": _number(data, "awaiting"),
                    "agenda": agenda if isinstance(agenda, list) else [],
                    "at": event.recorded_at,
                    "position": event.position,
                    "event": event.id,
                }
            )
        case "grill.planned":
            run["planned"][key_of(data)] = {**data, "event": event.id}
        case "grill.closed":
            run["results"][key_of(data)] = text_of(data, "result")
        case "grill.finished":
            run["state"] = "finished"
        case "grill.abandoned":
            run["state"], run["reason"] = "abandoned", text_of(data, "reason")
        case "grill.forgotten":
            run.update(initial(run["run_id"]))
            run["state"] = "forgotten"
    return run


def _number(data: Data, key: str) -> int:
    """A count as a number: strangers also write the list that was counted."""
    value = data.get(key)
    if isinstance(value, list):
        return len(value)
    return value if isinstance(value, int) else 0


def loaded_ids(run: Run) -> list[str]:
    return [text_of(chat, "comment_id") for chat in run["loaded"]]


def undecided(run: Run) -> list[str]:
    """Loaded chats a plan must still name: not planned yet, or planned as failed."""
    return [
        id_
        for id_ in loaded_ids(run)
        if run["planned"].get(id_, {"decision": "failed"})["decision"] == "failed"
    ]


# -- the batch ------------------------------------------------------------------------------


def ranked(chats: Iterable[Chat], now: datetime, newest: str | None) -> list[Candidate]:
    """Actionable chats by harm, ties in log order. ``newest`` is the newest artefato's slug."""
    candidates = [
        Candidate(chat, harm_of_chat(chat, now, newest), size_of(chat))
        for chat in chats
        if is_actionable(chat)
    ]
    return sorted(candidates, key=lambda c: (-c.harm.value, c.chat["position"]))


def harm_of_chat(chat: Chat, now: datetime, newest: str | None) -> Harm:
    return harm_of(
        own=chat["own_harm"],
        body=chat["body"],
        answered=has_answer(chat),
        targets_newest=newest is not None and chat["target_ref"] == newest,
        at=moment(chat["at"], now),
        now=now,
    )


def size_of(chat: Chat) -> int:
    """The tokens of all that was said in a chat."""
    return sum(tokens(said["body"]) for said in chat["said"])


def taken(candidates: Sequence[Candidate], max_chats: int, max_tokens: int) -> list[Candidate]:
    """The first candidates in order until a cap would be passed; the first always loads."""
    batch: list[Candidate] = []
    total = 0
    for candidate in candidates:
        total += candidate.tokens
        if batch and (len(batch) >= max_chats or total > max_tokens):
            break
        batch.append(candidate)
    return batch


def agenda(items: Iterable[direction.Item], now: datetime, zone: tzinfo) -> list[Data]:
    """Curation worth bringing to an attended grill: proposals that have waited, oldest first.

    What has expired is not offered: set as it stands it would hold for no day. A date ends in ``zone``.
    """
    waiting = [
        {"do": "set", "id": item["id"], "title": item["title"], "why": f"proposed {age} days ago"}
        for item in sorted(items, key=lambda i: i["first"])
        if item["tier"] == "proposed"
        and not direction.is_expired(item, now, zone)
        and (age := (now - moment(item["at"], now)).days) >= AGEING_DAYS
    ]
    return waiting[:AGENDA]


def moment(text: str, default: datetime) -> datetime:
    """An ISO time as an aware datetime; ``default`` where a stranger wrote none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return default
    return found if found.tzinfo else found.replace(tzinfo=UTC)
