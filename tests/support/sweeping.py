"""A sweep over a directory of transcripts, with its log and its index in memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from adapters.eventlog.memory import MemoryEventLog
from adapters.redaction.secrets import SecretRedactor
from adapters.system import SystemClock, TimeOrderedIds
from adapters.transcripts.claude_code import ClaudeCodeStore
from edge.domain.episodes import Episodes, StreamState
from edge.domain.events import Data
from edge.domain.streams import Streams
from edge.journal import Act, Journal
from edge.ports import EventLog
from edge.ports_transcripts import StoreSettings, TranscriptStore
from edge.sweep import Sweep, Swept
from projections.files import SweepFiles

GROUP = "t"


class FoldedIndex:
    """A :class:`~edge.ports_transcripts.SweepIndex` that folds the log in memory."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._position: int | None = None
        self.episodes = Episodes()

    def catch_up(self) -> None:
        for event in self._log.read_all(after=self._position, categories=["episode"]):
            self.episodes.evolve(event)
            self._position = event.position

    def stream(self, stream: str) -> StreamState | None:
        return self.episodes.streams.get(stream)

    def known(self, keys: Collection[str]) -> set[str]:
        return self.episodes.known(keys)


class Home:
    """One install that sweeps one store."""

    def __init__(
        self,
        root: Path,
        log: EventLog | None = None,
        *,
        connection: apsw.Connection | None = None,
        store: TranscriptStore | None = None,
        **settings: Any,
    ) -> None:
        self.root = root
        self.log = log or MemoryEventLog()
        self.settings = StoreSettings(root, **settings)
        self.notes = SweepFiles(connection or apsw.Connection(":memory:"))
        self.redactor = SecretRedactor()
        self.journal = Journal(self.log, Streams(GROUP), self.redactor, SystemClock(), TimeOrderedIds())
        self.store: TranscriptStore = store or ClaudeCodeStore(root)
        self.index = FoldedIndex(self.log)

    def sweep(self, *, dry_run: bool = False, **settings: Any) -> Swept:
        return Sweep(
            self.journal,
            self.redactor,
            self.store,
            self.index,
            self.notes,
            replace(self.settings, **settings),
            act=Act("sweep", "d1"),
        ).run(dry_run=dry_run)

    def folded(self) -> Episodes:
        """All episodes in the log, folded from its beginning."""
        index = FoldedIndex(self.log)
        index.catch_up()
        return index.episodes

    def turns(self, role: str | None = None, presence: Sequence[str] = ("present", "unknown")) -> list[Data]:
        """The turns that count, of episodes with such a presence."""
        return [
            turn
            for episode in self.folded().by_id.values()
            if episode.range.presence in presence
            for turn in episode.turns
            if role in (None, turn["role"])
        ]

    def said(self, role: str = "operator") -> list[str]:
        return [turn["text"] for turn in self.turns(role)]

    def tally(self) -> Counter[tuple[Any, ...]]:
        """Every turn that counts, with its presence, in no order: two ways of reading are compared by it."""
        return Counter(
            (episode.range.presence, t["id"], t["role"], t.get("ts"), t["text"], t.get("part"))
            for episode in self.folded().by_id.values()
            if episode.range.presence != "absent"
            for t in episode.turns
        )


class Session:
    """Writes an invented transcript, record by record."""

    def __init__(self, name: str = "s1", cwd: str | None = "/home/ana/loja", **envelope: Any) -> None:
        self.name = name
        self.cwd = cwd
        self.envelope: dict[str, Any] = {"entrypoint": "cli", "version": "2.1.240", **envelope}
        self.records: list[dict[str, Any]] = []
        self._now = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)

    def ts(self) -> str:
        self._now += timedelta(seconds=5)
        return self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def add(self, **record: Any) -> dict[str, Any]:
        self.records.append(record)
        return record

    def line(self, type_: str, **record: Any) -> dict[str, Any]:
        number = len(self.records)
        base: dict[str, Any] = {
            "type": type_,
            "uuid": f"{self.name}-{number:04d}",
            "timestamp": self.ts(),
            "sessionId": self.name,
            "isSidechain": False,
            **self.envelope,
        }
        if self.cwd:
            base["cwd"] = self.cwd
        return self.add(**{**base, **record})

    def user(self, content: Any, **record: Any) -> dict[str, Any]:
        return self.line("user", message={"role": "user", "content": content}, **record)

    def agent(self, text: str, **record: Any) -> dict[str, Any]:
        message = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": text}]}
        return self.line("assistant", message=message, **record)

    def tool(self, **record: Any) -> dict[str, Any]:
        content = [{"type": "tool_result", "tool_use_id": "t", "content": "done"}]
        return self.user(content, toolUseResult={"stdout": "done"}, **record)

    def queue(self, operation: str, content: str | None = None) -> dict[str, Any]:
        record: dict[str, Any] = {
            "type": "queue-operation",
            "operation": operation,
            "timestamp": self.ts(),
            "sessionId": self.name,
        }
        if content is not None:
            record["content"] = content
        return self.add(**record)

    def attachment(self, prompt: str, mode: str = "prompt", **record: Any) -> dict[str, Any]:
        said = {"type": "queued_command", "prompt": prompt, "commandMode": mode}
        return self.line("attachment", attachment={**said, **record})

    def bytes(self) -> bytes:
        return b"".join(
            json.dumps(r, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for r in self.records
        )

    def write(self, root: Path, slug: str = "p") -> Path:
        path = root / "projects" / slug / f"{self.name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        return path


def grow(home: Home, path: Path, content: bytes, cuts: Sequence[int]) -> None:
    """Write ``content`` to ``path`` piece by piece, sweeping after each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        at = 0
        for cut in sorted({*cuts, len(content)}):
            file.write(content[at:cut])
            at = cut
            home.sweep()
