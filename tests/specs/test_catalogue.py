"""The catalogue: every type's shape, strict on write, and who may write it (I17)."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from edge.domain.catalogue import CATALOGUE, validated
from edge.domain.events import ACTORS, Actor, Data
from edge.domain.refusal import Refused

UUID = "0193abcd-0000-7000-8000-000000000001"
STEER = {"title": "Tests first", "body": "No merge without one", "kind": "priority"}
TURN = {"id": UUID, "role": "operator", "ts": "2026-11-20T12:00:00Z", "text": "olá", "part": 1}
OPTION = {"key": "yes", "label": "sim", "decision": "fold", "steer": {**STEER, "relates_to": []}}

WHOLE: dict[str, Data] = {
    "log.created": {"log_id": "0193"},
    "voz.comment": {
        "comment_id": "c1", "body": "olá", "target_ref": "study", "harm": 100, "channel": "native",
        "reply_capability": {
            "channel": "slack", "address": "x", "expires_at": "2026-12-31", "threading_mode": "thread",
            "idempotency_key": "k", "fallback_policy": "drop",
        },
    },
    "voz.vote": {"vote_id": "v1", "slug": "study", "value": -1},
    "voz.reply": {"comment_id": "c1", "body": "visto", "by": "r1"},
    "voz.clarify": {
        "comment_id": "c1", "clarify_id": "q1", "question": "Qual?", "grill_run_id": "r1",
        "options": [OPTION],
    },
    "voz.clarify_answer": {"comment_id": "c1", "clarify_id": "q1", "body": "sim"},
    "voz.resolved": {
        "comment_id": "c1", "outcome": "folded-to-direction", "direction_id": "d.1-x", "answers": ["q1"],
        "grill_run_id": "r1",
    },
    "voz.disposition": {"comment_id": "c1", "state": "dead_lettered", "reason": "sent twice", "ref": "x"},
    "direction.proposed": {
        "id": "d1", **STEER, "expires_at": "2026-12-31", "from_artefato": "study", "relates_to": ["x"],
        "basis": 7,
    },
    "direction.set": {"id": "d1", **STEER, "relates_to": [], "supersedes": "d0", "origin_comment_id": "c1"},
    "direction.dropped": {"id": "d1", "reason": "done", "origin_comment_id": "c1", "basis": 7},
    "intent.kernel": {"slug": "study", "intent": "to know why", "dispatch_id": "b1"},
    "artefato.published": {
        "slug": "study", "title": "A study", "body": "# A", "distills": ["x"], "dispatch_id": "b1",
        "cites": [{"ref": "https://example.org", "kind": "mundo", "relevant": True}],
        "proposes": [{**STEER, "relates_to": []}],
    },
    "episode.captured": {
        "session": "s", "surface": "claude-code", "tier": "low", "presence": "present", "from": 0, "to": 9,
        "prefix_hash": "h", "pending": [3], "turns": [TURN], "project": "/p", "redactions": {"aws": 1},
    },
    "episode.reclassified": {"from": 0, "to": 9, "presence": "absent"},
    "episode.forgotten": {
        "to": 9, "permanent": True, "keys": ["k"], "through": 3, "part": 0, "also": ["episode-g.s2"],
    },
    "extraction.forgotten": {"through": -1, "permanent": True, "keys": [], "part": 0, "also": []},
    "voz.forgotten": {"through": 2, "permanent": True, "keys": [], "part": 0, "also": []},
    "artefato.forgotten": {
        "through": 1, "permanent": True, "keys": [], "part": 0, "also": ["voz-g.votes.study"],
    },
    "grill.forgotten": {"through": 4, "permanent": True, "keys": [], "part": 0, "also": []},
    "dispatch.forgotten": {
        "through": 1, "permanent": True, "keys": [], "part": 0, "also": [], "shown": [9],
        "opened": {"kind": "report", "theme": "retries", "origin": "operator"},
    },
    "episode.extracted": {
        "episode": UUID, "by": {"extractor": "rules"}, "gist": "x",
        "entities": [{"id": "e", "name": "Edge", "labels": [], "summary": "s", "attributes": {"a": 1}}],
        "facts": [{
            "id": "f", "source": "e", "target": "e", "relation": "IS", "statement": "x",
            "valid_from": "2026-01-01", "reference_time": "2026-01-01", "attributes": {},
            "closed": ["2026-01-02", None],
        }],
        "mentions": [["e", "f"]], "order": ["f"], "cost": {"calls": 1.0},
    },
    "grill.started": {
        "run_id": "r1", "cursor": 9, "now": "2026-11-20T12:00:00.000Z", "mode": "attended",
        "caps": {"max_chats": 8, "max_tokens": 100}, "overflow": 0, "awaiting": 0, "agenda": [{"do": "set"}],
        "loaded": [{"comment_id": "c1", "revision": 0, "harm": 3, "reasons": ["x"], "tokens": 2}],
    },
    "grill.planned": {
        "comment_id": "c1", "decision": "reply", "reason": "x", "ambiguous": False, "evidence": ["x"],
        "stream": "voz-g.c1", "basis": 0, "intent": "ask", "plan_hash": "h",
        "events": [{"id": UUID, "type": "voz.reply", "data": {"a": 1}}],
    },
    "grill.closed": {"curate": {"do": "set", "id": "d1"}, "result": "done"},
    "grill.finished": {"counts": {"resolved": 1}, "overflow": 0},
    "grill.abandoned": {"reason": "model down"},
    "dispatch.opened": {"kind": "report", "theme": "retries", "origin": "operator"},
    "briefing.presented": {
        "position": 9, "text": "# Briefing",
        "items": [{"section": "voz", "text": "x", "tier": "set", "events": [UUID], "sources": ["r"]}],
    },
    "dispatch.closed": {"published": ["study"], "receipts": ["c1"]},
    "source.curated": {"ref": "https://example.org", "opinion": "sound", "origin_comment_id": "c1"},
    "source.retired": {"ref": "https://example.org", "reason": "moved"},
    "knowledge.promoted": {"id": "k1", "statement": "x", "evidence": ["e"], "origin_comment_id": "c1"},
    "knowledge.contested": {"id": "k1", "reason": "x"},
    "knowledge.merged": {"id": "k1", "into": "k2"},
    "knowledge.retired": {"id": "k1", "reason": "x"},
}  # fmt: skip
"""Each type with every field it has."""

MACHINES: tuple[Actor, ...] = ("sweep", "extractor", "dispatch")
CURATED = [
    t
    for t in CATALOGUE
    if t in ("direction.set", "direction.dropped") or t.split(".")[0] in ("source", "knowledge")
]


def writer(type_: str) -> Actor:
    return next(actor for actor in ACTORS if actor in CATALOGUE[type_][1])


# -- shapes ------------------------------------------------------------------------------------


def test_every_type_is_tried_here_with_every_field_it_has() -> None:
    assert set(WHOLE) == set(CATALOGUE)
    for type_, (shape, _) in CATALOGUE.items():
        fields = {f.alias or name for name, f in shape.model_fields.items()}
        other = {"voz.disposition": {"vote_id"}, "grill.closed": {"comment_id"}, "grill.planned": {"curate"}}
        unset = {"direction.set": {"expires_at", "from_artefato", "basis"}}
        left = other.get(type_, set()) | unset.get(type_, set())
        assert fields - left == set(WHOLE[type_]), type_


@pytest.mark.parametrize("type_", CATALOGUE)
def test_what_is_stored_is_what_was_said_and_storing_it_again_changes_nothing(type_: str) -> None:
    stored = validated(type_, WHOLE[type_], writer(type_))
    read_back = json.loads(json.dumps(stored))
    assert without_none(WHOLE[type_]) == without_none(read_back)
    assert validated(type_, read_back, writer(type_)) == stored


def without_none(data: Any) -> Any:
    if isinstance(data, dict):
        return {k: without_none(v) for k, v in data.items() if v is not None}
    return [without_none(v) for v in data] if isinstance(data, list) else data


@pytest.mark.parametrize("type_", CATALOGUE)
def test_a_field_more_or_a_required_field_less_is_refused(type_: str) -> None:
    with pytest.raises(Refused, match="surprise"):
        validated(type_, {**WHOLE[type_], "surprise": 1}, writer(type_))
    shape = CATALOGUE[type_][0]
    for name, field in shape.model_fields.items():
        if field.is_required():
            left = {k: v for k, v in WHOLE[type_].items() if k != (field.alias or name)}
            with pytest.raises(Refused, match=type_):
                validated(type_, left, writer(type_))


@pytest.mark.parametrize(
    ("type_", "change"),
    [
        ("voz.comment", {"body": "  "}),
        ("voz.comment", {"body": "x" * 8193}),
        ("voz.comment", {"body": "ã" * 4097}),
        ("voz.comment", {"harm": 101}),
        ("voz.comment", {"harm": -1}),
        ("voz.comment", {"harm": "5"}),
        ("voz.comment", {"comment_id": "C1"}),
        ("voz.comment", {"comment_id": "c1\n"}),
        ("voz.comment", {"comment_id": "c" * 65}),
        ("voz.comment", {"target_ref": "../etc"}),
        ("voz.vote", {"value": 2}),
        ("voz.vote", {"value": "1"}),
        ("voz.resolved", {"outcome": "done"}),
        ("voz.disposition", {"state": "received"}),
        ("direction.set", {"title": "a\nb"}),
        ("direction.set", {"title": "x" * 81}),
        ("direction.set", {"title": " "}),
        ("direction.set", {"kind": "goal"}),
        ("direction.set", {"expires_at": "soon"}),
        ("direction.set", {"id": "d/1"}),
        ("intent.kernel", {"intent": " \n"}),
        ("artefato.published", {"body": "x" * (512 * 1024 + 1)}),
        ("artefato.published", {"slug": "A"}),
        ("artefato.published", {"cites": [{"ref": "x", "kind": "web"}]}),
        ("episode.captured", {"tier": "high"}),
        ("episode.captured", {"presence": "maybe"}),
        ("episode.captured", {"from": -1}),
        ("grill.started", {"caps": {"max_chats": 0, "max_tokens": 1}}),
        ("dispatch.opened", {"origin": "agent"}),
    ],
)
def test_a_value_out_of_its_shape_is_refused_in_one_line(type_: str, change: Data) -> None:
    with pytest.raises(Refused, match=next(iter(change))) as told:
        validated(type_, {**WHOLE[type_], **change}, writer(type_))
    assert "\n" not in told.value.message


def test_a_type_outside_the_catalogue_is_refused_whoever_writes_it() -> None:
    for actor in ACTORS:
        with pytest.raises(Refused, match="not in the catalogue"):
            validated("voz.shouted", {}, actor)


# -- who may write what ------------------------------------------------------------------------


def may(actor: Actor, type_: str) -> bool:
    try:
        validated(type_, WHOLE[type_], actor)
    except Refused as refusal:
        assert "may not write" in refusal.message
        return False
    return True


def test_what_curates_is_what_i17_names() -> None:
    assert set(CURATED) == {
        "direction.set", "direction.dropped", "source.curated", "source.retired", "knowledge.promoted",
        "knowledge.contested", "knowledge.merged", "knowledge.retired",
    }  # fmt: skip


@pytest.mark.parametrize("type_", CURATED)
def test_only_the_operator_and_the_grill_curate(type_: str) -> None:
    assert may("operator", type_)
    assert [actor for actor in MACHINES if may(actor, type_)] == []


def test_nothing_a_machine_writes_is_the_operators_voice() -> None:
    for type_ in ("voz.comment", "voz.vote"):
        assert [actor for actor in ACTORS if may(actor, type_)] == ["operator", "import"]
    assert [actor for actor in MACHINES if may(actor, "voz.clarify_answer")] == []


def test_the_sweep_writes_episodes_and_the_extractor_what_it_extracted_and_nothing_else() -> None:
    assert {t for t in CATALOGUE if may("sweep", t)} == {"episode.captured", "episode.reclassified"}
    assert {t for t in CATALOGUE if may("extractor", t)} == {"episode.extracted"}


def test_a_chat_is_resolved_and_asked_by_a_grill_only() -> None:
    for type_ in ("voz.resolved", "voz.clarify"):
        assert [actor for actor in ACTORS if may(actor, type_)] == ["grill", "import"]


def test_a_source_is_retired_by_the_operator_only() -> None:
    assert [actor for actor in ACTORS if may(actor, "source.retired")] == ["operator", "import"]


def test_an_import_may_bring_every_type() -> None:
    assert all(may("import", type_) for type_ in CATALOGUE)


def test_an_actor_nobody_knows_writes_nothing() -> None:
    assert set(get_args(Actor)) == set(ACTORS)
    with pytest.raises(Refused, match="unknown actor"):
        validated("voz.vote", WHOLE["voz.vote"], "root")  # type: ignore[arg-type]
