"""Whatever was said comes out as one bounded line that can be seen."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.graph.cleaning import (
    MAX_NAME,
    MAX_RELATION,
    clean,
    clean_moment,
    clean_name,
    clean_relation,
    iso,
)
from edge.domain.catalogue import ExtractedFact


@given(st.text(alphabet=st.characters(), max_size=400), st.integers(1, 80))
def test_a_cleaned_text_is_seen_bounded_and_cleaning_it_again_changes_nothing(text: str, most: int) -> None:
    done = clean(text, most)
    assert len(done) <= most
    assert done == done.strip()
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"} for char in done)
    assert clean(done, most) == done


@given(st.text(alphabet=st.characters(), max_size=400))
def test_names_say_something_and_relations_are_one_word(text: str) -> None:
    name, relation = clean_name(text), clean_relation(text)
    assert name == "" or any(char.isalnum() for char in name)
    assert len(name) <= MAX_NAME
    assert relation.replace("_", "a").isalnum()
    assert len(relation) <= MAX_RELATION


@pytest.mark.parametrize("said", [None, 3, [], {"name": "x"}, b"x"])
def test_what_is_no_text_is_nothing(said: object) -> None:
    assert clean(said, 10) == clean_name(said) == ""
    assert clean_moment(said) is None


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("2026-05-01", "2026-05-01T00:00:00Z"),
        (" 2026-05-01T10:00:00+02:00 ", "2026-05-01T08:00:00Z"),
        ("2026-05-01T10:00:00.5Z", "2026-05-01T10:00:00.500000Z"),
        ("soon", None),
        ("", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_a_moment_is_kept_in_utc_or_not_at_all(said: str, kept: str | None) -> None:
    assert clean_moment(said) == kept


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-9, minutes=-30))])))
def test_times_are_as_the_catalogue_wants_them(moment: datetime) -> None:
    said = clean_moment(moment.isoformat())
    if said is not None:
        assert said == iso(moment)
        ends = {"id": "f", "source": "a", "target": "b", "relation": "r", "statement": "s"}
        ExtractedFact.model_validate({**ends, "valid_from": said})
