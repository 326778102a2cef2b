"""What the sweep needs: a store of transcripts, what is already known, and a note per file.

A store knows one agent's format; the sweep knows none. It asks for files, reads each from
where it was left, and is told whose words each turn is and whether somebody was there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from edge.domain.episodes import StreamState

Role = Literal["operator", "command", "assistant"]
Presence = Literal["present", "unknown", "absent"]


@dataclass(frozen=True)
class StoreSettings:
    """Which part of the store is read. ``only`` and ``exclude`` take a path (and all below it)
    or a directory's name; ``since`` leaves out what is older."""

    root: Path
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    since: datetime | None = None


class StoreFile(NamedTuple):
    """A transcript as the walk saw it. ``mtime`` is in nanoseconds."""

    path: str
    session: str
    inode: int
    size: int
    mtime: int


class Spoken(NamedTuple):
    """One turn. ``text`` is raw: not redacted, of any length."""

    offset: int
    """Where its record begins in the file, in bytes."""
    end: int
    id: str | None
    """The record's id; None for a queued prompt, whose id follows from its time and text."""
    role: Role
    ts: str | None
    text: str
    presence: Presence | None
    """None: what is said of the whole session decides (``Reading.verdict``)."""
    project: str | None
    also: tuple[str, ...] = ()
    """Ids of other records of the same turn."""
    delivery: bool = False
    """It stands in the record that delivered a queued prompt whose queueing this file lacks."""


class Bookmark(NamedTuple):
    """Where a reading ended: enough to go on from there, and to check that the bytes are the same."""

    offset: int
    prefix_hash: str
    pending: tuple[int, ...]
    state: str
    """Opaque to all but the store. Holds no words of anybody."""


class Reading(Protocol):
    """One pass over one file. Iterate to the end, then ask for the bookmark."""

    skipped: int
    """Records so far that could not be read."""
    bytes_read: int
    left_out: bool
    """Whether a turn (ever) was passed over because its project is not to be read."""

    def __iter__(self) -> Iterator[Spoken]: ...

    @property
    def verdict(self) -> Presence:
        """What is known by now of the turns whose presence is None. Grows: unknown, absent, present."""
        ...

    @property
    def offset(self) -> int:
        """Up to which byte the file has been taken in."""
        ...

    @property
    def pending(self) -> tuple[int, ...]:
        """Offsets of queued prompts of which it is not known yet what becomes of them."""
        ...

    def bookmark(self) -> Bookmark: ...


Admits = Callable[[str | None], bool]
"""Whether turns of the project with this working directory are to be read."""


class TranscriptStore(Protocol):
    """Read only. Every method may raise :class:`OSError` where a file is gone or not readable."""

    surface: str
    """Which agent's store it is, as episodes name it."""

    def files(self, trouble: Callable[[str, str], None]) -> Iterable[StoreFile]:
        """Every transcript that may hold the operator's words; ``trouble(name, why)`` hears the rest."""
        ...

    def first_line(self, file: StoreFile) -> str | None:
        """Hash of its first line; None while that is not complete."""
        ...

    def fingerprint(self, file: StoreFile, to: int) -> str | None:
        """Hash of the last 4 KiB before ``to``; None where the file is shorter."""
        ...

    def read(
        self,
        file: StoreFile,
        admits: Admits,
        bookmark: Bookmark | None = None,
        verdict: Presence = "unknown",
    ) -> Reading:
        """Read on from the bookmark, or from the start with what is known of the session already."""
        ...


class SweepIndex(Protocol):
    """What the read models know of episodes."""

    def catch_up(self) -> None:
        """Bring the index to the head of the log."""
        ...

    def stream(self, stream: str) -> StreamState | None:
        """The stream as far as the index has followed the log; None where it knows none."""
        ...

    def known(self, keys: Collection[str]) -> set[str]:
        """Those of the keys (see ``turn_keys``) a captured or forgotten turn has."""
        ...


class FileNote(NamedTuple):
    """What the last pass over a file left: disposable, losing it costs a full read."""

    stream: str
    inode: int
    size: int
    mtime: int
    position: int
    """The log's head when it was written; a log that ends before it is another one."""
    left_out: bool
    """Something was left out by ``rules``; when those change the file is read anew."""
    rules: str
    bookmark: Bookmark


class FileStat(NamedTuple):
    """The part of a note that tells whether a file has to be opened at all."""

    inode: int
    size: int
    mtime: int
    rules: str | None
    """The rules that left something out; None where nothing was."""


class FileNotes(Protocol):
    """The per-host table of what has been read (I14)."""

    def newest(self) -> int:
        """The furthest position a note was written at; past the log's head, the log is another one."""
        ...

    def stats(self) -> dict[str, FileStat]:
        """By path, in one query."""
        ...

    def get(self, path: str) -> FileNote | None: ...

    def of_session(self, session: str) -> list[FileNote]:
        """Notes of all files of that session: one that moved is found by its bytes."""
        ...

    def put(self, path: str, session: str, note: FileNote) -> None: ...

    def clear(self) -> None: ...
