"""Events as they would stand in a log, said in the words of the domain."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterable
from typing import Any, NamedTuple

from edge.domain.events import Event

DAY = "2026-11-20"
NOON = f"{DAY}T12:00:00.000Z"


class Fact(NamedTuple):
    """One thing that happened; where and when it stands is settled by :func:`happened`."""

    type: str
    stream: str
    data: dict[str, Any]
    actor: str = "operator"
    at: str = NOON
    batch: tuple[int, int] = (0, 1)

    def by(self, actor: str) -> Fact:
        return self._replace(actor=actor)

    def recorded(self, at: str) -> Fact:
        return self._replace(at=at)


def happened(facts: Iterable[Fact]) -> list[Event]:
    """The facts as events in log order: revisions gapless in each stream, positions with gaps."""
    revisions: dict[str, itertools.count[int]] = {}
    events = []
    position = 0
    for n, fact in enumerate(facts):
        position += 3 + n % 4
        events.append(
            Event(
                id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{n}")),
                type=fact.type,
                stream=fact.stream,
                revision=next(revisions.setdefault(fact.stream, itertools.count())),
                position=position,
                data=fact.data,
                metadata={"recorded_at": fact.at, "actor": fact.actor, "batch": list(fact.batch)},
            )
        )
    return events


def in_one_append(*facts: Fact) -> list[Fact]:
    return [fact._replace(batch=(n, len(facts))) for n, fact in enumerate(facts)]


# -- Voz ----------------------------------------------------------------------------------


def _chat(type_: str, comment_id: str, actor: str, **data: Any) -> Fact:
    return Fact(type_, f"voz-g.{comment_id}", {"comment_id": comment_id, **data}, actor)


def commented(comment_id: str = "c1", body: str = "Look at the retries", **data: Any) -> Fact:
    return _chat("voz.comment", comment_id, "operator", body=body, **data)


def replied(comment_id: str = "c1", body: str = "It was seen") -> Fact:
    return _chat("voz.reply", comment_id, "grill", body=body)


def asked(
    comment_id: str = "c1", clarify_id: str = "q1", options: Any = (), run: str = "r1", **data: Any
) -> Fact:
    said = {"question": "Which one?", **data}
    return _chat(
        "voz.clarify",
        comment_id,
        "grill",
        clarify_id=clarify_id,
        options=list(options),
        grill_run_id=run,
        **said,
    )


def answered(comment_id: str = "c1", clarify_id: str = "q1", body: str = "the first") -> Fact:
    return _chat("voz.clarify_answer", comment_id, "operator", clarify_id=clarify_id, body=body)


def resolved(comment_id: str = "c1", outcome: str = "replied", run: str = "r1", **data: Any) -> Fact:
    return _chat("voz.resolved", comment_id, "grill", outcome=outcome, grill_run_id=run, **data)


def disposed(comment_id: str = "c1", state: str = "receipt_sent", **data: Any) -> Fact:
    return _chat("voz.disposition", comment_id, "dispatch", state=state, **data)


def voted(vote_id: str = "v1", slug: str = "study", value: int = 1) -> Fact:
    return Fact("voz.vote", f"voz-g.votes.{slug}", {"vote_id": vote_id, "slug": slug, "value": value})


def receipted(vote_id: str = "v1", slug: str = "study", state: str = "receipt_sent", **data: Any) -> Fact:
    return Fact(
        "voz.disposition",
        f"voz-g.votes.{slug}",
        {"vote_id": vote_id, "state": state, **data},
        "dispatch",
    )


# -- Direction and corpus ---------------------------------------------------------------------


def steer(type_: str, id_: str, actor: str = "operator", **data: Any) -> Fact:
    return Fact(f"direction.{type_}", f"direction-g.{id_}", {"id": id_, **data}, actor)


def proposed(id_: str, title: str = "Tests first", **data: Any) -> Fact:
    return steer("proposed", id_, "dispatch", title=title, body=title, kind="priority", **data)


def set_(id_: str, title: str = "Tests first", **data: Any) -> Fact:
    return steer("set", id_, title=title, body=title, kind="priority", **data)


def dropped(id_: str, **data: Any) -> Fact:
    return steer("dropped", id_, **{"reason": "done", **data})


def kernel(slug: str = "study", intent: str = "to know why") -> Fact:
    return Fact("intent.kernel", f"artefato-g.{slug}", {"slug": slug, "intent": intent}, "dispatch")


def published(slug: str = "study", title: str = "A study", **data: Any) -> Fact:
    said = {"slug": slug, "title": title, "body": f"# {title}", **data}
    return Fact("artefato.published", f"artefato-g.{slug}", said, "dispatch")


def publication(slug: str = "study", intent: str = "to know why", **data: Any) -> list[Fact]:
    """Kernel and artefato as edge itself writes them: in one append."""
    return in_one_append(kernel(slug, intent), published(slug, **data))


# -- grill ----------------------------------------------------------------------------------


def started(*loaded: str, run: str = "r1", mode: str = "unattended", revision: int = 0) -> Fact:
    chats = [
        {"comment_id": id_, "revision": revision, "harm": 0, "reasons": [], "tokens": 5} for id_ in loaded
    ]
    return Fact(
        "grill.started",
        f"grill-g.{run}",
        {
            "run_id": run,
            "cursor": 100,
            "now": NOON,
            "mode": mode,
            "caps": {"max_chats": 8, "max_tokens": 12_000},
            "loaded": chats,
            "overflow": 0,
            "awaiting": 0,
            "agenda": [],
        },
        "grill",
    )


def planned(comment_id: str, decision: str, run: str = "r1", **data: Any) -> Fact:
    said = {"comment_id": comment_id, "decision": decision, "plan_hash": "h", "events": [], **data}
    return Fact("grill.planned", f"grill-g.{run}", said, "grill")
