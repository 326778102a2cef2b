"""P1: what is asked many times a day, in process, while history grows and what is open does not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import days, naive
from bench.clock import Contender, Times, timed
from bench.context import Context, size_name
from bench.report import Row, shown, span, times_over
from edge.cli.voz import owed
from edge.wiring import Edge

ASKED = 20
"""Times a question is asked in one round. Each first looks whether the log has anything new."""
NAIVE_AT = 100_000

QUESTIONS: dict[str, Callable[[Edge], Any]] = {
    "open chats": lambda edge: list(edge.current().chats("open")),
    "actionable chats": lambda edge: list(edge.current().chats("actionable")),
    "pending brief": lambda edge: owed(edge.current()),
    "Direction": lambda edge: edge.current().items(),
    "corpus": lambda edge: edge.current().artefatos(),
    "Briefing, nothing new": lambda edge: edge.briefing(),
}


def measure(context: Context) -> list[Row]:
    by_size = _asked(context)
    jsonl = context.memory / "naive.jsonl"
    naive.export(context.histories.home(NAIVE_AT) / "log.db", jsonl)
    slow = timed(
        [Contender(name, _on(question, jsonl)) for name, question in naive.QUESTIONS.items()],
        rounds=max(1, context.rounds // 2),
    )
    jsonl.unlink()
    rows = []
    for name in QUESTIONS:
        rows += _rows(context, name, {size: times[name] for size, times in by_size.items()}, slow[name])
    return rows


def _asked(context: Context) -> dict[int, dict[str, Times]]:
    """Every question at every size, the sizes in turn."""
    with contextlib.ExitStack() as stack:
        edges: dict[int, Edge] = {}
        for size in context.sizes:
            edge = Edge.at_home(context.histories.home(size))
            edges[size] = stack.enter_context(contextlib.closing(edge))
            _check(edge)
        contenders = [
            Contender(f"{name} {size}", _repeated(question, edge), units=ASKED)
            for name, question in QUESTIONS.items()
            for size, edge in edges.items()
        ]
        times = timed(contenders, context.rounds)
    return {size: {name: times[f"{name} {size}"] for name in QUESTIONS} for size in context.sizes}


def _check(edge: Edge) -> None:
    """What is open must be the same at every size, or flatness says nothing."""
    found = [len(QUESTIONS[name](edge)) for name in ("open chats", "Direction", "corpus")]
    assert found == [days.OPEN_CHATS, days.STEERS, days.ARTEFATOS], f"the history holds {found}"


def _repeated(question: Callable[[Edge], Any], edge: Edge) -> Callable[[Any], None]:
    def run(_prepared: Any) -> None:
        for _ in range(ASKED):
            question(edge)

    return run


def _on(question: Callable[[Path], Any], path: Path) -> Callable[[Any], Any]:
    return lambda _prepared: question(path)


def _rows(context: Context, name: str, by_size: dict[int, Times], slow: Times) -> list[Row]:
    small, large = by_size[context.sizes[0]], by_size[context.largest]
    flat, slower = times_over(large, small), slow.least / by_size[NAIVE_AT].least
    return [
        Row(
            "P1",
            f"{name}: flat",
            " · ".join(f"{size_name(size)}: {span(times.least)}" for size, times in by_size.items()),
            ratio=f"{flat:.2f}",
            bar=f"{size_name(context.largest)} ≤ 1.5 × 1k",
            met=flat <= 1.5,
            sizes=f"{days.OPEN_CHATS} open chats, {days.STEERS} steers, {days.ARTEFATOS} artefatos",
        ),
        Row(
            "P1",
            f"{name}: against reading and folding a JSONL log again",
            shown(by_size[NAIVE_AT]),
            peer=f"{shown(slow)}, {span(slow.least / NAIVE_AT)} an event",
            ratio=f"{slower:,.0f}× slower",
            bar="≥ 300×",
            met=slower >= 300,
            sizes=size_name(NAIVE_AT),
        ),
    ]
