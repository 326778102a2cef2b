"""What happened to one steer: its changes, and what nobody wrote down, since time or two hands did it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from typing import Literal, NamedTuple, cast

from edge.domain.direction import Change, Item, ends_at, evolve, live
from edge.domain.events import Data, Event
from edge.domain.grill import moment

Op = Literal["propose", "set", "drop", "supersede", "expire"]


class Move(NamedTuple):
    """One change of one steer, as its event says it.

    ``said``: title, body, kind, expires_at, basis, reason (of a supersede the successor's id),
    origin_comment_id, from_artefato, and of the event actor, event, stream.
    """

    position: int
    place: int
    id: str
    op: str
    at: str
    said: Data


class Line(NamedTuple):
    """``counts``: whether it changed anything, or was passed over. ``conflicts_with``: the event of
    an earlier edit that began from the same state, which this one took the place of unseen.

    An ``expire`` is derived from the date then in force: it has a time and no event.
    """

    op: Op
    at: str
    position: int | None
    event: str | None
    actor: str | None
    said: Data
    counts: bool = True
    conflicts_with: str | None = None


def history(moves: Iterable[Move], now: datetime, zone: tzinfo) -> list[Line]:
    """The lines of one steer's moves, oldest first, up to ``now``; a date ends in ``zone``."""
    lines: list[Line] = []
    item: Item | None = None
    edits: dict[int, str] = {}  # event of the last edit that began from a state, by its position
    ended: set[str] = set()  # events whose date has passed

    def expire(until: datetime) -> None:
        if item is None or not live(item) or item["event"] in ended or not item["expires_at"]:
            return
        end = ends_at(item["expires_at"], zone)
        if end is not None and end < until:
            ended.add(item["event"])
            at = end.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
            lines.append(Line("expire", at, None, None, None, {"expires_at": item["expires_at"]}))

    for move in moves:
        expire(moment(move.at, now))
        before = _standing(item)
        item = evolve(item, _change(move))
        counts = _standing(item) != before
        basis, event = move.said.get("basis"), str(move.said.get("event"))
        rival = None
        if counts and move.op != "supersede" and isinstance(basis, int):
            rival = edits.get(basis) if item is not None and item["conflict"] else None
            edits[basis] = event
        actor = str(move.said.get("actor"))
        lines.append(Line(cast(Op, move.op), move.at, move.position, event, actor, move.said, counts, rival))
    expire(now)
    return lines


def _standing(item: Item | None) -> tuple[str, str, str | None] | None:
    return (item["tier"], item["event"], item["superseded_by"]) if item else None


def _change(move: Move) -> Change:
    said = {**move.said, "id": move.said.get("reason")} if move.op == "supersede" else move.said
    event = Event(
        id=str(move.said.get("event")),
        type="",
        stream=str(move.said.get("stream")),
        revision=0,
        position=move.position,
        data=said,
        metadata={"recorded_at": move.at, "actor": move.said.get("actor")},
    )
    return Change(move.id, move.op, said, event, move.place)  # type: ignore[arg-type]
