"""Events of one append are seen together (I25), whoever wrote them and whatever was cut off."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.domain.events import Event, batch_of, by_append


def event(stream: str = "a", batch: Any = (0, 1), position: int = 1) -> Event:
    metadata = {} if batch is None else {"batch": list(batch) if isinstance(batch, tuple) else batch}
    return Event("id", "probe", stream, position, position, {}, metadata)


def append(size: int, stream: str = "a") -> list[Event]:
    return [event(stream, (n, size)) for n in range(size)]


def sizes(events: list[Event]) -> list[int]:
    return [len(group) for group in by_append(events)]


def test_whole_appends_come_as_they_were_written() -> None:
    assert sizes([*append(3), *append(1), *append(2, "b")]) == [3, 1, 2]


def test_an_append_cut_off_at_the_end_is_not_seen() -> None:
    assert sizes([*append(1), *append(3)[:2]]) == [1]
    assert sizes(append(3)[:1]) == []


def test_an_append_whose_front_was_truncated_is_passed_on() -> None:
    assert sizes([*append(3)[1:], *append(1)]) == [2, 1]
    assert sizes([*append(3)[:2], *append(2, "b")]) == [2, 2]  # another's front is not its rest


def test_two_appends_of_one_stream_in_a_row_are_two() -> None:
    assert sizes([*append(2), *append(2)]) == [2, 2]


@pytest.mark.parametrize(
    "batch", [None, "x", [], [0], [1, 1], [-1, 2], [2, 1], ["0", "1"], [0, 1, 2], {"0": 1}, 7]
)
def test_what_a_stranger_wrote_without_a_sound_batch_stands_alone(batch: Any) -> None:
    assert batch_of(event(batch=batch)) == (0, 1)
    assert sizes([event(batch=batch), *append(2)]) == [1, 2]


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from("abc")), max_size=12), st.data())
@settings(max_examples=60, deadline=None)
def test_no_cut_shows_part_of_an_append(appends: list[tuple[int, str]], data: st.DataObject) -> None:
    groups = [append(size, stream) for size, stream in appends]
    events = [e for group in groups for e in group]
    cut = data.draw(st.integers(0, len(events)))
    whole, seen = [], 0
    for group in groups:
        seen += len(group)
        if seen <= cut:
            whole.append(group)
    assert list(by_append(events[:cut])) == whole
