"""Reading cold, in pieces, or with the notes lost in between gives the same turns (I13)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.soak import more
from tests.support.sweeping import Home, Session

WORDS = st.sampled_from(["go on", "não", "a\u2028b", "linha\nnova", "🙏", "<private>x</private>ok", "push"])

STEPS: dict[str, Callable[[Session, str], Any]] = {
    "typed": lambda s, w: s.user(w),
    "listed": lambda s, w: s.user([{"type": "text", "text": w}]),
    "human": lambda s, w: s.user(w, origin={"kind": "human"}, promptSource="typed"),
    "program": lambda s, w: s.user(w, entrypoint="sdk-cli", promptSource="sdk"),
    "undecided": lambda s, w: s.user(w, entrypoint="a-new-host"),
    "sign": lambda s, w: s.add(type="permission-mode", permissionMode="default", sessionId=s.name),
    "duration": lambda s, w: s.line("system", subtype="turn_duration", entrypoint=None),
    "agent": lambda s, w: s.agent(w),
    "tool": lambda s, w: s.tool(),
    "command": lambda s, w: s.user(f"<command-name>/x</command-name><command-args>{w}</command-args>"),
    "notice": lambda s, w: s.user(f"<task-notification>{w}</task-notification>"),
    "queue": lambda s, w: s.queue("enqueue", w),
    "queue notice": lambda s, w: s.queue("enqueue", f"<task-notification>{w}</task-notification>"),
    "remove": lambda s, w: s.queue("remove"),
    "dequeue": lambda s, w: s.queue("dequeue"),
    "take back": lambda s, w: s.queue("popAll", w),
    "take all back": lambda s, w: s.queue("popAll"),
    "attach": lambda s, w: s.attachment(w),
    "attach human": lambda s, w: s.attachment(w, origin={"kind": "human"}),
    "move": lambda s, w: setattr(s, "cwd", f"/home/ana/{len(s.records) % 3}"),
    "no ids": lambda s, w: s.add(type="user", message={"role": "user", "content": w}),
    "again": lambda s, w: s.records.extend([{**r, "uuid": f"r{len(s.records)}"} for r in s.records[-2:]]),
    "unknown": lambda s, w: s.add(type="a-new-kind", content=w),
}


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    entrypoint = draw(st.sampled_from(["cli", "sdk-cli", None, None]))
    session = Session(entrypoint=entrypoint)
    for step, words in draw(st.lists(st.tuples(st.sampled_from(sorted(STEPS)), WORDS), max_size=14)):
        STEPS[step](session, words)
    return session


DAMAGE = st.sampled_from([b"", b"\0" * 9, b"\r", b'{"type":"user","mess', b"  ", b"\xef\xbb\xbf", b"\xc3"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A session's bytes; lines may be damaged, glued to the next, or end the file without LF."""
    lines = draw(sessions()).bytes().split(b"\n")[:-1]
    out = b""
    for line in lines:
        out += draw(DAMAGE) + line + draw(DAMAGE) + draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b""]))
    return out


def cold(content: bytes) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "projects" / "p" / "s1.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        home = Home(Path(directory))
        home.sweep()
        return home.tally()


@settings(max_examples=more(120, 4), deadline=None)
@given(files(), st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=6))
def test_reading_in_pieces_is_reading_whole(content: bytes, cuts: list[tuple[float, bool]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "projects" / "p" / "s1.jsonl"
        path.parent.mkdir(parents=True)
        home = Home(Path(directory))
        at = 0
        for part, lose_notes in [*sorted(cuts), (1.0, False)]:
            end = round(part * len(content))
            with path.open("ab") as file:
                file.write(content[at:end])
            at = end
            if lose_notes:
                home.notes.clear()
            home.sweep()
        assert home.tally() == cold(content)
        assert home.sweep()[1:3] == (0, 0)


@settings(max_examples=more(10, 4), deadline=None)
@given(files())
def test_reading_byte_by_byte_is_reading_whole(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "projects" / "p" / "s1.jsonl"
        path.parent.mkdir(parents=True)
        home = Home(Path(directory))
        with path.open("ab", buffering=0) as file:
            for i in range(len(content)):
                file.write(content[i : i + 1])
                home.sweep()
        assert home.tally() == cold(content)


@settings(max_examples=more(60, 4), deadline=None)
@given(sessions(), st.integers(0, 14), st.booleans())
def test_a_fork_counts_each_turn_once_in_any_order(session: Session, kept: int, fork_first: bool) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        home = Home(root)
        fork = Session("s2")
        fork.records = [{**r, "sessionId": "s2"} for r in session.records[:kept]]
        fork.user("only in the fork")
        for one in (fork, session) if fork_first else (session, fork):
            one.write(root)
            home.sweep()
        ids = [(turn["id"], turn.get("part")) for turn in home.turns()]
        assert len(ids) == len(set(ids))
        counted = home.tally()
        assert sum(text == "only in the fork" for *_, text, _part in counted) == 1
