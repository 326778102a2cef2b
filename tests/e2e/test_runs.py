"""Runs, dispatches and steers as a person types them: what is refused, retried, left open."""

from __future__ import annotations

import json
from typing import Any

from tests.e2e.person import Person


def plan_for(*entries: Any, **more: Any) -> bytes:
    return json.dumps({"chats": list(entries), **more}).encode()


def entry(comment_id: str, decision: str = "reply", **said: Any) -> Any:
    words: Any = {"reply": {"reply": "Visto"}, "park": {"question": "Qual?"}}.get(decision, {})
    settled = {"comment_id": comment_id, "decision": decision, "ambiguous": False, "evidence": ["x"]}
    return {**settled, **words, **said}


# -- plans ---------------------------------------------------------------------------------------


def test_a_plan_that_breaks_a_rule_is_refused_whole_and_nothing_written(person: Person) -> None:
    one, two = person.comments("Testes primeiro, sempre"), person.comments("O prazo chegou ontem")
    run = person.gets("grill", "start", "--unattended")["run_id"]
    later = person.comments("later")
    head = person.head()
    refused: list[tuple[list[Any], str]] = [
        ([entry(one)], "misses"),
        ([entry(one), entry(two), entry(later)], "did not load"),
        ([entry(one), entry(two), entry(one, "park")], "twice"),
        ([entry(one, "acknowledge", ambiguous=True), entry(two)], "may only park it"),
        ([entry(one, "fold", steer={"title": "", "body": "Testes"}), entry(two)], "needs a title"),
        ([entry(one, "fold", steer={"title": "Deploy"}), entry(two)], "does not say"),
        ([entry(one, "retire", direction_id="d9"), entry(two)], "no live steer"),
        ([entry(one, "park", question=""), entry(two)], "needs the question"),
        ([entry(one, evidence=[]), entry(two)], "only on evidence"),
        ([entry(one, "failed"), entry(two)], "failed needs its reason"),
        ([entry(one, asked=[{"question": "a", "answer": "b"}]), entry(two)], "nobody to ask"),
        ([entry(one, "shout"), entry(two)], "decision"),
    ]
    for entries, saying in refused:
        assert saying in person.is_told(3, "grill", "close", run, "--plan", "-", given=plan_for(*entries))
    curate = {"do": "set", "id": "x", "title": "x", "body": "x", "evidence": ["x"]}
    curating = plan_for(entry(one), entry(two), curate=[curate])
    assert "curates nothing" in person.is_told(3, "grill", "close", run, "--plan", "-", given=curating)
    assert "no stored plan" in person.is_told(3, "grill", "close", run)
    assert person.head() == head


def test_what_is_no_json_or_no_file_is_exit_2_and_json_that_is_no_plan_exit_3(person: Person) -> None:
    person.comments()
    run = person.gets("grill", "start")["run_id"]
    for given in (b"", b"{", b"\xff", b"[" * 100_000):
        person.is_told(2, "grill", "close", run, "--plan", "-", given=given)
    person.is_told(2, "grill", "close", run, "--plan", person.home / "nowhere.json")
    person.is_told(3, "grill", "close", run, "--plan", "-", given=b"[]")
    person.is_told(3, "grill", "close", "nothing", "--plan", "-", given=b"{}")


def test_the_same_plan_again_is_a_retry_and_another_is_refused(person: Person) -> None:
    id_ = person.comments()
    person.gets("grill", "start")
    plan = plan_for(entry(id_))
    first = person.gets("grill", "close", "--plan", "-", given=plan)
    head = person.head()
    assert person.gets("grill", "close", first["run_id"], "--plan", "-", given=plan) == first
    other = plan_for(entry(id_, reply="Outra"))
    person.is_told(3, "grill", "close", first["run_id"], "--plan", "-", given=other)
    assert person.head() == head


def test_a_failed_chat_leaves_the_run_open_for_a_later_plan_or_for_abandoning(person: Person) -> None:
    id_ = person.comments()
    run = person.gets("grill", "start")["run_id"]
    failed = plan_for(entry(id_, "failed", reason="model down"))
    closed = person.gets("grill", "close", "--plan", "-", given=failed)
    assert (closed["finished"], closed["results"][0]["result"]) == (False, "failed")
    assert person.gets("status")["unfinished_runs"] == [run]
    person.is_told(3, "grill", "abandon", run, "--reason", " ")
    person.gets("grill", "abandon", run, "--reason", "model down")
    assert person.gets("status")["unfinished_runs"] == []
    assert person.gets("voz", "pending")["counts"] == {"comments": 1, "votes": 0, "naked": 0}
    person.is_told(3, "grill", "close", run, "--plan", "-", given=plan_for(entry(id_)))


def test_run_and_dispatch_default_to_the_only_open_one(person: Person) -> None:
    assert "no grill run is open" in person.is_told(2, "grill", "close")
    assert "no dispatch is open" in person.is_told(2, "close")
    person.comments()
    runs = [person.gets("grill", "start")["run_id"] for _ in range(2)]
    assert all(run in person.is_told(2, "grill", "close") for run in runs)
    dispatches = [person.gets("open", "report")["dispatch_id"] for _ in range(2)]
    assert all(id_ in person.is_told(2, "close") for id_ in dispatches)
    person.gets("close", dispatches[0])
    assert person.gets("close")["dispatch_id"] == dispatches[1]


