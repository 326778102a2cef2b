"""Activity as bars, a day each, stacked by kind."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Final

from markupsafe import Markup

from adapters.web.pictures.svg import element
from adapters.web.words import words_in
from edge.domain.language import Lang

KINDS: Final = ("voz", "reply", "artefato", "direction", "episode")
WIDTH: Final = 480.0
HEIGHT: Final = 150.0
BELOW: Final = 18.0
LEFT: Final = 26.0


def activity(days: dict[date, Counter[str]], lang: Lang) -> Markup:
    """The bars, with the height of the highest said at the side and the weeks below."""
    t = words_in(lang)
    most = max(1, *(sum(counted.values()) for counted in days.values()))
    step = (WIDTH - LEFT) / len(days)
    parts = [
        element("line", x1=LEFT, x2=WIDTH, y1=HEIGHT - BELOW, y2=HEIGHT - BELOW, class_="axis"),
        element("text", str(most), x=LEFT - 6, y=14, text_anchor="end"),
        element("text", "0", x=LEFT - 6, y=HEIGHT - BELOW, text_anchor="end"),
    ]
    for n, (day, counted) in enumerate(days.items()):
        x, y = LEFT + n * step, HEIGHT - BELOW
        bars = []
        for kind in KINDS:
            tall = counted[kind] / most * (HEIGHT - BELOW - 8)
            if tall:
                y -= tall
                bars.append(
                    element(
                        "rect", x=x + step * 0.12, y=y, width=step * 0.76, height=tall, class_=f"k-{kind}"
                    )
                )
        said = ", ".join(f"{t(f'activity:{kind}')} {counted[kind]}" for kind in KINDS if counted[kind])
        if bars:
            parts.append(element("g", element("title", f"{day.isoformat()}: {said}"), *bars))
        if day.weekday() == 0 and x < WIDTH - 40:
            parts.append(element("text", f"{day.day}/{day.month}", x=x, y=HEIGHT - 3))
    return element(
        "svg", *parts, viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}", class_="picture", role="img",
        aria_labelledby="activity-text",
    )  # fmt: skip
