"""What an artefato proposed: decided in one act, by hand or in a grill, and told ever after."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.person import Person

NAMES = ("Rest on Sundays", "Shorter reports", "Name every source")


@pytest.fixture
def proposer(person: Person, tmp_path: Path) -> Person:
    """On the first day, three steers were proposed."""
    person.sets(EDGE_NOW="2026-11-01T12:00:00Z")
    proposes = [
        {"title": name, "body": f"{name}.", "kind": "priority", "relates_to": ["study"]} for name in NAMES
    ]
    meta = tmp_path / "meta.json"
    meta.write_text(json.dumps({"title": "Um estudo", "proposes": proposes}), "utf-8")
    person.publishes("study", "--meta", meta)
    return person


def proposals(person: Person) -> dict[str, dict[str, Any]]:
    return {p["title"]: p for p in person.gets("artefato", "show", "study")["proposes"]}


def test_one_act_accepts_a_proposal_just_as_it_stands_and_one_rejects_it(proposer: Person) -> None:
    rest, shorter, sources = (proposals(proposer)[name]["id"] for name in NAMES)
    proposer.gets("direction", "set", rest)
    proposer.gets("direction", "drop", shorter, "--reason", "they are short")
    assert [proposals(proposer)[name]["tier"] for name in NAMES] == ["set", "gone", "proposed"]
    (steer,) = proposer.gets("direction", "list")["set"]
    assert (steer["title"], steer["body"], steer["kind"], steer["relates_to"], steer["from_artefato"]) == (
        "Rest on Sundays",
        "Rest on Sundays.",
        "priority",
        ["study"],
        "study",
    )
    impact = proposer.gets("artefato", "show", "study")["impact"]
    assert (impact["proposes"], impact["accepted"], impact["rejected"], impact["open"]) == (3, 1, 1, 1)
    told = proposer.types("artefato", "show", "study").out
    assert f"accept: `edge direction set {sources}`" in told
    assert f"edge direction set {rest}" not in told  # it is decided


def test_what_is_not_there_to_accept_is_named_and_not_asked_for_a_title(proposer: Person) -> None:
    gone = proposals(proposer)["Shorter reports"]["id"]
    proposer.gets("direction", "drop", gone, "--reason", "they are short")
    for id_ in (gone, "no-such-steer"):
        assert proposer.is_told(3, "direction", "set", id_) == f"no live steer {id_}"
    proposer.gets("direction", "set", gone, "--title", "Shorter reports", "--body", "One page.")
    assert proposals(proposer)["Shorter reports"]["tier"] == "set"


def test_a_grills_agenda_leaves_out_a_proposal_whose_last_day_is_over(proposer: Person) -> None:
    proposer.gets(
        "direction", "propose", "--title", "Só até dez", "--body", "Não.", "--expires", "2026-11-10"
    )
    titles = []
    for now in ("2026-11-10T23:30:00Z", "2026-11-11T00:30:00Z"):
        proposer.sets(EDGE_NOW=now)
        titles.append([entry["title"] for entry in proposer.gets("grill", "start")["agenda"]])
    assert titles == [[*NAMES, "Só até dez"], list(NAMES)]


def test_a_grills_agenda_brings_proposals_that_have_aged_and_its_plan_decides_them(proposer: Person) -> None:
    proposer.sets(EDGE_NOW="2026-11-07T12:00:00Z")
    proposer.gets("direction", "propose", "--title", "New today", "--body", "It is new.")
    assert proposer.gets("grill", "start")["agenda"] == []  # six days are not enough
    proposer.sets(EDGE_NOW="2026-11-08T12:00:00Z")
    run = proposer.gets("grill", "start")
    assert [(entry["do"], entry["title"], entry["why"]) for entry in run["agenda"]] == [
        ("set", name, "proposed 7 days ago") for name in NAMES
    ]
    rest, shorter, _ = (entry["id"] for entry in run["agenda"])
    curate = [
        {"do": "set", "id": rest, "evidence": ["asked for twice"]},
        {"do": "drop", "id": shorter, "reason": "they are short", "evidence": []},
    ]
    plan = json.dumps({"curate": curate}).encode()
    closed = proposer.gets("grill", "close", run["run_id"], "--plan", "-", given=plan)
    assert [(act["do"], act["id"], act["result"]) for act in closed["curated"]] == [
        ("set", rest, "done"),
        ("drop", shorter, "done"),
    ]
    assert [proposals(proposer)[name]["tier"] for name in NAMES] == ["set", "gone", "proposed"]
    (steer,) = proposer.gets("direction", "list")["set"]
    assert (steer["id"], steer["from_artefato"], steer["relates_to"]) == (rest, "study", ["study"])
    history = proposer.gets("direction", "show", rest)["history"]
    assert [(line["op"], line["actor"]) for line in history] == [("propose", "dispatch"), ("set", "grill")]
    dropped = proposer.gets("direction", "show", shorter)["history"][-1]
    assert (dropped["op"], dropped["reason"]) == ("drop", "they are short")


def test_a_steers_history_tells_when_it_expired_and_what_took_its_place(person: Person) -> None:
    person.sets(EDGE_NOW="2026-11-01T12:00:00Z")
    said = ("--title", "Rest", "--body", "Rest on Sundays", "--expires", "2026-11-20")
    old = person.gets("direction", "set", *said)["id"]
    person.sets(EDGE_NOW="2026-11-20T22:00:00Z")
    assert [line["op"] for line in person.gets("direction", "show", old)["history"]] == ["set"]
    person.sets(EDGE_NOW="2026-11-25T12:00:00Z")
    new = person.gets("direction", "set", "--title", "Run", "--body", "Run", "--supersedes", old)["id"]
    history = person.gets("direction", "show", old)["history"]
    assert [(line["op"], line["at"][:10]) for line in history] == [
        ("set", "2026-11-01"),
        ("expire", "2026-11-20"),
        ("supersede", "2026-11-25"),
    ]
    assert (history[1]["event"], history[2]["superseded_by"]) == (None, new)
    told = person.types("direction", "show", old).out
    assert "expired, its last day was 2026-11-20" in told
    assert f"superseded by operator: by {new}" in told
    before = person.gets("direction", "show", old, "--at", "2026-11-19")["history"]
    assert [line["op"] for line in before] == ["set"]


def test_a_conflict_is_named_by_both_its_edits(person: Person, tmp_path: Path) -> None:
    """Two hands that edited from one state: only a foreign log holds that."""
    first = {"id": "rest", "title": "Rest", "body": "Rest", "kind": "priority"}
    lines = [
        {"seq": 1, "ts": "2026-11-01T12:00:00Z", "type": "direction.set", "subject": "d", "payload": first},
        *(
            {
                "seq": seq,
                "ts": f"2026-11-0{seq}T12:00:00Z",
                "type": "direction.set",
                "subject": "d",
                "payload": {**first, "title": title, "basis": 77},
            }
            for seq, title in ((2, "Rest more"), (3, "Rest less"))
        ),
    ]
    file = tmp_path / "old.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    person.gets("log", "import", file, "--format", "edge-of-chaos")
    (_, one, other) = person.gets("direction", "show", "rest")["history"]
    assert (one["conflicts_with"], other["conflicts_with"]) == (None, one["event"])
    assert f"the same state as {one['event']}" in person.types("direction", "show", "rest").out
    assert "direction-conflict" in person.types("status").out
