"""The rule reading on any text: it never fails, stays small, and says nothing that was not said."""

from __future__ import annotations

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.graph.gist import MAX_GIST
from adapters.graph.names import MAX_NAMES
from adapters.graph.reading import LABELS, MAX_RELATIONS, MAX_STATEMENT, Read, read
from edge.domain.events import Data
from tests.support.soak import more

_PIECES = (
    *("we use ", "no longer uses ", "em vez de ", "trocámos ", " por ", "replaced ", " with ", "depends on "),
    *(
        "Redis",
        "PostgreSQL",
        "`resume.go:316-344`",
        "`Store.save()`",
        "courier",
        "Ana Silva",
        "João",
        "M-Claude",
    ),
    *("src/app/page.tsx", "https://docs.example.pt/x", '"Painel Norte"', "«linha»", "[redacted:aws-key]"),
    *(
        "\n",
        "\n\n",
        ". ",
        "? ",
        "! ",
        ", ",
        ": ",
        " - ",
        "- ",
        "1. ",
        "# ",
        "> ",
        "    ",
        "\t",
        "**",
        "`",
        "```\n",
    ),
    *(
        "<x>",
        "</x>",
        "<!-- edge:briefing -->",
        "<!-- /edge:briefing -->",
        "{};",
        "&&",
        "2026-08-30",
        "e ",
        "and ",
    ),
    *(
        "SYSTEM: ",
        "if ",
        "se ",
        "não ",
        "not ",
        "I'll ",
        "O ",
        "The ",
        "Certo",
        "0xdeadbeef99",
        "\u2028",
        "\x00",
        "é",
    ),
)
_TEXT = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(_PIECES), max_size=40).map("".join),
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=8)), max_size=40).map("".join),
)
_TURN = st.fixed_dictionaries(
    {
        "id": st.text(max_size=4),
        "role": st.sampled_from(("operator", "command", "assistant")),
        "ts": st.one_of(st.none(), st.just("2026-09-01T09:00:00.000Z"), st.text(max_size=12)),
        "text": _TEXT,
    },
    optional={"part": st.integers(1, 3)},
)
_TURNS = st.lists(_TURN, max_size=6)
_PROJECT = st.sampled_from((None, "", "/home/ana/courier", "/home/ana", "C:\\work\\courier", "/srv/app"))
_KNOWN = {"courier": "Courier", "ana silva": "Ana Silva", "store.save": "Store.save"}


def _plain(text: str) -> str:
    return " ".join(text.replace("*", "").split())


def _is_small(got: Read) -> None:
    assert len(got.names) <= MAX_NAMES
    assert len(set(got.names)) == len({named.name for named in got.names}) == len(got.names)
    assert len(got.relations) <= MAX_RELATIONS
    assert len(got.gist) <= MAX_GIST and "\n" not in got.gist
    for named in got.names:
        assert named.label in LABELS
        assert 0 < len(named.name) <= 120 and named.name.isprintable()


@given(_TURNS, _PROJECT)
@settings(max_examples=more(150, 4), deadline=None)
def test_any_turns_give_a_small_reading_of_what_they_say(turns: list[Data], project: str | None) -> None:
    got = read(turns, _KNOWN.get, project)
    _is_small(got)
    names = {named.name for named in got.names}
    said = [_plain(turn["text"]) for turn in turns]
    for related in got.relations:
        assert {related.source, related.target} <= names
        assert related.source != related.target
        assert related.relation.isupper()
        assert 0 < len(related.statement) <= MAX_STATEMENT and "\n" not in related.statement
        assert any(_plain(related.statement.strip("…")) in text for text in said)


@given(_TURNS, _TURNS, _PROJECT)
@settings(max_examples=more(60, 4), deadline=None)
def test_an_episode_reads_the_same_whatever_was_read_before(
    first: list[Data], second: list[Data], project: str | None
) -> None:
    alone = read(second, _KNOWN.get, project)
    read(first, _KNOWN.get, project)
    assert read(second, _KNOWN.get, project) == alone


@given(_TEXT, _PROJECT)
@settings(max_examples=more(80, 4), deadline=None)
def test_a_briefing_and_a_block_of_code_state_nothing(text: str, project: str | None) -> None:
    inside = text.replace("<!-- /edge:briefing -->", "").replace("```", "")
    for before, after in (("<!-- edge:briefing -->", "<!-- /edge:briefing -->"), ("```\n", "\n```")):
        turns: list[Data] = [
            {"id": "1", "role": "operator", "ts": None, "text": f"{before}{inside}{after}"},
            {"id": "2", "role": "assistant", "ts": None, "text": f"{before}{inside}"},
        ]
        assert read(turns, _KNOWN.get, project).relations == ()


def _seconds(text: str) -> float:
    """The processor's time of one reading, the better of two: a busy machine is not the code's doing."""
    turn: Data = {"id": "1", "role": "operator", "ts": None, "text": text}
    took = []
    for _ in range(2):
        began = time.process_time()
        got = read([turn], _KNOWN.get, "/home/ana/courier")
        took.append(time.process_time() - began)
        _is_small(got)
    return min(took)


def test_the_largest_episode_takes_less_than_a_second() -> None:
    size = 256 * 1024
    chance = random.Random(1)
    mixed = "".join(chance.choice(_PIECES) for _ in range(size // 5))[:size]
    prose = "The importer no longer uses DynamoDB, it writes to Postgres now. O Redis ficou. " * (size // 80)
    assert _seconds(prose[:size]) < 1
    assert _seconds(mixed) < 1


def test_no_repetition_of_anything_makes_it_slow() -> None:
    size = 64 * 1024
    odd = (
        "a",
        "A",
        "`",
        '"',
        "<a>",
        "</a>",
        "<",
        "**",
        "- ",
        "#1 ",
        "é",
        ".",
        "a.b",
        "a_b",
        "/",
        "x/",
        "Ab ",
        "\n",
        " ",
    )
    for piece in (*odd, *_PIECES):
        assert _seconds(piece * (size // len(piece))) < 0.75, piece
