"""The table of docs/rule-model-precision.md is what the rule reading produces, name by name.

The verdicts are a person's; what they are about, and every count, is held to here. When the
reading changes, this fails with what is new: judge it, and write it into the table.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from adapters.graph.reading import Read, read
from tests.support.sweeping import Home

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "rule-model-precision.md"
SESSIONS: Final = ROOT.parent / "shared" / "data" / "transcripts"
RELATION: Final = "relation"
_ROW: Final = re.compile(r"\| `(?P<what>[^`]+)` \| (?P<label>\w+) \| (?P<verdict>yes|no) \| .+ \|")
_COUNT: Final = re.compile(
    r"\| (?P<of>[^|`]+?) \| (?P<names>\d+) of (?P<all_names>\d+) \| (?P<rels>\d+) of (?P<all_rels>\d+) \|"
)


class Row(NamedTuple):
    what: str
    label: str
    """Of a name, or that it is a relation."""
    sensible: bool


def judged() -> dict[str, list[Row]]:
    """The rows of the page by the heading they stand under."""
    out: dict[str, list[Row]] = {}
    heading = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("### "):
            heading = line[4:].strip()
        row = _ROW.fullmatch(line)
        if row:
            out.setdefault(heading, []).append(Row(row["what"], row["label"], row["verdict"] == "yes"))
    return out


def counted(rows: list[Row]) -> tuple[int, int, int, int]:
    """Sensible names, names, sensible relations, relations."""
    names = [row for row in rows if row.label != RELATION]
    relations = [row for row in rows if row.label == RELATION]
    return (sum(r.sensible for r in names), len(names), sum(r.sensible for r in relations), len(relations))


def swept(root: Path) -> list[Read]:
    home = Home(root)
    home.sweep()
    episodes = home.folded().by_id.values()
    return [read(e.turns, {}.get, e.project) for e in episodes]  # type: ignore[arg-type]


def produced(readings: list[Read]) -> Counter[tuple[str, str]]:
    said: Counter[tuple[str, str]] = Counter()
    for got in readings:
        said.update((named.name, named.label) for named in got.names)
        said.update((f"{r.source} {r.relation} {r.target}", RELATION) for r in got.relations)
    return said


def rows(heading: str) -> Counter[tuple[str, str]]:
    return Counter((row.what, row.label) for row in judged()[heading])


@pytest.mark.skipif(not SESSIONS.is_dir(), reason="no ../shared/data beside the repository")
@pytest.mark.parametrize("heading", [h for h in judged() if h.endswith(".jsonl")])
def test_the_table_holds_what_a_session_is_read_to_say(tmp_path: Path, heading: str) -> None:
    path = tmp_path / "projects" / "p" / heading
    path.parent.mkdir(parents=True)
    path.write_bytes((SESSIONS / heading).read_bytes())
    assert produced(swept(tmp_path)) == rows(heading)


@pytest.mark.skipif(not SESSIONS.is_dir(), reason="no ../shared/data beside the repository")
def test_every_session_is_in_the_table() -> None:
    assert {path.name for path in SESSIONS.glob("*.jsonl")} == {h for h in judged() if h.endswith(".jsonl")}


def test_the_table_holds_what_the_demo_is_read_to_say() -> None:
    assert produced(swept(ROOT / "demo" / "sessions")) == rows("demo")


def test_the_counts_are_those_of_the_verdicts() -> None:
    tables = judged()
    sessions = [row for heading, table in tables.items() if heading.endswith(".jsonl") for row in table]
    want = {heading: counted(table) for heading, table in tables.items()}
    want["the five sessions"] = counted(sessions)
    told = {
        found["of"]: (
            int(found["names"]),
            int(found["all_names"]),
            int(found["rels"]),
            int(found["all_rels"]),
        )
        for found in map(_COUNT.fullmatch, PAGE.read_text("utf-8").splitlines())
        if found
    }
    assert told == want


def test_most_of_what_is_named_is_sensible() -> None:
    rows_ = [row for heading, table in judged().items() if heading.endswith(".jsonl") for row in table]
    good, names, _, _ = counted(rows_)
    assert good >= 0.8 * names
