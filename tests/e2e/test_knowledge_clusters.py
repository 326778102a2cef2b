"""What sessions said, as clusters, in the Briefing and in the wiki, asked for at a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.e2e.person import Person
from tests.support.said import session

pytestmark = pytest.mark.filterwarnings("ignore:Support for class-based `config`")  # graphiti's own

QUEUE = "Celery depends on Redis and Kombu. Kombu uses Redis. Redis uses PostgreSQL for the queue."
CHARTS = "Grafana reads from Prometheus. Grafana depends on Loki. Loki uses Prometheus."
EARLIER, LATELY = "2026-11-01T09:00:00.000Z", "2026-11-29T09:00:00.000Z"


@pytest.fixture
def learnt(person: Person, tmp_path: Path) -> Person:
    """A person whose sessions spoke of two things that have nothing to do with each other."""
    store = tmp_path / "transcripts"
    session(store, "queue", QUEUE, "Celery uses Redis.", cwd="/home/op/courier", at=EARLIER)
    session(store, "charts", CHARTS, cwd="/home/op/courier", at=LATELY)
    person.gets("open", "report")
    person.gets("close", "--intent", "to look around")
    return person


def section(briefing: Any) -> list[Any]:
    return list(next(s for s in briefing["sections"] if s["name"] == "knowledge")["items"])


def test_clusters_tell_what_belongs_together(learnt: Person) -> None:
    charts, queue = learnt.gets("knowledge", "clusters")
    for cluster in (charts, queue):
        assert {"id", "label", "summary", "entities", "facts", "size"} <= set(cluster)
        assert cluster["size"] == len(cluster["entities"])
        assert all(isinstance(one, str) for one in (*cluster["entities"], *cluster["facts"]))
    assert set(charts["entities"]) == {"Grafana", "Prometheus", "Loki"}
    assert set(queue["entities"]) == {"Celery", "Redis", "Kombu", "PostgreSQL"}
    assert "Celery" in queue["label"]
    assert "Celery depends on Redis and Kombu." in queue["summary"]
    seen = learnt.types("knowledge", "clusters")
    assert seen.code == 0
    assert charts["id"] in seen.out


def test_clusters_of_another_time(learnt: Person) -> None:
    then = learnt.head()
    before = learnt.gets("knowledge", "clusters")
    store = Path(str(learnt.home)).parent / "transcripts"
    session(store, "more", "Terraform depends on Consul. Consul uses Vault.", at=LATELY)
    learnt.gets("open", "report")
    assert len(learnt.gets("knowledge", "clusters")) == 3
    assert learnt.gets("knowledge", "clusters", "--at", then) == before
    assert learnt.gets("at", then, "clusters") == before
    assert learnt.gets("knowledge", "clusters", "--at", 1) == []
    learnt.is_told(3, "knowledge", "clusters", "--at", learnt.head() + 1)


def test_the_briefing_shows_them_and_keeps_what_it_showed(learnt: Person) -> None:
    briefing = learnt.gets("briefing")
    charts, queue = section(briefing)
    known = {e["id"] for e in map(json.loads, learnt.types("log", "export").out.splitlines())}
    for item in (charts, queue):
        assert item["tier"] == "hypothesis"
        assert item["events"]
        assert set(item["events"]) <= known
    assert "Grafana reads from Prometheus" in charts["text"]
    assert queue["text"].count("Celery depends on Redis and Kombu") == 1
    assert section(learnt.gets("briefing", "--at", briefing["position"])) == [charts, queue]


def test_open_leaves_a_wiki_behind_and_the_command_says_where_it_is(learnt: Person) -> None:
    root = learnt.home / "wiki"
    queue = learnt.gets("knowledge", "clusters")[1]
    page = (root / "clusters" / f"{queue['id']}.md").read_text("utf-8")
    assert "Celery depends on Redis and Kombu." in page
    told = learnt.gets("wiki")
    assert (told["path"], told["pages"], told["changed"], told["left"]) == (str(root), 5, [], [])
    (root / "notes.md").write_text("mine", "utf-8")
    learnt.publishes("study")
    learnt.gets("wiki")
    assert (root / "artefatos" / "study.md").exists()
    assert (root / "notes.md").read_text("utf-8") == "mine"
    (root / "index.md").unlink()
    assert learnt.gets("wiki")["changed"] == ["index.md"]
    seen = learnt.types("wiki")
    assert seen.out.startswith(f"6 pages in {root}")


def test_what_a_session_says_is_inert_in_the_wiki(person: Person, tmp_path: Path) -> None:
    said = "Celery uses Redis <img src=x onerror=alert(1)> ![p](http://evil.example/p) [c](javascript:x)."
    session(tmp_path / "transcripts", "attack", said)
    person.gets("open", "report")
    pages = {path: path.read_text("utf-8") for path in (person.home / "wiki").rglob("*.md")}
    assert any("evil.example" in page for page in pages.values())
    for path, page in pages.items():
        first, _, rest = page.partition("\n")
        assert first.startswith("<!-- edge:wiki ")
        parsed = [
            t for token in MarkdownIt("commonmark").parse(rest) for t in (token, *(token.children or ()))
        ]
        assert not [t for t in parsed if t.type in ("image", "html_inline", "html_block")]
        links = [str(t.attrs["href"]) for t in parsed if t.type == "link_open"]
        assert links
        assert all((path.parent / link).resolve() in pages for link in links)


def test_an_agent_may_look(learnt: Person) -> None:
    learnt.as_agent()
    assert learnt.gets("knowledge", "clusters")
    assert learnt.gets("wiki")["pages"]


def test_doctor_says_what_keeps_the_wiki_from_being_current(person: Person) -> None:
    (person.home / "wiki").write_text("in the way")
    person.gets("open", "report")
    assert person.types("doctor").code == 1
    (person.home / "wiki").unlink()
    person.gets("wiki")
    person.gets("open", "report")
    assert person.types("doctor").code == 0
