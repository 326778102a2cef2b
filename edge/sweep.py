"""The sweep: what is new in the transcript store becomes episodes, once, whoever else sweeps.

A file is opened only when its size or time says so, read on from where it was left, and what
counts as new is decided by the keys of turns, never by offsets. Nothing here knows the format
of a transcript.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC
from typing import Any, NamedTuple

from edge.admitting import admitting
from edge.capture import Capture
from edge.domain.episodes import StreamState, evolve_stream
from edge.domain.streams import Streams
from edge.journal import Act, Journal
from edge.ports import Redactor, Report
from edge.ports_transcripts import (
    Bookmark,
    FileNote,
    FileNotes,
    FileStat,
    StoreFile,
    StoreSettings,
    SweepIndex,
    TranscriptStore,
)
from edge.sweep_run import Outcome, SweepRun


class Swept(NamedTuple):
    """What one sweep did, in the shape ``edge sweep --json`` prints."""

    sessions: int
    """Sessions that something was captured of."""
    episodes: int
    turns: int
    bytes: int
    """Bytes of transcripts read."""
    skipped_records: int
    excluded: list[dict[str, str]]
    """Sessions looked at this time of which nothing was captured, and why; files that failed."""
    redactions: dict[str, int]
    seconds: float
    captured: list[dict[str, Any]] | None = None
    """Of a dry run only: what a sweep would capture."""

    def as_json(self) -> dict[str, Any]:
        out = self._asdict()
        if self.captured is None:
            del out["captured"]
        return out


def _silent(_what: str, _done: int, _of: int | None) -> None:
    pass


class Sweep:
    """One pass over the store. ``run`` may be called again; every append is whole by itself."""

    def __init__(
        self,
        journal: Journal,
        redactor: Redactor,
        store: TranscriptStore,
        index: SweepIndex,
        notes: FileNotes,
        settings: StoreSettings,
        *,
        act: Act | None = None,
        report: Report = _silent,
    ) -> None:
        self._journal = journal
        self._store = store
        self._index = index
        self._notes = notes
        self._settings = settings
        self._report = report
        self._streams: Streams = journal.streams
        self._rules = rules_of(settings)
        self._admits = admitting(settings)
        since = settings.since
        if since is not None and since.tzinfo is None:
            since = since.replace(tzinfo=UTC)
        self._since = since
        self._run = SweepRun(journal, redactor, store, index, act or Act("sweep"), since)

    def run(self, *, dry_run: bool = False) -> Swept:
        """Sweep the store. ``dry_run`` writes nothing and returns what would be captured."""
        began = time.perf_counter()
        self._run.begin(dry_run)
        self._index.catch_up()
        excluded: list[dict[str, str]] = []
        total: Counter[str] = Counter()
        redactions: Counter[str] = Counter()

        def exclude(session: str, reason: str) -> None:
            excluded.append({"session": session, "reason": reason})

        stats = self._stats(dry_run)
        changed, same_name = self._changed(stats, exclude)
        for number, file in enumerate(changed):
            self._report("sweep", number, len(changed))
            try:
                outcome = self._file(file, file.path in stats, same_name, dry_run)
            except OSError as error:
                exclude(file.session, f"not readable: {error.strerror or error}")
                continue
            total.update(outcome.counts())
            redactions.update(outcome.redactions)
            if outcome.why_nothing:
                exclude(file.session, outcome.why_nothing)
        self._report("sweep", len(changed), len(changed))
        return Swept(
            total["sessions"],
            total["episodes"],
            total["turns"],
            total["bytes"],
            total["skipped_records"],
            excluded,
            dict(sorted(redactions.items())),
            round(time.perf_counter() - began, 3),
            self._run.captured if dry_run else None,
        )

    # -- which files ------------------------------------------------------------------------

    def _stats(self, dry_run: bool) -> dict[str, FileStat]:
        if self._notes.newest() <= self._journal.log.head():
            return self._notes.stats()
        if not dry_run:
            self._notes.clear()
        return {}

    def _changed(
        self, stats: dict[str, FileStat], trouble: Callable[[str, str], None]
    ) -> tuple[list[StoreFile], dict[str, list[StoreFile]]]:
        """Files to be read, the longest untouched first (a fork comes after its source), and
        the files that share a session's name."""
        changed: list[StoreFile] = []
        first: dict[str, StoreFile] = {}
        same_name: dict[str, list[StoreFile]] = defaultdict(list)
        for file in self._store.files(trouble):
            earlier = first.setdefault(file.session, file)
            if earlier is not file:
                same_name[file.session] = [*(same_name[file.session] or [earlier]), file]
            known = stats.get(file.path)
            if known is None or known[:3] != file[2:5] or known.rules not in (None, self._rules):
                changed.append(file)
        changed.sort(key=lambda file: (file.mtime, file.path))
        return changed, same_name

    # -- one file ---------------------------------------------------------------------------

    def _file(
        self, file: StoreFile, has_note: bool, same_name: dict[str, list[StoreFile]], dry_run: bool
    ) -> Outcome:
        note = self._note(file, has_note)
        stream, state = self._stream(file, note, same_name.get(file.session, []))
        if self._since and file.mtime < self._since.timestamp() * 1e9:
            outcome = Outcome(
                why_nothing="older than since", left_out=True, bookmark=Bookmark(0, "", (), "{}")
            )
        elif state.closed:
            outcome = Outcome(why_nothing="forgotten", bookmark=Bookmark(0, "", (), "{}"))
        else:
            bookmark = note.bookmark if note and note.bookmark.offset else None
            outcome = Capture(self._run, file, stream, state, self._admits).run(bookmark)
            if note and bookmark and note.left_out:
                outcome.left_out = True
        if outcome.bookmark and not dry_run:
            self._notes.put(file.path, file.session, self._new_note(file, stream, outcome, outcome.bookmark))
        return outcome

    def _new_note(self, file: StoreFile, stream: str, outcome: Outcome, bookmark: Bookmark) -> FileNote:
        head = self._journal.log.head()
        stat = (file.inode, file.size, file.mtime)
        return FileNote(stream, *stat, head, outcome.left_out, self._rules, bookmark)

    def _note(self, file: StoreFile, has_note: bool) -> FileNote | None:
        """What the last pass left of this file, wherever it lay then, if its bytes are the same."""
        own = self._notes.get(file.path) if has_note else None
        candidates = [own] if own else self._notes.of_session(file.session)
        for note in candidates:
            if note.left_out and note.rules != self._rules:
                continue
            at = note.bookmark.offset
            if at and self._store.fingerprint(file, at) == note.bookmark.prefix_hash:
                return note
        return None

    def _stream(
        self, file: StoreFile, note: FileNote | None, same_name: list[StoreFile]
    ) -> tuple[str, StreamState]:
        """The stream this file's episodes go to: the session's, unless another file has that."""
        if note:
            return note.stream, self._state(note.stream)
        name = self._streams.episode(stream_key(file.session))
        state = self._state(name)
        told_by = self._store.first_line(file)
        if told_by is None:
            return name, state
        second = self._streams.episode(f"{stream_key(file.session)}.{told_by}")
        second_state = self._state(second)
        if second_state != StreamState():
            return second, second_state
        for other in sorted(same_name):
            if other.path != file.path and self._goes_before(other, file, told_by, state):
                return second, second_state
        return name, state

    def _goes_before(self, other: StoreFile, file: StoreFile, told_by: str, state: StreamState) -> bool:
        """Whether ``other``, of the same name, has the session's own stream."""
        try:
            if self._store.first_line(other) in (None, told_by):
                return False  # a copy of this very file: both go on in one stream
            if state == StreamState():
                return other.path < file.path
            if self._store.fingerprint(file, state.cursor) == state.prefix_hash:
                return False
            is_its_own = self._store.fingerprint(other, state.cursor) == state.prefix_hash
            return is_its_own or other.path < file.path
        except OSError:
            return False

    def _state(self, stream: str) -> StreamState:
        state = self._index.stream(stream) or StreamState()
        for event in self._journal.log.read(stream, from_revision=state.revision + 1):
            state = evolve_stream(state, event)
        return state


def stream_key(session: str) -> str:
    """The session's name where it can stand in a stream's name, else a name of its own for it.

    A name that holds anything else, or ends like one made here or like a second file's, is
    told apart by its hash, so no two sessions share a stream.
    """
    plain = 0 < len(session) <= 120 and all(c.isascii() and (c.isalnum() or c in "-_") for c in session)
    if plain:
        return session
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in session)[:80]
    digest = hashlib.blake2b(session.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{kept}~{digest}"


def rules_of(settings: StoreSettings) -> str:
    """Tells one choice of what to read from another."""
    said = repr((settings.only, settings.exclude, settings.since and settings.since.isoformat()))
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
