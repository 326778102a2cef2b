"""``edge why``: what stands behind a thing, down to what was said in a session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.person import Person
from tests.support.sessions import TALKS, write_talks


@pytest.fixture
def told(person: Person) -> Person:
    """Sessions swept and extracted, an artefato that proposes and cites, a comment folded, and a Briefing
    after all of it."""
    person.sets(EDGE_NOW="2026-11-21T12:00:00Z")
    write_talks(person.home.parent / "transcripts")
    meta = person.home / "m.json"
    cites = [{"ref": "https://a.example/post", "kind": "mundo", "relevant": True}]
    proposes = [{"title": "Keep the queue in Postgres", "body": "For good.", "kind": "thread"}]
    meta.write_text(json.dumps({"title": "The retry queue", "cites": cites, "proposes": proposes}))
    person.publishes("study", "--meta", meta)
    comment = person.comments("From now on we should test the retry queue first", "--on", "study")
    run = person.gets("grill", "start")
    steer = {"title": "Test the retry queue first", "body": "Test the retry queue first", "kind": "priority"}
    decided = {"comment_id": comment, "decision": "fold", "steer": steer, "ambiguous": False}
    plan = {"chats": [{**decided, "evidence": ["the comment itself"], "reason": "it says so"}]}
    person.gets("grill", "close", run["run_id"], "--plan", "-", given=json.dumps(plan).encode())
    person.gets("open", "report")
    return person


def nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for behind in tree["because"]:
        yield from nodes(behind)


def kinds(tree: dict[str, Any]) -> set[str]:
    return {node["kind"] for node in nodes(tree)}


def events(person: Person) -> dict[str, dict[str, Any]]:
    return {e["id"]: e for e in map(json.loads, person.types("log", "export").out.splitlines())}


def test_a_steer_leads_to_the_plan_the_comment_and_the_artefato_it_was_on(told: Person) -> None:
    (steer,) = told.gets("direction", "list")["set"]
    tree = told.gets("why", steer["id"])
    assert (tree["kind"], tree["id"]) == ("direction", steer["id"])
    assert {"comment", "plan", "artefato", "why", "cites", "dispatch"} <= kinds(tree)
    plan = next(node for node in nodes(tree) if node["kind"] == "plan")
    assert "decided to fold; unambiguous" in plan["text"]
    assert "evidence: the comment itself" in plan["text"]
    comment = next(node for node in nodes(tree) if node["kind"] == "comment")
    assert comment["text"] == "From now on we should test the retry queue first"
    assert told.gets("why", steer["id"][:12]) == tree
    text = told.types("why", steer["id"]).out
    assert text.startswith(f"direction {steer['id']}: [set] Test the retry queue first")
    assert "\n  ← comment " in text


def test_every_statement_leads_to_a_turn_that_was_really_said(told: Person) -> None:
    said = {text for talk in TALKS.values() for _, text in talk}
    items = told.gets("knowledge", "list")
    assert len(items) > 3
    for item in items:
        turns = [node for node in nodes(told.gets("why", item["id"])) if node["kind"] == "turn"]
        assert turns, item
        assert all(turn["text"].partition(": ")[2] in said for turn in turns)
        names = [name.lower() for name in item["entities"]]
        assert any(name in turn["text"].lower() for turn in turns for name in names)


def test_every_step_names_the_event_that_holds_it_and_where_that_stands(told: Person) -> None:
    log = events(told)
    asked = [item["id"] for item in told.gets("knowledge", "list")]
    asked += [source["ref"] for source in told.gets("sources", "list")]
    asked += [steer["id"] for steer in told.gets("direction", "list")["set"]]
    turns = 0
    for node in (node for id_ in asked for node in nodes(told.gets("why", id_))):
        if node["stream"]:
            assert node["stream"] in {event["stream"] for event in log.values()}, node
        if node["event"] and node["position"]:
            held = log[node["event"]]
            assert (node["stream"], node["position"]) == (held["stream"], held["position"]) or (
                node["stream"] is None
            ), node
        if node["kind"] == "turn":
            turns += 1
            assert node["id"] in [turn["id"] for turn in log[node["event"]]["data"]["turns"]]
    assert turns


def test_an_entity_of_many_episodes_says_how_many_more_there_are(told: Person) -> None:
    """Twelve sessions name one thing; the latest eight are told."""
    lines = []
    for n in range(12):
        episode, stream = f"00000000-0000-4000-9000-{n:012d}", f"extraction-me.e{n}"
        data = {
            "episode": episode,
            "by": {"extractor": "hand", "version": "1"},
            "gist": "",
            "entities": [{"id": "lighthouse-1", "name": "Farol", "labels": []}],
            "facts": [],
            "mentions": [],
            "order": [],
            "cost": {"calls": 0, "tokens": 0, "seconds": 0},
        }
        metadata = {"recorded_at": f"2026-11-20T10:00:{n:02d}.000Z", "actor": "extractor", "batch": [0, 1]}
        lines.append(
            {"id": f"00000000-0000-4000-a000-{n:012d}", "type": "episode.extracted", "stream": stream}
            | {"revision": 0, "position": 20_000 + n, "data": data, "metadata": metadata}
        )
    given = "".join(json.dumps(line) + "\n" for line in lines).encode()
    told.gets("log", "import", "-", given=given)
    tree = told.gets("why", "lighthouse-1")
    assert [node["text"] for node in tree["because"] if node["kind"] == "more"] == ["and 4 earlier"]
    assert [node["id"][-2:] for node in tree["because"] if node["kind"] == "episode"] == [
        f"{n:02d}" for n in range(4, 12)
    ]


def test_every_line_of_a_briefing_that_was_shown_leads_to_events_that_stand_in_the_log(told: Person) -> None:
    log = events(told)
    (shown,) = [e for e in log.values() if e["type"] == "briefing.presented"][-1:]
    dispatch = shown["stream"].partition(".")[2]
    assert len(shown["data"]["items"]) > 5
    for n, item in enumerate(shown["data"]["items"], 1):
        tree = told.gets("why", f"{dispatch}#{n}")
        assert tree["kind"] == "line"
        if item["events"]:
            behind = [node for node in nodes(tree) if node is not tree and node["event"]]
            assert behind, item
            assert all(node["event"] in log for node in behind)
    assert told.types("why", f"{dispatch}#999").code == 2
    presented = told.gets("briefing", "--at", shown["position"])
    lines = [item["line"] for section in presented["sections"] for item in section["items"]]
    assert sorted(lines) == sorted(f"{dispatch}#{n}" for n in range(1, len(lines) + 1))


def test_a_source_leads_to_what_gave_each_of_its_weights(told: Person) -> None:
    tree = told.gets("why", "HTTPS://A.example/post/")
    (source,) = told.gets("sources", "list")
    assert (tree["kind"], tree["id"]) == ("source", source["ref"])
    weights = [node for node in nodes(tree) if node["kind"] == "weight"]
    assert {w["event"] for w in weights} == {w["event"] for w in source["why"]}
    assert {"artefato", "comment"} <= kinds(tree)


def test_any_event_is_explained_by_what_it_tells_of(told: Person) -> None:
    for event in events(told).values():
        seen = told.types("why", event["id"], "--kind", "event", "--json")
        assert seen.code == 0, (event["type"], seen.err)
        assert json.loads(seen.out)["kind"] in (event["type"], "episode", "episode.extracted")


def test_what_there_is_not_is_said_in_one_line(told: Person) -> None:
    told.is_told(2, "why", "no-such-thing")
    told.is_told(2, "why", "study", "--kind", "nonsense")


def test_a_forgotten_session_is_behind_nothing_any_more(told: Person) -> None:
    (file,) = (told.home.parent / "transcripts").rglob("queue*.jsonl")
    trees = {item["id"]: told.types("why", item["id"]).out for item in told.gets("knowledge", "list")}
    quoting = [id_ for id_, tree in trees.items() if TALKS["queue"][1][1] in tree]
    assert quoting
    told.gets("forget", file.stem)
    for id_ in quoting:
        assert TALKS["queue"][1][1] not in told.types("why", id_).out


def test_a_briefing_that_was_forgotten_is_said_to_be_and_so_is_each_of_its_lines(told: Person) -> None:
    (shown,) = [e for e in events(told).values() if e["type"] == "briefing.presented"][-1:]
    dispatch = shown["stream"].partition(".")[2]
    told.gets("close", dispatch)
    for file in (told.home.parent / "transcripts").rglob("*.jsonl"):
        told.types("forget", file.stem, "--yes")
    for id_ in (dispatch, f"{dispatch}#3"):
        tree = told.gets("why", id_)
        assert tree["text"] == "(forgotten)"
        assert [node["kind"] for node in tree["because"]] == ["dispatch.forgotten"]


def test_a_log_that_names_causes_without_end_is_told_as_far_as_it_goes(told: Person) -> None:
    lines = [
        {"id": f"00000000-0000-4000-8000-{n:012d}", "type": "beat.ran", "stream": f"import-me.b{n}"}
        | {"revision": 0, "position": 10_000 + n, "data": {}}
        | {"metadata": {"actor": "import", "$causationId": f"00000000-0000-4000-8000-{n - 1:012d}"}}
        for n in range(1, 60)
    ]
    given = "".join(json.dumps(line) + "\n" for line in lines).encode()
    told.gets("log", "import", "-", given=given)
    tree = told.gets("why", lines[-1]["id"])
    assert len(list(nodes(tree))) > 5
    assert "goes on" in list(nodes(tree))[-1]["text"]


def test_a_chat_of_many_replies_tells_the_latest(told: Person) -> None:
    comment = told.comments("Say it again and again")
    lines = [
        {"seq": n, "ts": "2026-11-20T10:00:00Z", "type": "voz.reply", "subject": "voz"}
        | {"payload": {"comment_id": comment, "body": f"again {n}"}}
        for n in range(100)
    ]
    given = "".join(json.dumps(line) + "\n" for line in lines).encode()
    told.gets("log", "import", "-", "--format", "edge-of-chaos", given=given)
    texts = [node["text"] for node in told.gets("why", comment)["because"]]
    assert texts[0] == "and 60 earlier"
    assert texts[-1].endswith("again 99")


def test_an_answer_as_of_then_knows_nothing_of_what_came_later(told: Person) -> None:
    (steer,) = told.gets("direction", "list")["set"]
    then = told.head()
    before = told.gets("why", steer["id"])
    told.gets("direction", "drop", steer["id"], "--reason", "we did it")
    now = told.gets("why", steer["id"])
    assert "direction.dropped" in kinds(now)
    assert told.gets("why", steer["id"], "--at", then) == before
    dropped = next(node["event"] for node in nodes(now) if node["kind"] == "direction.dropped")
    assert told.types("why", dropped, "--at", then).code == 2
    assert told.types("why", steer["id"], "--at", 1).code == 2


def test_what_is_not_told_of_many_is_counted(told: Person) -> None:
    ids = list(events(told))
    line = {"type": "briefing.presented", "stream": "dispatch-me.many", "revision": 0, "position": 90_000}
    items = [{"text": "of many", "events": ids[:11], "sources": []}]
    told_of = {"id": "00000000-0000-4000-8000-00000000abcd", "data": {"items": items}, "metadata": {}}
    opened = {"type": "dispatch.opened", "data": {"dispatch_id": "many", "kind": "beat"}, "metadata": {}}
    first = {**line, **opened, "id": "00000000-0000-4000-8000-00000000abce"}
    second = {**line, **told_of, "revision": 1, "position": 90_001}
    given = "".join(json.dumps(one) + "\n" for one in (first, second)).encode()
    told.gets("log", "import", "-", given=given)
    texts = [node["text"] for node in told.gets("why", "many#1")["because"]]
    assert len(texts) == 9
    assert texts[-1] == "and 3 more"
