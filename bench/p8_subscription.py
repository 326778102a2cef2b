"""P8: a subscription catches up through esdbclient; the client's CPU only, projections apart.

The server is the test double, in a process of its own whose time is not counted.
"""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Final

from bench import days
from bench.clock import Contender, Times, timed
from bench.context import Context, size_name
from bench.report import Row, shown, times_over
from edge.domain.events import NO_STREAM, Event, NewEvent
from edge.ports import CaughtUp

if TYPE_CHECKING:
    from edge.ports import EventLog

BAR: Final = 1.5


def measure(context: Context) -> list[Row]:
    from adapters.eventlog.eventstoredb import EventStoreDBEventLog
    from tests.support.esdb.process import EventStoreProcess

    with EventStoreProcess(context.memory / "p8.db") as server:
        with closing(EventStoreDBEventLog(server.uri)) as log:
            events = _fill(log, 5_000 if context.quick else 20_000)
        times = timed(
            [
                Contender("edge", lambda _: _caught_up(server.uri, events), units=events),
                Contender("bare", lambda _: _bare(server.uri, events, decode=False), units=events),
                Contender("decoding", lambda _: _bare(server.uri, events, decode=True), units=events),
            ],
            context.rounds,
        )
    return _rows(times, events)


def _caught_up(uri: str, events: int) -> None:
    """The adapter's subscription: whole events, checkpoints, a log that is still the same."""
    from adapters.eventlog.eventstoredb import EventStoreDBEventLog

    seen = 0
    with closing(EventStoreDBEventLog(uri)) as log:
        for item in log.subscribe():
            if isinstance(item, CaughtUp):
                break
            seen += isinstance(item, Event)
    assert seen == events, f"saw {seen} of {events}"


def _bare(uri: str, events: int, *, decode: bool) -> None:
    """The client's own subscription, its events passed over or their JSON decoded and no more."""
    from esdbclient import EventStoreDBClient

    seen = 0
    with (
        EventStoreDBClient(uri) as client,
        client.subscribe_to_all(include_caught_up=True) as subscription,
    ):
        for record in subscription:
            if record.is_caught_up:
                break
            if decode:
                json.loads(record.data), json.loads(record.metadata)
            seen += 1
    assert seen == events, f"saw {seen} of {events}"


def _fill(log: EventLog, events: int) -> int:
    """At least so many events, days of an install; how many there are."""
    revisions: dict[str, int] = {}
    written, day = 0, days.first_after(days.OPEN_EVENTS)
    while written < events:
        for append in days.day(day, written + days.OPEN_EVENTS):
            size = len(append.events)
            batch = [
                NewEvent(
                    days.event_id(written + n + 1),
                    type_,
                    data,
                    {"recorded_at": "2026-01-01T00:00:00.000Z", "actor": append.actor, "batch": [n, size]},
                )
                for n, (type_, data) in enumerate(append.events)
            ]
            at = log.append(append.stream, batch, revisions.get(append.stream, NO_STREAM))
            revisions[append.stream] = at.revision
            written += size
        day += 1
    return written


def _rows(times: dict[str, Times], events: int) -> list[Row]:
    ours, bare, decoding = times["edge"], times["bare"], times["decoding"]
    ratio = times_over(ours, bare)
    what, sizes = "subscription catch-up through esdbclient, an event", size_name(events) + " events"
    return [
        Row(
            "P8",
            what,
            shown(ours),
            floor=shown(bare),
            ratio=f"{ratio:.2f}×",
            bar=f"≤ {BAR}× esdbclient's own loop, events passed over",
            met=ratio <= BAR,
            sizes=sizes,
        ),
        Row(
            "P8",
            "the same against that loop with the events' JSON decoded",
            shown(ours),
            floor=shown(decoding),
            ratio=f"{times_over(ours, decoding):.2f}×",
            sizes=sizes,
        ),
    ]
