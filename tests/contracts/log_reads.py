"""What every log promises of reading."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from edge.domain.events import NO_STREAM, Event, NewEvent
from edge.ports import EventLog
from tests.contracts.probes import event, events, fresh_category, fresh_stream


class ReadContract:
    def test_an_event_comes_back_as_it_went(self, log: EventLog) -> None:
        stream = fresh_stream()
        sent = NewEvent(
            str(uuid.uuid4()),
            "probe.noted",
            {
                "text": "não 日本語 עברית हिन्दी 🜂 e\u0301 \u2028\u2029 \u0085 \x00 \x1f \r\n \ufeff \\\"'",
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
        for other in (f"{cats[0]}.", f"{cats[0]}.g", f"{cats[0]},g"):
            log.append(other, [event("probe.other")], NO_STREAM)
        log.append(cats[0], [event("probe.bare")], NO_STREAM)

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
