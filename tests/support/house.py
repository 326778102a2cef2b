"""A whole install in memory: the real use cases over a log and read models that need no file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import apsw

from adapters.eventlog.memory import MemoryEventLog
from edge.briefing import compose
from edge.dispatch import Closed, Opened
from edge.domain.events import NO_STREAM, Appended, Data, Draft, Event, NewEvent, by_append
from edge.health import Lag, health
from edge.journal import Act
from edge.ports import Redacted
from edge.settings import Settings
from edge.wiring import Edge
from edge.wiring_outside import MODE
from projections.models import MODELS
from projections.queries import ReadModels
from projections.runner import Runner
from projections.store import ReadStore

BEGAN = datetime(2026, 11, 1, 8, tzinfo=UTC)
LOG_ID = "a-log"


BESIDE = (
    *("measured", "sweep_files"),
    *("knowledge_changes", "knowledge_vectors", "knowledge_troubles"),
    *("knowledge_clusters", "knowledge_clusters_of", "knowledge_summaries"),
)
"""Tables of a host that are no fold of the log."""


class HandClock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.at = BEGAN

    def now(self) -> datetime:
        return self.at

    def move(self, hours: float) -> None:
        self.at += timedelta(hours=hours)


class CountedIds:
    """Ids in the order they were asked for."""

    def __init__(self) -> None:
        self._made = 0

    def new(self) -> str:
        self._made += 1
        return str(UUID(int=0x0193 << 112 | self._made))


class NothingSecret:
    def redact(self, text: str) -> Redacted:
        return Redacted(text, {})


class WatchedLog(MemoryEventLog):
    """A log in which something else can happen just before an append of somebody's."""

    def __init__(self) -> None:
        super().__init__()
        self._interruption: Callable[[], object] | None = None
        self._appends_left = 0

    def interrupt(self, before: int, happens: Callable[[], object]) -> None:
        """Let it happen once, just before the append that many appends from now."""
        self._interruption, self._appends_left = happens, before

    def be_left_alone(self) -> bool:
        """Whether what was to happen has not; it will not any more."""
        waiting, self._interruption = self._interruption is not None, None
        return waiting

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        happens = self._interruption
        if happens is not None:
            if self._appends_left:
                self._appends_left -= 1
            else:
                self._interruption = None
                happens()
        return super().append(stream, events, expected)


class House(Edge):
    """An :class:`~edge.wiring.Edge` whose every outside is in memory."""

    def __init__(self, log: MemoryEventLog | None = None) -> None:
        super().__init__(Settings(Path("nowhere"), "g"))
        self.hand_clock = HandClock()
        self.memory = log or WatchedLog()
        self.__dict__.update(log=self.memory, clock=self.hand_clock, redactor=NothingSecret(), log_id=LOG_ID)
        self.__dict__["follow_ups"] = ()  # nothing of it is in a file
        self.__dict__["store"] = ReadStore(None, MODELS, LOG_ID)
        self.journal.ids = CountedIds()
        if not self.memory.head():
            created = [Draft("log.created", {"log_id": LOG_ID})]
            self.journal.append(self.streams.log, created, NO_STREAM, Act("operator"))

    def events(self, *types: str) -> list[Event]:
        return list(self.memory.read_all(types=types or None))

    def open(self, kind: str = "report") -> Opened:
        return self.dispatches.open(kind, None, "operator", lambda _: None, lambda _: None, self.briefing)

    def publish(self, slug: str, intent: str = "to know why", **data: Any) -> Closed:
        """Open a dispatch, publish in it, close it."""
        from edge.dispatch import Artefact

        said = {"slug": slug, "title": slug, "body": f"# {slug}", **data}
        opened = self.open()
        return self.dispatches.close(opened.dispatch_id, intent, Artefact(said, republish=False), {})

    def foreign(self, type_: str, stream: str, actor: str = "import", **data: Any) -> None:
        """An event as another program could write it: past every rule, at the stream's end."""
        last = next(self.memory.read(stream, backwards=True, limit=1), None)
        metadata: Data = {"recorded_at": self.journal.now(), "actor": actor, "batch": [0, 1]}
        event = NewEvent(self.journal.ids.new(), type_, data, metadata)
        self.memory.append(stream, [event], last.revision if last else NO_STREAM)


def dump(connection: apsw.Connection) -> list[str]:
    """Every row of every table, sorted, so that two stores can be compared whole.

    What is measured on a host is no fold of the log and stays out.
    """
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        " AND name NOT LIKE 'knowledge_fts_%' ORDER BY name"  # pages of an index: shown by what it finds
    ).fetchall()
    return sorted(
        f"{name}: {row!r}"
        for (name,) in tables
        if name not in BESIDE
        for row in connection.execute(f'SELECT * FROM "{name}"')
    )


def folded(log: Any, log_id: str = LOG_ID, group: str = "g", until: int | None = None) -> ReadStore:
    """Fresh read models over a log, up to a position."""
    store = ReadStore(None, MODELS, log_id)
    Runner(log, store, f"log-{group}").catch_up(until)
    return store


def replayed(events: Sequence[Event], move: Callable[[int], int] = lambda position: position) -> House:
    """Another house over the same events, at positions moved by an increasing function."""
    log = MemoryEventLog()
    for append in by_append(events):
        moved = [NewEvent(e.id, e.type, _positions_moved(e, move), e.metadata) for e in append]
        log.append(append[0].stream, moved, append[0].revision - 1)
    positions = iter([move(event.position) for event in events])
    # the log keeps each stored event once for all and once for its stream
    log._all = [stored._replace(position=next(positions)) for stored in log._all]
    log._streams = {}
    for stored in log._all:
        log._streams.setdefault(stored.stream, []).append(stored)
    return House(log)


def _positions_moved(event: Event, move: Callable[[int], int]) -> Data:
    """The data with the positions it holds moved too."""
    holders = {"grill.started": "cursor", "briefing.presented": "position"}
    field = "basis" if event.type.startswith("direction.") else holders.get(event.type)
    value = event.data.get(field) if field else None
    return {**event.data, field: move(value)} if field and isinstance(value, int) else event.data


def briefing_text(house: Edge, queries: ReadModels, now: datetime) -> str:
    strip = health(queries, MODE, Lag(queries.position(), 0))
    return compose(queries, strip, now, house.settings.tz, house.settings.lang).text


def appends(events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """First and last position of each append."""
    for append in by_append(events):
        yield append[0].position, append[-1].position
