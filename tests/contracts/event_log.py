"""The contract of the port EventLog: a suite any adapter passes by overriding one fixture.

    class TestMyLog(EventLogContract):
        @pytest.fixture
        def log(self): ...

The log may hold foreign events: every test writes to categories of its own, and reads all
streams from the head it began at.
"""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from edge.domain.events import NO_STREAM, Event, NewEvent
from edge.domain.refusal import Failed
from edge.ports import MAX_APPEND_BYTES, AppendRefused, CaughtUp, Checkpoint, EventLog, WrongRevision

PATIENCE = 20.0
"""Seconds after which a test that waits has failed; none of them takes a fraction of it."""


def event(type_: str = "probe.noted", **data: Any) -> NewEvent:
    return NewEvent(str(uuid.uuid4()), type_, data, {"actor": "operator", "batch": [0, 1]})


def events(count: int, type_: str = "probe.noted") -> list[NewEvent]:
    return [event(type_, n=n)._replace(metadata={"batch": [n, count]}) for n in range(count)]


def fresh_category() -> str:
    return f"probe{uuid.uuid4().hex[:12]}"


def fresh_stream(category: str | None = None) -> str:
    return f"{category or fresh_category()}-g.{uuid.uuid4().hex}"


def ids(found: Iterator[Event] | Sequence[NewEvent]) -> list[str]:
    return [e.id for e in found]


class Follower:
    """A subscription read in a thread of its own; what it delivers is waited for, never slept for."""

    def __init__(self, log: EventLog, after: int | None, categories: Sequence[str] | None) -> None:
        self.subscription = log.subscribe(after=after, categories=categories)
        self.delivered: queue.Queue[Event | CaughtUp | Checkpoint | None] = queue.Queue()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        for item in self.subscription:
            self.delivered.put(item)
        self.delivered.put(None)

    def next(self) -> Event | CaughtUp | Checkpoint | None:
        return self.delivered.get(timeout=PATIENCE)

    def until_caught_up(self) -> tuple[list[Event | CaughtUp | Checkpoint | None], int]:
        before = []
        while not isinstance(item := self.next(), CaughtUp):
            before.append(item)
        return before, item.position

    def next_event(self) -> Event:
        while not isinstance(item := self.next(), Event):
            assert isinstance(item, Checkpoint), f"{item} instead of an event"
        return item

    def stop(self) -> None:
        self.subscription.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


