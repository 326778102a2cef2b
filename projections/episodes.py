"""Read model of episodes: every turn counted once, where each stream's cursor stands, what waits.

Text stays in the log: here are the keys that make a later turn a copy, and one row an episode.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, ClassVar, Final, cast

import apsw

from edge.domain.chat import text_of
from edge.domain.episodes import (
    CAPTURED,
    FORGOTTEN,
    RECLASSIFIED,
    Range,
    StreamState,
    counted,
    covers,
    evolve_stream,
    turn_keys,
)
from edge.domain.events import Event
from edge.ports import EpisodeCounts
from projections.model import ReadModel

EXTRACTED: Final = "episode.extracted"


class Episodes(ReadModel):
    """Writes its rows as events come: few events concern it, and each but once."""

    NAME = "episodes"
    VERSION = 1
    TYPES = frozenset((CAPTURED, RECLASSIFIED, FORGOTTEN, EXTRACTED))
    TABLES: ClassVar[dict[str, str]] = {
        "episodes": """
            CREATE TABLE episodes (
                position INTEGER PRIMARY KEY, id TEXT NOT NULL, stream TEXT NOT NULL, session TEXT NOT NULL,
                surface TEXT NOT NULL, project TEXT, at TEXT NOT NULL, "from" INTEGER NOT NULL,
                "to" INTEGER NOT NULL, presence TEXT NOT NULL, turns INTEGER NOT NULL,
                extracted INTEGER NOT NULL
            );
            CREATE UNIQUE INDEX episodes_id ON episodes (id);
            CREATE INDEX episodes_stream ON episodes (stream);
        """,
        "episode_turns": """
            CREATE TABLE episode_turns (key TEXT PRIMARY KEY) WITHOUT ROWID;
        """,
        "episode_streams": """
            CREATE TABLE episode_streams (stream TEXT PRIMARY KEY, doc TEXT NOT NULL) WITHOUT ROWID;
        """,
        "episode_counts": """
            CREATE TABLE episode_counts (one INTEGER PRIMARY KEY, captured INTEGER, waiting INTEGER);
        """,
    }

    def apply(self, event: Event) -> None:
        if event.type == EXTRACTED:
            self._change("extracted = 1", "id = ?", text_of(event.data, "episode"))
            return
        state = stream_state(self.connection, event.stream) or StreamState()
        self._put_stream(event.stream, evolve_stream(state, event))
        if event.type == CAPTURED:
            self._capture(event)
        elif event.type == RECLASSIFIED:
            self._reclassify(event)
        else:
            self._forget(event)

    def _put_stream(self, stream: str, state: StreamState) -> None:
        self.connection.execute(
            "INSERT OR REPLACE INTO episode_streams VALUES (?, ?)", (stream, json.dumps(state))
        )

    def _capture(self, event: Event) -> None:
        data = event.data
        turns = counted(data["turns"], self._is_known)
        keys = [(key,) for turn in data["turns"] for key in turn_keys(turn)]
        self.connection.executemany("INSERT OR IGNORE INTO episode_turns VALUES (?)", keys)
        row = (
            *(event.position, event.id, event.stream, data["session"], data["surface"], data.get("project")),
            *(event.recorded_at, data["from"], data["to"], data["presence"], len(turns), 0),
        )
        self.connection.execute(f"INSERT INTO episodes VALUES ({', '.join('?' * len(row))})", row)
        self._count("position = ?", event.position, +1)

    def _is_known(self, key: str) -> bool:
        return bool(known(self.connection, (key,)))

    def _reclassify(self, event: Event) -> None:
        data = event.data
        told = Range(data["from"], data["to"], data["presence"])
        rows = self.connection.execute(
            'SELECT position, "from", "to", presence FROM episodes WHERE stream = ?', (event.stream,)
        )
        for position, from_, to, presence in cast("list[tuple[int, int, int, str]]", list(rows)):
            if covers(told, Range(from_, to, presence)):
                self._change(f"presence = '{_presence(told)}'", "position = ?", position)

    def _forget(self, event: Event) -> None:
        """The episodes go; the keys of their turns stay known, so that no copy revives them."""
        keys = [(key,) for key in event.data.get("keys") or ()]
        self.connection.executemany("INSERT OR IGNORE INTO episode_turns VALUES (?)", keys)
        self._count("stream = ?", event.stream, -1)
        self.connection.execute("DELETE FROM episodes WHERE stream = ?", (event.stream,))

    def _change(self, what: str, where: str, binding: Any) -> None:
        """Change some rows, and the counts with them."""
        self._count(where, binding, -1)
        self.connection.execute(f"UPDATE episodes SET {what} WHERE {where}", (binding,))
        self._count(where, binding, +1)

    def _count(self, where: str, binding: Any, sign: int) -> None:
        row = self.connection.execute(
            "SELECT total(presence != 'absent' AND turns > 0),"
            f" total(presence != 'absent' AND turns > 0 AND NOT extracted) FROM episodes WHERE {where}",
            (binding,),
        ).fetchone()
        captured, waiting = cast("tuple[float, float]", row)
        self.connection.execute(
            "INSERT INTO episode_counts VALUES (1, ?1, ?2) ON CONFLICT (one)"
            " DO UPDATE SET captured = captured + ?1, waiting = waiting + ?2",
            (sign * int(captured), sign * int(waiting)),
        )

    def flush(self) -> None:
        """Nothing is held back."""

    def discard(self) -> None:
        """Nothing is held back."""


def _presence(told: Range) -> str:
    if told.presence not in ("present", "unknown", "absent"):
        raise ValueError(f"no such presence: {told.presence!r}")
    return told.presence


def counts(connection: apsw.Connection) -> EpisodeCounts:
    row = connection.execute("SELECT captured, waiting FROM episode_counts").fetchone()
    return EpisodeCounts(*cast("tuple[int, int]", row)) if row else EpisodeCounts(0, 0)


def known(connection: apsw.Connection, keys: Collection[str]) -> set[str]:
    """Those of the keys that some captured or forgotten turn has."""
    found: set[str] = set()
    for key in keys:
        if connection.execute("SELECT 1 FROM episode_turns WHERE key = ?", (key,)).fetchone():
            found.add(key)
    return found


def stream_state(connection: apsw.Connection, stream: str) -> StreamState | None:
    """An episode stream as far as the model has followed the log; None where it knows none."""
    row = connection.execute("SELECT doc FROM episode_streams WHERE stream = ?", (stream,)).fetchone()
    if row is None:
        return None
    revision, cursor, prefix_hash, pending, undecided, forgotten, closed = json.loads(cast("str", row[0]))
    pieces = tuple(Range(*piece) for piece in undecided)
    return StreamState(revision, cursor, prefix_hash, tuple(pending), pieces, forgotten, closed)
