"""What a foreign writer, a torn write or a swapped log could have broken, said by name (I8).

A comment's closing is held against the Direction events it claims, and the reverse. The
facts compared are kept small, so that only what an event touched needs looking at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from edge.domain.events import Data

ErrorKind = Literal[
    "duplicate-resolved",
    "conflicting-resolved",
    "orphan-resolved",
    "dangling-direction",
    "half-close",
    "provenance-mismatch",
    "direction-conflict",
    "kernel-debt",
    "quarantined-event",
    "log-changed",
]

_CLOSES_WITH: Final = {"folded-to-direction": "set", "retired-direction": "dropped"}


class Resolution(NamedTuple):
    """One voz.resolved of a comment."""

    outcome: str
    direction_id: str | None


class SteerEvent(NamedTuple):
    """One direction.set or direction.dropped: which item, and which comment it says it came from."""

    direction_id: str
    op: str
    origin: str | None


def closing_errors(
    comment_id: str,
    commented: bool,
    resolutions: Sequence[Resolution],
    of_directions: Iterable[SteerEvent],
    of_comment: Iterable[SteerEvent],
) -> list[ErrorKind]:
    """The consistency errors of one comment.

    ``of_directions``: every steer event of the items its resolutions name; ``of_comment``:
    every steer event that names this comment as its origin.
    """
    errors: list[ErrorKind] = []
    if len(resolutions) > 1:
        same = len(set(resolutions)) == 1
        errors.append("duplicate-resolved" if same else "conflicting-resolved")
    if resolutions and not commented:
        errors.append("orphan-resolved")
    steers = list(of_directions)
    for resolution in dict.fromkeys(resolutions):
        errors += _claim_errors(comment_id, resolution, steers)
    errors += _origin_errors(commented, resolutions, of_comment)
    return list(dict.fromkeys(errors))


def _claim_errors(comment_id: str, resolution: Resolution, steers: Sequence[SteerEvent]) -> list[ErrorKind]:
    """What a resolution claims of Direction must have happened, and from this comment."""
    op = _CLOSES_WITH.get(resolution.outcome)
    if op is None:
        return []
    matching = [s for s in steers if s.direction_id == resolution.direction_id and s.op == op]
    if not matching:
        return ["dangling-direction"]
    if any(s.origin == comment_id for s in matching):
        return []  # a later edit, whatever origin it names, does not undo this
    return ["provenance-mismatch"]


def _origin_errors(
    commented: bool, resolutions: Sequence[Resolution], of_comment: Iterable[SteerEvent]
) -> list[ErrorKind]:
    """A steer that names this comment must be matched by its resolution."""
    claimed = {(r.direction_id, _CLOSES_WITH.get(r.outcome)) for r in resolutions}
    items_claimed = {direction_id for direction_id, op in claimed if op}
    errors: list[ErrorKind] = []
    for steer in of_comment:
        if (steer.direction_id, steer.op) in claimed or steer.direction_id in items_claimed:
            continue  # an edit or a drop that kept the origin of an item this comment made
        if not commented or resolutions:
            errors.append("provenance-mismatch")
        else:
            errors.append("half-close")
    return errors


def grouped(errors: Iterable[tuple[str, str]]) -> list[Data]:
    """(kind, id) pairs as health prints them: one entry a kind, ids in the order given."""
    by_kind: dict[str, list[str]] = {}
    for kind, id_ in errors:
        ids = by_kind.setdefault(kind, [])
        if id_ not in ids:
            ids.append(id_)
    return [{"kind": kind, "ids": ids} for kind, ids in by_kind.items()]
