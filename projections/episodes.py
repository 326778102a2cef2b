"""Read model of episodes: every turn counted once, where each stream's cursor stands, what waits.

Text stays in the log: here are the keys that make a later turn a copy, and one row an episode.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
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
    counted_of,
    covers,
    evolve_stream,
    said_at,
    turn_keys,
)
from edge.domain.events import Data, Event
from edge.ports import EpisodeCounts
from projections.model import ReadModel

EXTRACTED: Final = "episode.extracted"
_KEYS: Final = "SELECT key, position FROM episode_turns WHERE key IN (SELECT value FROM json_each(?))"
_WRITE: Final = (
    'INSERT INTO episodes (position, id, stream, session, surface, project, at, "from", "to", presence,'
    f" turns, said, extracted) VALUES ({', '.join('?' * 13)})"
)
_EXTRACTED: Final = (
    "UPDATE episodes SET extracted = 1 WHERE id IN (SELECT value FROM json_each(?)) AND NOT extracted"
    " RETURNING presence, turns"
)
_STREAMS: Final = "SELECT stream, doc FROM episode_streams WHERE stream IN (SELECT value FROM json_each(?))"


class Episodes(ReadModel):
    """Holds a page's rows back; what changes rows of before writes them first."""

    NAME = "episodes"
    VERSION = 3  # what is forgotten had its keys before everything
    TYPES = frozenset((CAPTURED, RECLASSIFIED, FORGOTTEN, EXTRACTED))
    TABLES: ClassVar[dict[str, str]] = {
        "episodes": """
            CREATE TABLE episodes (
                position INTEGER PRIMARY KEY, id TEXT NOT NULL, stream TEXT NOT NULL, session TEXT NOT NULL,
                surface TEXT NOT NULL, project TEXT, at TEXT NOT NULL, "from" INTEGER NOT NULL,
                "to" INTEGER NOT NULL, presence TEXT NOT NULL, turns INTEGER NOT NULL,
                extracted INTEGER NOT NULL, said TEXT NOT NULL
            );
            CREATE UNIQUE INDEX episodes_id ON episodes (id);
            CREATE INDEX episodes_stream ON episodes (stream);
            CREATE INDEX episodes_waiting ON episodes (said)
                WHERE NOT extracted AND presence != 'absent' AND turns > 0;
        """,
        "episode_turns": """
            CREATE TABLE episode_turns (key TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
        """,
        "episode_streams": """
            CREATE TABLE episode_streams (stream TEXT PRIMARY KEY, doc TEXT NOT NULL) WITHOUT ROWID;
        """,
        "episode_counts": """
            CREATE TABLE episode_counts (one INTEGER PRIMARY KEY, captured INTEGER, waiting INTEGER);
        """,
    }

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._clear()

    def _clear(self) -> None:
        self._streams: dict[str, StreamState] = {}
        self._keys: dict[int, list[tuple[str, ...]]] = {}
        """Of the turns captured at a position."""
        self._known: set[str] = set()
        """Of those keys the ones found, and all of this page."""
        self._new_keys: dict[str, int] = {}
        """Where each key of this page stood first."""
        self._rows: list[tuple[Any, ...]] = []
        self._held: set[str] = set()
        """Ids of the rows held back."""
        self._extracted: set[str] = set()
        """What was extracted since rows were written, of those held back and of others."""

    def learn(self, event: Event) -> None:
        """The keys of forgotten turns, before anything is read that could be a copy of one."""
        if event.type == FORGOTTEN:
            self._keep_known(event)

    def _keep_known(self, event: Event) -> None:
        """They stood before all that stands; a rebuild knows no other place of theirs."""
        self.connection.executemany(
            "INSERT OR REPLACE INTO episode_turns VALUES (?, 0)",
            [(key,) for key in event.data.get("keys") or ()],
        )

    def expect(self, events: Sequence[Event]) -> None:
        self._keys = {
            event.position: [turn_keys(turn) for turn in event.data["turns"]]
            for event in events
            if event.type == CAPTURED
        }
        asked = {key for turns in self._keys.values() for keys in turns for key in keys[:2]}
        self._known = known(self.connection, asked)
        streams = json.dumps(list({event.stream for event in events}))
        self._streams.update(
            (stream, _state_in(doc))
            for stream, doc in cast(
                "Iterable[tuple[str, str]]", self.connection.execute(_STREAMS, (streams,))
            )
        )

    def apply(self, event: Event) -> None:
        if event.type == EXTRACTED:
            self._extracted.add(text_of(event.data, "episode"))
            return
        state = self._streams.get(event.stream) or StreamState()
        self._streams[event.stream] = evolve_stream(state, event)
        if event.type == CAPTURED:
            self._capture(event)
            return
        self._write_rows()
        if event.type == RECLASSIFIED:
            self._reclassify(event)
        else:
            self._forget(event)

    def _capture(self, event: Event) -> None:
        data = event.data
        keys_of_turns = self._keys[event.position]
        new = counted_of(zip(data["turns"], keys_of_turns, strict=True), self._known.__contains__)
        keys = {key for keys in keys_of_turns for key in keys}  # a copy may be the first to have one
        for key in keys:
            self._new_keys.setdefault(key, event.position)
        self._known |= keys
        if event.id in self._extracted:  # only by a stranger's hand, before there was an episode to extract
            self._write_rows()
        self._held.add(event.id)
        self._rows.append(
            (
                *(event.position, event.id, event.stream, data["session"], data["surface"]),
                *(data.get("project"), event.recorded_at, data["from"], data["to"], data["presence"]),
                *(len(new), said_at(data["turns"], event.recorded_at)),
            )
        )

    def _write_rows(self) -> None:
        """Write what was held back: extractions, captured episodes and their keys; and count them."""
        self._write_extracted()
        if not self._rows:
            return
        write = self.connection.executemany
        write("INSERT OR IGNORE INTO episode_turns VALUES (?, ?)", sorted(self._new_keys.items()))
        write(_WRITE, [(*row, row[1] in self._extracted) for row in self._rows])
        self._count("position >= ?", self._rows[0][0], +1)
        self._new_keys.clear()
        self._rows.clear()
        self._held.clear()
        self._extracted.clear()

    def _write_extracted(self) -> None:
        """Tell the rows that stand already that they were extracted."""
        standing = self._extracted - self._held
        if standing:
            rows = self.connection.execute(_EXTRACTED, (json.dumps(sorted(standing)),))
            told = cast("Iterable[tuple[str, int]]", rows)
            waited = sum(presence != "absent" and turns > 0 for presence, turns in told)
            self._add_to_counts(0, -waited)
            self._extracted &= self._held

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
        self._known.update(event.data.get("keys") or ())
        self._keep_known(event)
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
        self._add_to_counts(sign * int(captured), sign * int(waiting))

    def _add_to_counts(self, captured: int, waiting: int) -> None:
        self.connection.execute(
            "INSERT INTO episode_counts VALUES (1, ?1, ?2) ON CONFLICT (one)"
            " DO UPDATE SET captured = captured + ?1, waiting = waiting + ?2",
            (captured, waiting),
        )

    def flush(self) -> None:
        self._write_rows()
        self.connection.executemany(
            "INSERT OR REPLACE INTO episode_streams VALUES (?, ?)",
            [(stream, json.dumps(state)) for stream, state in self._streams.items()],
        )
        self._clear()

    def discard(self) -> None:
        self._clear()


