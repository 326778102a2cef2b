"""The way in for envelopes, as ``log export`` writes them: each append whole, at its own revision."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from edge.domain.events import Data, Event, NewEvent, batch_of
from edge.domain.forgetting import is_forgotten
from edge.domain.refusal import Failed, Refused
from edge.exchange import Tally
from edge.journal import ATTEMPTS, Journal
from edge.lines import MAX_LINE, Line, record_of
from edge.ports import AppendRefused, EventLog, Report, WrongRevision
from edge.unlinked import may_hold_links, unlinked

_STREAM: Final = re.compile(r"[a-z]{1,32}-([a-z0-9_]{1,32})(\.[^\s]{1,200})?")


class OtherGroupError(Refused):
    """An envelope of another group: a log holds one group's streams."""


class _Read(NamedTuple):
    """An envelope and the line it came from."""

    line: int
    event: Event


class _Append(NamedTuple):
    """Envelopes that were appended together; ``whole`` where all of them came."""

    reads: Sequence[_Read]
    whole: bool


def import_envelopes(journal: Journal, lines: Iterable[Line], report: Report | None = None) -> Tally:
    """Append what the file holds, metadata and all; what stands already is known, the rest is named.

    The other log's own ``log.created`` is passed over. Raises :class:`OtherGroupError`, with
    nothing written, where the file's first envelope is of another group.
    """
    tally, fronts = Tally("importing", report), _Fronts(journal.log)
    for reads, whole in _appends(journal, lines, tally):
        try:
            if _add(journal, fronts.placed([read.event for read in reads]), whole):
                tally.imported += len(reads)
            else:
                tally.known += len(reads)
        except (Refused, AppendRefused) as why:
            for read in reads:
                tally.refuse(read.line, None, why)
    return tally


def _appends(journal: Journal, lines: Iterable[Line], tally: Tally) -> Iterator[_Append]:
    """The file's envelopes by append, like :func:`~edge.domain.events.by_append`, with their lines."""
    reads: list[_Read] = []
    size, accepted = 0, False
    for line in lines:
        tally.reading()
        try:
            event = _event_of(journal, record_of(line))
        except OtherGroupError as why:
            if not accepted:
                raise
            tally.refuse(line.number, None, why)
            continue
        except Refused as why:
            tally.refuse(line.number, None, why)
            continue
        accepted = True
        if event.type == "log.created":
            tally.passed_over += 1
            continue
        size += len(line.text or "")
        if reads and (not _continues(reads[-1].event, event) or size > MAX_LINE):
            yield _Append(reads, whole=False)
            reads, size = [], len(line.text or "")
        reads.append(_Read(line.number, event))
        index, count = batch_of(event)
        if index == count - 1:
            yield _Append(reads, whole=batch_of(reads[0].event)[0] == 0)
            reads, size = [], 0
    if reads:
        yield _Append(reads, whole=False)


def _continues(last: Event, event: Event) -> bool:
    index, count = batch_of(last)
    return (event.stream, event.revision, batch_of(event)) == (
        last.stream,
        last.revision + 1,
        (index + 1, count),
    )


class _Fronts:
    """Streams whose front was forgotten in the log they come from: what is left of one begins here
    where the stream ends, so that the end of it holds here too."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._moved: dict[str, int] = {}

    def placed(self, events: Sequence[Event]) -> Sequence[Event]:
        """The events at their revisions here."""
        first = events[0]
        if is_forgotten(first) and first.revision > 0 and first.stream not in self._moved:
            self._moved[first.stream] = first.revision - self._place(first)
        moved = self._moved.get(first.stream, 0)
        return [event._replace(revision=event.revision - moved) for event in events] if moved else events

    def _place(self, forgotten: Event) -> int:
        """Where a stream's forgotten event stands here, or is to stand."""
        following = 0
        for event in self._log.read(forgotten.stream):
            if event.id == forgotten.id:
                return event.revision
            following = event.revision + 1
        return min(following, forgotten.revision)


