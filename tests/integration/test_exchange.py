"""Histories carried out of a log and into one: whole, twice, in pieces, broken, by several at once."""

from __future__ import annotations

import contextlib
import json
import random
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from edge.cli import views
from edge.cli.replay import as_of
from edge.domain.events import NO_STREAM, Appended, Draft, NewEvent
from edge.domain.refusal import Refused
from edge.exchange import exported
from edge.journal import Act
from edge.lines import MAX_LINE
from edge.wiring import Edge
from tests.support.importing import Record, contents, in_memory, install, jsonl, line, take_in
from tests.support.soak import counted, more

HISTORY = [
    line(5, "artefato.published", {"slug": "a1", "title": "T", "body": "B", "proposes": [
        {"title": "x", "body": "y", "kind": "thread"}]}),
    line(6, "intent.kernel", {"slug": "a1", "intent": "so that"}),
    line(7, "voz.comment", {"comment_id": "c1", "body": "use it", "target_ref": "a1", "harm": 3.5}),
    line(8, "voz.vote", {"slug": "a1", "value": 1}),
    line(9, "voz.disposition", {"of": 7, "state": "receipt_sent"}),
    line(10, "voz.disposition", {"of": 8, "state": "receipt_sent"}),
    line(11, "voz.disposition", {"of": 20, "state": "receipt_sent"}),  # of what comes later
    line(12, "voz.disposition", {"of": "v9", "state": "receipt_sent"}),  # a vote, cast later
    line(13, "voz.clarify_answer", {"clarify_id": "q1", "body": "too early"}),
    line(14, "voz.clarify", {"comment_id": "c1", "clarify_id": "q1", "question": "which?"}),
    line(15, "voz.clarify_answer", {"clarify_id": "q1", "body": "this"}),
    line(None, "voz.vote", {"slug": "a1", "value": -1, "vote_id": "v9"}),
    line(16, "direction.set", {"id": "d1", "body": "use it", "kind": "priority", "origin_comment_id": "c1"}),
    line(16, "voz.resolved", {"comment_id": "c1", "outcome": "folded-to-direction", "direction_id": "d1"}),
    line(17, "voz.resolved", {"comment_id": "c1", "outcome": "replied"}),
    line(18, "source.signal", {"ref": "https://a"}),
    line(19, "beat.ran", {"n": 1}),
    line(20, "voz.comment", {"comment_id": "c2", "text": "thanks"}),
    line(21, "dispatch.opened", {"dispatch_id": "w1", "kind": "beat", "origin": "beat"}),
    line(22, "source.dropped", {"ref": "https://a", "reason": "stale"}),
]  # fmt: skip
RAW = jsonl(HISTORY)
LINES = RAW.splitlines(keepends=True)


@pytest.fixture(autouse=True)
def _as_the_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_ACTOR", "operator")
    monkeypatch.setenv("EDGE_NOW", "2026-06-15T12:00:00Z")


@pytest.fixture
def edge() -> Iterator[Edge]:
    edge = in_memory()
    yield edge
    edge.close()


def uninterrupted(content: bytes = RAW) -> list[Record]:
    edge = in_memory()
    take_in(edge, content)
    return contents(edge)


# -- a foreign history ----------------------------------------------------------------------


def test_every_line_is_one_append_in_file_order(edge: Edge) -> None:
    tally = take_in(edge, RAW)
    assert (tally.read, tally.imported, tally.passed_over, tally.refused) == (20, 19, 1, [])
    events = [e for e in edge.log.read_all() if e.type != "log.created"]
    taken = [r for r in HISTORY if r["type"] != "source.signal"]
    assert [e.metadata["seq"] for e in events] == [r.get("seq") for r in taken]
    for event in events:
        assert (event.actor, event.metadata["batch"]) == ("import", [0, 1])
        assert event.metadata["subject"] == "voz"
        assert event.recorded_at == "2026-05-01T10:00:00.000Z"


def test_taken_in_again_nothing_is_new(edge: Edge) -> None:
    take_in(edge, RAW)
    once = contents(edge)
    again = take_in(edge, RAW)
    assert (again.imported, again.known, again.passed_over) == (0, 19, 1)
    assert contents(edge) == once


