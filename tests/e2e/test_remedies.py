"""What `status` says to run, typed as it stands: it clears what it was named for."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.person import Person


def remedies(person: Person) -> dict[str, dict[str, Any]]:
    return {remedy["item"]: remedy for remedy in person.gets("status")["remedies"]}


def typed(person: Person, line: str, **filled: str) -> None:
    """Each command of a remedy, with the words in capitals filled in."""
    for command in line.split("&&"):
        edge, *words = shlex.split(command)
        assert edge == "edge"
        seen = person.types(*(filled.get(word, word) for word in words))
        assert seen.code == 0, seen.err


def imported(person: Person, tmp_path: Path, *lines: dict[str, Any]) -> None:
    """A foreign history, in which anything may be wrong."""
    file = tmp_path / "old.jsonl"
    numbered = [
        {"seq": n, "ts": f"2026-11-01T12:00:0{n}Z", "subject": "s", **line} for n, line in enumerate(lines, 1)
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in numbered), "utf-8")
    person.gets("log", "import", file, "--format", "edge-of-chaos")


@pytest.mark.parametrize("dispatches", [0, 1, 2])
def test_acts_without_a_receipt_get_one(person: Person, dispatches: int) -> None:
    person.publishes()
    for _ in range(dispatches):
        person.gets("open", "report")
    person.comments()
    person.gets("voz", "vote", "study", "up")
    naked = remedies(person)["naked"]
    assert naked["n"] == 2
    typed(person, naked["run"])
    assert "naked" not in remedies(person)


def test_an_artefato_without_its_why_is_published_anew_with_it(person: Person, tmp_path: Path) -> None:
    study = {"slug": "study", "title": "A study", "body": "# A study"}
    imported(person, tmp_path, {"type": "artefato.published", "payload": study})
    debt = remedies(person)["kernel-debt"]
    assert person.gets("artefato", "list")[0]["intent"] is None
    file = tmp_path / "study.md"
    file.write_text(person.gets("artefato", "show", "study")["body"], "utf-8")
    typed(person, debt["run"], FILE=str(file), WHY="to know why")
    assert "kernel-debt" not in remedies(person)
    assert person.gets("artefato", "list")[0]["intent"] == "to know why"
    assert not person.gets("status")["degraded"]


def test_a_run_to_finish_is_shown_and_its_chats_can_be_decided(person: Person) -> None:
    person.comments()
    run = person.gets("grill", "start")["run_id"]
    unfinished = remedies(person)["unfinished"]
    assert run in unfinished["run"]
    typed(person, unfinished["run"])
    typed(person, f"edge grill abandon {run} --reason later")
    assert "unfinished" not in remedies(person)


@pytest.mark.parametrize("lang", ["en", "pt"])
def test_the_briefing_says_what_to_run_in_a_line_each(person: Person, tmp_path: Path, lang: str) -> None:
    study = {"slug": "study", "title": "A study", "body": "# A study"}
    gone = {"comment_id": "c9", "outcome": "replied", "grill_run_id": "r"}
    imported(
        person,
        tmp_path,
        {"type": "artefato.published", "payload": study},
        {"type": "voz.resolved", "payload": gone},
    )
    person.comments()
    person.gets("grill", "start")
    settings = person.home / "edge.toml"
    settings.write_text(settings.read_text("utf-8").replace('lang = "en"', f'lang = "{lang}"'), "utf-8")
    briefing = person.gets("briefing")
    lines = [item["text"] for section in briefing["sections"][:1] for item in section["items"]]
    found = {r["item"]: r["run"] for r in briefing["health"]["remedies"]}
    assert set(found) == {"naked", "unfinished", "kernel-debt", "orphan-resolved"}
    for item in ("unfinished", "kernel-debt", "orphan-resolved"):
        assert sum(f"`{found[item]}`" in line for line in lines) == 1, item
    assert len(lines) == 4
    assert not any(f"`{found['naked']}`" in line for line in lines)  # the close of this dispatch sees to it
