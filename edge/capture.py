"""One file's pass of the sweep: from turns, through what is known, to episodes in its stream."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

from edge.domain.cuts import MAX_PART, MAX_TURNS, parts, turn_size
from edge.domain.episodes import (
    CAPTURED,
    StreamState,
    id_key,
    queued_id,
    queued_key,
    turn_keys,
)
from edge.domain.events import Data, Draft
from edge.domain.language import clean
from edge.episode_stream import EpisodeStream
from edge.ports_transcripts import (
    Admits,
    Bookmark,
    Presence,
    Reading,
    Spoken,
    StoreFile,
)
from edge.sweep_run import Outcome, SweepRun

BATCH_TURNS: Final = 512
BATCH_CHARS: Final = 512 * 1024
HELD_CHARS: Final = 8 * 1024 * 1024
"""Text held back while the session's presence is not decided; more is captured as unknown."""
DELIVERED_WITHIN: Final = 3
"""Hours between queueing a prompt and its delivery, when a fork holds only the latter."""


class _Fresh(NamedTuple):
    """A turn that is to be captured unless one of its keys is known."""

    turn: Spoken
    presence: Presence
    parts: list[tuple[Data, tuple[str, ...]]]
    found: dict[str, int]
    delivery: frozenset[str]


@dataclass
class _Open:
    """An episode that still grows."""

    presence: Presence
    project: str | None
    from_: int
    to: int
    turns: list[Data] = field(default_factory=list)
    size: int = 0
    redactions: Counter[str] = field(default_factory=Counter)

    def takes(self, presence: Presence, project: str | None, size: int) -> bool:
        same = presence == self.presence and _same_project(self.project, project)
        return same and self.size + size <= MAX_TURNS


def _same_project(one: str | None, other: str | None) -> bool:
    """A session that walks down from where it began, or back up, stays in its project."""
    if one is None or other is None or one == other:
        return True
    return one.startswith(other.rstrip("/\\") + _separator(one)) or other.startswith(
        one.rstrip("/\\") + _separator(other)
    )


def _separator(path: str) -> str:
    return "\\" if "\\" in path and "/" not in path else "/"