@pytest.mark.parametrize("lines", range(len(LINES) + 1))
def test_stopped_after_any_line_and_begun_again_the_log_is_the_same(lines: int) -> None:
    edge = in_memory()
    take_in(edge, b"".join(LINES[:lines]))
    take_in(edge, RAW)
    assert contents(edge) == uninterrupted()


@pytest.mark.parametrize("after_the_commit", [False, True])
def test_stopped_within_any_append_and_begun_again_the_log_is_the_same(after_the_commit: bool) -> None:
    for stop_at in range(1, 20):
        edge = in_memory()
        log = _Stopping(edge.log, stop_at, after_the_commit)
        edge.journal.log = cast("Any", log)
        with pytest.raises(KeyboardInterrupt):
            take_in(edge, RAW)
        assert take_in(edge, RAW).imported == 19 - stop_at + (not after_the_commit)
        assert contents(edge) == uninterrupted()


class _Around:
    """A log with something done at each append."""

    def __init__(self, log: Any) -> None:
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)


class _Stopping(_Around):
    def __init__(self, log: Any, at: int, after_the_commit: bool) -> None:
        super().__init__(log)
        self._left, self._after = at, after_the_commit

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        self._left -= 1
        if self._left == 0 and not self._after:
            raise KeyboardInterrupt
        done = cast("Appended", self._log.append(stream, events, expected))
        if self._left == 0:
            raise KeyboardInterrupt
        return done


class _Meddling(_Around):
    """Somebody else appends to the same stream just before each append."""

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        last = next(self._log.read(stream, backwards=True, limit=1), None)
        other = NewEvent(f"other-{stream}-{expected}", "beat.ran", {}, {"batch": [0, 1]})
        with contextlib.suppress(Refused):
            if not stream.startswith("log-") and (last is None or last.type != "beat.ran"):
                self._log.append(stream, [other], last.revision if last else NO_STREAM)
        return cast("Appended", self._log.append(stream, events, expected))


def test_what_others_append_meanwhile_stands_between_and_doubles_nothing(edge: Edge) -> None:
    edge.journal.log = cast("Any", _Meddling(edge.log))
    assert take_in(edge, RAW).imported == 19
    assert (again := take_in(edge, RAW)).imported == 0
    assert again.known == 19
    ids = [e.id for e in edge.log.read_all()]
    assert len(ids) == len(set(ids))
    assert sum(i.startswith("other-") for i in ids) > 5


