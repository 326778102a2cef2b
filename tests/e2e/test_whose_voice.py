"""What an agent types is not the operator's voice: each act of theirs refuses inside an agent's shell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.person import Person

AGENT = {"EDGE_ACTOR": "agent", "CLAUDECODE": None}
CLAUDE = {"EDGE_ACTOR": None, "CLAUDECODE": "1"}
OPERATOR_IN_CLAUDE = {"EDGE_ACTOR": "operator", "CLAUDECODE": "1"}
OPERATOR = {"EDGE_ACTOR": None, "CLAUDECODE": None}


@pytest.fixture
def acts(person: Person) -> dict[str, list[Any]]:
    """Every act that is the operator's own, each such that the operator could do it now: but for a
    restore on a server, where there is no file to put in the log's place."""
    person.publishes("study")
    parked, open_ = person.comments("Testes primeiro, sempre"), ""
    person.gets("grill", "run", "--unattended")
    (question,) = person.gets("voz", "show", parked)["questions"]
    open_ = person.comments("Isso está errado")
    steer = person.gets("direction", "set", "--title", "x", "--body", "x")["id"]
    run = person.gets("grill", "start")["run_id"]
    history = person.home / "history.jsonl"
    line = {"seq": 1, "ts": "2026-01-01T00:00:00Z", "type": "voz.comment", "subject": "c"}
    history.write_text(json.dumps({**line, "payload": {"comment_id": "c9", "body": "x"}}))
    backup = person.home / "backup.db"
    if person.mode == "embedded":
        person.gets("log", "backup", backup)
    return {
        "comment": ["voz", "comment", "x"],
        "vote": ["voz", "vote", "study", "up"],
        "answer": ["voz", "answer", question["clarify_id"], "sim"],
        "withdraw": ["voz", "withdraw", open_],
        "dead_lettered": ["voz", "dispose", open_, "dead_lettered", "--reason", "x"],
        "semantic_answered": ["voz", "dispose", open_, "semantic_answered", "--ref", "study"],
        "set": ["direction", "set", "--title", "y", "--body", "y"],
        "drop": ["direction", "drop", steer, "--reason", "x"],
        "start": ["grill", "start"],
        "run": ["grill", "run"],
        "close": ["grill", "close", run, "--plan", "-"],
        "abandon": ["grill", "abandon", run, "--reason", "x"],
        "import": ["log", "import", history],
        "restore": ["log", "restore", backup],
        "forget": ["forget", "--comment", open_],
    }


@pytest.mark.parametrize("shell", [AGENT, CLAUDE], ids=["EDGE_ACTOR=agent", "CLAUDECODE=1"])
def test_every_act_of_the_operators_refuses_in_an_agents_shell(
    person: Person, acts: dict[str, list[Any]], shell: dict[str, str | None]
) -> None:
    head = person.head()
    person.sets(**shell)
    for name, words in acts.items():
        said = person.is_told(3, *words, given=b'{"chats": []}')
        assert "operator" in said, name
    assert person.head() == head


@pytest.mark.parametrize("shell", [OPERATOR, OPERATOR_IN_CLAUDE], ids=["own terminal", "said outright"])
def test_the_operator_may_do_each_of_them(
    person: Person, acts: dict[str, list[Any]], shell: dict[str, str | None]
) -> None:
    """Also with CLAUDECODE set, where EDGE_ACTOR says outright whose shell it is."""
    person.sets(**shell)
    if person.mode == "embedded":
        person.gets(*acts["restore"])
    else:
        assert "not in a file here" in person.is_told(3, *acts["restore"])
    for name in ("comment", "vote", "answer", "semantic_answered", "set", "drop", "start", "import"):
        before = person.head()
        person.gets(*acts[name])
        assert person.head() > before, name
    person.gets(*acts["abandon"])
    person.gets(*acts["forget"])


def test_an_agent_may_read_dispatch_propose_and_grill_unattended(person: Person) -> None:
    id_ = person.comments("Obrigado!")
    for shell in (AGENT, CLAUDE):
        person.sets(**shell)
        for words in (["voz", "list"], ["voz", "pending"], ["status"], ["briefing"], ["direction", "list"]):
            person.gets(*words)
        person.gets("direction", "propose", "--title", "x", "--body", "x")
        person.publishes(f"study-{len(shell['EDGE_ACTOR'] or '')}")
        person.gets("voz", "dispose", id_, "receipt_sent")
        person.gets("grill", "run", "--unattended")
    assert person.gets("voz", "show", id_)["outcome"] == "acknowledged"
    assert person.gets("direction", "list")["set"] == []


def test_what_an_agent_wrote_is_said_to_be_its_own(person: Person) -> None:
    person.as_agent()
    id_ = person.gets("direction", "propose", "--title", "x", "--body", "x")["id"]
    (event,) = person.gets("log", "show", f"direction-me.{id_}")
    assert event["metadata"]["actor"] == "dispatch"


def test_an_actor_nobody_knows_is_a_misuse(person: Person) -> None:
    person.sets(EDGE_ACTOR="root")
    person.is_told(2, "voz", "comment", "x")
