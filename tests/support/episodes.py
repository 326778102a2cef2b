"""Episodes in a notation that tests can read: ``Ana uses Redis``, ``! Ana uses Valkey``.

A line is a statement ``source relation target``; ``_`` in a name stands for a space, ``!`` before
it says that it was otherwise before, ``@2026-05-01`` after it dates it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from adapters.graph.reading import Named, Read, Related
from edge.domain.events import Data
from edge.ports_knowledge import EpisodeText

BEGAN = datetime(2026, 5, 1, 9, tzinfo=UTC)
_LINE = re.compile(r"(!)? ?(\S+) (\w+) (\S+)(?: @(\S+))?$")


def episode(number: int, *lines: str, hours: int | None = None) -> EpisodeText:
    """The episode of a number, said so many hours (by default its number) after :data:`BEGAN`."""
    at = BEGAN + timedelta(hours=number if hours is None else hours)
    turns = [
        {
            "id": f"turn-{nth}",
            "role": "operator" if nth % 2 == 0 else "assistant",
            "ts": at.isoformat(),
            "text": line,
        }
        for nth, line in enumerate(lines)
    ]
    return EpisodeText(
        f"00000000-0000-4000-8000-{number:012}", at, "session-1", "claude-code", "/home/op/x", tuple(turns)
    )


def statements(text: str) -> list[Related]:
    """The statements among the lines of a text."""
    found = []
    for line in text.split("\n"):
        match = _LINE.match(line.removeprefix("operator: ").removeprefix("assistant: "))
        if match:
            contradicts, source, relation, target, dated = match.groups()
            source, target = source.replace("_", " "), target.replace("_", " ")
            said = f"{source} {relation} {target}"
            found.append(Related(source, relation, target, said, dated, bool(contradicts)))
    return found


def read_lines(turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None) -> Read:
    """A reader of the notation, in place of the rules' own."""
    found = statements("\n".join(turn["text"] for turn in turns))
    names = dict.fromkeys(name for related in found for name in (related.source, related.target))
    gist = turns[0]["text"] if turns else ""
    return Read(tuple(Named(name, "Concept") for name in names), tuple(found), gist)
