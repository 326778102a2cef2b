"""What is spoken of: subjects as circles, tied where facts tie them, a colour for each cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from adapters.web.pictures.svg import cut, element
from edge.ports_dashboard import Named, Tied

SIZE: Final = 480.0
HEIGHT: Final = 400.0
COLOURS: Final = 6
_ROUNDS: Final = 120
_GOLDEN: Final = math.pi * (3 - math.sqrt(5))

Place = list[float]


class Picture(NamedTuple):
    svg: Markup
    subjects: list[Named]
    ties: int


def spoken_of(named: list[Named], ties: list[Tied], groups: Mapping[str, int]) -> Picture:
    """The same picture for the same knowledge: the layout begins in a spiral, not at random.

    ``groups`` are the clusters subjects are in, by number; the others have a colour of their own.
    """
    at = _laid_out(named, ties)
    most = max(one.episodes for one in named)
    lines = [
        element(
            "line",
            x1=at[tie.source][0],
            y1=at[tie.source][1],
            x2=at[tie.target][0],
            y2=at[tie.target][1],
            class_="tie",
            stroke_width=min(4.0, 0.8 + tie.facts * 0.5),
        )
        for tie in ties
    ]
    circles = []
    for one in named:
        x, y = at[one.id]
        radius = 4 + 12 * math.sqrt(one.episodes / most)
        circles.append(
            element(
                "a",
                element(
                    "circle", cx=x, cy=y, r=radius, class_=f"c{min(groups.get(one.id, COLOURS), COLOURS)}"
                ),
                element("text", cut(one.name, 18), x=x, y=y + radius + 11, text_anchor="middle"),
                href=f"/knowledge/subjects/{quote(one.id, safe='')}",
            )
        )
    svg = element(
        "svg", *lines, *circles, viewBox=f"0 0 {SIZE:.0f} {HEIGHT:.0f}", class_="picture", role="group",
        aria_labelledby="map-text",
    )  # fmt: skip
    return Picture(svg, named, len(ties))


def _laid_out(named: list[Named], ties: list[Tied]) -> dict[str, Place]:
    """Circles push each other apart, ties pull together, all are drawn to the middle."""
    at: dict[str, Place] = {}
    for n, one in enumerate(named):
        far = 0.47 * math.sqrt((n + 0.5) / len(named))
        at[one.id] = [0.5 + far * math.cos(n * _GOLDEN), 0.5 + far * math.sin(n * _GOLDEN)]
    ids = list(at)
    ideal = 0.85 / math.sqrt(len(ids))
    for turn in range(_ROUNDS):
        force = {id_: [(0.5 - at[id_][0]) * 0.25, (0.5 - at[id_][1]) * 0.25] for id_ in ids}
        for n, this in enumerate(ids):
            for other in ids[n + 1 :]:
                dx, dy = at[this][0] - at[other][0], at[this][1] - at[other][1]
                near = max(math.hypot(dx, dy), 0.01)
                push = (ideal / near) ** 2 * 0.12
                _pull(force, this, other, dx / near * push, dy / near * push)
        for tie in ties:
            dx, dy = at[tie.target][0] - at[tie.source][0], at[tie.target][1] - at[tie.source][1]
            stretch = math.hypot(dx, dy) - ideal * 0.9
            _pull(force, tie.source, tie.target, dx * stretch * 0.9, dy * stretch * 0.9)
        step = 0.06 * (1 - turn / _ROUNDS)
        for id_ in ids:
            strong = max(math.hypot(*force[id_]), 1e-9)
            move = min(strong, step)
            at[id_][0] += force[id_][0] / strong * move
            at[id_][1] += force[id_][1] / strong * move
    return _fitted(at)


def _pull(force: dict[str, Place], one: str, other: str, x: float, y: float) -> None:
    force[one][0] += x
    force[one][1] += y
    force[other][0] -= x
    force[other][1] -= y


def _fitted(at: dict[str, Place]) -> dict[str, Place]:
    """Spread over the picture, with room for names at its edges."""
    xs, ys = [place[0] for place in at.values()], [place[1] for place in at.values()]
    wide, tall = max(max(xs) - min(xs), 0.01), max(max(ys) - min(ys), 0.01)
    return {
        id_: [
            56 + (x - min(xs)) / wide * (SIZE - 112) if len(at) > 1 else SIZE / 2,
            24 + (y - min(ys)) / tall * (HEIGHT - 64) if len(at) > 1 else HEIGHT / 2,
        ]
        for id_, (x, y) in at.items()
    }