class Capture:
    """Captures what is new in one file."""

    def __init__(
        self, run: SweepRun, file: StoreFile, stream: str, state: StreamState, admits: Admits
    ) -> None:
        self._run = run
        self._file = file
        self._stream = EpisodeStream(run.journal, stream, state, run.act)
        self._admits = admits
        self._outcome = Outcome()
        self._open: _Open | None = None
        self._in_copies = False
        self._last_ts: datetime | None = None
        self._dropped: Counter[str] = Counter()

    def run(self, bookmark: Bookmark | None) -> Outcome:
        """Read on from the bookmark; again from the start where that brings back older turns."""
        try:
            reading = self._read_on(bookmark)
        except OSError:
            for turn in self._open.turns if self._open else ():
                self._run.own.difference_update(turn_keys(turn))
            raise
        if not self._run.dry_run:
            self._stream.reclassify(reading.verdict)
        self._outcome.left_out = reading.left_out or self._dropped["old"] > 0
        self._outcome.bookmark = reading.bookmark()
        if not self._outcome.turns:
            self._outcome.why_nothing = self._why_nothing(reading)
        return self._outcome

    def _read_on(self, bookmark: Bookmark | None) -> Reading:
        reading = self._run.store.read(self._file, self._admits, bookmark)
        was_absent = reading.verdict == "absent"
        self._read(reading)
        if reading.verdict == "present" and (was_absent or self._dropped["undecided"]):
            reading = self._run.store.read(self._file, self._admits, None, "present")
            self._read(reading)
        return reading

    def _why_nothing(self, reading: Reading) -> str | None:
        if reading.left_out:
            return "project not included"
        if self._dropped["old"]:
            return "older than since"
        if self._dropped["absent"] or self._dropped["undecided"]:
            return "autonomous"
        return None

    # -- from turns to what is new -----------------------------------------------------------

    def _read(self, reading: Reading) -> None:
        batch: list[Spoken] = []
        chars, undecided = 0, False
        for turn in reading:
            batch.append(turn)
            chars += len(turn.text)
            undecided = undecided or turn.presence is None
            waits = undecided and reading.verdict == "unknown"
            if chars > (HELD_CHARS if waits else BATCH_CHARS) or (not waits and len(batch) >= BATCH_TURNS):
                self._take(batch, reading)
                batch, chars, undecided = [], 0, False
        self._take(batch, reading)
        self._close(reading, reading.offset)
        self._outcome.bytes += reading.bytes_read
        self._outcome.skipped += reading.skipped

    def _take(self, batch: list[Spoken], reading: Reading) -> None:
        """Pass over what is not to be captured or is known; the rest goes into episodes."""
        present = [(turn, turn.presence or reading.verdict) for turn in batch]
        wanted = [(turn, presence) for turn, presence in present if self._is_wanted(turn, presence)]
        known = self._run.known({key for turn, _ in wanted for key in _ids(turn)})
        fresh: list[_Fresh] = []
        keys: set[str] = set()
        for turn, presence in wanted:
            if len(turn.text) * 6 <= MAX_PART and not known.isdisjoint(_ids(turn)):
                self._in_copies = True
                continue
            new = self._fresh(turn, presence)
            if new is None:
                continue
            fresh.append(new)
            keys.update(new.delivery, *(part_keys[:2] for _, part_keys in new.parts))
        known |= self._run.known(keys)
        for new in fresh:
            if self._is_copy(new, known):
                continue
            for part, part_keys in new.parts:
                if not known.isdisjoint(part_keys[:2]):
                    continue
                known.update(part_keys)
                self._run.own.update(part_keys)
                self._add(new, part, reading)
        self._run.relieve(self._open.turns if self._open else [])

    def _is_wanted(self, turn: Spoken, presence: Presence) -> bool:
        if presence == "absent":
            self._dropped["absent" if turn.presence else "undecided"] += 1
            return False
        if turn.offset < self._stream.state.forgotten:
            return False
        if self._run.since is None:
            return True
        self._last_ts = _time(turn.ts) or self._last_ts
        if self._last_ts and self._last_ts < self._run.since:
            self._dropped["old"] += 1
            return False
        return True

    def _fresh(self, turn: Spoken, presence: Presence) -> _Fresh | None:
        """The turn as it will be stored: redacted whole, before anything is cut; None without words."""
        redacted = self._run.redactor.redact(clean(turn.text))
        text = redacted.text.strip()
        if not text:
            return None
        data: Data = {"id": turn.id or queued_id(turn.ts, text), "role": turn.role, "text": text}
        if turn.ts:
            data["ts"] = turn.ts
        delivery = _delivery_keys(turn.ts, text) if turn.delivery and turn.ts else frozenset()
        pieces = [(part, turn_keys(part)) for part in parts(data)]
        return _Fresh(turn, presence, pieces, redacted.found, delivery)

    def _is_copy(self, new: _Fresh, known: set[str]) -> bool:
        """Whether it is known by another name; notes whether this file is copying another here."""
        delivered_there = self._in_copies and not known.isdisjoint(new.delivery)
        if delivered_there or not known.isdisjoint(new.turn.also):
            self._in_copies = True
            return True
        self._in_copies = not known.isdisjoint(new.parts[0][1][:2])
        return False

    # -- from what is new to episodes --------------------------------------------------------

    def _add(self, new: _Fresh, part: Data, reading: Reading) -> None:
        turn, size = new.turn, turn_size(part)
        if self._open and not self._open.takes(new.presence, turn.project, size):
            self._close(reading, self._open.to)
        if self._open is None:
            self._open = _Open(new.presence, turn.project, turn.offset, turn.end)
        episode = self._open
        episode.turns.append(part)
        episode.size += size
        episode.from_ = min(episode.from_, turn.offset)
        episode.to = max(episode.to, turn.end)
        if part.get("part", 1) == 1:
            episode.redactions.update(new.found)

    def _close(self, reading: Reading, to: int) -> None:
        """Append the open episode; whoever else wrote to its stream meanwhile is heard first."""
        if self._open is None:
            return
        episode = self._open
        for turns in self._stream.attempts(episode.turns):
            data = self._captured(episode, turns, to, reading)
            if self._run.dry_run:
                shown = {"session": self._file.session, "presence": episode.presence, "turns": turns}
                self._run.captured.append(shown)
            elif not self._stream.append([Draft(CAPTURED, data)]):
                continue
            self._outcome.episodes += 1
            self._outcome.turns += sum(turn.get("part", 1) == 1 for turn in turns)
            self._outcome.redactions.update(episode.redactions)
            break
        self._open = None

    def _cursor(self, to: int) -> tuple[int, str]:
        """Where the stream's cursor stands after this episode, and the hash of what is before it.

        It goes back only where the file was written anew: an older piece captured late, or
        after another sweep was here, leaves it where it was.
        """
        state, store = self._stream.state, self._run.store
        further = store.fingerprint(self._file, state.cursor) if state.cursor > to else None
        if further and further == state.prefix_hash:
            return state.cursor, further
        told_by = store.fingerprint(self._file, to)
        if told_by is None:
            raise OSError("it became shorter while it was read")
        return to, told_by

    def _captured(self, episode: _Open, turns: list[Data], to: int, reading: Reading) -> Data:
        to, told_by = self._cursor(to)
        data: Data = {
            "session": clean(self._file.session),
            "surface": self._run.store.surface,
            "tier": "low",
            "presence": episode.presence,
            "from": min(episode.from_, to),
            "to": to,
            "prefix_hash": told_by,
            "pending": [offset for offset in reading.pending if offset < to],
            "turns": turns,
            "redactions": dict(sorted(episode.redactions.items())),
        }
        if episode.project:
            data["project"] = clean(episode.project)
        return data


def _ids(turn: Spoken) -> set[str]:
    return {id_key(turn.id), *turn.also} if turn.id else set(turn.also)


def _delivery_keys(ts: str, text: str) -> frozenset[str]:
    hours = range(DELIVERED_WITHIN)
    return frozenset(key for back in hours if (key := queued_key(ts, text, back)))


def _time(ts: str | None) -> datetime | None:
    if not ts:
        return None
    try:
        moment = datetime.fromisoformat(ts)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
