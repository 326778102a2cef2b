"""Damaged transcripts: never a trace, never a hang, never a neighbour lost (R4)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.soak import SEED, counted, more
from tests.support.sweeping import Home, Session

MUTATIONS = more(640)
BATCH = 80


def sound() -> list[bytes]:
    """The lines of a session with a bit of everything, each prompt of it known by its words."""
    session = Session()
    session.add(type="summary", summary="x", leafUuid="y")
    session.user("prompt 1 — não")
    session.agent("answer 1")
    session.queue("enqueue", "prompt 2")
    session.queue("remove")
    session.tool()
    session.attachment("prompt 2")
    session.user([{"type": "text", "text": "prompt 3"}, {"type": "image", "source": {}}])
    session.line("system", subtype="turn_duration", durationMs=1)
    session.user("<command-name>/x</command-name><command-args>prompt 4</command-args>")
    session.user("prompt 5")
    return session.bytes().split(b"\n")[:-1]


def torn(line: bytes, chance: random.Random) -> bytes:
    return line[: chance.randrange(len(line))]


def shaped_otherwise(line: bytes, chance: random.Random) -> bytes:
    """A field of the record, or all of it, gets a shape nobody expects."""
    record = json.loads(line)
    odd: list[Any] = [
        None,
        7,
        -1.5,
        True,
        "",
        "x",
        [],
        [[]],
        [None],
        {},
        {"type": 3},
        {"kind": {}},
        "\ud800",
        10**400,
    ]
    keys = [*record, "origin", "attachment", "isSidechain", "timestamp", "cwd", "uuid", "operation"]
    for _ in range(chance.randint(1, 3)):
        key = chance.choice(keys)
        if key == "message" and chance.random() < 0.5 and isinstance(record["message"], dict):
            record["message"][chance.choice(["content", "role", "model"])] = chance.choice(odd)
        else:
            record[key] = chance.choice(odd)
    return json.dumps(record).encode()


def with_bytes(line: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(line))
    junk = chance.choice([b"\0" * 50, b"\xff\xfe", b"\r", b"\xe2\x80\xa8", b'"', b"{", b"}", b"\\", b"\xc3"])
    return line[:at] + junk + line[at + chance.randint(0, 3) :]


def deep(_line: bytes, chance: random.Random) -> bytes:
    return chance.choice([b"[" * 100_000, b'{"type":' * 30_000, b'{"a":[' * 5_000 + b"1" + b"]}" * 5_000])


def huge(_line: bytes, chance: random.Random) -> bytes:
    return b'{"type":"user","message":{"content":' + b"9" * chance.choice([5_000, 200_000]) + b"}}"


def nothing_like_it(_line: bytes, chance: random.Random) -> bytes:
    return chance.choice([b"null", b"[]", b'"x"', b"12", b"{}", b'{"type":null}', chance.randbytes(300)])


KINDS: list[Callable[[bytes, random.Random], bytes]] = [
    *(torn, torn, shaped_otherwise, shaped_otherwise, shaped_otherwise),
    *(with_bytes, with_bytes, deep, huge, nothing_like_it),
]


def damaged(seed: int) -> tuple[bytes, set[str]]:
    """A transcript with some lines damaged, and the prompts on the lines that were not."""
    chance = random.Random(seed)
    lines = sound()
    hurt = set(chance.sample(range(len(lines)), chance.randint(1, 3)))
    kept = {
        f"prompt {n}"
        for n in range(1, 6)
        if not any(f"prompt {n}".encode() in lines[i] for i in hurt) and not (n == 2 and hurt & {3, 4, 6})
    }
    for i in hurt:
        lines[i] = chance.choice(KINDS)(lines[i], chance).replace(b"\n", b" ")
    return b"\n".join(lines) + chance.choice([b"\n", b"\n", b"", b"\n\0\0\0", b'\n{"type":"us']), kept


@pytest.mark.parametrize("first", range(0, MUTATIONS, BATCH))
def test_damage_costs_what_is_damaged_and_nothing_beside(tmp_path: Path, first: int) -> None:
    counted("damaged transcripts swept", BATCH)
    for seed in range(SEED + first, SEED + first + BATCH):
        home = Home(tmp_path / str(seed))
        path = home.root / "projects" / "p" / "s1.jsonl"
        path.parent.mkdir(parents=True)
        content, kept = damaged(seed)
        path.write_bytes(content)
        swept = home.sweep()
        said = " ".join(turn["text"] for turn in home.turns())
        assert {prompt for prompt in kept if prompt not in said} == set(), f"seed {seed}"
        assert swept.excluded == [], f"seed {seed}"
        assert home.sweep()[1:3] == (0, 0), f"seed {seed}"


@pytest.mark.parametrize("junk", [b"", b"\0", b"\n" * 1000, b"\xff" * 5000, b"{" * 5000, b'{"' * 200_000])
def test_a_file_of_junk_holds_no_turns_and_stops_nothing(tmp_path: Path, junk: bytes) -> None:
    home = Home(tmp_path)
    neighbour = Session("s2")
    neighbour.user("beside it")
    neighbour.write(home.root)
    (home.root / "projects" / "p" / "s1.jsonl").write_bytes(junk + b"\n" + junk)
    assert home.sweep().turns == 1
    assert home.said() == ["beside it"]


def test_a_record_after_a_torn_one_on_the_same_line_is_read(tmp_path: Path) -> None:
    home = Home(tmp_path)
    session = Session()
    session.tool()
    session.user("after the crash")
    first, second = session.bytes().split(b"\n")[:2]
    path = home.root / "projects" / "p" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(first[:cut] + second + b"\n" for cut in range(0, len(first), 7)))
    assert home.sweep().skipped_records > 0
    assert home.said() == ["after the crash"]


def test_a_line_of_many_megabytes_is_one_turn_in_parts(tmp_path: Path) -> None:
    home = Home(tmp_path)
    session = Session()
    session.user("é" * 8_000_000)
    session.user("small")
    session.write(home.root)
    assert home.sweep().turns == 2
    assert sum(len(turn["text"]) for turn in home.turns()) == 8_000_005
