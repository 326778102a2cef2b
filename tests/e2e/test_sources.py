"""``edge sources`` as a person types it, and what becomes of what a Briefing offers."""

from __future__ import annotations

import json

from tests.e2e.person import Person


def published(person: Person, slug: str, *refs: str, proposes: bool = False) -> None:
    """A dispatch that publishes an artefato citing these."""
    person.gets("open", "report")
    meta = {"title": slug, "cites": [{"ref": ref, "kind": "mundo"} for ref in refs]}
    if proposes:
        meta["proposes"] = [{"title": "Retry with jitter", "body": "Jitter.", "kind": "priority"}]
    (person.home / "a.md").write_text("Words.")
    (person.home / "a.json").write_text(json.dumps(meta))
    person.gets(
        *("close", "--intent", "so that it is known", "--artefato", person.home / "a.md"),
        *("--slug", slug, "--meta", person.home / "a.json"),
    )


def test_a_source_is_worth_what_came_of_it(person: Person) -> None:
    published(person, "first", "https://a.example/post", "https://b.example", proposes=True)
    (proposal,) = person.gets("direction", "list")["proposed"]
    person.gets("direction", "set", proposal["id"])
    person.gets("voz", "vote", "first", "up")
    published(person, "second", "HTTPS://A.example/post/#top")
    first, second = person.gets("sources", "list")
    assert (first["ref"], first["tier"], first["kind"]) == ("https://a.example/post", "hypothesis", "mundo")
    assert first["signals"] == {"cited": 2.0, "used": 0.25, "ignored": 0.0, "credit": 1.25}
    assert second["signals"] == {"cited": 1.0, "used": 0.0, "ignored": -0.05, "credit": 1.25}
    assert abs(first["score"] - 3.5) < 0.01
    for source in (first, second):
        assert abs(sum(w["weight"] for w in source["why"]) - sum(source["signals"].values())) < 1e-9
        for weight in source["why"]:
            assert any(e["id"] == weight["event"] for e in person.gets("log", "tail", "-n", "100"))


def test_an_opinion_stands_above_every_score_until_the_operator_retires_it(person: Person) -> None:
    published(person, "first", "https://a.example/post")
    curated = person.gets("sources", "curate", "https://C.example/", "--opinion", "mede, não adivinha")
    assert curated["ref"] == "https://c.example"
    assert (
        person.gets("sources", "curate", "https://c.example", "--opinion", "mede, não adivinha")["position"]
        is None
    )
    listed = person.gets("sources", "list")
    assert [(s["ref"], s["tier"], s["opinion"]) for s in listed] == [
        ("https://c.example", "curated", "mede, não adivinha"),
        ("https://a.example/post", "hypothesis", None),
    ]
    then = str(curated["position"])
    person.gets("sources", "retire", "https://c.example/", "--reason", "moved")
    assert [s["ref"] for s in person.gets("sources", "list")] == ["https://a.example/post"]
    assert person.gets("at", then, "sources") == person.gets("sources", "list", "--at", then)
    assert person.types("sources", "retire", "https://c.example", "--reason", "again").code == 3


def test_an_agent_holds_no_opinion_for_the_operator(person: Person) -> None:
    refused = person.types("sources", "curate", "s", "--opinion", " ")
    assert (refused.code, "opinion" in refused.err) == (3, True)
    assert person.types("sources", "list").out.startswith("no artefato has cited anything yet")
