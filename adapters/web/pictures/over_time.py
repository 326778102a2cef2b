"""Direction over time: a line a steer, from when it was proposed or set until it left."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from adapters.web.pictures.svg import cut, element
from edge.domain.grill import moment
from edge.domain.steer_history import Move

WIDTH: Final = 480.0
ROW: Final = 34.0
ABOVE: Final = 8.0
BELOW: Final = 20.0
ROWS: Final = 12
_GONE: Final = ("drop", "supersede")


class Picture(NamedTuple):
    svg: Markup
    changes: int
    items: int
    since: str
    until: str


class _Piece(NamedTuple):
    tier: str
    begin: datetime
    end: datetime | None


def over_time(moves: list[Move], now: datetime, zone: tzinfo, marked: int | None = None) -> Picture:
    """The steers that moved last; ``marked`` is a position to draw a line at."""
    by_id: dict[str, list[Move]] = {}
    for move in moves:
        by_id.setdefault(move.id, []).append(move)
    latest = sorted(by_id, key=lambda id_: by_id[id_][-1].position)[-ROWS:]
    shown = sorted(latest, key=lambda id_: by_id[id_][0].position)
    times = [_time(move) for id_ in shown for move in by_id[id_]]
    begin, end = min(times), max(now, *times)
    span = max((end - begin).total_seconds(), 1.0)

    def x(at: datetime) -> float:
        return 4 + (at - begin).total_seconds() / span * (WIDTH - 8)

    parts = [part for row, id_ in enumerate(shown) for part in _row(row, id_, by_id[id_], x, end)]
    height = ABOVE + ROW * len(shown) + BELOW
    passed = [move for move in moves if marked is not None and move.position <= marked]
    if marked is not None:
        at = x(max(begin, _time(passed[-1]))) if passed else 4.0
        at = x(end) if passed and passed[-1] is moves[-1] else at
        parts.append(element("line", x1=at, x2=at, y1=0, y2=height - BELOW, class_="marked"))
    first, last = begin.astimezone(zone), end.astimezone(zone)
    parts += [
        element("text", f"{first.day}/{first.month}/{first.year}", x=4, y=height - 4),
        element("text", f"{last.day}/{last.month}/{last.year}", x=WIDTH - 4, y=height - 4, text_anchor="end"),
    ]
    svg = element(
        "svg", *parts, viewBox=f"0 0 {WIDTH:.0f} {height:.0f}", class_="picture", role="group",
        aria_labelledby="over-time-text",
    )  # fmt: skip
    return Picture(svg, len(moves), len(by_id), begin.isoformat(), end.isoformat())


def _row(row: int, id_: str, moves: list[Move], x: object, end: datetime) -> list[Markup]:
    assert callable(x)
    top = ABOVE + row * ROW
    title = next((m.said["title"] for m in reversed(moves) if m.said["title"]), id_)
    name = element("text", cut(title, 62), x=4, y=top + 12, class_="steer")
    bars = []
    for piece in _pieces(moves):
        left, right = x(piece.begin), x(piece.end or end)
        bars.append(
            element(
                "rect",
                x=left,
                y=top + 17,
                width=max(right - left, 3.0),
                height=9,
                rx=2,
                class_=f"t-{piece.tier}",
            )
        )
    return [element("a", name, *bars, href=f"/direction/{quote(id_, safe='')}")]


def _pieces(moves: list[Move]) -> list[_Piece]:
    """What tier it was in from when to when; the last is open where it still is."""
    pieces: list[_Piece] = []
    for move in moves:
        at = _time(move)
        tier = {"propose": "proposed", "set": "set"}.get(move.op)
        if pieces and pieces[-1].end is None:
            if tier == pieces[-1].tier or (tier == "proposed" and pieces[-1].tier == "set"):
                continue
            pieces[-1] = pieces[-1]._replace(end=at)
        if tier:
            pieces.append(_Piece(tier, at, None))
    return pieces


def _time(move: Move) -> datetime:
    return moment(move.at, datetime(1970, 1, 1, tzinfo=UTC))