class EventLogContract:
    @pytest.fixture
    def log(self) -> Iterator[EventLog]:
        raise NotImplementedError("override with the adapter under test")

    # Appending

    def test_a_new_stream_begins_at_revision_0(self, log: EventLog) -> None:
        stream = fresh_stream()
        at = log.append(stream, [event()], NO_STREAM)
        assert (at.revision, at.written) == (0, True)
        assert at.position > 0

    def test_an_append_says_where_its_last_event_stands(self, log: EventLog) -> None:
        stream = fresh_stream()
        log.append(stream, events(2), NO_STREAM)
        at = log.append(stream, events(3), 1)
        last = list(log.read(stream))[-1]
        assert (at.revision, at.position) == (last.revision, last.position) == (4, at.position)

    @pytest.mark.parametrize("expected", [0, 1, 3, 7])
    @pytest.mark.parametrize("count", [1, 2])
    def test_a_wrong_revision_is_told_with_the_right_one(
        self, log: EventLog, expected: int, count: int
    ) -> None:
        stream = fresh_stream()
        log.append(stream, events(3), NO_STREAM)
        with pytest.raises(WrongRevision) as told:
            log.append(stream, events(count), expected)
        assert (told.value.stream, told.value.expected, told.value.current) == (stream, expected, 2)
        assert len(list(log.read(stream))) == 3

    def test_a_stream_that_exists_is_not_begun_again(self, log: EventLog) -> None:
        stream = fresh_stream()
        log.append(stream, [event()], NO_STREAM)
        with pytest.raises(WrongRevision) as told:
            log.append(stream, [event()], NO_STREAM)
        assert (told.value.expected, told.value.current) == (NO_STREAM, 0)

    @pytest.mark.parametrize("count", [1, 2])
    def test_a_missing_stream_is_at_no_revision(self, log: EventLog, count: int) -> None:
        stream = fresh_stream()
        with pytest.raises(WrongRevision) as told:
            log.append(stream, events(count), 0)
        assert told.value.current == NO_STREAM
        assert list(log.read(stream)) == []

    @pytest.mark.parametrize("count", [1, 3])
    def test_a_retry_finds_its_first_place_and_writes_nothing(self, log: EventLog, count: int) -> None:
        stream = fresh_stream()
        log.append(stream, [event()], NO_STREAM)
        batch = events(count)
        first = log.append(stream, batch, 0)
        log.append(stream, [event()], first.revision)
        again = log.append(stream, batch, 0)
        assert again == first._replace(written=False)
        assert len(list(log.read(stream))) == count + 2

    def test_a_retry_on_a_new_stream_finds_its_first_place(self, log: EventLog) -> None:
        stream, batch = fresh_stream(), events(2)
        first = log.append(stream, batch, NO_STREAM)
        assert log.append(stream, batch, NO_STREAM) == first._replace(written=False)

    def test_a_retry_may_cross_the_borders_of_appends(self, log: EventLog) -> None:
        stream, (one, two, three) = fresh_stream(), events(3)
        log.append(stream, [one], NO_STREAM)
        at = log.append(stream, [two, three], 0)
        assert log.append(stream, [one, two, three], NO_STREAM) == at._replace(written=False)

    def test_a_batch_only_partly_there_is_refused(self, log: EventLog) -> None:
        stream, (one, two, three) = fresh_stream(), events(3)
        log.append(stream, [one, two], NO_STREAM)
        for batch in ([one, two, three], [two], [two, one], [one, three]):
            with pytest.raises(WrongRevision):
                log.append(stream, batch, NO_STREAM)
        assert ids(log.read(stream)) == [one.id, two.id]

    def test_ids_are_compared_in_their_stream_only(self, log: EventLog) -> None:
        batch = events(2)
        assert log.append(fresh_stream(), batch, NO_STREAM).written
        assert log.append(fresh_stream(), batch, NO_STREAM).written

    def test_at_the_head_an_id_is_not_looked_for(self, log: EventLog) -> None:
        stream, one = fresh_stream(), event()
        log.append(stream, [one], NO_STREAM)
        assert log.append(stream, [one], 0).revision == 1

    def test_what_may_not_be_sent_is_refused_and_nothing_written(self, log: EventLog) -> None:
        stream = fresh_stream()
        batch: Any
        huge = "x" * MAX_APPEND_BYTES
        for batch in (
            [],
            (),
            (e for e in events(2)),
            [event(text=huge)],
            [event(text=huge[: MAX_APPEND_BYTES // 2]) for _ in range(2)],
            [event(text="ã" * (MAX_APPEND_BYTES // 2))],
            [event(), event(text="\ud800")],
            [event(), event(value=float("nan"))],
            [event(), event(value=float("-inf"))],
            [event(), event(value=object())],
        ):
            with pytest.raises(AppendRefused):
                log.append(stream, batch, NO_STREAM)
        assert list(log.read(stream)) == []

    def test_an_append_of_the_largest_size_goes(self, log: EventLog) -> None:
        stream = fresh_stream()
        frame = len(b'{"text":""}{"batch":[0,1],"actor":"operator"}') + 2 * len("probe.noted")
        log.append(stream, [event(text="x" * (MAX_APPEND_BYTES - frame))], NO_STREAM)
        with pytest.raises(AppendRefused):
            log.append(stream, [event(text="x" * (MAX_APPEND_BYTES - frame + 1))], 0)
        assert len(list(log.read(stream))) == 1

    def test_of_many_at_once_one_wins_each_revision(self, log: EventLog) -> None:
        stream, rounds, writers = fresh_stream(), 10, 6
        gate = threading.Barrier(writers)

        def write(writer: int) -> list[int]:
            won = []
            for revision in range(rounds):
                gate.wait(PATIENCE)
                try:
                    at = log.append(stream, [event(writer=writer)], revision - 1)
                    won.append(at.revision)
                except WrongRevision as told:
                    assert told.current >= revision
            return won

        with ThreadPoolExecutor(writers) as pool:
            won = [revision for wins in pool.map(write, range(writers)) for revision in wins]
        assert sorted(won) == list(range(rounds))
        assert [e.revision for e in log.read(stream)] == list(range(rounds))

    # What comes back

    def test_an_event_comes_back_as_it_went(self, log: EventLog) -> None:
        stream = fresh_stream()
        sent = NewEvent(
            str(uuid.uuid4()),
            "probe.noted",
            {
                "text": "não ünï 日本語 עברית हिन्दी 🜂 e\u0301 \u2028\u2029 \u0085 \x00 \x1f \r\n \ufeff \\\"'",
                "ключ": [1, -1, 2**63, -(2**70), 0.1, 1e300, 5e-324, -0.0, True, None, "", [], {}],
                "words": ["NaN", "Infinity", "null"],
                "deep": {"a": {"b": [{"c": "d"}]}},
            },
            {"batch": [0, 1], "actor": "import", "$correlationId": "a", "note": "ação"},
        )
        log.append(stream, [sent], NO_STREAM)
        (got,) = log.read(stream)
        assert (got.id, got.type, got.stream, got.revision) == (sent.id, sent.type, stream, 0)
        assert got.data == sent.data
        assert got.metadata == sent.metadata
        assert str(got.data["ключ"][7]) == "-0.0"

    def test_every_event_keeps_its_place_in_its_append(self, log: EventLog) -> None:
        stream = fresh_stream()
        log.append(stream, events(3), NO_STREAM)
        log.append(stream, events(1), 2)
        assert [e.metadata["batch"] for e in log.read(stream)] == [[0, 3], [1, 3], [2, 3], [0, 1]]

    def test_the_log_keeps_what_was_sent_not_what_became_of_it(self, log: EventLog) -> None:
        stream, sent = fresh_stream(), event(items=[1])
        log.append(stream, [sent], NO_STREAM)
        sent.data["items"].append(2)
        (got,) = log.read(stream)
        got.data["items"].append(3)
        assert next(log.read(stream)).data == {"items": [1]}

    # Reading a stream

    def test_a_missing_stream_is_empty(self, log: EventLog) -> None:
        assert list(log.read(fresh_stream())) == []
        assert list(log.read(fresh_stream(), backwards=True, limit=1)) == []

    @pytest.mark.parametrize(
        ("from_revision", "backwards", "limit", "revisions"),
        [
            (None, False, None, [0, 1, 2, 3, 4]),
            (None, False, 2, [0, 1]),
            (None, True, None, [4, 3, 2, 1, 0]),
            (None, True, 1, [4]),
            (2, False, None, [2, 3, 4]),
            (2, False, 2, [2, 3]),
            (2, True, None, [2, 1, 0]),
            (2, True, 2, [2, 1]),
            (0, True, None, [0]),
            (9, False, None, []),
            (9, True, 1, [4]),
            (0, False, 0, []),
        ],
    )
    def test_a_stream_is_read_from_anywhere_either_way(
        self,
        log: EventLog,
        from_revision: int | None,
        backwards: bool,
        limit: int | None,
        revisions: list[int],
    ) -> None:
        stream = fresh_stream()
        log.append(stream, events(3), NO_STREAM)
        log.append(fresh_stream(), events(2), NO_STREAM)
        log.append(stream, events(2), 2)
        found = log.read(stream, from_revision=from_revision, backwards=backwards, limit=limit)
        assert [e.revision for e in found] == revisions

    # Reading all

    def test_all_is_read_in_log_order(self, log: EventLog) -> None:
        start, category = log.head(), fresh_category()
        a, b = fresh_stream(category), fresh_stream(category)
        log.append(a, events(2), NO_STREAM)
        log.append(b, events(2), NO_STREAM)
        log.append(a, events(1), 1)
        found = list(log.read_all(after=start, categories=[category]))
        assert [(e.stream, e.revision) for e in found] == [(a, 0), (a, 1), (b, 0), (b, 1), (a, 2)]
        positions = [e.position for e in found]
        assert positions == sorted(set(positions))
        assert start < positions[0]
        assert positions[-1] <= log.head()

    def test_after_and_before_are_exclusive(self, log: EventLog) -> None:
        category = fresh_category()
        for _ in range(4):
            log.append(fresh_stream(category), events(1), NO_STREAM)
        all_ = list(log.read_all(categories=[category]))
        p = [e.position for e in all_]

        def found(**bounds: Any) -> list[Event]:
            return list(log.read_all(categories=[category], **bounds))

        assert found(after=p[0]) == all_[1:]
        assert found(before=p[3]) == all_[:3]
        assert found(after=p[0], before=p[3]) == all_[1:3]
        assert found(after=p[0], before=p[3], backwards=True) == [all_[2], all_[1]]
        assert found(backwards=True) == all_[::-1]
        assert found(backwards=True, limit=1) == all_[-1:]
        assert found(before=p[2], backwards=True, limit=1) == [all_[1]]
        assert found(after=p[0], limit=2) == all_[1:3]
        assert found(limit=0) == found(after=p[3]) == found(before=p[0]) == []
        assert found(after=0) == all_
        assert found(after=p[1] - 1)[-3:] == all_[1:]

    def test_all_is_filtered_by_category_and_type(self, log: EventLog) -> None:
        start, cats = log.head(), [fresh_category() for _ in range(3)]
        for category in cats:
            for type_ in ("probe.a", "probe.b", "probe.b.c"):
                log.append(fresh_stream(category), [event(type_)], NO_STREAM)
        log.append(f"{cats[0]}x-g.other", [event("probe.a")], NO_STREAM)
        log.append(f"{cats[0]}", [event("probe.bare")], NO_STREAM)

        def found(**filters: Any) -> list[tuple[str, str]]:
            return [(e.stream.partition("-")[0], e.type) for e in log.read_all(after=start, **filters)]

        mine = [(cats[0], t) for t in ("probe.a", "probe.b", "probe.b.c", "probe.bare")]
        assert found(categories=cats[:1]) == mine
        assert {c for c, _ in found(categories=cats[1:])} == set(cats[1:])
        assert found(categories=cats[:1], types=["probe.b"]) == [(cats[0], "probe.b")]
        assert found(categories=cats[:1], types=["probe.b", "probe.a"]) == mine[:2]
        assert len(found(types=["probe.b.c"])) == 3
        assert found(categories=cats[:1], types=["probe"]) == []
        assert found(categories=[cats[0][:-1]]) == []
        assert found(categories=[]) == found(types=[]) == []
        assert found(categories=cats[:1], backwards=True, limit=1) == mine[-1:]

    def test_a_read_sees_the_log_as_it_stood_when_it_began(self, log: EventLog) -> None:
        start, category, stream = log.head(), fresh_category(), fresh_stream()
        log.append(stream, events(3), NO_STREAM)
        log.append(fresh_stream(category), events(3), NO_STREAM)
        all_ = log.read_all(after=start, categories=[category])
        one = log.read(stream)
        assert next(all_).revision == next(one).revision == 0
        log.append(fresh_stream(category), events(3), NO_STREAM)
        log.append(stream, events(2), 2)
        assert len(list(all_)) == len(list(one)) == 2

    def test_reads_may_be_left_and_nested(self, log: EventLog) -> None:
        stream = fresh_stream()
        log.append(stream, events(5), NO_STREAM)
        for _ in range(50):
            next(log.read(stream))
        seen = 0
        for outer in log.read(stream):
            for inner in log.read(stream, from_revision=outer.revision):
                seen += inner.revision >= outer.revision
        assert seen == 15

    def test_head_is_the_last_position(self, log: EventLog) -> None:
        at = log.append(fresh_stream(), events(2), NO_STREAM)
        assert log.head() >= at.position
        later = log.append(fresh_stream(), events(1), NO_STREAM)
        assert log.head() >= later.position > at.position

    # Subscribing

    def test_a_subscription_catches_up_says_so_and_goes_on_live(self, log: EventLog) -> None:
        start, category, stream = log.head(), fresh_category(), fresh_stream()
        stream = fresh_stream(category)
        sent = events(150)
        log.append(stream, sent[:100], NO_STREAM)
        log.append(stream, sent[100:130], 99)
        follower = Follower(log, start, [category])
        before, position = follower.until_caught_up()
        assert [e.id for e in before if isinstance(e, Event)] == ids(sent[:130])
        assert position >= list(log.read(stream))[-1].position
        log.append(stream, sent[130:], 129)
        assert [follower.next_event().id for _ in range(20)] == ids(sent[130:])
        follower.stop()

    def test_it_catches_up_on_nothing(self, log: EventLog) -> None:
        head = log.head()
        follower = Follower(log, head, [fresh_category()])
        before, position = follower.until_caught_up()
        assert before == []
        assert position >= head
        follower.stop()

    def test_without_a_start_it_begins_at_the_beginning(self, log: EventLog) -> None:
        category = fresh_category()
        at = log.append(fresh_stream(category), events(2), NO_STREAM)
        follower = Follower(log, None, [category])
        follower.next_event()
        assert follower.next_event().position == at.position
        follower.stop()

    def test_unfiltered_it_delivers_every_category(self, log: EventLog) -> None:
        start = log.head()
        sent = [event(), event()]
        follower = Follower(log, start, None)
        follower.until_caught_up()
        for one in sent:
            log.append(fresh_stream(), [one], NO_STREAM)
        assert [follower.next_event().id for _ in sent] == ids(sent)
        follower.stop()

    def test_it_passes_checkpoints_also_when_nothing_matches(self, log: EventLog) -> None:
        category = fresh_category()
        follower = Follower(log, log.head(), [category])
        follower.until_caught_up()
        at = log.append(fresh_stream(), events(3), NO_STREAM)
        position = 0
        while position < at.position:
            item = follower.next()
            assert isinstance(item, Checkpoint)
            assert item.position > position
            position = item.position
        follower.stop()

    def test_what_it_says_is_safe_to_store_misses_and_doubles_nothing(self, log: EventLog) -> None:
        """Whatever position was stored, going on from it delivers exactly the rest."""
        start, category = log.head(), fresh_category()
        sent: list[str] = []
        follower = Follower(log, start, [category])
        for n in range(6):
            batch = events(1 + n % 3)
            log.append(fresh_stream(category if n % 2 else None), batch, NO_STREAM)
            sent += ids(batch) if n % 2 else []
        seen: list[str] = []
        stored = [(start, 0)]
        while len(seen) < len(sent):
            match follower.next():
                case Event(id=id_, position=position, metadata=metadata):
                    seen.append(id_)
                    index, size = metadata["batch"]
                    if index == size - 1:
                        stored.append((position, len(seen)))
                case CaughtUp(position) | Checkpoint(position):
                    stored.append((position, len(seen)))
        follower.stop()
        assert seen == sent
        assert [p for p, _ in stored] == sorted(p for p, _ in stored)
        for position, count in stored:
            rest = log.read_all(after=position, categories=[category])
            assert ids(rest) == sent[count:]

    def test_it_never_pauses_inside_an_append(self, log: EventLog) -> None:
        start, category = log.head(), fresh_category()
        follower = Follower(log, start, [category])
        writing = threading.Thread(
            target=lambda: [log.append(fresh_stream(category), events(40), NO_STREAM) for _ in range(5)]
        )
        writing.start()
        inside, seen = False, 0
        while seen < 200:
            item = follower.next()
            if isinstance(item, Event):
                index, size = item.metadata["batch"]
                seen, inside = seen + 1, index < size - 1
            else:
                assert not inside, f"{item} inside an append"
        writing.join(PATIENCE)
        follower.stop()

    def test_stopping_ends_the_iteration_and_is_repeatable(self, log: EventLog) -> None:
        follower = Follower(log, log.head(), [fresh_category()])
        follower.until_caught_up()
        follower.stop()
        follower.stop()
        while (item := follower.next()) is not None:
            assert isinstance(item, Checkpoint)

    # Forgetting

    def test_truncating_takes_out_the_front_for_good(self, log: EventLog) -> None:
        stream, batch = fresh_stream(), events(5)
        log.append(stream, batch, NO_STREAM)
        log.truncate_before(stream, 3)
        for _ in range(2):
            assert [e.revision for e in log.read(stream)] == [3, 4]
            assert ids(log.read(stream, from_revision=0, limit=1)) == [batch[3].id]
            assert [e.revision for e in log.read(stream, backwards=True)] == [4, 3]
            log.truncate_before(stream, 3)
        log.truncate_before(stream, 1)
        assert [e.revision for e in log.read(stream)] == [3, 4]

    def test_a_truncated_stream_goes_on_at_its_revision(self, log: EventLog) -> None:
        stream = fresh_stream()
        log.append(stream, events(3), NO_STREAM)
        log.truncate_before(stream, 2)
        with pytest.raises(WrongRevision):
            log.append(stream, [event()], NO_STREAM)
        assert log.append(stream, [event()], 2).revision == 3
        assert [e.revision for e in log.read(stream)] == [2, 3]

    def test_truncating_leaves_other_streams_and_the_head(self, log: EventLog) -> None:
        category = fresh_category()
        a, b = fresh_stream(category), fresh_stream(category)
        log.append(b, events(3), NO_STREAM)
        log.append(a, events(3), NO_STREAM)
        head = log.head()
        log.truncate_before(a, 2)
        assert len(list(log.read(b))) == 3
        assert log.head() >= head

    def test_nothing_is_truncated_past_the_last_event(self, log: EventLog) -> None:
        stream = fresh_stream()
        log.append(stream, events(2), NO_STREAM)
        with pytest.raises(Failed):
            log.truncate_before(stream, 2)
        with pytest.raises(Failed):
            log.truncate_before(fresh_stream(), 1)
        log.truncate_before(fresh_stream(), 0)
        assert len(list(log.read(stream))) == 2

    # Closing; these come last, as they use the log up

    def test_closing_ends_subscriptions_and_may_be_repeated(self, log: EventLog) -> None:
        follower = Follower(log, log.head(), [fresh_category()])
        follower.until_caught_up()
        log.close()
        log.close()
        follower.thread.join(PATIENCE)
        assert not follower.thread.is_alive()
