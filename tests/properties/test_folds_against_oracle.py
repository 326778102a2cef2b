"""Random histories, broken ones too: every fold as it is asked for, against plain code that
was written from the design and shares nothing with it; and replay at a position, against the
same code over the history up to there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.cli import views
from edge.cli.voz import owed
from edge.domain.direction import listed, proposal_id
from edge.health import Lag, health
from edge.wiring import Edge
from edge.wiring_outside import MODE
from projections.queries import ReadModels
from tests.support import oracle
from tests.support.importing import Record, in_memory, jsonl, take_in
from tests.support.soak import SOAKING, more

NOW = "2026-06-15T12:00:00Z"

comments = st.sampled_from(["c1", "c2", "c3", "c4"])
slugs = st.sampled_from(["a1", "a2"])
votes = st.sampled_from(["v1", "v2"])
clarifies = st.sampled_from(["q1", "q2", "q3"])
items = st.sampled_from(["d1", "d2", "d3"])
states = st.sampled_from(["receipt_sent", "semantic_answer_required", "semantic_answered", "dead_lettered"])
outcomes = st.sampled_from(["replied", "acknowledged", "folded-to-direction", "retired-direction"])
texts = st.sampled_from(["one", "two\nlines", "três"])
proposals = st.lists(
    st.fixed_dictionaries({"title": st.sampled_from(["x", "y"]), "body": texts, "kind": st.just("thread")}),
    max_size=2,
)
refs = st.sampled_from(["s1", "s2", "s3"])
cites = st.lists(
    st.fixed_dictionaries({"ref": refs, "kind": st.just("mundo")}, optional={"relevant": st.booleans()}),
    max_size=3,
)

proposed = st.builds(proposal_id, slugs, st.sampled_from(["x", "y"]), texts)
steer = {"id": items, "body": texts, "kind": st.just("thread")}
steer_more = {"title": texts, "expires_at": st.sampled_from(["2026-06-14", "2026-06-15", "2099-01-01"])}


def some(
    type_: str, required: dict[str, Any], optional: dict[str, Any] | None = None
) -> st.SearchStrategy[Any]:
    return st.tuples(st.just(type_), st.fixed_dictionaries(required, optional=optional or {}))


def disposed(by: str, ids: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return some(
        "voz.disposition", {by: ids, "state": states}, {"reason": st.just("why"), "ref": st.just("a1")}
    )


EVENTS = st.one_of(
    some(
        "voz.comment",
        {"comment_id": comments, "body": texts},
        {"target_ref": slugs, "harm": st.just(7), "channel": st.just("courier")},
    ),
    some("voz.comment", {"comment_id": comments, "text": texts}),
    some("voz.vote", {"slug": slugs, "value": st.sampled_from([-1, 0, 1])}, {"vote_id": votes}),
    some("voz.reply", {"comment_id": comments, "body": texts}),
    some("voz.clarify", {"comment_id": comments, "clarify_id": clarifies, "question": texts}),
    some("voz.clarify_answer", {"clarify_id": clarifies, "body": texts}, {"comment_id": comments}),
    some("voz.resolved", {"comment_id": comments, "outcome": outcomes}, {"direction_id": items}),
    some(
        "voz.resolved",
        {"comment_id": comments, "direction_id": items}
        | {"outcome": st.sampled_from(["folded-to-direction", "retired-direction"])},
    ),
    disposed("of", st.integers(1, 25)),
    disposed("of", st.one_of(comments, votes)),
    disposed("comment_id", comments),
    disposed("vote_id", votes),
    some("direction.proposed", steer, steer_more),
    some("direction.set", steer, {**steer_more, "supersedes": items, "origin_comment_id": comments}),
    some("direction.dropped", {"id": items, "reason": texts}, {"origin_comment_id": comments}),
    some(
        "artefato.published",
        {"slug": slugs, "title": texts, "body": texts},
        {"proposes": proposals, "cites": cites},
    ),
    some("direction.set", {"id": proposed, "body": texts, "kind": st.just("thread")}),
    some("direction.dropped", {"id": proposed, "reason": texts}),
    some("source.curated", {"ref": refs, "opinion": st.sampled_from(["sound", "weak"])}),
    some("source.retired", {"ref": refs, "reason": st.just("moved")}),
    some("intent.kernel", {"intent": st.sampled_from(["so that", " "])}, {"slug": slugs}),
    some("source.signal", {"ref": texts}),
    some("beat.ran", {"comment_id": comments, "id": items}),
)


@st.composite
def histories(draw: Callable[[Any], Any]) -> list[Record]:
    """Records with numbers that mostly rise, at times repeat, and at times are missing."""
    records, seq = [], draw(st.integers(1, 3))
    for type_, payload in draw(st.lists(EVENTS, min_size=1, max_size=25)):
        step = draw(st.sampled_from([1, 1, 1, 1, 0, 2, None]))
        seq += step or 0
        record = {"ts": "2026-05-01T10:00:00Z", "type": type_, "subject": "any", "payload": payload}
        record = record if step is None else {"seq": seq, **record}
        if record not in records:  # the same line twice is one line
            records.append(record)
    return records


def asked(edge: Edge, known: ReadModels) -> Record:
    """Every fold as the commands answer it, in the oracle's terms."""
    steers = listed(known.items(), edge.clock.now(), edge.settings.tz)
    strip = health(known, MODE, Lag(known.position(), 0))
    return {
        "chats": [
            {k: v for k, v in views.chat(chat).items() if k not in ("at", "position", "questions")}
            | {"questions": [(q["clarify_id"], q["answer"]) for q in chat["questions"]]}
            for chat in known.chats()
        ],
        "pending": owed(known)["counts"],
        "direction": {
            tier: [(s["id"], s["title"], s["body"]) for s in steers[tier]]
            for tier in ("set", "proposed", "expired")
        },
        "sources": [
            {
                "ref": s.ref,
                "opinion": s.opinion,
                "cited": s.signals["cited"],
                "credit": s.signals["credit"],
                "score": round(s.score, 3),
            }
            for s in known.sources(edge.clock.now())
        ],
        "corpus": [(a["slug"], a["title"], a["intent"], known.vote_on(a["slug"])) for a in known.artefatos()],
        "errors": {e["kind"]: set(e["ids"]) for e in strip["errors"]},
        "open": strip["open"],
        "actionable": strip["actionable"],
        "awaiting": strip["awaiting"],
    }


