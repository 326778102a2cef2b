"""How an install takes in what is new in the transcript store, and extracts from it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from adapters.transcripts.claude_code import ClaudeCodeStore, default_root
from edge.health import LAST_SWEEP
from edge.journal import Act
from edge.ports_transcripts import StoreSettings
from edge.sweep import Sweep
from projections.episodes import known, stream_state
from projections.files import SweepFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from edge.domain.episodes import StreamState
    from edge.domain.events import Data
    from edge.settings import Settings
    from edge.wiring import Edge


def sweep(edge: Edge, dry_run: bool, since: datetime | None, dispatch_id: str | None) -> Data:
    """Take in what is new in the transcript store; what it did, as ``sweep`` prints it."""
    settings = StoreSettings(
        root=transcript_root(edge.settings),
        only=edge.settings.only,
        exclude=edge.settings.exclude,
        since=since or edge.settings.since_moment,
    )
    swept = Sweep(
        edge.journal,
        edge.redactor,
        ClaudeCodeStore(settings.root),
        _Index(edge),
        SweepFiles(edge.store.connection),
        settings,
        act=Act("sweep", dispatch_id=dispatch_id),
        report=edge.report or _unreported,
    ).run(dry_run=dry_run)
    if not dry_run:
        edge.current().note(LAST_SWEEP, edge.journal.now())
    return swept.as_json()


def extract_for(edge: Edge, dispatch_id: str, tell: Callable[[str], None]) -> Data:
    """The extraction at the open of a dispatch, with what it was estimated at; ``tell`` hears that
    before a model is paid. What is kept beside the read models follows."""
    estimate = edge.knowledge.estimate()
    if estimate.tokens:
        tell(f"extracting {estimate.episodes} episodes: some {estimate.tokens:,} tokens")
    extracted = edge.knowledge.extract(dispatch_id)
    edge.knowledge.follow()
    return {**extracted.as_json(), "estimate": estimate._asdict()}


def transcript_root(settings: Settings) -> Path:
    """Where transcripts are read: as set, else Claude Code's own store."""
    return Path(settings.root) if settings.root else default_root()


def transcript_projects(root: Path | None) -> list[str]:
    """The projects a transcript store holds sessions of."""
    from adapters.transcripts.projects import projects

    return projects(root or default_root())


def _unreported(_what: str, _done: int, _of: int | None) -> None:
    """Where nobody looks, progress goes nowhere."""


class _Index:
    """What the sweep asks of the read models; see :class:`edge.ports_transcripts.SweepIndex`."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    def catch_up(self) -> None:
        self._edge.current()

    def stream(self, stream: str) -> StreamState | None:
        return stream_state(self._edge.store.connection, stream)

    def known(self, keys: Collection[str]) -> set[str]:
        return known(self._edge.store.connection, keys)
