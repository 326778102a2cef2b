"""One day of an install as events, the same kinds every day; and what stands open before it.

Every day has exactly :data:`EVENTS` events and leaves as much open as it found.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from edge.domain.events import Actor, Data
from edge.domain.streams import Streams

OPEN_CHATS: Final = 50
PARKED: Final = 10
"""So many of the open chats wait for an answer."""
STEERS: Final = 30
ARTEFATOS: Final = 40
EVENTS: Final = 40
"""Of one day."""
OPEN_EVENTS: Final = 1 + OPEN_CHATS * 2 + PARKED + STEERS + ARTEFATOS * 2
"""With ``log.created``, which is there already."""

STREAMS: Final = Streams("bench")
WORDS: Final = (
    "retry budget do broker com jitter antes de tentar de novo o relatorio should say why each"
    " steer was set porque a fila cresce quando o cliente cai and the log keeps every answer"
    " medir primeiro latency of the sweep at night mudar depois the corpus links back aos"
    " episodios onde isto foi decidido"
).split()


@dataclass
class Append:
    """Events of one append: (type, data) each."""

    stream: str
    actor: Actor
    events: list[tuple[str, Data]]
    metadata: Data = field(default_factory=dict)


def first_after(position: int) -> int:
    """The day that follows a log that ends at ``position``."""
    return (position - OPEN_EVENTS) // EVENTS


def event_id(position: int) -> str:
    """An id as version 7 orders them: growing with the log."""
    return f"0192{position >> 16 & 0xFFFF:04x}-{position & 0xFFFF:04x}-7000-8000-{position:012x}"


@cache
def _texts(size: int) -> list[str]:
    """A few hundred texts of about ``size`` characters."""
    rng = random.Random(size)
    return [" ".join(rng.choices(WORDS, k=size // 5)) for _ in range(300)]


def _text(n: int, size: int) -> str:
    return f"{_texts(size)[n * 7 % 300]} ({n})"


def opened() -> Iterator[Append]:
    """What stays open for good: chats with their receipt, steers, and the artefatos."""
    for n in range(ARTEFATOS):
        yield _publication(f"artefato-{n}", n, "d0")
    for n in range(STEERS):
        yield Append(STREAMS.direction(_steer_id(n)), "operator", [_steer_set(n)])
    for n in range(OPEN_CHATS):
        comment_id = f"open{n:04d}"
        stream = STREAMS.chat(comment_id)
        yield _comment(comment_id, n, f"artefato-{n % ARTEFATOS}" if n % 3 else None)
        yield _receipt({"comment_id": comment_id}, stream, "d0")
        if n < PARKED:
            yield Append(stream, "grill", [_clarify(comment_id, "r0")], {"grill_run_id": "r0"})


def day(n: int, position: int) -> Iterator[Append]:
    """Day ``n``, in a log that ends at ``position``."""
    a, b, c, dispatch_id, vote = f"a{n:07d}", f"b{n:07d}", f"c{n:07d}", f"d{n:07d}", f"v{n:07d}"
    slug = f"artefato-{n % ARTEFATOS}"
    yield _comment(a, n, None)
    yield _comment(b, n + 1, None)
    yield _comment(c, n + 2, slug)
    votes = STREAMS.votes(slug)
    yield Append(votes, "operator", [("voz.vote", {"vote_id": vote, "slug": slug, "value": n % 3 - 1})])
    yield from _read_episode(n, 0, position + 5)
    yield _open_dispatch(n, dispatch_id, position)
    for comment_id in (a, b, c):
        yield _receipt({"comment_id": comment_id}, STREAMS.chat(comment_id), dispatch_id)
    yield _receipt({"vote_id": vote}, votes, dispatch_id)
    yield _publication(slug, n, dispatch_id)
    closed: Data = {"published": [slug], "receipts": [a, b, c, vote]}
    yield Append(STREAMS.dispatch(dispatch_id), "dispatch", [("dispatch.closed", closed)])
    yield from _grilled(f"r{n:07d}", position, _closes(n, a, b, c, f"r{n:07d}"))
    answer: Data = {"comment_id": b, "clarify_id": f"q{b}", "body": "yes"}
    yield Append(STREAMS.chat(b), "operator", [("voz.clarify_answer", answer)])
    yield from _grilled(f"s{n:07d}", position, {b: [_reply(b, n), _resolved(b, "acknowledged", f"s{n:07d}")]})
    proposed = ("direction.proposed", {"id": f"p{n}", **_steer(n)})
    yield Append(STREAMS.direction(f"p{n}"), "operator", [proposed])
    dropped = ("direction.dropped", {"id": f"p{n}", "reason": "not now"})
    yield Append(STREAMS.direction(f"p{n}"), "operator", [dropped])
    yield from _read_episode(n, 1, position + EVENTS - 1)


def _closes(n: int, a: str, b: str, c: str, run_id: str) -> dict[str, list[tuple[str, Data]]]:
    """How a day's first run closes its three chats: folded, parked, retired."""
    set_, old = _steer_set(n + STEERS, a), _steer_id(n)
    folded = _resolved(a, "folded-to-direction", run_id, set_[1]["id"])
    dropped = ("direction.dropped", {"id": old, "reason": "done", "origin_comment_id": c})
    return {
        a: [_reply(a, n), set_, folded],
        b: [_clarify(b, run_id)],
        c: [dropped, _resolved(c, "retired-direction", run_id, old)],
    }