# -- publishing ----------------------------------------------------------------------------------


def test_a_publication_that_may_not_be_leaves_the_dispatch_open(person: Person) -> None:
    person.gets("open", "report")
    file, meta = person.home / "study.md", person.home / "meta.json"
    file.write_text("# Study", "utf-8")
    words = ["close", "--artefato", file, "--slug", "study"]
    head = person.head()
    assert "needs its why" in person.is_told(3, *words)
    assert "needs its why" in person.is_told(3, *words, "--intent", " ")
    person.is_told(2, "close", "--intent", "why", "--artefato", file)
    person.is_told(3, "close", "--intent", "why", "--artefato", file, "--slug", "Bad Slug")
    person.is_told(1, "close", "--intent", "why", "--artefato", person.home / "no.md", "--slug", "x")
    assert "no act" in person.is_told(3, *words, "--intent", "why", "--answered", "nothing=study")
    person.is_told(2, *words, "--intent", "why", "--answered", "nothing")
    for text in ("{", "[]", '{"author": "me"}', '{"cites": [{"ref": "x", "kind": "web"}]}', '{"title": 7}'):
        meta.write_text(text, "utf-8")
        person.is_told(2 if text == "{" else 3, *words, "--intent", "why", "--meta", meta)
    file.write_text(" \n", "utf-8")
    person.is_told(3, *words, "--intent", "why")
    assert person.head() == head
    file.write_text("# Study", "utf-8")
    assert person.gets(*words, "--intent", "why")["published"] == ["study"]


def test_what_is_published_is_replaced_only_by_saying_so(person: Person) -> None:
    person.publishes()
    person.gets("open", "report")
    file = person.home / "study.md"
    file.write_text("# Novo", "utf-8")
    words = ["close", "--artefato", file, "--slug", "study", "--intent", "why"]
    assert "published already" in person.is_told(3, *words)
    person.gets(*words, "--republish")
    (artefato,) = person.gets("artefato", "list")
    assert (artefato["revision"], artefato["title"]) == (2, "Novo")


def test_a_dispatch_closed_twice_says_the_same(person: Person) -> None:
    person.comments()
    opened = person.gets("open", "report")["dispatch_id"]
    first = person.gets("close", opened, "--intent", "a breadcrumb")
    head = person.head()
    assert person.gets("close", opened, "--intent", "a breadcrumb") == first
    assert person.head() == head
    assert "no dispatch" in person.is_told(3, "close", "nothing")


def test_what_a_closed_dispatch_is_asked_beyond_what_it_did_is_refused_and_not_lost(person: Person) -> None:
    id_ = person.comments()
    opened = person.gets("open", "report")["dispatch_id"]
    person.gets("close", opened)
    file = person.home / "late.md"
    file.write_text("# Late", "utf-8")
    head = person.head()
    for words in (
        ["--intent", "a late breadcrumb"],
        ["--answered", f"{id_}=study"],
        ["--intent", "why", "--artefato", file, "--slug", "late"],
    ):
        assert "is closed" in person.is_told(3, "close", opened, *words)
    assert person.head() == head
    person.gets("voz", "withdraw", id_)
    person.gets("close", opened, "--answered", f"{id_}=study")  # closed otherwise: nothing is lost


# -- Direction -----------------------------------------------------------------------------------


def test_steers_are_proposed_set_edited_superseded_and_dropped(person: Person) -> None:
    said = ["--title", "Testes primeiro", "--body", "Sempre", "--kind", "constraint"]
    proposed = person.gets("direction", "propose", *said)["id"]
    assert person.gets("direction", "set", proposed)["id"] == proposed
    person.gets("direction", "set", proposed, "--title", "Testes antes")
    (steer,) = person.gets("direction", "list")["set"]
    assert (steer["title"], steer["body"], steer["kind"]) == ("Testes antes", "Sempre", "constraint")
    newer = person.gets(
        "direction", "set", "--title", "Novo", "--body", "-", "--supersedes", proposed, given=b"x"
    )
    assert [s["id"] for s in person.gets("direction", "list")["set"]] == [newer["id"]]
    person.is_told(3, "direction", "drop", newer["id"])
    person.gets("direction", "drop", newer["id"], "--reason", "feito")
    assert person.gets("direction", "show", newer["id"])["reason"] == "feito"
    assert person.gets("direction", "list") | {"position": 0} == {
        "position": 0, "none": False, "set": [], "proposed": [], "expired": [],
    }  # fmt: skip


def test_a_steer_without_what_it_needs_is_refused(person: Person) -> None:
    head = person.head()
    for words in (
        [],
        ["--title", "x"],
        ["--title", "x" * 81, "--body", "x"],
        ["--title", "x", "--body", "x", "--kind", "goal"],
        ["--title", "x", "--body", "x", "--expires", "soon"],
        ["Bad Id!", "--title", "x", "--body", "x"],
        ["--title", "x", "--body", "x", "--supersedes", "d9"],
    ):
        person.is_told(3, "direction", "set", *words)
    person.is_told(3, "direction", "drop", "d9", "--reason", "x")
    person.is_told(3, "direction", "show", "d9")
    assert person.head() == head
