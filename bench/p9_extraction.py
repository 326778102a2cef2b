"""P9: extraction by rules through Graphiti, as what is known grows.

A process of its own for each run: it extracts one episode after another, each as the log would
have it, and gives the CPU of bringing the index up to date and extracting. The fold that a read
model does in between is not counted. The reading is of marked lines: what the text of real
conversations costs to read is no part of it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final

from bench.clock import Times, cpu, peak_memory
from bench.context import Context
from bench.conversations import Conversations, read_marked
from bench.report import Row, shown

FEW, MANY = 7, 23
_BARS: Final = {FEW: 0.020, MANY: 0.050}
_GROWTH: Final = 1.5
_MEMORY: Final = 250
_MARKS: Final = (100, 1_000, 5_000)
_WINDOW: Final = 50
"""Episodes before a mark whose median is the figure there."""
_ROUNDS: Final = 3


def measure(context: Context) -> list[Row]:
    rows = []
    for facts in (FEW, MANY):
        rounds = [_run(facts, _MARKS[1]) for _ in range(min(context.rounds, _ROUNDS))]
        rows += _rows(facts, rounds)
    if not context.quick:
        far = _run(FEW, _MARKS[2])
        rows.append(
            Row(
                "P9",
                f"extracting an episode of {FEW} facts at {_MARKS[2]:,}",
                shown(_times([far], _MARKS[2])),
                sizes=f"{far['entities']:,} entities, {far['facts']:,} facts, {far['memory']:.0f} MB",
            )
        )
    return rows


def _rows(facts: int, rounds: Sequence[Any]) -> list[Row]:
    first, then = (_times(rounds, mark) for mark in _MARKS[:2])
    ratio = then.median / first.median
    memory = max(told["memory"] for told in rounds)
    sizes = f"{rounds[0]['entities']:,} entities, {rounds[0]['facts']:,} facts at {_MARKS[1]:,}"
    bar = _BARS[facts]
    return [
        Row(
            "P9",
            f"extracting an episode of {facts} facts at {_MARKS[0]}",
            shown(first),
            bar=f"≤ {bar * 1e3:.0f} ms",
            met=first.median <= bar,
        ),
        Row(
            "P9",
            f"extracting an episode of {facts} facts at {_MARKS[1]:,}",
            shown(then),
            ratio=f"{ratio:.2f}×",
            bar=f"≤ {_GROWTH}× that at {_MARKS[0]}",
            met=ratio <= _GROWTH,
            sizes=sizes,
        ),
        Row(
            "P9",
            f"memory of a process that extracted {_MARKS[1]:,} episodes of {facts} facts",
            f"{memory:.0f} MB",
            bar=f"≤ {_MEMORY} MB",
            met=memory <= _MEMORY,
        ),
    ]


def _times(rounds: Sequence[Any], mark: int) -> Times:
    return Times(
        [told["cpu"][str(mark)] for told in rounds],
        [told["wall"][str(mark)] for told in rounds],
    )


def _run(facts: int, episodes: int) -> Any:
    command = [sys.executable, "-m", "bench.p9_extraction", str(facts), str(episodes)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def extract(facts: int, episodes: int) -> dict[str, Any]:
    """Extract that many episodes and tell the medians at each mark passed."""
    import time

    from adapters.embeddings.hashed import HashedEmbedder
    from adapters.graph.extractor import GraphitiExtractor
    from tests.support.knowledge import FoldedKnowledge, KeptTexts, KeptVectors

    known = FoldedKnowledge()
    extractor = GraphitiExtractor(
        "bench", None, HashedEmbedder(), KeptVectors(), KeptTexts(), rules=read_marked
    )
    spent: list[tuple[float, float]] = []
    for text in Conversations(facts).episodes(episodes):
        began, cpu_began = time.perf_counter(), cpu()
        extractor.refresh(known)
        data = extractor.extract(text)
        spent.append((cpu() - cpu_began, time.perf_counter() - began))
        known.add(text, data)
    marks = [mark for mark in _MARKS if mark <= episodes]
    return {
        "cpu": {mark: statistics.median(each[0] for each in spent[mark - _WINDOW : mark]) for mark in marks},
        "wall": {mark: statistics.median(each[1] for each in spent[mark - _WINDOW : mark]) for mark in marks},
        "entities": len(known.entities),
        "facts": len(known.facts),
        "memory": peak_memory(),
    }


if __name__ == "__main__":
    print(json.dumps(extract(int(sys.argv[1]), int(sys.argv[2]))))
