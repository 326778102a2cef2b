"""P3: every read model brought to the head of a mixed log, from nothing."""

from __future__ import annotations

import contextlib
import json
from itertools import islice
from pathlib import Path
from typing import Any

import apsw

from adapters.eventlog.sqlite import SqliteEventLog
from bench import peer_eventsourcing
from bench.clock import Contender, Times, timed
from bench.context import Context, size_name
from bench.profile import shares
from bench.report import Row, span, times_over
from edge.domain.streams import Streams
from edge.wiring import Edge
from projections.models import MODELS
from projections.runner import PAGE_EVENTS, Runner
from projections.store import ReadStore

PEER_CHATS = 2_000
_READ = "SELECT position, type, stream, data, metadata FROM event WHERE position > ? ORDER BY position"


class _Fresh:
    """Read stores that were never written to, one a round, and none kept."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._nth = 0

    def path(self) -> Path:
        self._nth += 1
        return self._directory / f"fresh-{self._nth}.db"

    def remove(self) -> None:
        for file in self._directory.glob("fresh-*"):
            file.unlink()


def measure(context: Context) -> list[Row]:
    events = 100_000 if not context.quick else 10_000
    home = context.histories.home(events)
    fresh = _Fresh(context.memory)
    with contextlib.ExitStack() as stack:
        edge = stack.enter_context(contextlib.closing(Edge.at_home(home)))
        head, log_id = edge.log.head(), edge.log_id
        log = stack.enter_context(contextlib.closing(SqliteEventLog(home / "log.db")))
        peer_directory = context.memory / "peer"
        peer_directory.mkdir()
        peer = stack.enter_context(contextlib.closing(peer_eventsourcing.CatchUp(peer_directory, PEER_CHATS)))

        def run(store: ReadStore) -> None:
            reached = Runner(log, store, Streams("bench").log).catch_up()
            assert reached == head, f"stopped at {reached} of {head}"

        def clear(store: ReadStore) -> None:
            store.close()
            fresh.remove()

        times = timed(
            [
                Contender("edge", run, lambda: ReadStore(fresh.path(), MODELS, log_id), clear, head),
                Contender(
                    "bare",
                    lambda path: _bare(home / "log.db", path),
                    fresh.path,
                    lambda _path: fresh.remove(),
                    head,
                ),
                Contender("peer", peer.run, peer.follower, lambda f: f.close(), peer.events),
            ],
            context.rounds,
        )
        rows = _rows(times, events)
        if not all(row.met for row in rows):
            store = ReadStore(fresh.path(), MODELS, log_id)
            context.notes.append(f"P3, a catch-up by function: {shares([lambda: run(store)])}.")
            clear(store)
        context.notes.append(f"P3: {_sizes(log)}")
    return rows


def _sizes(log: SqliteEventLog) -> str:
    """How large the events are that are folded: the figure stands and falls with that."""
    sizes = sorted(len(json.dumps(event.data)) for event in log.read_all(limit=10_000))
    return (
        f"an event's data has {sum(sizes) / len(sizes):,.0f} characters on average,"
        f" {sizes[len(sizes) // 2]:,} at the median, {sizes[-1]:,} at most."
    )


def _bare(log: Path, target: Path) -> None:
    """The least a projection does: decode, keep one row a stream, a page and its checkpoint at once."""
    with (
        contextlib.closing(apsw.Connection(str(log))) as source,
        contextlib.closing(apsw.Connection(str(target))) as store,
    ):
        store.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        store.execute("CREATE TABLE streams (stream TEXT PRIMARY KEY, n INTEGER, last TEXT)")
        store.execute("CREATE TABLE checkpoint (position INTEGER)")
        store.execute("INSERT INTO checkpoint VALUES (0)")
        rows = source.execute(_READ, (0,))
        while page := list(islice(rows, PAGE_EVENTS)):
            _bare_page(store, page)


def _bare_page(store: apsw.Connection, page: list[tuple[Any, ...]]) -> None:
    seen: dict[str, tuple[int, str]] = {}
    for _, type_, stream, data, metadata in page:
        json.loads(data), json.loads(metadata)
        seen[stream] = (seen.get(stream, (0, ""))[0] + 1, type_)
    store.execute("BEGIN IMMEDIATE")
    store.executemany(
        "INSERT INTO streams VALUES (?, ?, ?) ON CONFLICT (stream) DO UPDATE"
        " SET n = n + excluded.n, last = excluded.last",
        [(stream, n, last) for stream, (n, last) in seen.items()],
    )
    store.execute("UPDATE checkpoint SET position = ?", (page[-1][0],))
    store.execute("COMMIT")


def _rows(times: dict[str, Times], events: int) -> list[Row]:
    ours, bare, peer = times["edge"], times["bare"], times["peer"]
    rate, faster = 1 / ours.least, times_over(peer, ours)
    sizes = f"{size_name(events)} events, all models; peer {3 * PEER_CHATS:,} events"
    return [
        Row(
            "P3",
            "catch-up of all read models",
            _rate(ours),
            floor=_rate(bare),
            ratio=f"{rate:,.0f}/s",
            bar="≥ 60,000/s",
            met=rate >= 60_000,
            sizes=sizes,
        ),
        Row(
            "P3",
            "the same against a follower that only tracks (eventsourcing, SQLite)",
            _rate(ours),
            peer=_rate(peer),
            ratio=f"{faster:.1f}× faster",
            bar="≥ 6×",
            met=faster >= 6,
            sizes=sizes,
        ),
    ]


def _rate(times: Times) -> str:
    return f"{1 / times.least:,.0f}/s ({span(times.least)} an event; wall {1 / times.wall_median:,.0f}/s)"
