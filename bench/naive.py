"""The naive way: keep a JSONL log, and to answer anything read and fold all of it again.

It reads the lines one by one, decodes with the standard library and folds with the same rules
edge has, only those that the question needs. Nothing in it is slow on purpose.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from adapters.eventlog.sqlite import SqliteEventLog
from edge.domain import chat, corpus, direction
from edge.domain.events import Event
from edge.domain.pendency import of_comment


def export(log: Path, target: Path) -> None:
    """The log as JSONL, an envelope a line."""
    with contextlib.closing(SqliteEventLog(log)) as source, target.open("w", encoding="utf-8") as lines:
        for event in source.read_all():
            lines.write(json.dumps(event.envelope(), ensure_ascii=False) + "\n")


def _events(path: Path) -> Iterator[Event]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Event(**json.loads(line))


def chats(path: Path) -> list[chat.Chat]:
    """Every chat, folded."""
    states: dict[str, chat.Chat] = {}
    for event in _events(path):
        if event.type.startswith("voz."):
            id_ = chat.text_of(event.data, "comment_id")
            if id_:
                states[id_] = chat.evolve(states.get(id_) or chat.initial(id_), event)
    return list(states.values())


def open_chats(path: Path) -> list[chat.Chat]:
    return [state for state in chats(path) if chat.state_of(state) != "closed"]


def actionable(path: Path) -> list[chat.Chat]:
    return [state for state in chats(path) if chat.is_actionable(state)]


def pending(path: Path) -> list[Any]:
    return [of_comment(state) for state in open_chats(path)]


def steers(path: Path) -> list[direction.Item]:
    items: dict[str, direction.Item] = {}
    for event in _events(path):
        for change in direction.changes(event):
            item = direction.evolve(items.get(change.id), change)
            if item is not None:
                items[change.id] = item
    return [item for item in items.values() if item["tier"] != "gone"]


def artefatos(path: Path) -> list[corpus.Artefato]:
    states: dict[str, corpus.Artefato] = {}
    for event in _events(path):
        slug = chat.text_of(event.data, "slug")
        if slug and event.type in ("artefato.published", "intent.kernel"):
            states[slug] = corpus.evolve(states.get(slug) or corpus.initial(slug), event)
    return [state for state in states.values() if state["position"]]


def briefing(path: Path) -> list[Any]:
    """What a Briefing shows of chats, Direction and corpus, from one pass (health is left out)."""
    open_: dict[str, chat.Chat] = {}
    items: dict[str, direction.Item] = {}
    slugs: dict[str, corpus.Artefato] = {}
    for event in _events(path):
        id_, slug = chat.text_of(event.data, "comment_id"), chat.text_of(event.data, "slug")
        if id_ and event.type.startswith("voz."):
            open_[id_] = chat.evolve(open_.get(id_) or chat.initial(id_), event)
        elif slug and event.type in ("artefato.published", "intent.kernel"):
            slugs[slug] = corpus.evolve(slugs.get(slug) or corpus.initial(slug), event)
        for change in direction.changes(event):
            item = direction.evolve(items.get(change.id), change)
            if item is not None:
                items[change.id] = item
    return [open_, items, slugs]


QUESTIONS: dict[str, Callable[[Path], Any]] = {
    "open chats": open_chats,
    "actionable chats": actionable,
    "pending brief": pending,
    "Direction": steers,
    "corpus": artefatos,
    "Briefing, nothing new": briefing,
}