def _add(journal: Journal, events: Sequence[Event], whole: bool) -> bool:
    """Append at the events' own revisions; False where they stand there already."""
    if may_hold_links(events[0].stream):
        return _add_between_links(journal, events, whole)
    first = events[0]
    if whole:
        try:
            if journal.log.append(first.stream, _batch(events), first.revision - 1).written:
                return True
        except WrongRevision as conflict:
            if conflict.current < first.revision:
                raise _goes_on(first, conflict.current + 1) from None
    standing = journal.log.read(first.stream, from_revision=first.revision, limit=len(events))
    return _known(events, list(standing), whole)


def _add_between_links(journal: Journal, events: Sequence[Event], whole: bool) -> bool:
    """The same where links may stand in the stream, which no revision of an envelope counts."""
    first = events[0]
    for _ in range(ATTEMPTS):
        there = unlinked(journal.log, first.stream)
        at = first.revision - there.first
        if first.revision != there.next or not whole:
            if whole and first.revision > there.next:
                raise _goes_on(first, there.next)
            return _known(events, there.events[at : at + len(events)] if at >= 0 else [], whole)
        try:
            journal.log.append(first.stream, _batch(events), there.revision)
        except WrongRevision:
            continue  # a link came in between, or somebody else's event
        return True
    raise Failed(f"{first.stream} kept changing", hint="run the import again: it goes on")


def _batch(events: Sequence[Event]) -> list[NewEvent]:
    return [NewEvent(e.id, e.type, e.data, e.metadata) for e in events]


def _goes_on(first: Event, revision: int) -> Refused:
    return Refused(
        f"{first.stream} goes on at revision {revision} here, not {first.revision}",
        hint="what comes before it is not in the file, or was refused",
    )


def _known(events: Sequence[Event], standing: Sequence[Event], whole: bool) -> bool:
    """False: what stands there are the same events. Refused where they are others."""
    if [e.id for e in standing] != [e.id for e in events]:
        if not whole:
            raise Refused("the rest of its append is not in the file")
        raise Refused(f"another event stands at {events[0].stream}@{events[0].revision}")
    for here, given in zip(standing, events, strict=True):
        if (here.type, here.data) != (given.type, given.data):
            raise Refused(f"it differs from the event that stands at {given.stream}@{given.revision}")
    return False


def _event_of(journal: Journal, record: Data) -> Event:
    """The event of an envelope; its position is the other log's and does not count here."""
    stream, type_ = record.get("stream"), record.get("type")
    found = _STREAM.fullmatch(stream) if isinstance(stream, str) else None
    if not isinstance(stream, str) or found is None or not stream.isprintable():
        raise Refused("it names no stream")
    if found[1] != journal.streams.group:
        raise OtherGroupError(
            f"the file is of group {found[1]!r}, this install of {journal.streams.group!r}",
            hint=f"import it into a home made by `edge init --group {found[1]}`",
        )
    if not isinstance(type_, str) or not type_ or not type_.isprintable():
        raise Refused("it has no type")
    id_, revision = _uuid(record.get("id")), record.get("revision")
    if not isinstance(revision, int) or isinstance(revision, bool) or not 0 <= revision < 2**62:
        raise Refused("its revision is not a whole number from 0")
    data, metadata = record.get("data"), record.get("metadata")
    if not isinstance(data, dict) or not isinstance(metadata, dict):
        raise Refused("its data or its metadata is not an object")
    try:
        data = journal.without_secrets(type_, data)
    except RecursionError:
        raise Refused("the line is nested too deeply") from None
    return Event(id_, type_, stream, revision, 0, data, metadata)


def _uuid(value: Any) -> str:
    try:
        return str(UUID(value))
    except (ValueError, TypeError, AttributeError):
        raise Refused("its id is not a UUID") from None
