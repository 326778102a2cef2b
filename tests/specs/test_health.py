"""What a foreign hand could have broken, said by name and never silently overwritten (I8)."""

from __future__ import annotations

import pytest

from edge.domain.health import Resolution, SteerEvent, closing_errors, grouped

FOLDED = Resolution("folded-to-direction", "d1")
RETIRED = Resolution("retired-direction", "d1")
REPLIED = Resolution("replied", None)
SET = SteerEvent("d1", "set", "c1")
DROPPED = SteerEvent("d1", "dropped", "c1")


def errors(
    *resolutions: Resolution, steers: tuple[SteerEvent, ...] = (), commented: bool = True
) -> list[str]:
    named = {r.direction_id for r in resolutions}
    return list(
        closing_errors(
            "c1",
            commented,
            resolutions,
            [s for s in steers if s.direction_id in named],
            [s for s in steers if s.origin == "c1"],
        )
    )


def test_a_whole_close_is_no_error() -> None:
    assert errors(REPLIED) == []
    assert errors(FOLDED, steers=(SET,)) == []
    assert errors(RETIRED, steers=(SteerEvent("d1", "set", None), DROPPED)) == []
    assert errors() == []


def test_two_equal_resolutions_are_duplicates_and_two_others_conflict() -> None:
    assert errors(REPLIED, REPLIED) == ["duplicate-resolved"]
    assert errors(REPLIED, Resolution("acknowledged", None)) == ["conflicting-resolved"]
    assert errors(FOLDED, FOLDED, steers=(SET,)) == ["duplicate-resolved"]
    assert errors(FOLDED, Resolution("folded-to-direction", "d2"), steers=(SET,)) == [
        "conflicting-resolved",
        "dangling-direction",
    ]


def test_a_resolution_without_its_comment_is_an_orphan() -> None:
    assert errors(REPLIED, commented=False) == ["orphan-resolved"]


def test_a_fold_without_its_steer_and_a_retire_without_its_drop_dangle() -> None:
    assert errors(FOLDED) == ["dangling-direction"]
    assert errors(RETIRED, steers=(SteerEvent("d1", "set", None),)) == ["dangling-direction"]
    assert errors(FOLDED, steers=(SteerEvent("d1", "dropped", None),)) == ["dangling-direction"]
    assert errors(Resolution("folded-to-direction", None)) == ["dangling-direction"]


def test_a_steer_from_another_comment_is_a_mismatch() -> None:
    assert errors(FOLDED, steers=(SteerEvent("d1", "set", "c2"),)) == ["provenance-mismatch"]
    assert errors(FOLDED, steers=(SteerEvent("d1", "set", None),)) == ["provenance-mismatch"]


@pytest.mark.parametrize("origin", [None, "c1", "c2"])
@pytest.mark.parametrize("op", ["set", "dropped"])
def test_a_later_edit_or_drop_of_the_steer_does_not_invalidate_its_origin(
    op: str, origin: str | None
) -> None:
    assert errors(FOLDED, steers=(SET, SteerEvent("d1", op, origin))) == []


def test_a_steer_without_its_resolution_is_a_half_close() -> None:
    assert errors(steers=(SET,)) == ["half-close"]
    assert errors(steers=(DROPPED,)) == ["half-close"]


def test_a_steer_that_claims_a_comment_that_is_not_there_or_was_closed_otherwise_is_a_mismatch() -> None:
    assert errors(steers=(SET,), commented=False) == ["provenance-mismatch"]
    assert errors(REPLIED, steers=(SET,)) == ["provenance-mismatch"]


def test_errors_are_listed_once_a_kind_with_their_ids_in_order() -> None:
    found = [("half-close", "c2"), ("kernel-debt", "s1"), ("half-close", "c1"), ("half-close", "c2")]
    assert grouped(found) == [
        {"kind": "half-close", "ids": ["c2", "c1"]},
        {"kind": "kernel-debt", "ids": ["s1"]},
    ]
    assert grouped([]) == []
