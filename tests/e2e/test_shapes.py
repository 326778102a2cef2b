"""What each command prints under --json, field by field, over one day with edge."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from tests.e2e.person import Person

NUMBER, TEXT, YES_NO, LIST = int, str, bool, list
MAYBE_TEXT = (str, type(None))
TIME = "time"

CHAT = {
    "comment_id": TEXT, "target_ref": MAYBE_TEXT, "body": TEXT, "at": TIME, "position": NUMBER, "state": TEXT,
    "actionable": YES_NO, "harm": NUMBER, "outcome": MAYBE_TEXT, "direction_id": MAYBE_TEXT,
    "closed_by": MAYBE_TEXT, "receipt": YES_NO, "reply": MAYBE_TEXT, "questions": LIST, "channel": TEXT,
}  # fmt: skip
QUESTION = {"clarify_id": TEXT, "question": TEXT, "options": LIST, "answer": MAYBE_TEXT}
ACT = {
    "act": TEXT, "kind": TEXT, "target": MAYBE_TEXT, "text": MAYBE_TEXT, "value": (int, type(None)),
    "at": TIME, "required": TEXT, "received": YES_NO,
}  # fmt: skip
STEER = {
    "id": TEXT, "title": TEXT, "body": TEXT, "kind": TEXT, "expires_at": MAYBE_TEXT,
    "origin_comment_id": MAYBE_TEXT, "supersedes": MAYBE_TEXT,
}  # fmt: skip
ARTEFATO = {
    "slug": TEXT, "title": TEXT, "intent": MAYBE_TEXT, "impact": dict, "cites": LIST, "distills": LIST,
    "proposes": LIST, "at": TIME, "revision": NUMBER, "votes": dict, "open_chats": NUMBER,
}  # fmt: skip
ENVELOPE = {
    "id": TEXT, "type": TEXT, "stream": TEXT, "revision": NUMBER, "position": NUMBER, "data": dict,
    "metadata": dict,
}  # fmt: skip
STATUS = {
    "mode": TEXT, "head": NUMBER, "open": NUMBER, "actionable": NUMBER, "awaiting": NUMBER, "backlog": NUMBER,
    "overflow": NUMBER, "naked": NUMBER, "unfinished_runs": LIST, "errors": LIST, "projection_lag": NUMBER,
    "knowledge_lag": NUMBER, "last_sweep": MAYBE_TEXT, "degraded": YES_NO,
}  # fmt: skip
SWEEP = {
    "sessions": NUMBER, "episodes": NUMBER, "turns": NUMBER, "bytes": NUMBER, "skipped_records": NUMBER,
    "excluded": LIST, "redactions": dict, "seconds": (int, float),
}  # fmt: skip
RUN = {
    "run_id": TEXT, "cursor": NUMBER, "now": TIME, "mode": TEXT, "loaded": LIST, "agenda": LIST,
    "overflow": LIST, "awaiting": LIST, "actionable": LIST,
}  # fmt: skip
LOADED = {
    "comment_id": TEXT, "harm": NUMBER, "reasons": LIST, "tokens": NUMBER, "intent": MAYBE_TEXT, "chat": LIST,
}  # fmt: skip
RESULT = {
    "comment_id": TEXT, "result": TEXT, "outcome": MAYBE_TEXT, "direction_id": MAYBE_TEXT,
    "clarify_id": MAYBE_TEXT,
}  # fmt: skip
CLOSED = {"run_id": TEXT, "finished": YES_NO, "results": LIST, "overflow": LIST}
DISPATCH = {
    "dispatch_id": TEXT, "kind": TEXT, "cursor": NUMBER, "sweep": dict, "extraction": dict, "briefing": dict,
    "prose": (dict, type(None)),
}  # fmt: skip
DONE = {
    "dispatch_id": TEXT, "published": LIST, "receipts": LIST, "answered": LIST, "pending": LIST,
    "naked": LIST,
}  # fmt: skip
SECTIONS = ["health", "direction", "voz", "recap", "breadcrumb", "knowledge", "sources"]
"""The sections there are, in their order."""


def assert_shape(data: Any, shape: dict[str, Any]) -> None:
    """Every field of the shape is there and of its kind; more may stand beside."""
    assert isinstance(data, dict)
    for name, kind in shape.items():
        assert name in data, f"{name} is missing of {sorted(data)}"
        value = data[name]
        if kind == TIME:
            assert datetime.fromisoformat(value).utcoffset() is not None
            assert value.endswith("Z")
        else:
            assert isinstance(value, kind), f"{name}: {value!r}"
            assert not (isinstance(value, bool) and kind is NUMBER), f"{name}: {value!r}"


def each(data: Any, shape: dict[str, Any], least: int = 1) -> list[Any]:
    assert isinstance(data, list)
    assert len(data) >= least
    for item in data:
        assert_shape(item, shape)
    return data


@pytest.fixture
def day(person: Person) -> Person:
    """A person after a day: one chat folded, one replied, one parked, one new; a study, a vote, a run."""
    meta = person.home / "meta.json"
    idea = {"title": "Cache menos", "body": "Esconde erros", "kind": "constraint"}
    cites = [{"ref": "https://example.org", "kind": "mundo", "relevant": True}]
    meta.write_text(json.dumps({"title": "Um estudo", "cites": cites, "distills": ["x"], "proposes": [idea]}))
    person.publishes("study", "--meta", meta)
    person.gets("voz", "vote", "study", "down")
    folds = person.comments("Testes primeiro, sempre", "--on", "study")
    person.comments("O prazo chegou ontem", "--harm", "40")
    person.gets("grill", "run", "--unattended")
    (question,) = person.gets("voz", "show", folds)["questions"]
    person.gets("voz", "answer", question["clarify_id"], "sim")
    person.gets("grill", "run", "--unattended")
    person.comments("Isso está errado")
    return person


def test_chats_are_listed_in_log_order_by_what_they_wait_for(day: Person) -> None:
    chats = each(day.gets("voz", "list"), CHAT, least=3)
    assert [c["position"] for c in chats] == sorted(c["position"] for c in chats)
    assert [(c["state"], c["actionable"], c["closed_by"], c["outcome"]) for c in chats] == [
        ("closed", False, "resolved", "folded-to-direction"),
        ("parked", False, None, None),
        ("open", True, None, None),
    ]
    assert [c["harm"] for c in chats] == [0, 40, 0]
    for question in chats[0]["questions"] + chats[1]["questions"]:
        assert_shape(question, QUESTION)
        each(question["options"], {"key": TEXT, "label": TEXT, "decision": TEXT}, least=2)
    assert day.gets("voz", "timeline") == chats
    assert day.gets("voz", "timeline", "--on", "study") == chats[:1]
    flags = ("--open", "--parked", "--actionable", "--closed")
    by_flag = {flag: [c["comment_id"] for c in day.gets("voz", "list", flag)] for flag in flags}
    ids = [c["comment_id"] for c in chats]
    assert by_flag == {"--open": ids[1:], "--parked": ids[1:2], "--actionable": ids[2:], "--closed": ids[:1]}
    shown = day.gets("voz", "show", ids[0])
    assert_shape(shown, CHAT)
    assert (shown["channel"], shown["reply_capability"], shown["delivery"]["how"]) == (
        "native",
        None,
        "native",
    )
    events = each(shown["events"], ENVELOPE, least=4)
    assert [e["revision"] for e in events] == list(range(len(events)))
    assert shown["direction_id"] == day.gets("direction", "list")["set"][0]["id"]


def test_pending_says_what_is_owed(day: Person) -> None:
    pending = day.gets("voz", "pending")
    assert pending["counts"] == {"comments": 2, "votes": 1, "naked": 3}
    acts = each(pending["pending"], ACT, least=3)
    assert [(a["kind"], a["target"], a["value"], a["required"]) for a in acts] == [
        ("vote", "study", -1, "receipt"),
        ("comment", None, None, "semantic"),
        ("comment", None, None, "semantic"),
    ]


def test_an_act_gives_its_id_its_position_and_whether_it_stood_there(day: Person) -> None:
    said = {"position": NUMBER, "duplicate": YES_NO}
    assert_shape(day.gets("voz", "comment", "x"), {"comment_id": TEXT, **said})
    assert_shape(day.gets("voz", "vote", "study", "clear"), {"vote_id": TEXT, **said})
    (parked,) = day.gets("voz", "list", "--parked")
    answered = day.gets("voz", "answer", parked["questions"][0]["clarify_id"], "não")
    assert_shape(answered, {"clarify_id": TEXT, **said})
    assert answered["position"] == day.head()


def test_a_run_prints_what_it_loaded_in_rank_order_with_its_whole_context(day: Person) -> None:
    late = day.comments("Devemos medir")
    run = day.gets("grill", "start", "--max-chats", "1")
    assert_shape(run, RUN)
    (loaded,) = each(run["loaded"], LOADED)
    assert (loaded["intent"], loaded["harm"], len(loaded["reasons"])) == ("contradict", 30, 1)
    each(loaded["chat"], {"type": TEXT, "body": TEXT, "at": TIME})
    assert loaded["tokens"] == sum(-(-len(said["body"].encode()) // 4) for said in loaded["chat"])
    (parked,) = day.gets("voz", "list", "--parked")
    assert (run["mode"], run["overflow"], run["awaiting"]) == ("attended", [late], [parked["comment_id"]])
    assert run["actionable"] == [loaded["comment_id"], late]
    plan = {"chats": [{"comment_id": loaded["comment_id"], "decision": "park", "question": "Qual?"}]}
    closed = day.gets("grill", "close", "--plan", "-", given=json.dumps(plan).encode())
    assert_shape(closed, CLOSED)
    (result,) = each(closed["results"], RESULT)
    assert (result["result"], closed["finished"], closed["overflow"]) == ("parked", True, [late])
    shown = day.gets("grill", "show", run["run_id"])
    assert_shape(shown, {"run_id": TEXT, "state": TEXT, "mode": TEXT, "loaded": LIST, "planned": LIST})
    assert [planned["intent"] for planned in shown["planned"]] == ["contradict"]
    assert "park (contradict)  parked" in day.types("grill", "show", run["run_id"]).out


def test_a_run_with_nothing_to_load_is_over_at_once(person: Person) -> None:
    run = person.gets("grill", "start", "--unattended")
    assert_shape(run, RUN)
    assert (run["loaded"], run["overflow"], run["actionable"]) == ([], [], [])
    assert person.gets("status")["unfinished_runs"] == []


def test_direction_tells_set_from_proposed_from_expired_and_nothing_from_empty(day: Person) -> None:
    day.gets("direction", "set", "--title", "Velho", "--body", "x", "--expires", "2020-01-01")
    listed = day.gets("direction", "list")
    assert_shape(listed, {"position": NUMBER, "none": YES_NO, "set": LIST, "proposed": LIST, "expired": LIST})
    assert (listed["none"], listed["position"]) == (False, day.head())
    (steer,) = each(listed["set"], STEER)
    assert steer["origin_comment_id"] == day.gets("voz", "list", "--closed")[0]["comment_id"]
    (idea,) = each(listed["proposed"], STEER | {"from_artefato": TEXT})
    assert (idea["from_artefato"], idea["title"]) == ("study", "Cache menos")
    assert [s["title"] for s in each(listed["expired"], STEER)] == ["Velho"]
    (created,) = day.gets("log", "show", "log-me")
    before = day.gets("direction", "list", "--at", created["position"])
    assert (before["none"], before["position"]) == (True, created["position"])


def test_artefatos_come_with_their_why_and_what_became_of_them(day: Person) -> None:
    (artefato,) = each(day.gets("artefato", "list"), ARTEFATO)
    assert artefato["intent"] == "to know why"
    assert artefato["votes"] == {"up": 0, "down": 1}
    assert artefato["revision"] == 1
    assert artefato["open_chats"] == 0
    each(artefato["cites"], {"ref": TEXT, "kind": TEXT, "relevant": YES_NO})
    each(artefato["proposes"], {"title": TEXT, "body": TEXT, "kind": TEXT})
    assert day.gets("artefato", "show", "study")["body"] == "# Um estudo\n\nação\n".strip()


def test_a_dispatch_prints_its_briefing_and_its_close_what_it_disposed_of(day: Person) -> None:
    opened = day.gets("open", "report", "--theme", "testes")
    assert_shape(opened, DISPATCH)
    assert_shape(opened["sweep"], SWEEP)
    assert_shape(opened["extraction"], {"episodes": NUMBER, "lag": NUMBER, "cost": dict})
    assert_briefing(opened["briefing"])
    pending = [a["act"] for a in day.gets("voz", "pending")["pending"]]
    closed = day.gets("close", "--intent", "why", "--answered", f"{pending[-1]}=study")
    assert_shape(closed, DONE)
    assert closed["answered"] == [pending[-1]]
    assert sorted(closed["receipts"]) == sorted(pending[:-1])
    assert closed["pending"] == [pending[1]]
    assert (closed["published"], closed["naked"]) == ([], [])


def assert_briefing(briefing: Any) -> None:
    assert_shape(briefing, {"text": TEXT, "sections": LIST, "health": dict})
    assert_shape(briefing["health"], STATUS)
    sections = each(briefing["sections"], {"name": TEXT, "items": LIST}, least=5)
    assert [s["name"] for s in sections] == SECTIONS
    for section in sections:
        each(section["items"], {"text": TEXT, "tier": MAYBE_TEXT, "events": LIST, "sources": LIST}, least=0)


def test_the_briefing_now_and_at_a_position(day: Person) -> None:
    now = day.gets("briefing")
    assert_briefing(now)
    assert now["position"] == day.head()
    voz = next(s for s in now["sections"] if s["name"] == "voz")
    assert len(voz["items"]) == 1 + 3  # the counts, then each act
    then = day.gets("briefing", "--at", now["position"])
    assert then["position"] == now["position"]
    assert then["sections"][1:] == now["sections"][1:]  # all but health, some of which is measured


def test_pending_voz_in_the_briefing_is_counted_and_cut(person: Person) -> None:
    for n in range(7):
        person.comments(f"{n} " + "muito " * 40)
    voz = next(s for s in person.gets("briefing")["sections"] if s["name"] == "voz")
    count, *acts, left = voz["items"]
    assert len(acts) == 5
    assert all(len(item["text"].partition("): ")[2]) <= 80 for item in acts)
    assert "7" in count["text"]
    assert "2" in left["text"]
    assert all(item["events"] for item in acts)


def test_status_and_the_sweep(day: Person) -> None:
    swept = day.gets("sweep")
    assert_shape(swept, SWEEP)
    dry = day.gets("sweep", "--dry-run")
    assert_shape(dry, SWEEP | {"captured": LIST})
    status = day.gets("status")
    assert_shape(status, STATUS)
    assert (status["mode"], status["head"], status["projection_lag"]) == (day.mode, day.head(), 0)
    assert (status["open"], status["actionable"], status["awaiting"], status["naked"]) == (2, 1, 1, 3)
    assert status["errors"] == []


def test_any_model_at_any_position(day: Person) -> None:
    head = str(day.head())
    assert day.gets("at", head, "chats") == day.gets("voz", "list")
    assert day.gets("at", head, "acts") == day.gets("voz", "pending")
    assert day.gets("at", head, "direction") == day.gets("direction", "list")
    assert day.gets("at", head, "corpus") == day.gets("artefato", "list")
    assert_shape(day.gets("at", head, "health"), STATUS)
    assert day.gets("at", "1", "chats") == []
    assert day.gets("voz", "list", "--at", "1") == []
    day.is_told(2, "at", head, "nothing")
    day.is_told(3, "at", str(day.head() + 1), "chats")