def test_several_at_once_take_each_line_in_once(tmp_path: Path) -> None:
    edge = install(tmp_path / "home")
    tallies = []
    edge.journal.redacted("")  # make what is shared before the threads do
    threads = [
        threading.Thread(target=lambda: tallies.append(take_in(edge, RAW * 2)), daemon=True) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sum(t.imported for t in tallies) == 19
    assert sum(t.known for t in tallies) == 7 * 19
    ids = [e.id for e in edge.log.read_all()]
    assert len(ids) == len(set(ids)) == 20
    edge.close()


class _Ahead(_Around):
    """Another import of the same file runs from its first to its last line just before an append."""

    def __init__(self, log: Any, other: Edge, at: int) -> None:
        super().__init__(log)
        self._other, self._left = other, at

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        self._left -= 1
        if self._left == 0:
            take_in(self._other, RAW)
        return cast("Appended", self._log.append(stream, events, expected))


@pytest.mark.parametrize("at", range(1, 20))
def test_another_import_that_overtakes_this_one_doubles_nothing(at: int, edge: Edge) -> None:
    other = in_memory()
    other.__dict__["log"] = other.journal.log = edge.log
    edge.journal.log = cast("Any", _Ahead(edge.log, other, at))
    take_in(edge, RAW)
    assert contents(edge) == uninterrupted()


def test_a_history_in_two_files_means_what_it_means_in_one() -> None:
    edge = in_memory()
    for cut in ([0, 8], [8, 14], [14, None]):
        take_in(edge, b"".join(LINES[slice(*cut)]))
    assert contents(edge) == uninterrupted()


def test_a_publication_that_names_no_slug_is_kept_and_shown_nowhere(edge: Edge) -> None:
    proposes = [{"title": "x", "body": "y", "kind": "thread"}]
    take_in(edge, jsonl([line(1, "artefato.published", {"title": "T", "body": "B", "proposes": proposes})]))
    known = edge.current()
    assert [e.stream for e in edge.log.read_all()][1:] == ["import-g.voz"]
    assert (known.artefatos(), known.items(), known.errors()) == ([], [], [])


def test_secrets_in_a_history_do_not_enter_the_log(edge: Edge) -> None:
    key = "ghp_" + "a1B2" * 9
    records = [
        line(1, "voz.comment", {"comment_id": "c1", "body": f"my key {key}", "extra": [{"deep": key}]}),
        line(2, "beat.ran", {"out": key}, subject=f"beat {key}"),
        line(3, "episode.captured", {
            "session": "s", "surface": "cli", "presence": "present", "from": 0, "to": 9, "prefix_hash": "x",
            "turns": [{"id": "t", "role": "operator", "text": f"use {key}"}]}),
    ]  # fmt: skip
    assert take_in(edge, jsonl(records)).refused == []
    assert key not in "".join(exported(edge.log))
    assert key.lower() not in "".join(e.stream for e in edge.log.read_all())


BROKEN = {
    "not JSON": (b'{"seq": 1,', "not JSON"),
    "a list": (b"[1, 2]", "not a JSON object"),
    "NUL in front": (b"\0\0\0" + LINES[2].strip(), "not JSON"),
    "NUL run": (b"\0" * 4096, "not JSON"),
    "no UTF-8": (b'{"type": "\xff\xfe"}', "not UTF-8"),
    "two records on a line": (LINES[2].strip() + LINES[3].strip(), "not JSON"),
    "NaN": (b'{"ts":"2026-05-01","type":"beat.ran","payload":{"n":NaN}}', "no JSON number"),
    "an infinite number": (b'{"ts":"2026-05-01","type":"beat.ran","payload":{"n":1e999}}', "cannot"),
    "a number of 5,000 digits": (b'{"ts":"2026-05-01","seq":' + b"9" * 5000 + b"}", "not JSON"),
    "deeply nested": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "nested just so": (
        b'{"ts":"2026-05-01","type":"beat.ran","payload":' + b'{"a":' * 900 + b"1" + b"}" * 901,
        "nested too deeply",
    ),
    "a surrogate for a key": (
        b'{"ts":"2026-05-01","type":"beat.ran","payload":{"\\ud800":1}}',
        "cannot",
    ),
    "more than an append": (
        jsonl([line(1, "voz.comment", {"comment_id": "cx", "body": "é" * 600_000})]).strip(),
        "more than",
    ),
    "5 MB": (jsonl([line(1, "beat.ran", {"text": "x" * 5_000_000})]).strip(), "more than"),
    "longer than any line": (b'{"type": "' + b"x" * (MAX_LINE + 10) + b'"}', "longer than"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_line_is_one_refused_record_and_no_neighbour_is_lost(kind: str, edge: Edge) -> None:
    broken, why = BROKEN[kind]
    tally = take_in(edge, b"\n".join([RAW, broken, b"", jsonl([line(40, "beat.ran", {"n": 2})])]))
    assert [refused.line for refused in tally.refused] == [22]
    assert why in tally.refused[0].reason
    assert len(tally.refused[0].reason) <= 300
    assert tally.imported == 20


def test_what_only_looks_broken_is_taken(edge: Edge) -> None:
    odd = [
        line(1, "voz.comment", {"comment_id": "c1", "body": "a\u2028b\u2029c\x85d"}),
        line(2, "voz.comment", {"comment_id": "c2", "body": "half \ud83d pair, NUL \0"}),
    ]
    raw = b"\xef\xbb\xbf" + b"".join(
        json.dumps(r, ensure_ascii=r["seq"] == 2).encode() + b"\r\n" for r in odd
    )
    torn = raw + b'\n\n  \n{"seq": 3, "ts'
    tally = take_in(edge, torn)
    assert (tally.imported, [r.line for r in tally.refused]) == (2, [6])
    bodies = [chat["body"] for chat in edge.current().chats()]
    assert bodies == ["a\u2028b\u2029c\x85d", "half ? pair, NUL \0"]
    assert all(len(one.splitlines()) == 1 for one in exported(edge.log))


def _mutated(raw: bytes, chance: random.Random) -> bytes:
    """One line, damaged as disks, editors and other programs damage lines."""
    noise = [
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        "\u2028".encode(),
        b"\\ud800",
        b'"',
        b"{",
        b"]",
        b"\\",
        b"9" * 30,
    ]
    if chance.random() < 0.5:
        record = json.loads(raw)
        values = [None, True, 0, -1, 1.5, 10**25, "", "x", "Ã\ud800", [], [1], {}, {"id": 1}, "c1", 7]
        places: list[Any] = [record, record["payload"]]
        for place in places:
            if place and chance.random() < 0.7:
                place[chance.choice(sorted(place))] = chance.choice(values)
        return json.dumps(record).encode()
    line_ = bytearray(raw.strip())
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(line_) + 1)
        if chance.random() < 0.5:
            line_[at:at] = chance.choice(noise)
        else:
            del line_[at : at + chance.randint(1, 20)]
    return bytes(line_)


@pytest.mark.repeat(more(1))
def test_a_thousand_damaged_lines_leave_no_trace_and_lose_no_neighbour(
    edge: Edge, chance: random.Random
) -> None:
    content, sentinels = b"", []
    counted("damaged lines of an import", 1200)
    for n in range(1200):
        content += _mutated(chance.choice(LINES), chance) + b"\n"
        if n % 10 == 0:
            sentinels.append(n)
            content += jsonl([line(100_000 + n, "voz.comment", {"comment_id": f"sentinel_{n}", "body": "x"})])
    tally = take_in(edge, content)
    assert tally.read == tally.imported + tally.known + tally.passed_over + tally.refusals
    assert tally.refusals > 300
    assert all(r.reason and "Traceback" not in r.reason for r in tally.refused)
    known = edge.current()
    assert all(known.chat(f"sentinel_{n}") for n in sentinels)
    assert "quarantined-event" not in [kind for kind, _ in known.errors()]
    for model in ("chats", "acts", "direction", "corpus", "health"):
        json.dumps(as_of(edge, str(edge.log.head()), model))
    once = contents(edge)
    assert take_in(edge, content).imported == 0
    assert contents(edge) == once


# -- envelopes ------------------------------------------------------------------------------


def lived(edge: Edge) -> None:
    """A history of its own: imported lines, and appends of several events by edge itself."""
    take_in(edge, RAW)
    edge.voz.comment("E o próximo?\u2028", on="a1", harm=4)
    kernel = Draft("intent.kernel", {"slug": "a2", "intent": "why"})
    published = Draft("artefato.published", {"slug": "a2", "title": "Two", "body": "2", "dispatch_id": "w1"})
    act = Act("dispatch", dispatch_id="w1")
    edge.journal.append(edge.streams.artefato("a2"), [kernel, published], NO_STREAM, act)
    edge.voz.vote("a2", -1)


def everything(edge: Edge) -> Record:
    """What the lists print, positions left out."""
    known = edge.current()
    shown = {
        "chats": [views.chat(chat) for chat in known.chats()],
        "corpus": [views.artefato(a, known) for a in known.artefatos()],
        "health": edge.health(),
        "acts": as_of(edge, str(edge.log.head()), "acts"),
        "direction": as_of(edge, str(edge.log.head()), "direction"),
    }
    return cast("Record", json.loads(json.dumps(_without(shown, {"position", "head"}))))


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {k: _without(v, names) for k, v in value.items() if k not in names}
    return [_without(v, names) for v in value] if isinstance(value, list) else value


def test_out_and_in_again_gives_the_same_streams_and_the_same_lists(tmp_path: Path) -> None:
    first, second = in_memory(), install(tmp_path / "second")
    lived(first)
    content = "\n".join(exported(first.log)).encode()
    tally = take_in(second, content)
    assert tally.refused == []
    assert tally.passed_over == 1  # the other log's own beginning
    assert contents(second) == contents(first)
    assert everything(second) == everything(first)
    again = take_in(second, content)
    assert (again.imported, again.known) == (0, tally.imported)
    assert contents(second) == contents(first)
    second.close()


def test_envelopes_stopped_after_any_line_and_begun_again_give_the_same_log() -> None:
    source = in_memory()
    lived(source)
    lines = list(exported(source.log))
    for count in range(len(lines)):
        edge = in_memory()
        take_in(edge, "\n".join(lines[:count]).encode())
        take_in(edge, "\n".join(lines).encode())
        assert contents(edge) == contents(source)


def test_an_append_that_is_not_whole_is_refused_whole(edge: Edge) -> None:
    source = in_memory()
    lived(source)
    lines = list(exported(source.log))
    kernel = next(n for n, one in enumerate(lines) if json.loads(one)["stream"] == "artefato-g.a2")
    for missing in (kernel, kernel + 1):
        broken = [*lines]
        broken[missing] = broken[missing][:40]
        tally = take_in(edge, "\n".join(broken).encode())
        assert sorted(r.line for r in tally.refused) == [kernel + 1, kernel + 2]
        assert not list(edge.log.read("artefato-g.a2"))
    assert take_in(edge, "\n".join(lines).encode()).imported == 2
    by_place = {(e["stream"], e["revision"]): e for e in contents(source)}
    assert {(e["stream"], e["revision"]): e for e in contents(edge)} == by_place


def test_another_groups_file_is_refused_before_anything_is_written() -> None:
    source, edge = in_memory("mine"), in_memory("yours")
    take_in(source, RAW)
    with pytest.raises(Refused) as refused:
        take_in(edge, "\n".join(exported(source.log)).encode())
    assert "edge init --group mine" in refused.value.hint
    assert contents(edge) == []


def test_what_differs_from_what_stands_is_refused_and_named(edge: Edge) -> None:
    lived(edge)
    envelopes = [json.loads(one) for one in exported(edge.log)][1:]
    envelopes[2]["data"]["body"] = "words put in the mouth"
    envelopes[3]["id"] = "00000000-0000-5000-8000-000000000000"
    envelopes[4]["revision"] = 40
    before = contents(edge)
    tally = take_in(edge, jsonl(envelopes))
    reasons = [r.reason for r in tally.refused]
    assert [r.line for r in tally.refused] == [3, 4, 5]
    assert "differs from the event that stands at voz-g.c1@0" in reasons[0]
    assert "another event stands at voz-g.votes.a1@0" in reasons[1]
    assert "goes on at revision" in reasons[2]
    assert contents(edge) == before


@pytest.mark.parametrize(
    "change",
    [
        {"id": "no uuid"}, {"id": 4}, {"type": ""}, {"type": None}, {"stream": "voz"}, {"stream": 4},
        {"revision": -1}, {"revision": "0"}, {"revision": True}, {"data": None}, {"metadata": []},
        {"data": {"\ud800": 1}}, {"data": {"n": float("inf")}}, {"data": {"text": "x" * 2_000_000}},
    ],
)  # fmt: skip
def test_a_broken_envelope_is_one_refused_record(change: Record, edge: Edge) -> None:
    source = in_memory()
    take_in(source, RAW)
    envelopes = [json.loads(one) for one in exported(source.log)][-3:]
    for envelope in envelopes:
        envelope["revision"], envelope["stream"] = 0, envelope["stream"] + "x"
    envelopes[1] |= change
    tally = take_in(edge, jsonl(envelopes))
    assert [r.line for r in tally.refused] == [2]
    assert tally.imported == 2


def test_an_export_holds_whole_appends_of_the_log_as_it_stood(edge: Edge) -> None:
    lived(edge)
    lines = exported(edge.log)
    first = next(lines)
    edge.voz.comment("later")
    assert len([first, *lines]) == len(list(exported(edge.log))) - 1
