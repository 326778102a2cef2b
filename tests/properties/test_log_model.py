"""The logs beside a model of a few lines: whatever is done, all three show the same.

The model is one list of events and knows nothing of either implementation. Positions differ
between logs, so they are compared by rank: the n-th event written has the n-th position.
"""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from adapters.eventlog.memory import MemoryEventLog
from adapters.eventlog.sqlite import SqliteEventLog
from edge.domain.events import NO_STREAM, Event, NewEvent
from edge.domain.refusal import Failed
from edge.ports import EventLog, WrongRevision
from tests.support.soak import more

STREAMS = ("voz-g.a", "voz-g.b", "vo-g.a", "direction-g.a", "voz")
TYPES = ("t.a", "t.b", "t.a.b")

streams = st.sampled_from(STREAMS)
sizes = st.integers(1, 4)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("aZã\x00\u2028", max_size=3), inner),
    max_leaves=4,
)  # fmt: skip
picked = st.none() | st.lists(st.sampled_from(["voz", "vo", "direction", "none"]), max_size=2, unique=True)


class Kept(NamedTuple):
    """An event of the model; ``rank`` counts every event ever written, truncated or not."""

    rank: int
    stream: str
    revision: int
    event: NewEvent


class LogModel(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.home = tempfile.TemporaryDirectory()
        sqlite = SqliteEventLog.create(Path(self.home.name) / "log.db")
        self.logs: list[EventLog] = [sqlite, MemoryEventLog()]
        self.positions: list[list[int]] = [[], []]  # of every event ever written, per log
        self.kept: list[Kept] = []
        self.heads = dict.fromkeys(STREAMS, NO_STREAM)
        self.batches: dict[str, list[tuple[int, list[NewEvent]]]] = {name: [] for name in STREAMS}

    def teardown(self) -> None:
        for log in getattr(self, "logs", []):
            log.close()
        if hasattr(self, "home"):
            self.home.cleanup()

    # Writing

    @rule(stream=streams, size=sizes, type_=st.sampled_from(TYPES), value=values)
    def append(self, stream: str, size: int, type_: str, value: Any) -> None:
        batch = [
            NewEvent(str(uuid.uuid4()), type_, {"value": value, "n": n}, {"batch": [n, size]})
            for n in range(size)
        ]
        expected = self.heads[stream]
        for log, positions in zip(self.logs, self.positions, strict=True):
            at = log.append(stream, batch, expected)
            assert (at.revision, at.written) == (expected + size, True)
            new = [e.position for e in log.read(stream, from_revision=expected + 1)]
            assert new[-1] == at.position
            positions.extend(new)
        for revision, event in enumerate(batch, expected + 1):
            self.kept.append(Kept(self.written, stream, revision, event))
            self.written += 1
        self.heads[stream] += size
        self.batches[stream].append((expected, batch))

    written = 0

    @rule(stream=streams, off=st.integers(-3, 3).filter(bool), size=sizes)
    def append_at_a_wrong_revision(self, stream: str, off: int, size: int) -> None:
        expected = self.heads[stream] + off
        batch = [NewEvent(str(uuid.uuid4()), "t.a", {}, {"batch": [n, size]}) for n in range(size)]
        for log in self.logs:
            with pytest.raises(WrongRevision) as told:
                log.append(stream, batch, expected)
            assert (told.value.expected, told.value.current) == (expected, self.heads[stream])

    @rule(stream=streams, choice=st.randoms(use_true_random=False), more=st.integers(0, 1))
    def retry(self, stream: str, choice: Any, more: int) -> None:
        """A batch again, whole or with an event that was not in it, or after its front is gone."""
        if not self.batches[stream]:
            return
        expected, batch = choice.choice(self.batches[stream])
        standing = {k.revision: k for k in self.kept if k.stream == stream}
        again = batch + [NewEvent(str(uuid.uuid4()), "t.a", {}, {})] * more
        if expected == self.heads[stream]:
            return
        there = [
            standing[r].event.id for r in range(expected + 1, expected + 1 + len(again)) if r in standing
        ]
        for log, positions in zip(self.logs, self.positions, strict=True):
            if there == [e.id for e in again]:
                at = log.append(stream, again, expected)
                last = standing[expected + len(again)]
                assert at == (last.revision, positions[last.rank], False)
            else:
                with pytest.raises(WrongRevision):
                    log.append(stream, again, expected)

    @rule(stream=streams, back=st.integers(-1, 4))
    def truncate(self, stream: str, back: int) -> None:
        revision = self.heads[stream] - back
        if revision > max(self.heads[stream], 0):
            for log in self.logs:
                with pytest.raises(Failed):
                    log.truncate_before(stream, revision)
            return
        for log in self.logs:
            log.truncate_before(stream, revision)
        self.kept = [k for k in self.kept if k.stream != stream or k.revision >= revision]

    # Reading

    def same(self, number: int, found: list[Event], wanted: list[Kept]) -> None:
        assert found == [
            Event(e.id, e.type, stream, revision, self.positions[number][rank], e.data, e.metadata)
            for rank, stream, revision, e in wanted
        ]

    @rule(
        stream=streams,
        start=st.none() | st.integers(0, 8),
        backwards=st.booleans(),
        limit=st.none() | st.integers(0, 4),
    )
    def read(self, stream: str, start: int | None, backwards: bool, limit: int | None) -> None:
        wanted = [k for k in self.kept if k.stream == stream]
        if start is not None:
            wanted = [k for k in wanted if (k.revision <= start if backwards else k.revision >= start)]
        wanted = (wanted[::-1] if backwards else wanted)[:limit]
        for number, log in enumerate(self.logs):
            found = log.read(stream, from_revision=start, backwards=backwards, limit=limit)
            self.same(number, list(found), wanted)

    @rule(
        after=st.none() | st.integers(0, 30),
        before=st.none() | st.integers(0, 30),
        categories=picked,
        types=st.none() | st.lists(st.sampled_from(TYPES), max_size=2),
        backwards=st.booleans(),
        limit=st.none() | st.integers(0, 6),
    )
    def read_all(
        self,
        after: int | None,
        before: int | None,
        categories: list[str] | None,
        types: list[str] | None,
        backwards: bool,
        limit: int | None,
    ) -> None:
        """``after`` and ``before`` are ranks here."""
        wanted = [
            k
            for k in self.kept
            if (after is None or k.rank > after)
            and (before is None or k.rank < before)
            and (categories is None or k.stream.split("-")[0] in categories)
            and (types is None or k.event.type in types)
        ]
        wanted = (wanted[::-1] if backwards else wanted)[:limit]
        for number, log in enumerate(self.logs):
            found = log.read_all(
                after=self._position(number, after),
                before=self._position(number, before),
                categories=categories,
                types=types,
                backwards=backwards,
                limit=limit,
            )
            self.same(number, list(found), wanted)

    def _position(self, number: int, rank: int | None) -> int | None:
        positions = self.positions[number]
        if rank is None:
            return None
        return positions[rank] if rank < len(positions) else (positions or [0])[-1] + 1 + rank

    @invariant()
    def positions_rise_and_the_head_is_the_last(self) -> None:
        for log, positions in zip(getattr(self, "logs", []), getattr(self, "positions", []), strict=True):
            assert positions == sorted(set(positions))
            assert log.head() == (positions[-1] if positions else 0)


TestLogModel = LogModel.TestCase
TestLogModel.settings = settings(
    max_examples=more(40, 4),
    stateful_step_count=30,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