def _presence(told: Range) -> str:
    if told.presence not in ("present", "unknown", "absent"):
        raise ValueError(f"no such presence: {told.presence!r}")
    return told.presence


def counts(connection: apsw.Connection) -> EpisodeCounts:
    row = connection.execute("SELECT captured, waiting FROM episode_counts").fetchone()
    return EpisodeCounts(*cast("tuple[int, int]", row)) if row else EpisodeCounts(0, 0)


def known(connection: apsw.Connection, keys: Collection[str]) -> set[str]:
    """Those of the keys that some captured or forgotten turn has."""
    return set(first_holders(connection, keys))


def first_holders(connection: apsw.Connection, keys: Collection[str]) -> dict[str, int]:
    """Which position had each of the keys first; those no turn has are left out."""
    rows = connection.execute(_KEYS, (json.dumps(list(keys)),))
    return dict(cast("Iterable[tuple[str, int]]", rows))


def turns_that_count(connection: apsw.Connection, position: int, turns: Sequence[Data]) -> list[Data]:
    """Of the turns captured at ``position`` those that no earlier episode has (I13)."""
    holders = first_holders(connection, {key for turn in turns for key in turn_keys(turn)})
    return [turn for turn, _ in counted(turns, lambda key: holders.get(key, position) < position)]


def waiting(connection: apsw.Connection, since: str = "", limit: int | None = None) -> list[str]:
    """Ids of episodes no extraction has read, said at or after ``since`` (ISO 8601 UTC), in log order."""
    rows = connection.execute(
        "SELECT id, position FROM episodes INDEXED BY episodes_waiting"
        " WHERE NOT extracted AND presence != 'absent' AND turns > 0 AND said >= ?",
        (since,),
    )
    found = sorted(cast("Iterable[tuple[str, int]]", rows), key=lambda row: row[1])
    return [id_ for id_, _ in found[:limit]]


def place(connection: apsw.Connection, episode: str) -> tuple[str, int] | None:
    """The stream and position of an episode's event; None where it is not counted."""
    row = connection.execute("SELECT stream, position FROM episodes WHERE id = ?", (episode,)).fetchone()
    return cast("tuple[str, int] | None", row)


def stream_state(connection: apsw.Connection, stream: str) -> StreamState | None:
    """An episode stream as far as the model has followed the log; None where it knows none."""
    row = connection.execute("SELECT doc FROM episode_streams WHERE stream = ?", (stream,)).fetchone()
    if row is None:
        return None
    return _state_in(cast("str", row[0]))


def _state_in(doc: str) -> StreamState:
    revision, cursor, prefix_hash, pending, undecided, forgotten, closed = json.loads(doc)
    pieces = tuple(Range(*piece) for piece in undecided)
    return StreamState(revision, cursor, prefix_hash, tuple(pending), pieces, forgotten, closed)
