"""The log's way out, and the way in for a foreign history.

An import appends at the revision it has seen, and looks for a record's id in its stream
before: stopped anywhere and begun again, the log comes out the same.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from edge.domain.events import NO_STREAM, SCHEMA, Data, Event, NewEvent, by_append
from edge.domain.forgetting import FORGOTTEN, boundaries, counts
from edge.domain.refusal import EdgeError, Failed, Refused
from edge.journal import ATTEMPTS, Journal
from edge.lines import Line, record_of
from edge.ports import AppendRefused, EventLog, Report, WrongRevision
from edge.ports_exchange import Importer, Translated
from edge.unlinked import Numbering

LISTED: Final = 10_000
"""Refused lines named at most; all are counted."""

_STREAMS_KEPT: Final = 4_096
_MAX_REASON: Final = 300
_TELL_EVERY: Final = 200

_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RefusedLine(NamedTuple):
    """A line that was not taken, and why."""

    line: int
    seq: int | str | None
    reason: str


class Tally:
    """What became of the lines of an import; every line read is counted in exactly one of the rest."""

    def __init__(self, doing: str, report: Report | None) -> None:
        self.read = self.imported = self.known = self.passed_over = self.refusals = 0
        self.refused: list[RefusedLine] = []
        self._doing = doing
        self._report = report

    def reading(self) -> None:
        self.read += 1
        if self._report and self.read % _TELL_EVERY == 0:
            self._report(self._doing, self.read, None)

    def refuse(self, line: int, seq: object, why: EdgeError) -> None:
        self.refusals += 1
        if len(self.refused) < LISTED:
            said = " ".join(f"{why.message} ({why.hint})".split() if why.hint else why.message.split())
            named = seq if isinstance(seq, int | str) and not isinstance(seq, bool) else None
            self.refused.append(RefusedLine(line, named, said[:_MAX_REASON]))

    def shown(self, position: int) -> Data:
        """As ``log import`` prints it."""
        return {
            "read": self.read,
            "imported": self.imported,
            "known": self.known,
            "passed_over": self.passed_over,
            "refused": [line._asdict() for line in sorted(self.refused, key=lambda r: r.line)],
            "refused_count": self.refusals,
            "position": position,
        }


def exported(log: EventLog, report: Report | None = None) -> Iterator[str]:
    """Every event of the log as it stands now, in log order, a line of JSON each; whole appends only.

    Links stay behind, and revisions are counted without them. So does what was forgotten, where
    the log still shows it.
    """
    done, head = 0, log.head()
    numbering = Numbering(log)
    for append in by_append(standing(log, before=head + 1)):
        for event in append:
            yield _one_line(event._replace(revision=numbering.number(event)).envelope())
        done += len(append)
        if report and done % _TELL_EVERY < len(append):
            report("exporting", done, None)


def standing(log: EventLog, *, before: int | None = None, **how: Any) -> Iterator[Event]:
    """The events of all streams but for those forgotten, which a server shows until it is scavenged."""
    first = boundaries(log.read_all(types=FORGOTTEN))
    return (event for event in log.read_all(before=before, **how) if counts(event, first))


def _one_line(envelope: Data) -> str:
    """JSON without the characters that some readers take for the end of a line."""
    line = _json(envelope)
    if not line.isascii():
        for character in "\x85\u2028\u2029":
            line = line.replace(character, f"\\u{ord(character):04x}")
    return line


# -- a foreign history ----------------------------------------------------------------------


def import_foreign(
    journal: Journal, lines: Iterable[Line], importer: Importer, report: Report | None = None
) -> Tally:
    """Append each line as one event in its stream, in file order; what cannot be taken is named."""
    tally, standing = Tally("importing", report), _Standing(journal.log)
    for line in lines:
        tally.reading()
        record: Data = {}
        try:
            record = record_of(line)
            if isinstance(record.get("subject"), str):  # it may come to name a stream
                record["subject"] = journal.redacted(record["subject"])
            translated = importer.translate(line.text or "", record)
            if translated is None:
                tally.passed_over += 1
            elif standing.add(translated, _event(journal, translated, record.get("subject"))):
                tally.imported += 1
            else:
                tally.known += 1
        except (Refused, AppendRefused) as why:
            tally.refuse(line.number, record.get("seq"), why)
        except RecursionError:
            tally.refuse(line.number, record.get("seq"), Refused("the line is nested too deeply"))
    return tally


def _event(journal: Journal, translated: Translated, subject: Any) -> NewEvent:
    """The event as it is stored: nothing is decided, but secrets stay out."""
    data = journal.storable(translated.data)
    run = data.get("grill_run_id") or data.get("run_id") or data.get("dispatch_id")
    act = data.get("comment_id") or data.get("vote_id")
    metadata: Data = {
        "recorded_at": translated.recorded_at,
        "actor": "import",
        "batch": [0, 1],
        "$correlationId": next((i for i in (run, act) if isinstance(i, str) and i), translated.id),
        "schema": SCHEMA,
        "subject": subject if isinstance(subject, str) else journal.storable({"": subject})[""],
        "seq": journal.redacted(translated.seq) if isinstance(translated.seq, str) else translated.seq,
    }
    return NewEvent(translated.id, translated.type, data, metadata)


class _Stream:
    """The ids that stand in one stream, and where it ends."""

    def __init__(self) -> None:
        self.revision = NO_STREAM
        self.ids: set[str] = set()


class _Standing:
    """What stands in the streams an import writes to: each read once, the latest few thousand kept."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._streams: OrderedDict[str, _Stream] = OrderedDict()

    def add(self, translated: Translated, event: NewEvent) -> bool:
        """Append the event; False where it stands already."""
        if translated.otherwise:
            other = self._of(translated.otherwise)
            self._read_on(translated.otherwise, other)  # no append there would tell of what is new
            if event.id in other.ids:
                return False
        stream = self._of(translated.stream)
        for _ in range(ATTEMPTS):
            if event.id in stream.ids:
                return False
            try:
                at = self._log.append(translated.stream, [event], stream.revision)
            except WrongRevision:
                self._read_on(translated.stream, stream)  # somebody appended meanwhile
                continue
            stream.revision = at.revision
            stream.ids.add(event.id)
            return at.written
        raise Failed(f"{translated.stream} kept changing", hint="run the import again: it goes on")

    def _of(self, name: str) -> _Stream:
        stream = self._streams.get(name)
        if stream is None:
            stream = self._streams[name] = _Stream()
            self._read_on(name, stream)
            if len(self._streams) > _STREAMS_KEPT:
                self._streams.popitem(last=False)
        else:
            self._streams.move_to_end(name)
        return stream

    def _read_on(self, name: str, stream: _Stream) -> None:
        for event in self._log.read(name, from_revision=stream.revision + 1):
            stream.ids.add(event.id)
            stream.revision = event.revision
