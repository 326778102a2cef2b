"""Projects into Neo4j and is killed, at every step or at any moment.

A script, so that what dies is a process: ``python -m tests.crash.graph_projector URI PASSWORD PREFIX
SEED MODE ARGUMENT``. It forks a child a kill point, with a group of its own, while it has no
connection open. ``steps``: before the n-th call on the server, for every ARGUMENT-th n, until one
gets through (after a call is before the next, and what is not committed does not count);
``moments``: after ARGUMENT random times. Another child then projects what the killed one left
behind. It prints one line a group: the group, and whether it died.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any

import neo4j

from adapters.graph.neo4j import Curated, Neo4jGraph, pages
from tests.support.known import MemoryKnown, MemoryVectors, Speaker, WordEmbedder

CURATED = (Curated("k1", "Reports name their sources", "2026-11-02T10:00:00Z"),)
LONGEST = 1.5


class Work:
    """A base that was projected, then what the kill falls into: more of it, or a rebuild."""

    def __init__(self, uri: str, password: str, group: str, seed: int) -> None:
        self.group = group
        self._opened = (uri, password, group)
        self._seed = seed
        pages.ROWS = 25  # type: ignore[misc]  # several pages

    def base(self) -> None:
        known = MemoryKnown()
        Speaker(self._seed).speak(6, known)
        with closing(self._graph()) as graph:
            graph.project(known)

    def whole(self) -> None:
        known, speaker = MemoryKnown(), Speaker(self._seed)
        speaker.speak(6, known)
        for _ in range(8):
            speaker.disturb(known)
        with closing(self._graph()) as graph:
            if self._seed % 2:
                graph.rebuild(known, CURATED)
            else:
                graph.project(known, CURATED)

    def resume(self) -> None:
        known, speaker = MemoryKnown(), Speaker(self._seed)
        speaker.speak(6, known)
        for _ in range(8):
            speaker.disturb(known)
        with closing(self._graph()) as graph:
            graph.project(known, CURATED)

    def _graph(self) -> Neo4jGraph:
        return Neo4jGraph(*self._opened, WordEmbedder(), MemoryVectors(), log_id="a-log", lease=0)


def die_before(step: int) -> None:
    """Count what is asked of the server: statements, and whole transactions around them."""
    calls = 0

    def counting(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return counted

    for kind, name in ((neo4j.Session, "execute_write"), (neo4j.ManagedTransaction, "run")):
        setattr(kind, name, counting(getattr(kind, name)))


def in_child(work: Callable[[], None]) -> int:
    """Do it in a process of its own; its status as the system tells it."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return os.waitpid(child, 0)[1]


def main(uri: str, password: str, prefix: str, seed: str, mode: str, argument: str) -> None:
    chance = random.Random(int(seed))
    moments = [chance.uniform(0, LONGEST) for _ in range(int(argument))]
    number = 0
    while True:
        work = Work(uri, password, f"{prefix}_{number}", int(seed))
        assert in_child(work.base) == 0

        def killed(work: Work = work, number: int = number) -> None:
            if mode == "steps":
                die_before(1 + number * int(argument))
            else:
                signal.setitimer(signal.ITIMER_REAL, moments[number])  # SIGALRM, caught by nobody
            work.whole()

        status = in_child(killed)
        assert os.WIFSIGNALED(status) or status == 0, status
        assert in_child(work.resume) == 0
        sys.stdout.write(f"{prefix}_{number} {'whole' if status == 0 else 'killed'}\n")
        sys.stdout.flush()  # before the next fork: a child would say it again
        number += 1
        if (mode == "steps" and status == 0) or (mode == "moments" and number == int(argument)):
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