def closing(comment_id: str, n: int, run_id: str) -> list[tuple[str, Data]]:
    """The close that P2 measures: a reply, a steer set, the chat resolved."""
    set_ = _steer_set(1_000_000_000 + n, comment_id)
    folded = _resolved(comment_id, "folded-to-direction", run_id, set_[1]["id"])
    return [_reply(comment_id, n), set_, folded]


def comment(comment_id: str, n: int) -> Append:
    """An open chat of its own."""
    return _comment(comment_id, n, None)


def _grilled(run_id: str, position: int, closes: dict[str, list[tuple[str, Data]]]) -> Iterator[Append]:
    stream, metadata = STREAMS.grill(run_id), {"grill_run_id": run_id}
    loaded = [
        {"comment_id": id_, "revision": 1, "harm": 10, "reasons": ["steer +10"], "tokens": 60}
        for id_ in closes
    ]
    started: Data = {
        "run_id": run_id,
        "cursor": position,
        "now": "2026-11-30T12:00:00.000Z",
        "mode": "attended",
        "caps": {"max_chats": 8, "max_tokens": 12_000},
        "loaded": loaded,
        "overflow": 0,
        "awaiting": PARKED,
        "agenda": [],
    }
    yield Append(stream, "grill", [("grill.started", started)], metadata)
    planned = [("grill.planned", _planned(id_, events)) for id_, events in closes.items()]
    yield Append(stream, "grill", planned, metadata)
    for id_, events in closes.items():
        yield Append(STREAMS.chat(id_), "grill", events, metadata)
    results: list[tuple[str, Data]] = [
        ("grill.closed", {"comment_id": id_, "result": "resolved"}) for id_ in closes
    ]
    finished: Data = {"counts": {"resolved": len(closes)}, "overflow": 0}
    yield Append(stream, "grill", [*results, ("grill.finished", finished)], metadata)


def _planned(comment_id: str, events: list[tuple[str, Data]]) -> Data:
    return {
        "comment_id": comment_id,
        "decision": "fold",
        "ambiguous": False,
        "evidence": ["seen"],
        "stream": STREAMS.chat(comment_id),
        "basis": 1,
        "plan_hash": "0" * 64,
        "events": [{"id": f"plan:{comment_id}:{n}", "type": t, "data": d} for n, (t, d) in enumerate(events)],
    }


def _comment(comment_id: str, n: int, target: str | None) -> Append:
    data: Data = {"comment_id": comment_id, "body": _text(n, 160), "harm": 0, "channel": "native"}
    if target:
        data["target_ref"] = target
    return Append(STREAMS.chat(comment_id), "operator", [("voz.comment", data)])


def _receipt(act: Data, stream: str, dispatch_id: str) -> Append:
    data = {**act, "state": "receipt_sent"}
    return Append(stream, "dispatch", [("voz.disposition", data)], {"dispatch_id": dispatch_id})


def _reply(comment_id: str, n: int) -> tuple[str, Data]:
    return "voz.reply", {"comment_id": comment_id, "body": _text(n, 240), "by": "run"}


