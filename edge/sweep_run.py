"""What the passes over all files of one sweep share, and what each of them comes to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from edge.domain.episodes import turn_keys
from edge.domain.events import Data
from edge.journal import Act, Journal
from edge.ports import Redactor
from edge.ports_transcripts import Bookmark, SweepIndex, TranscriptStore

OWN_KEYS: Final = 50_000
"""Keys a sweep remembers of its own before it asks the index to learn them."""


class SweepRun:
    """What all files of one sweep share: where it writes to, and what it has written so far."""

    def __init__(
        self,
        journal: Journal,
        redactor: Redactor,
        store: TranscriptStore,
        index: SweepIndex,
        act: Act,
        since: datetime | None,
    ) -> None:
        self.journal = journal
        self.redactor = redactor
        self.store = store
        self.index = index
        self.act = act
        self.since = since
        self.dry_run = False
        self.own: set[str] = set()
        self.captured: list[dict[str, Any]] = []

    def begin(self, dry_run: bool) -> None:
        self.dry_run = dry_run
        self.own.clear()
        self.captured = []

    def known(self, keys: set[str]) -> set[str]:
        """Those of the keys some turn has that was captured by anyone so far."""
        found = keys & self.own
        rest = keys - found
        return found | self.index.known(rest) if rest else found

    def relieve(self, still_open: list[Data]) -> None:
        """Let the index learn what was captured, when that has become much."""
        if len(self.own) < OWN_KEYS or self.dry_run:
            return
        self.index.catch_up()
        self.own.clear()
        for turn in still_open:
            self.own.update(turn_keys(turn))


@dataclass
class Outcome:
    """What one file's pass came to."""

    episodes: int = 0
    turns: int = 0
    bytes: int = 0
    skipped: int = 0
    redactions: Counter[str] = field(default_factory=Counter)
    left_out: bool = False
    why_nothing: str | None = None
    bookmark: Bookmark | None = None

    def counts(self) -> dict[str, int]:
        return {
            "sessions": int(self.turns > 0),
            "episodes": self.episodes,
            "turns": self.turns,
            "bytes": self.bytes,
            "skipped_records": self.skipped,
        }
