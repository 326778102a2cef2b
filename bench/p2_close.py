"""P2: the guarded close of one chat, three events with the read its guard needs, each durable."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import apsw
from pydantic_core import to_json

from adapters.eventlog.sqlite import SqliteEventLog
from adapters.redaction.secrets import SecretRedactor
from adapters.system import SystemClock, TimeOrderedIds
from bench import days, peer_eventsourcing
from bench.clock import Contender, Times, timed
from bench.context import Context, size_name
from bench.histories import append_all
from bench.profile import shares
from bench.report import Row, shown, span, times_over
from edge.closing import Closing
from edge.domain.events import Data
from edge.journal import Act, Journal
from edge.ports import Queries

CLOSES = 200
"""Chats closed in one round."""
PROFILED = 40
"""Rounds that are sampled where a bar was missed."""
_INSERT = "INSERT INTO event (stream, revision, id, type, metadata, data) VALUES (?, ?, ?, ?, ?, ?)"


class _NoReads:
    """A close reads its chat's stream only."""

    def current(self) -> Queries:
        raise AssertionError("a close of a chat asked the read models")


class Closes:
    """Chats ready to be closed in the log at ``path``, and the stored plans of their closes."""

    def __init__(self, path: Path, rounds: int, closes: int = CLOSES) -> None:
        self.path = path
        ids = [f"x{nth:02d}{n:06d}" for nth in range(rounds) for n in range(closes)]
        append_all(path, (days.comment(id_, n) for n, id_ in enumerate(ids)))
        batches = [ids[nth * closes : (nth + 1) * closes] for nth in range(rounds)]
        self._batches: Iterator[list[str]] = iter(batches)
        self.log = SqliteEventLog(path)
        self._journal = self._fresh_journal()
        self._closing = Closing(self._journal, _NoReads())
        self._nth = 0

    def _fresh_journal(self) -> Journal:
        return Journal(self.log, days.STREAMS, SecretRedactor(), SystemClock(), TimeOrderedIds())

    def plans(self) -> list[Data]:
        """The next batch, as ``grill.planned`` events in the log hold it."""
        return [self._plan(id_) for id_ in next(self._batches)]

    def _plan(self, comment_id: str) -> Data:
        self._nth += 1
        events = [
            {"id": self._journal.ids.new(), "type": t, "data": self._journal.as_stored(t, d, "grill")}
            for t, d in days.closing(comment_id, self._nth, "bench")
        ]
        event = days.event_id(1)
        return {"stream": days.STREAMS.chat(comment_id), "basis": 0, "events": events, "event": event}

    def close(self, plans: list[Data]) -> None:
        """Close by plans this process stored, as `grill close --plan` does."""
        self._close(self._closing, plans)

    def resume(self, plans: list[Data]) -> None:
        """Close by plans another process stored: each event is checked in full."""
        self._close(Closing(self._fresh_journal(), _NoReads()), plans)

    @staticmethod
    def _close(closing: Closing, plans: list[Data]) -> None:
        for plan in plans:
            act = Act("grill", grill_run_id="bench", causation=plan["event"])
            assert closing.chat(plan, act), "the close found the chat closed"


class BareRows:
    """The same rows, ready encoded, in one transaction a chat: what SQLite alone takes for it."""

    def __init__(self, closes: Closes) -> None:
        self._closes = closes
        self._connection = apsw.Connection(str(closes.path))
        self._connection.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")

    def rows(self) -> list[list[tuple[Any, ...]]]:
        return [self._encoded(plan) for plan in self._closes.plans()]

    @staticmethod
    def _encoded(plan: Data) -> list[tuple[Any, ...]]:
        metadata = to_json({"recorded_at": "2026-11-30T12:00:00.000Z", "actor": "grill", "batch": [0, 3],
                            "grill_run_id": "bench", "$correlationId": "bench",
                            "$causationId": plan["event"], "schema": 1}).decode()  # fmt: skip
        return [
            (plan["stream"], n, e["id"], e["type"], metadata, to_json(e["data"]).decode())
            for n, e in enumerate(plan["events"], 1)
        ]

    def insert(self, batches: list[list[tuple[Any, ...]]]) -> None:
        for rows in batches:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(_INSERT, rows)
            self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


def measure(context: Context) -> list[Row]:
    times = _side_by_side(context, context.sizes, context.memory)
    small, large = context.sizes[0], context.largest
    rate = times_over(times[str(small)], times[str(large)])
    flat = Row(
        "P2",
        f"rate of closes at {size_name(large)} against {size_name(small)}",
        " · ".join(f"{size_name(n)}: {1 / times[str(n)].least:,.0f}/s" for n in context.sizes),
        ratio=f"{rate:.2f}",
        bar="≥ 0.7",
        met=rate >= 0.7,
        sizes=f"{CLOSES} closes a round",
    )
    against = _against(times, small)
    if not all(row.met for row in against):
        with context.histories.copy(small) as home:
            context.notes.append(f"P2, closes by function: {_profiled(home / 'log.db')}.")
    resumed = Row(
        "P2",
        "close by a plan that another process stored, checked in full again",
        shown(times["resumed"]),
        floor=shown(times["bare"]),
        ratio=f"{times_over(times['resumed'], times['bare']):.2f}×",
        sizes=f"{CLOSES} closes a round",
    )
    return [*against, resumed, flat, _on_disk(context), _syncs(context)]


