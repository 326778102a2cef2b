"""Artefatos and sessions of an invented operator, and which of them belong together.

The sessions are read by the rule extraction, as a sweep without a model does it, and related by
the Recap itself: what is measured is what a Briefing shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, cast
from unittest.mock import patch

from adapters.graph.reading import read
from edge import recap
from edge.domain.corpus import Artefato
from edge.domain.events import Data
from edge.ports import Queries, RecentEpisode

HERE: Final = Path(__file__).parent
NOW: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
Pair = tuple[str, str]
"""An artefato's slug and a session's name."""


class Told(NamedTuple):
    """One text of the set: an artefato with its body, or a session as extraction tells of it."""

    name: str
    lang: str
    what: Any


class Set(NamedTuple):
    artefatos: list[Told]
    sessions: list[Told]
    related: frozenset[Pair]

    def across(self, pair: Pair) -> bool:
        """Whether the two are in different languages."""
        langs = {told.name: told.lang for told in (*self.artefatos, *self.sessions)}
        return langs[pair[0]] != langs[pair[1]]


@cache
def whole() -> Set:
    """All artefatos and sessions, in the order they are written down in."""
    artefatos = [_artefato(head, body) for head, body in _parts("artefatos.md")]
    sessions, related = [], set[Pair]()
    for head, body in _parts("sessions.md"):
        told, _, about = head.partition(":")
        session = _session(told, body)
        sessions.append(session)
        related |= {(slug, session.name) for slug in re.findall(r"[\w-]+", about)}
    return Set(artefatos, sessions, frozenset(related))


def found(artefatos: Sequence[Told], sessions: Sequence[Told], threshold: float) -> set[Pair]:
    """The pairs the Recap shows of these artefatos in a window of these sessions."""
    episodes = {told.name: cast("RecentEpisode", told.what) for told in sessions}
    bodies = {told.name: told.what[1] for told in artefatos}
    queries = SimpleNamespace(
        artefatos=lambda last: [told.what[0] for told in artefatos],
        artefato_body=bodies.get,
        recent_episodes=lambda since, limit: [(name, 1) for name in episodes],
        told_of=lambda ids: [episodes[id_] for id_ in ids],
        noted=lambda name: None,
    )
    with patch.object(recap, "ALIKE", threshold):
        related = recap.relations(cast("Queries", queries), NOW).episodes
    return {(slug, name) for slug, names in related.items() for name in names}


def _parts(file: str) -> Iterator[tuple[str, str]]:
    for part in (HERE / file).read_text("utf-8").split("\n## ")[1:]:
        head, _, body = part.partition("\n")
        yield head.strip(), body.strip()


def _artefato(head: str, text: str) -> Told:
    slug, lang = head.split()
    fields, _, body = text.partition("\n\n")
    told = dict(line.split(": ", 1) for line in fields.splitlines())
    title, _, why = told["proposes"].partition(" | ")
    artefato = {
        "slug": slug,
        "title": told["title"],
        "intent": told["intent"],
        "distills": told["distills"].split(" | "),
        "proposes": [{"title": title, "body": why, "kind": "thread"}],
        "event": slug,
        "kernel_event": f"{slug}-why",
    }
    return Told(slug, lang, (cast("Artefato", artefato), body))


def _session(head: str, text: str) -> Told:
    name, lang, project = head.split()
    roles = {">": "operator", "<": "assistant"}
    turns: list[Data] = [
        {"id": f"{name}-{n}", "role": roles[line[0]], "text": line[2:], "ts": "2026-11-20T09:00:00Z"}
        for n, line in enumerate(text.splitlines())
    ]
    said = read(turns, lambda _: None, f"/home/op/{project}")
    names = [named.name for named in said.names]
    episode = RecentEpisode(
        name, "2026-11-20T09:00:00Z", name, f"/home/op/{project}", said.gist, names, [name]
    )
    return Told(name, lang, episode)