def _clarify(comment_id: str, run_id: str) -> tuple[str, Data]:
    options = [
        {"key": "yes", "label": "Yes", "decision": "acknowledge"},
        {"key": "no", "label": "No", "decision": "acknowledge"},
    ]
    ids = {"comment_id": comment_id, "clarify_id": f"q{comment_id}", "grill_run_id": run_id}
    return "voz.clarify", {**ids, "question": "Is it enough to say so?", "options": options}


def _resolved(comment_id: str, outcome: str, run_id: str, item: str | None = None) -> tuple[str, Data]:
    data: Data = {"comment_id": comment_id, "outcome": outcome, "answers": [], "grill_run_id": run_id}
    return "voz.resolved", data | ({"direction_id": item} if item else {})


def _steer_id(n: int) -> str:
    return f"steer-{n}"


def _steer(n: int) -> Data:
    return {"title": f"{_text(n, 40)}"[:80], "body": _text(n, 200), "kind": "priority", "relates_to": []}


def _steer_set(n: int, origin: str | None = None) -> tuple[str, Data]:
    data = {"id": _steer_id(n), **_steer(n)}
    return "direction.set", data | ({"origin_comment_id": origin} if origin else {})


def _publication(slug: str, n: int, dispatch_id: str) -> Append:
    cites = [{"ref": f"https://example.org/{n}", "kind": "mundo", "relevant": True}]
    published: Data = {
        "slug": slug,
        "title": f"Study {n}",
        "body": f"# Study {n}\n\n{_text(n, 2_500)}",
        "cites": cites,
        "distills": [],
        "proposes": [],
        "dispatch_id": dispatch_id,
    }
    kernel: Data = {"slug": slug, "intent": _text(n, 120), "dispatch_id": dispatch_id}
    events = [("intent.kernel", kernel), ("artefato.published", published)]
    return Append(STREAMS.artefato(slug), "dispatch", events, {"dispatch_id": dispatch_id})


def _open_dispatch(n: int, dispatch_id: str, position: int) -> Append:
    opened_: Data = {"kind": "report", "theme": "retries", "origin": "operator"}
    items = [
        {"section": "direction", "text": _text(n + i, 120), "tier": "set", "events": [event_id(n + i + 1)]}
        for i in range(STEERS)
    ]
    shown: Data = {"position": position, "text": _text(n, 4_000), "items": items}
    events = [("dispatch.opened", opened_), ("briefing.presented", shown)]
    return Append(STREAMS.dispatch(dispatch_id), "dispatch", events, {"dispatch_id": dispatch_id})


def _read_episode(n: int, half: int, position: int) -> Iterator[Append]:
    """An episode at a position, and what was extracted from it: a gist, and no fact."""
    yield _episode(n, half)
    episode = event_id(position)
    found: Data = {
        "episode": episode,
        "by": {"extractor": "bench", "version": "1", "model": "rules"},
        "gist": _text(n * 2 + half, 120),
        "entities": [],
        "facts": [],
        "mentions": [],
        "order": [],
        "cost": {"calls": 0, "tokens": 0, "seconds": 0.0},
    }
    yield Append(STREAMS.extraction(episode), "extractor", [("episode.extracted", found)])


def _episode(n: int, half: int) -> Append:
    session = f"00000000-0000-4000-8000-{n:012d}"
    turns: list[Data] = []
    for nth in range(4):
        role, size = ("assistant", 600) if nth % 2 else ("operator", 160)
        ts = f"2026-11-30T{nth:02d}:{half:02d}:00.000Z"
        turns.append(
            {"id": f"{n}-{half}-{nth}", "role": role, "ts": ts, "text": _text(n * 8 + half * 4 + nth, size)}
        )
    data: Data = {
        "session": session,
        "surface": "claude-code",
        "tier": "low",
        "presence": "present",
        "from": half * 9_000,
        "to": half * 9_000 + 9_000,
        "prefix_hash": "0" * 32,
        "pending": [],
        "turns": turns,
        "project": "/home/op/projects/retries",
        "redactions": {},
    }
    return Append(STREAMS.episode(session), "sweep", [("episode.captured", data)])
