"""What the read models answer: the :class:`~edge.ports.Queries` port over one read store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from edge.domain.chat import Chat
from edge.domain.corpus import Artefato, Breadcrumb
from edge.domain.direction import Item
from edge.domain.dispatch import Dispatch
from edge.domain.grill import Run
from edge.domain.pendency import Act, ActKind, of_comment
from edge.domain.sources import Ranked
from edge.domain.steer_history import Move
from edge.ports import Counts, EpisodeCounts, IdKind, Place, Presentation, RecentEpisode, Which
from projections import corpus, recent
from projections.episodes import counts as episode_counts
from projections.knowledge_queries import KnowledgeQueries
from projections.moves import MOVE, moves_in
from projections.source_queries import by_rank, of_ref
from projections.store import ReadStore

if TYPE_CHECKING:
    from projections.clusters import Clusters

Doc = TypeVar("Doc")

_IDS: Final[dict[IdKind, str]] = {
    "comment": "SELECT comment_id FROM chats WHERE position > 0 AND comment_id",
    "vote": "SELECT vote_id FROM votes WHERE position > 0 AND vote_id",
    "clarify": "SELECT clarify_id FROM questions WHERE clarify_id",
    "direction": "SELECT id FROM direction WHERE id",
    "artefato": "SELECT slug FROM artefatos WHERE first > 0 AND slug",
    "run": "SELECT run_id FROM runs WHERE run_id",
    "dispatch": "SELECT dispatch_id FROM dispatches WHERE dispatch_id",
    "knowledge": "SELECT id FROM (SELECT id FROM knowledge_facts UNION SELECT id FROM knowledge_entities"
    " UNION SELECT id FROM knowledge_curations) WHERE id",
}
WHICH: Final[dict[Which, str]] = {
    "all": "position > 0",
    "open": "state != 'closed' AND position > 0",
    "parked": "state = 'parked' AND state != 'closed' AND position > 0",
    "actionable": "actionable AND state != 'closed' AND position > 0",
    "closed": "state = 'closed' AND position > 0",
}


class ReadModels:
    """Queries over a store whose models stand at one position."""

    def __init__(self, store: ReadStore) -> None:
        self.store = store
        self._connection = store.connection

    def _one(self, sql: str, *bindings: Any) -> Any:
        row = self._connection.execute(sql, bindings).fetchone()
        return None if row is None else row[0]

    def _docs(self, sql: str, *bindings: Any) -> Iterator[Any]:
        for row in self._connection.execute(sql, bindings):
            yield json.loads(cast("str", row[0]))

    def _doc(self, sql: str, *bindings: Any) -> Any:
        return next(self._docs(sql, *bindings), None)

    @cached_property
    def knowledge(self) -> KnowledgeQueries:
        return KnowledgeQueries(self._connection)

    def position(self) -> int:
        return self.store.position()

    def snapshot(self) -> AbstractContextManager[None]:
        return self.store.snapshot()

    def matching(self, kind: IdKind, prefix: str) -> list[str]:
        select = _IDS[kind]
        if self._one(f"{select} = ?", prefix) is not None:
            return [prefix]
        rows = self._connection.execute(f"{select} BETWEEN ? AND ? LIMIT 3", (prefix, prefix + "\U0010ffff"))
        return [cast("str", row[0]) for row in rows] if prefix else []

    # -- Voz --------------------------------------------------------------------------------

    def chats(self, which: Which = "all", target: str | None = None) -> Iterator[Chat]:
        if target is not None:
            where = f"{WHICH[which]} AND target_ref = ?"
            return self._docs(f"SELECT doc FROM chats WHERE {where} ORDER BY position", target)
        return self._docs(f"SELECT doc FROM chats WHERE {WHICH[which]} ORDER BY position")

    def chat(self, comment_id: str) -> Chat | None:
        return cast("Chat | None", self._doc("SELECT doc FROM chats WHERE comment_id = ?", comment_id))

    def chat_of_question(self, clarify_id: str) -> str | None:
        return cast(
            "str | None", self._one("SELECT comment_id FROM questions WHERE clarify_id = ?", clarify_id)
        )

    def act(self, kind: ActKind, act: str) -> Act | None:
        if kind == "comment":
            chat = self.chat(act)
            return of_comment(chat) if chat and chat["position"] else None
        vote = cast("Act | None", self._doc("SELECT doc FROM votes WHERE vote_id = ?", act))
        return vote if vote and vote["position"] else None

    def open_acts(self, kind: ActKind, *, naked: bool = False, limit: int | None = None) -> list[Act]:
        only = " AND naked" if naked else ""
        most = "" if limit is None else f" LIMIT {int(limit)}"
        if kind == "comment":
            sql = f"SELECT doc FROM chats WHERE {WHICH['open']}{only} ORDER BY position{most}"
            return [of_comment(chat) for chat in self._docs(sql)]
        return list(
            self._docs(f"SELECT doc FROM votes WHERE open AND position > 0{only} ORDER BY position{most}")
        )

    def counts(self) -> Counts:
        chats = self._connection.execute(
            "SELECT count(*), total(actionable), total(state = 'parked'), total(naked) FROM chats"
            f" WHERE {WHICH['open']}"
        ).fetchone()
        votes = self._connection.execute(
            "SELECT count(*), total(naked) FROM votes WHERE open AND position > 0"
        ).fetchone()
        chats, votes = cast("tuple[int, ...]", chats), cast("tuple[int, ...]", votes)
        return Counts(chats[0], int(chats[1]), int(chats[2]), votes[0], int(chats[3]) + int(votes[1]))

    def backlog(self, cursor: int) -> int:
        sql = f"SELECT count(*) FROM chats WHERE {WHICH['actionable']} AND position <= ?"
        return cast("int", self._one(sql, cursor))

    # -- Direction and corpus ---------------------------------------------------------------

    def items(self) -> list[Item]:
        return list(self._docs("SELECT doc FROM direction WHERE tier != 'gone' ORDER BY first, place"))

    def item(self, direction_id: str) -> Item | None:
        return cast("Item | None", self._doc("SELECT doc FROM direction WHERE id = ?", direction_id))

    def moves_of(self, direction_id: str) -> list[Move]:
        sql = f"{MOVE} WHERE id = ? ORDER BY position, place"
        return moves_in(self._connection.execute(sql, (direction_id,)))

    def direction_touched(self) -> bool:
        return self._one("SELECT 1 FROM direction_touched") is not None

    def artefatos(self, last: int | None = None) -> list[Artefato]:
        if last is None:
            return list(self._docs("SELECT doc FROM artefatos WHERE first > 0 ORDER BY first"))
        sql = "SELECT doc FROM artefatos WHERE first > 0 ORDER BY first DESC LIMIT ?"
        return list(self._docs(sql, last))[::-1]

    def artefato(self, slug: str) -> Artefato | None:
        sql = "SELECT doc FROM artefatos WHERE slug = ? AND first > 0"
        return cast("Artefato | None", self._doc(sql, slug))

    def artefato_body(self, slug: str) -> str | None:
        return cast("str | None", self._one("SELECT body FROM artefato_bodies WHERE slug = ?", slug))

    def vote_on(self, slug: str) -> int:
        return cast("int", self._one("SELECT value FROM artefato_votes WHERE slug = ?", slug) or 0)

    def open_chats_on(self, slug: str) -> int:
        sql = "SELECT count(*) FROM chats WHERE target_ref = ? AND state != 'closed' AND position > 0"
        return cast("int", self._one(sql, slug))

    def sources(self, now: datetime, limit: int | None = None) -> list[Ranked]:
        return list(by_rank(self._connection, now, limit))

    def source(self, ref: str, now: datetime) -> Ranked | None:
        return of_ref(self._connection, ref, now)

    def breadcrumb(self) -> Breadcrumb | None:
        return corpus.breadcrumb(self._connection)

    def recent_episodes(self, since: str, limit: int) -> list[tuple[str, int]]:
        return recent.said_since(self._connection, since, limit)

    def count_of_recent_episodes(self, since: str, limit: int) -> int:
        return recent.count_since(self._connection, since, limit)

    def episode_place(self, episode: str) -> Place | None:
        return recent.place(self._connection, episode)

    def episodes_naming(self, entity: str, limit: int) -> tuple[list[str], int]:
        return recent.naming(self._connection, entity, limit)

    def told_of(self, episodes: Sequence[str]) -> list[RecentEpisode]:
        return recent.told_of(self._connection, episodes)

    # -- runs and dispatches ----------------------------------------------------------------

    def run(self, run_id: str) -> Run | None:
        return cast("Run | None", self._doc("SELECT doc FROM runs WHERE run_id = ?", run_id))

    def open_runs(self) -> list[str]:
        rows = self._connection.execute("SELECT run_id FROM runs WHERE state = 'open' ORDER BY position")
        return [cast("str", row[0]) for row in rows]

    def last_run(self, *, finished: bool = False) -> Run | None:
        where = "WHERE state = 'finished' " if finished else ""
        sql = f"SELECT doc FROM runs {where}ORDER BY position DESC LIMIT 1"
        return cast("Run | None", self._doc(sql))

    def dispatch(self, dispatch_id: str) -> Dispatch | None:
        sql = "SELECT doc FROM dispatches WHERE dispatch_id = ?"
        return cast("Dispatch | None", self._doc(sql, dispatch_id))

    def open_dispatches(self) -> list[str]:
        sql = "SELECT dispatch_id FROM dispatches WHERE state = 'open' ORDER BY position"
        return [cast("str", row[0]) for row in self._connection.execute(sql)]

    def presentation(self, position: int) -> Presentation | None:
        row = self._connection.execute(
            "SELECT position, cursor, dispatch_id, doc FROM presentations"
            " WHERE position = ?1 OR cursor = ?1 ORDER BY position DESC LIMIT 1",
            (position,),
        ).fetchone()
        if row is None:
            return None
        at, cursor, dispatch_id, doc = cast("tuple[int, int, str, str]", row)
        shown = json.loads(doc)
        return Presentation(at, cursor, dispatch_id, shown["text"], shown["items"])

    # -- health -----------------------------------------------------------------------------

    def errors(self) -> list[tuple[str, str]]:
        execute = self._connection.execute
        found = [
            *execute("SELECT kind, comment_id FROM health_errors ORDER BY position, comment_id"),
            *execute("SELECT 'direction-conflict', id FROM direction WHERE conflict ORDER BY first"),
            *execute("SELECT 'kernel-debt', slug FROM artefatos WHERE debt ORDER BY first"),
            *execute("SELECT 'quarantined-event', event_id FROM quarantine ORDER BY position"),
        ]
        return cast("list[tuple[str, str]]", found)

    def episodes(self) -> EpisodeCounts:
        return episode_counts(self._connection)

    def clusters(self) -> Clusters:
        from projections.clusters import Clusters

        return Clusters(self.store)

    def noted(self, name: str) -> str | None:
        return self.store.noted(name)

    def note(self, name: str, value: str) -> None:
        self.store.note(name, value)