def _profiled(log: Path) -> str:
    with contextlib.ExitStack() as stack:
        closes = _closes(stack, log, PROFILED)
        return shares(partial(closes.close, closes.plans()) for _ in range(PROFILED))


def _side_by_side(context: Context, sizes: Sequence[int], directory: Path) -> dict[str, Times]:
    """Closes at each size, by its name, and at the smallest also bare rows and the peer."""
    rounds = context.rounds + 1
    with contextlib.ExitStack() as stack:
        contenders = []
        for size in sizes:
            home = stack.enter_context(context.histories.copy(size, into=directory))
            closes = _closes(stack, home / "log.db", 2 * rounds)
            contenders.append(Contender(str(size), closes.close, closes.plans, units=CLOSES))
            if size == sizes[0]:
                contenders.append(Contender("resumed", closes.resume, closes.plans, units=CLOSES))
        bare_home = stack.enter_context(context.histories.copy(sizes[0], into=directory / "bare"))
        bare = BareRows(_closes(stack, bare_home / "log.db", rounds))
        stack.callback(bare.close)
        peer = stack.enter_context(peer_eventsourcing.saver(bare_home / "peer.db"))
        contenders.append(Contender("bare", bare.insert, bare.rows, units=CLOSES))
        contenders.append(Contender("peer", peer.save_all, lambda: peer.ready(CLOSES), units=CLOSES))
        return timed(contenders, context.rounds)


def _closes(stack: contextlib.ExitStack, log: Path, rounds: int) -> Closes:
    closes = Closes(log, rounds)
    stack.callback(closes.log.close)
    return closes


def _against(times: dict[str, Times], size: int) -> list[Row]:
    ours, bare, peer = times[str(size)], times["bare"], times["peer"]
    over_bare, under_peer = times_over(ours, bare), times_over(peer, ours)
    sizes = f"3 events, {CLOSES} closes a round, log of {size_name(size)}, synchronous FULL"
    return [
        Row(
            "P2",
            "guarded close of a chat against a bare insert of its rows",
            shown(ours),
            floor=shown(bare),
            ratio=f"{over_bare:.2f}×",
            bar="≤ 3.5×",
            met=over_bare <= 3.5,
            sizes=sizes,
        ),
        Row(
            "P2",
            "the same against `Application.save` of 3 events (eventsourcing, SQLite)",
            shown(ours),
            peer=shown(peer),
            ratio=f"{under_peer:.2f}× faster",
            bar="≥ 2×",
            met=under_peer >= 2,
            sizes=sizes,
        ),
    ]


def _on_disk(context: Context) -> Row:
    size = context.sizes[0]
    times = _side_by_side(context, [size], context.disk)
    ours, bare, peer = (times[name].wall_median for name in (str(size), "bare", "peer"))
    return Row(
        "P2",
        "the same on disk, wall clock",
        span(ours),
        floor=span(bare),
        peer=span(peer),
        ratio=f"{ours / bare:.2f}×",
        sizes=f"{CLOSES} closes a round",
    )


def _syncs(context: Context) -> Row:
    """fsync and fdatasync calls of a process that closes chats, as the kernel saw them."""
    row = Row("P2", "fsyncs of one close, on disk", "", bar="1", sizes="40 closes less 20 closes, by strace")
    if not shutil.which("strace"):
        row.ours = "not counted: there is no strace"
        return row
    counts = []
    for closes in (20, 40):
        with context.histories.copy(context.sizes[0], into=context.disk) as home:
            counts.append(_counted(home / "log.db", closes))
    syncs = (counts[1] - counts[0]) / 20
    row.ours, row.met = f"{syncs:g}", syncs == 1
    return row


def _counted(log: Path, closes: int) -> int:
    record = log.with_name("strace.txt")
    command = [sys.executable, "-m", "bench.p2_close", str(log), str(closes)]
    strace = ["strace", "-f", "-e", "trace=fsync,fdatasync", "-o", str(record)]
    subprocess.run([*strace, *command], check=True)
    return sum("sync(" in line for line in record.read_text().splitlines())


if __name__ == "__main__":
    asked = int(sys.argv[2])
    ready = Closes(Path(sys.argv[1]), 1, 40)
    ready.close(ready.plans()[:asked])
