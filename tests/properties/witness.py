"""What the log says, read again by plain code that knows the records' rules and none of edge's folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from edge.domain.events import Event

BODIES = {
    "O relatório chegou ontem": 0,
    "Obrigado!": 0,
    "Why does it retry?": 0,
    "Devemos escrever os testes primeiro": 10,
    "Always log the retries" + ", always" * 60: 10,
    "Isso está errado": 30,
    "I disagree, stop caching": 30,
}
"""What is said in these tests, and the points its intent has."""

FOREIGN = "import"


class Voice(NamedTuple):
    """One chat as it stood after some events."""

    comment: Event
    events: list[Event]

    @property
    def terminals(self) -> list[Event]:
        return [e for e in self.events if is_terminal(e)]

    def unanswered(self) -> set[str]:
        asked = {e.data["clarify_id"] for e in self.events if e.type == "voz.clarify"}
        return asked - self.answered()

    def answered(self) -> set[str]:
        asked: set[str] = set()
        answered: set[str] = set()
        for event in self.events:
            if event.type == "voz.clarify":
                asked.add(event.data["clarify_id"])
            if event.type == "voz.clarify_answer" and event.data["clarify_id"] in asked:
                answered.add(event.data["clarify_id"])
        return answered

    def actionable(self) -> bool:
        return not self.terminals and not self.unanswered()

    def tokens(self) -> int:
        said = [e.data.get("body") or e.data["question"] for e in self.events if self._says(e)]
        return sum((len(text.encode()) + 3) // 4 for text in said)

    def _says(self, event: Event) -> bool:
        """An answer to nothing is inert."""
        if event.type == "voz.clarify_answer":
            return event.data["clarify_id"] in self.answered()
        return event.type in ("voz.comment", "voz.reply", "voz.clarify")


def is_terminal(event: Event) -> bool:
    """I1, as the records have it."""
    data: dict[str, Any] = event.data
    return event.type == "voz.resolved" or (
        event.type == "voz.disposition"
        and "comment_id" in data
        and (
            (data["state"] == "semantic_answered" and bool(data.get("ref")))
            or (data["state"] == "dead_lettered" and bool(data.get("reason")))
        )
    )


def voices(events: Iterable[Event]) -> dict[str, Voice]:
    """Every chat, in log order of its comment."""
    found: dict[str, Voice] = {}
    for event in events:
        id_ = event.data.get("comment_id", "")
        if event.type == "voz.comment":
            found[id_] = Voice(event, [event])
        elif id_ in found and event.stream == found[id_].comment.stream:
            found[id_].events.append(event)
    return found


class Ranked(NamedTuple):
    comment_id: str
    harm: int
    tokens: int


def batch(
    events: Sequence[Event], now: datetime, max_chats: int, max_tokens: int
) -> tuple[list[Ranked], int, int]:
    """What a run must load, how much overflows, how many wait for an answer (I2, I3)."""
    published: dict[str, int] = {}
    for event in events:
        if event.type == "artefato.published":
            published.setdefault(event.data["slug"], event.position)
    newest = max(published, key=lambda slug: published[slug]) if published else None
    chats = voices(events)
    awaiting = sum(1 for v in chats.values() if not v.terminals and v.unanswered())
    ranked = [
        Ranked(id_, _harm(voice, now, newest), voice.tokens())
        for id_, voice in chats.items()
        if voice.actionable()
    ]
    ranked.sort(key=lambda r: r.harm, reverse=True)  # stable: ties stay in log order
    loaded: list[Ranked] = []
    while ranked and len(loaded) < max_chats:
        if loaded and sum(r.tokens for r in loaded) + ranked[0].tokens > max_tokens:
            break
        loaded.append(ranked.pop(0))
    return loaded, len(ranked), awaiting


def _harm(voice: Voice, now: datetime, newest: str | None) -> int:
    data = voice.comment.data
    age = now - datetime.fromisoformat(voice.comment.metadata["recorded_at"])
    return int(
        data["harm"]
        + BODIES[data["body"]]
        + (20 if voice.answered() else 0)
        + (15 if newest and data.get("target_ref") == newest else 0)
        + min(14, max(0, age.days))
    )


def acts(events: Sequence[Event]) -> dict[str, list[Event]]:
    """Every comment and vote, with the dispositions it got."""
    found: dict[str, list[Event]] = {}
    for event in events:
        if event.type in ("voz.comment", "voz.vote"):
            found[event.data.get("comment_id") or event.data["vote_id"]] = []
        elif event.type == "voz.disposition":
            found[event.data.get("comment_id") or event.data["vote_id"]].append(event)
    return found


# -- what must hold ----------------------------------------------------------------------------


def check_all(events: Sequence[Event]) -> None:
    """Whatever was killed, raced or cut off: of a log that no stranger wrote into."""
    check_whole(events)
    check_chats(events)
    check_receipts(events)
    check_closes(events)
    check_coverage(events)
    check_publications(events)
    check_turns(events)
    check_results(events)


def check_whole(events: Sequence[Event]) -> None:
    """Of each append, all of its events."""
    appends: dict[tuple[str, int], list[int]] = {}
    for event in events:
        nth, of = event.metadata["batch"]
        appends.setdefault((event.stream, event.revision - nth), [0, of])[0] += 1
    assert [at for at, (seen, of) in appends.items() if seen != of] == []


def check_chats(events: Sequence[Event]) -> None:
    """I1, I2, I7, I9: closed once, never asked or answered past a question or a close."""
    for voice in voices(events).values():
        before = Voice(voice.comment, [])
        for event in voice.events:
            own = event.actor != FOREIGN
            if own and is_terminal(event):
                assert not before.terminals, f"closed twice: {event}"
                withdrawn = event.data.get("state") == "dead_lettered"
                assert withdrawn or not before.unanswered(), f"closed past its question: {event}"
            if own and event.type == "voz.clarify":
                assert not before.terminals and not before.unanswered(), f"asked past: {event}"
            if own and event.type == "voz.clarify_answer":
                assert event.data["clarify_id"] in before.unanswered(), f"answered twice: {event}"
                assert not before.terminals, f"answered past its close: {event}"
            before.events.append(event)


def check_receipts(events: Sequence[Event]) -> None:
    """I10: one receipt an act for ever."""
    for act, dispositions in acts(events).items():
        receipts = [e for e in dispositions if e.data["state"] == "receipt_sent"]
        assert not [e for e in receipts[1:] if e.actor != FOREIGN], f"{act} has two receipts"


def check_closes(events: Sequence[Event]) -> None:
    """I6, I8: what was planned for a chat stands whole in one append, or not at all."""
    standing = {event.id: event for event in events}
    for plan in (e for e in events if e.type == "grill.planned"):
        ids = [e["id"] for e in plan.data["events"]]
        found = [standing[id_] for id_ in ids if id_ in standing]
        assert len(found) in (0, len(ids)), f"half a close: {plan}"
        assert [(e.id, e.type, e.data) for e in found] in (
            [],
            [(e["id"], e["type"], e["data"]) for e in plan.data["events"]],
        )
        assert [e.metadata["batch"] for e in found] == [[n, len(ids)] for n in range(len(found))]
        assert len({e.revision - e.metadata["batch"][0] for e in found}) <= 1
        check_steer(found)


def check_steer(close: Sequence[Event]) -> None:
    """I8: a fold has its steer and a retire its drop, beside it, from this comment."""
    types = {"folded-to-direction": "direction.set", "retired-direction": "direction.dropped"}
    for resolved in (e for e in close if e.type == "voz.resolved"):
        wanted = types.get(resolved.data["outcome"])
        steers = [e for e in close if e.type.startswith("direction.")]
        assert [e.type for e in steers] == ([wanted] if wanted else [])
        for steer in steers:
            assert steer.data["id"] == resolved.data["direction_id"]
            assert steer.data["origin_comment_id"] == resolved.data["comment_id"]


def check_coverage(events: Sequence[Event]) -> None:
    """I4: a finished run brought every chat it loaded to exactly one end, and says which truly."""
    standing = {event.id for event in events}
    for started in (e for e in events if e.type == "grill.started"):
        run = [e for e in events if e.stream == started.stream]
        if not any(e.type == "grill.finished" for e in run):
            continue
        loaded = [c["comment_id"] for c in started.data["loaded"]]
        closed = [e for e in run if e.type == "grill.closed"]
        assert sorted(loaded) == sorted(e.data["comment_id"] for e in closed)
        plans = {e.data["comment_id"]: e.data for e in run if e.type == "grill.planned"}
        for event in closed:
            plan = plans[event.data["comment_id"]]
            stands = all(e["id"] in standing for e in plan["events"])
            ended = "parked" if plan["decision"] == "park" else "resolved"
            assert event.data["result"] == (ended if stands else "stale")


def check_publications(events: Sequence[Event]) -> None:
    """I19: every artefato came with its why, in its own append."""
    for event, before in zip(events[1:], events, strict=False):
        if event.type == "artefato.published":
            assert (before.type, before.stream) == ("intent.kernel", event.stream)
            assert before.data["intent"].strip()
            assert (before.metadata["batch"], event.metadata["batch"]) == ([0, 2], [1, 2])


def check_turns(events: Sequence[Event]) -> None:
    """Each turn is counted once, whatever holds it: a part of a long one is one of its own."""
    counted = [
        (turn["id"], turn.get("part"))
        for event in events
        if event.type == "episode.captured"
        for turn in event.data["turns"]
    ]
    assert len(counted) == len(set(counted)), "a turn is counted twice"


def check_results(events: Sequence[Event]) -> None:
    """One result an episode, of an episode that is there."""
    captured = {event.id for event in events if event.type == "episode.captured"}
    extracted = [event.data["episode"] for event in events if event.type == "episode.extracted"]
    assert len(extracted) == len(set(extracted)), "an episode has two results"
    assert set(extracted) <= captured, "a result of no episode"
