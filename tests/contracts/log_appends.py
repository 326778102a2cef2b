"""What every log promises of an append, and of truncating."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from edge.domain.events import NO_STREAM
from edge.domain.refusal import Failed
from edge.ports import MAX_APPEND_BYTES, AppendRefused, EventLog, WrongRevision
from tests.contracts.probes import PATIENCE, event, events, fresh_category, fresh_stream, ids


class AppendContract:
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
