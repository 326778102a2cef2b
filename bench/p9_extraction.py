"""P9: extraction by rules through Graphiti, as what is known grows.

A process of its own extracts one episode after another, as the log would have them. Then two
extractors, one that knows the first hundred episodes and one that knows all, extract in turn what
might have been said next, so that noise falls on both. The fold that a read model does in between
is not counted; nor is reading, for the lines are marked.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Collection
from typing import Any, Final

from bench.clock import Times, cpu, peak_memory
from bench.context import Context
from bench.conversations import Conversations, read_marked
from bench.report import Row, shown, span, times_over

FEW, MANY = 7, 23
_BARS: Final = {FEW: 0.020, MANY: 0.050}
_GROWTH: Final = 1.5
_MEMORY: Final = 250
_FIRST, _THEN, _FAR = 100, 1_000, 5_000
_EPISODES: Final = 12
"""Extracted by each a round; the median is the round's figure."""


def measure(context: Context) -> list[Row]:
    rows = []
    for facts in (FEW, MANY):
        rows += _rows(facts, _run(facts, _THEN, context.rounds))
    if not context.quick:
        told = _run(FEW, _FAR, context.rounds)
        rows.append(
            Row(
                "P9",
                f"extracting an episode of {FEW} facts at {_FAR:,}",
                shown(_times(told, _FAR)),
                ratio=f"{times_over(_times(told, _FAR), _times(told, _FIRST)):.2f}×",
                sizes=f"{told['entities']:,} entities, {told['facts']:,} facts, {told['memory']:.0f} MB",
            )
        )
    return rows


def _rows(facts: int, told: Any) -> list[Row]:
    first, then = _times(told, _FIRST), _times(told, _THEN)
    ratio, bar = times_over(then, first), _BARS[facts]
    return [
        Row(
            "P9",
            f"extracting an episode of {facts} facts at {_FIRST}",
            shown(first),
            bar=f"≤ {bar * 1e3:.0f} ms",
            met=first.least <= bar,
        ),
        Row(
            "P9",
            f"extracting an episode of {facts} facts at {_THEN:,}",
            shown(then),
            ratio=f"{ratio:.2f}×",
            bar=f"≤ {_GROWTH}× that at {_FIRST}",
            met=ratio <= _GROWTH,
            sizes=f"{told['entities']:,} entities, {told['facts']:,} facts;"
            f" taking an episode in {span(told['refresh'])}",
        ),
        Row(
            "P9",
            f"memory of a process that extracted {_THEN:,} episodes of {facts} facts",
            f"{told['memory']:.0f} MB",
            bar=f"≤ {_MEMORY} MB",
            met=told["memory"] <= _MEMORY,
        ),
    ]


def _times(told: Any, mark: int) -> Times:
    return Times(told["cpu"][str(mark)], told["wall"][str(mark)])


def _run(facts: int, episodes: int, rounds: int) -> Any:
    command = [sys.executable, "-m", "bench.p9_extraction", str(facts), str(episodes), str(rounds)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


class _OnDisk:
    """Where vectors go that are kept in a file: not into the memory that is measured."""

    def vectors(self, embedder: str, owners: Collection[str]) -> dict[str, bytes]:
        return {}

    def put_vectors(self, embedder: str, vectors: dict[str, bytes]) -> None:
        """Gone to the file."""


def extract(facts: int, episodes: int, rounds: int) -> dict[str, Any]:
    """Extract that many episodes, then measure at the hundredth and at the last."""
    from adapters.embeddings.hashed import HashedEmbedder
    from adapters.graph.extractor import GraphitiExtractor
    from tests.support.knowledge import FoldedKnowledge, KeptTexts

    def fresh() -> GraphitiExtractor:
        return GraphitiExtractor("bench", None, HashedEmbedder(), _OnDisk(), KeptTexts(), rules=read_marked)

    talk, known, early, whole = Conversations(facts), FoldedKnowledge(), FoldedKnowledge(), fresh()
    refreshed: list[float] = []
    for nth, text in enumerate(talk.episodes(episodes)):
        if nth == _FIRST:
            at_first = talk.fork(0)
        data = whole.extract(text)
        known.add(text, data)
        if nth < _FIRST:
            early.add(text, data)
        began = cpu()
        whole.refresh(known)
        refreshed.append(cpu() - began)
    told: dict[str, Any] = {
        "memory": peak_memory(),
        "refresh": statistics.median(refreshed[-50:]),
        "entities": len(known.entities),
        "facts": len(known.facts),
    }
    small = fresh()
    small.refresh(early)
    places = {_FIRST: (small, at_first), episodes: (whole, talk)}
    spent: dict[int, list[tuple[float, float]]] = {mark: [] for mark in places}
    for turn in range(rounds + 1):
        heard = {mark: list(said.fork(turn).episodes(_EPISODES)) for mark, (_, said) in places.items()}
        each: dict[int, list[tuple[float, float]]] = {mark: [] for mark in places}
        for nth in range(_EPISODES):
            for mark, (extractor, _) in places.items():
                began, wall = cpu(), time.perf_counter()
                extractor.extract(heard[mark][nth])
                each[mark].append((cpu() - began, time.perf_counter() - wall))
        if turn:  # what the first round warms is left out
            for mark, taken in each.items():
                spent[mark].append(
                    (statistics.median(one for one, _ in taken), statistics.median(two for _, two in taken))
                )
    for place, name in enumerate(("cpu", "wall")):
        told[name] = {mark: [pair[place] for pair in taken] for mark, taken in spent.items()}
    return told


if __name__ == "__main__":
    print(json.dumps(extract(*(int(argument) for argument in sys.argv[1:4]))))
