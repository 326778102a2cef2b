"""Read models of Voz: chats with their questions, and votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import apsw

from edge.domain import pendency
from edge.domain.chat import Chat, evolve, initial, is_actionable, state_of, text_of
from edge.domain.events import Event
from projections.documents import Documents
from projections.model import ReadModel


class Chats(ReadModel):
    """One row a chat; open ones are found by index, however many are closed."""

    NAME = "chats"
    VERSION = 3
    REFOLDED_AFTER = frozenset(("voz.forgotten",))
    TYPES = frozenset(
        ("voz.comment", "voz.reply", "voz.clarify", "voz.clarify_answer", "voz.resolved", "voz.disposition")
    )
    TABLES: ClassVar[dict[str, str]] = {
        "chats": """
            CREATE TABLE chats (
                comment_id TEXT PRIMARY KEY, position INTEGER NOT NULL, state TEXT NOT NULL,
                actionable INTEGER NOT NULL, naked INTEGER NOT NULL, target_ref TEXT, doc TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX chats_position ON chats (position);
            CREATE INDEX chats_open ON chats (position, actionable, naked, state)
                WHERE state != 'closed' AND position > 0;
            CREATE INDEX chats_target ON chats (target_ref, position) WHERE target_ref IS NOT NULL;
        """,
        "questions": """
            CREATE TABLE questions (clarify_id TEXT PRIMARY KEY, comment_id TEXT NOT NULL) WITHOUT ROWID;
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._chats: Documents[Chat] = Documents(
            connection,
            "chats",
            "comment_id",
            ("position", "state", "actionable", "naked", "target_ref"),
            lambda c: (
                c["position"],
                state_of(c),
                is_actionable(c),
                pendency.is_naked(pendency.of_comment(c)),
                c["target_ref"],
            ),
        )
        self._questions: list[tuple[str, str]] = []

    def expect(self, events: Sequence[Event]) -> None:
        self._chats.expect({text_of(event.data, "comment_id") for event in events})

    def apply(self, event: Event) -> None:
        comment_id = text_of(event.data, "comment_id")
        if not comment_id:
            return
        self._chats.put(comment_id, evolve(self._chats.get(comment_id) or initial(comment_id), event))
        if event.type == "voz.clarify" and (clarify_id := text_of(event.data, "clarify_id")):
            self._questions.append((clarify_id, comment_id))

    def flush(self) -> None:
        self._chats.flush()
        self.connection.executemany("INSERT OR IGNORE INTO questions VALUES (?, ?)", self._questions)
        self._questions.clear()

    def discard(self) -> None:
        self._chats.discard()
        self._questions.clear()


class Votes(ReadModel):
    """One row a vote act, and whether its receipt is still owed."""

    NAME = "votes"
    VERSION = 1
    REFOLDED_AFTER = frozenset(("voz.forgotten",))
    TYPES = frozenset(("voz.vote", "voz.disposition"))
    TABLES: ClassVar[dict[str, str]] = {
        "votes": """
            CREATE TABLE votes (
                vote_id TEXT PRIMARY KEY, position INTEGER NOT NULL, open INTEGER NOT NULL,
                naked INTEGER NOT NULL, slug TEXT, doc TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX votes_open ON votes (position, naked) WHERE open AND position > 0;
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._votes: Documents[pendency.Act] = Documents(
            connection,
            "votes",
            "vote_id",
            ("position", "open", "naked", "slug"),
            lambda a: (a["position"], a["open"], pendency.is_naked(a), a["target"]),
        )

    def expect(self, events: Sequence[Event]) -> None:
        self._votes.expect({vote_id for event in events if (vote_id := pendency.vote_of(event))})

    def apply(self, event: Event) -> None:
        vote_id = pendency.vote_of(event)
        if vote_id:
            act = self._votes.get(vote_id) or pendency.initial_vote(vote_id)
            self._votes.put(vote_id, pendency.evolve_vote(act, event))

    def flush(self) -> None:
        self._votes.flush()

    def discard(self) -> None:
        self._votes.discard()
