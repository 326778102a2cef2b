"""Several real processes at the same chats, the same acts, the same read store."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from edge.wiring import Edge
from tests.crash.installs import (
    NOW,
    assert_derived_from_its_log,
    install,
    is_receipt,
    opened,
    run,
    together,
)
from tests.support.house import dump, folded
from tests.support.soak import more

pytestmark = pytest.mark.repeat(more(1, 5))


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_NOW", NOW)
    monkeypatch.setenv("EDGE_ACTOR", "operator")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    install(tmp_path / "home")
    return tmp_path / "home"


DECISIONS: dict[str, dict[str, Any]] = {
    "fold": {"decision": "fold", "reply": "Feito", "steer": {"title": "Testes primeiro"}},
    "reply": {"decision": "reply", "reply": "Visto"},
    "park": {"decision": "park", "question": "Qual?"},
}


def plan_file(home: Path, chat: str, decision: str) -> Path:
    entry = {"comment_id": chat, "ambiguous": False, "evidence": ["x"], **DECISIONS[decision]}
    path = home / f"{chat}-{decision}.json"
    path.write_text(json.dumps({"chats": [entry]}), "utf-8")
    return path


def complaints(err: str) -> list[str]:
    """What was said on stderr but for the progress of work that lasted."""
    return [line for line in err.splitlines() if not line.startswith("folding: ")]


def closes_of(edge: Edge, chat: str) -> list[str]:
    closing = ("voz.resolved", "voz.clarify")
    return [e.type for e in edge.log.read(edge.streams.chat(chat)) if e.type in closing]


@pytest.mark.parametrize(("one", "other"), [("fold", "reply"), ("park", "fold"), ("park", "park")])
def test_of_two_closers_of_one_chat_one_closes_it_and_the_other_says_stale(
    home: Path, one: str, other: str
) -> None:
    with opened(home) as edge:
        chat = edge.voz.comment("Testes primeiro, sempre").id
        runs = [edge.grill.start("attended", 8, 12_000).run for _ in range(2)]
    assert runs[0]["loaded"] == runs[1]["loaded"]
    plans = [plan_file(home, chat, decision) for decision in (one, other)]
    commands = [
        ("grill", "close", r["run_id"], "--plan", p, "--json") for r, p in zip(runs, plans, strict=True)
    ]
    ends = together(home, *commands)
    assert sorted(code for code, _, _ in ends) == [0, 3]
    assert [complaints(err) for _, _, err in ends] == [[], []]
    results = {code: json.loads(out) for code, out, _ in ends}
    assert results[3]["results"][0]["result"] == "stale"
    assert results[3]["finished"] is True
    assert results[0]["results"][0]["result"] in ("resolved", "parked")
    with opened(home) as edge:
        assert len(closes_of(edge, chat)) == 1
        assert edge.health()["errors"] == []
        assert_derived_from_its_log(edge)


@pytest.mark.parametrize("first", ["fold", "park"])
def test_a_chat_closed_or_parked_since_it_was_loaded_is_stale(home: Path, first: str) -> None:
    """The same, one after the other, so that it is sure who was first."""
    with opened(home) as edge:
        chat = edge.voz.comment("Testes primeiro, sempre").id
        runs = [edge.grill.start("attended", 8, 12_000).run["run_id"] for _ in range(2)]
    done = run(home, "grill", "close", runs[0], "--plan", plan_file(home, chat, first))
    assert done.returncode == 0
    with opened(home) as edge:
        before = list(edge.log.read(edge.streams.chat(chat)))
    late = run(home, "grill", "close", runs[1], "--plan", plan_file(home, chat, "reply"), "--json")
    assert late.returncode == 3
    assert json.loads(late.stdout)["results"][0]["result"] == "stale"
    with opened(home) as edge:
        assert list(edge.log.read(edge.streams.chat(chat))) == before


def test_of_eight_closers_of_the_same_chats_each_chat_is_closed_once(home: Path) -> None:
    with opened(home) as edge:
        chats = [edge.voz.comment(f"Devemos medir {n}").id for n in range(3)]
        runs = [edge.grill.start("attended", 8, 12_000).run["run_id"] for _ in range(8)]
    entry = {"decision": "fold", "steer": {"title": "Medir"}, "ambiguous": False, "evidence": ["x"]}
    plan = home / "plan.json"
    plan.write_text(json.dumps({"chats": [{**entry, "comment_id": id_} for id_ in chats]}), "utf-8")
    ends = together(home, *(("grill", "close", run_id, "--plan", plan, "--json") for run_id in runs))
    resolved = Counter(
        result["comment_id"]
        for _, out, _ in ends
        for result in json.loads(out)["results"]
        if result["result"] == "resolved"
    )
    assert resolved == dict.fromkeys(chats, 1)
    with opened(home) as edge:
        assert [closes_of(edge, chat) for chat in chats] == [["voz.resolved"]] * 3
        assert edge.health()["errors"] == []
        assert_derived_from_its_log(edge)


def test_eight_closers_give_every_act_one_receipt(home: Path) -> None:
    """Two of them close the same dispatch."""
    with opened(home) as edge:
        dispatches = [
            edge.dispatches.open(
                "beat", None, "operator", lambda _: None, lambda _: None, edge.briefing
            ).dispatch_id
            for _ in range(7)
        ]
        acts = [edge.voz.comment(f"Devemos medir {n}").id for n in range(12)]
    ends = together(home, *(("close", id_, "--json") for id_ in [*dispatches, dispatches[0]]))
    assert [(code, complaints(err)) for code, _, err in ends] == [(0, [])] * 8
    with opened(home) as edge:
        receipts = Counter(e.data["comment_id"] for e in edge.log.read_all() if is_receipt(e))
        assert receipts == dict.fromkeys(acts, 1)
        closed = Counter(e.stream for e in edge.log.read_all(types=["dispatch.closed"]))
        assert set(closed.values()) == {1}
        assert len(closed) == 7
        assert edge.health()["naked"] == 0
        assert_derived_from_its_log(edge)
    given = [act for _, out, _ in ends for act in json.loads(out)["receipts"]]
    assert set(given) == set(acts)


def test_one_key_used_by_eight_processes_lands_once(home: Path) -> None:
    words = ("voz", "comment", "Devemos medir", "--key", "k1", "--json")
    ends = together(home, *[words] * 8)
    said = [json.loads(out) for code, out, _ in ends if code == 0]
    assert len(said) == 8
    assert sorted(s["duplicate"] for s in said) == [False] + [True] * 7
    assert len({(s["comment_id"], s["position"]) for s in said}) == 1


def test_four_processes_folding_a_fresh_read_store_leave_what_one_would(home: Path) -> None:
    with opened(home) as edge:
        for n in range(120):
            edge.voz.comment(f"Devemos medir {n}", harm=n % 50)
            if n % 20 == 0:
                edge.grill.run(edge.cognition, "unattended", (5, 12_000), "pt", "dispatch")
        shutil.copytree(home, home.parent / "kept")
    for file in home.glob("read.db*"):
        file.unlink()
    ends = together(home, *[("status", "--json"), ("voz", "list", "--json")] * 2)
    assert [(code, complaints(err)) for code, _, err in ends] == [(0, [])] * 4
    assert json.loads(ends[0][1]) == json.loads(ends[2][1])
    with opened(home) as edge:
        assert dump(edge.store.connection) == dump(folded(edge.log, edge.log_id).connection)
        folded_once = dump(edge.store.connection)
    with opened(home.parent / "kept") as kept:
        kept.current()
        assert dump(kept.store.connection) == folded_once
