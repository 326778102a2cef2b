"""What a home holds when processes begin to die in copies of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from edge.wiring import Edge
from tests.crash.installs import ENVIRON, ask, install, opened
from tests.support.memories import Memories, present_sessions, with_memories
from tests.support.sessions import TALKS, write_talks


@contextmanager
def made(home: Path) -> Iterator[Edge]:
    """A new install, opened as those that die in it will be."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRON.items():
            patch.setenv(name, value)
        install(home)
        with opened(home) as edge:
            yield edge


def with_a_plan(home: Path) -> None:
    """Two chats loaded by a run, a plan for it, and a dispatch open to publish in."""
    with made(home) as edge:
        folds = edge.voz.comment("Testes primeiro, sempre").id
        replies = edge.voz.comment("Qual é o prazo?").id
        started = edge.grill.start("attended", 8, 12_000)
        later = edge.voz.comment("E o custo?").id
        dispatch = edge.dispatches.open(
            "report", None, "operator", lambda _: None, lambda _: None, edge.briefing
        )
    entries: list[dict[str, Any]] = [
        {"comment_id": folds, "decision": "fold", "reply": "Feito", "steer": {"title": "Testes primeiro"}},
        {"comment_id": replies, "decision": "reply", "reply": "Sexta"},
    ]
    plan = {"chats": [{**entry, "ambiguous": False, "evidence": ["x"]} for entry in entries]}
    artefato = {"slug": "study", "title": "Study", "body": "# Study"}
    ask(
        home,
        {
            "run": started.run["run_id"],
            "plan": plan,
            "chats": [folds, replies],
            "dispatch": dispatch.dispatch_id,
            "intent": "to answer what it costs",
            "artefato": artefato,
            "answered": {later: "study"},
        },
    )


def with_sessions_to_sweep(home: Path) -> None:
    with made(home) as edge:
        write_talks(Path(edge.settings.root or ""))
    ask(home, {})


def with_episodes_to_extract(home: Path) -> None:
    with made(home) as edge:
        write_talks(Path(edge.settings.root or ""))
        assert edge.sweep()["episodes"] == len(TALKS)
    ask(home, {})


def with_much_to_forget(home: Path) -> Memories:
    with made(home) as edge:
        given = with_memories(edge)
        present_sessions(edge)
        edge.current()
    return given