def expected(records: list[Record]) -> Record:
    events = oracle.understood(records)
    chats = oracle.chats(events)
    states = [chat["state"] for chat in chats]
    return {
        "chats": chats,
        "pending": oracle.pending(events),
        "direction": oracle.direction(events, "2026-06-15"),
        "sources": oracle.sources(records, datetime.fromisoformat(NOW)),
        "corpus": oracle.corpus(events),
        "errors": oracle.errors(events),
        "open": len(states) - states.count("closed"),
        "actionable": states.count("open"),
        "awaiting": states.count("parked"),
    }


@settings(
    max_examples=more(200, 4),
    deadline=None,
    database=None,
    derandomize=not SOAKING,
    suppress_health_check=list(HealthCheck),
)
@given(histories(), st.data())
def test_every_fold_of_any_history_is_what_the_design_says(
    records: list[Record], data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as env:
        env.setenv("EDGE_NOW", NOW)
        edge = in_memory()
        tally = take_in(edge, jsonl(records))
        assert tally.refused == []
        assert asked(edge, edge.current()) == expected(records)
        taken = [r for r in records if r["type"] != "source.signal"]
        standing = [e.position for e in edge.log.read_all() if e.type != "log.created"]
        assert len(standing) == len(taken)
        if taken:
            cut = data.draw(st.integers(1, len(taken)), label="replayed records")
            assert asked(edge, edge.at(str(standing[cut - 1]))) == expected(taken[:cut])
        edge.close()
