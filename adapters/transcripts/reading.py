"""One pass over one transcript: from a bookmark to the last whole line, turn by turn.

What a line means may depend on lines before it (the prompt being answered, the queue, the
working directory); all of that is in the bookmark, so that reading in pieces is reading whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from adapters.transcripts.presence import Evidence, presence_of
from adapters.transcripts.queue import PromptQueue, Queued, content_mark, mark, raw
from adapters.transcripts.records import Line, Record, lines, parse, whole_begin
from adapters.transcripts.skimming import is_idle
from adapters.transcripts.turns import (
    Words,
    assistant_words,
    filled,
    is_model_call,
    is_prompt,
    is_tool_result,
    moment,
    origin_kind,
    prompt_words,
    words_in,
)
from edge.domain.episodes import derived_id
from edge.ports_transcripts import Admits, Bookmark, Presence, Spoken

PREFIX: Final = 4 * 1024
STATE_VERSION: Final = 1


def prefix_hash(file: BinaryIO, to: int) -> str:
    """Hash of the last 4 KiB before ``to``."""
    begin = max(0, to - PREFIX)
    file.seek(begin)
    return hashlib.blake2b(file.read(to - begin), digest_size=16).hexdigest()


class ClaudeReading:
    """See :class:`edge.ports_transcripts.Reading`."""

    def __init__(
        self,
        path: str,
        session: str,
        admits: Admits,
        bookmark: Bookmark | None = None,
        verdict: Presence = "unknown",
    ) -> None:
        self._path = path
        self._session = session
        self._admits = admits
        state: dict[str, Any] = json.loads(bookmark.state) if bookmark else {}
        self._offset = bookmark.offset if bookmark else 0
        self._cwd: str | None = state.get("cwd")
        self._began: bool = state.get("began", False)
        self._answering: Presence | None = state.get("answering")
        self._prompted: bool = state.get("prompted", False)
        self._anchor: str = state.get("anchor", "")
        self._since_anchor: int = state.get("since_anchor", 0)
        self._evidence = Evidence(state.get("verdict", verdict))
        self._queue = PromptQueue(state.get("queue"))
        self._early = [Queued(*entry) for entry in state.get("early", ())]
        self.left_out: bool = state.get("left_out", False)
        self.skipped = 0
        self.bytes_read = 0

    # -- Reading ----------------------------------------------------------------------------

    @property
    def verdict(self) -> Presence:
        return self._evidence.verdict

    @property
    def offset(self) -> int:
        return self._offset

    @property
    def pending(self) -> tuple[int, ...]:
        early = (entry.offset for entry in self._early)
        return tuple(sorted({*self._queue.pending(), *early}))

    def __iter__(self) -> Iterator[Spoken]:
        with Path(self._path).open("rb") as file:
            for line in lines(file, self._offset):
                self.bytes_read += line.end - line.offset
                if line.whole:
                    yield from self._whole(line)
                    self._offset = line.end
                elif begin := whole_begin(line.content):
                    end = line.offset + len(begin)
                    yield from self._whole(Line(line.offset, end, begin, False))
                    self._offset = end

    def bookmark(self) -> Bookmark:
        state = {
            "v": STATE_VERSION,
            "cwd": self._cwd,
            "began": self._began,
            "answering": self._answering,
            "prompted": self._prompted,
            "anchor": self._anchor,
            "since_anchor": self._since_anchor,
            "verdict": self.verdict,
            "queue": self._queue.saved(),
            "early": self._early,
            "left_out": self.left_out,
        }
        with Path(self._path).open("rb") as file:
            told_by = prefix_hash(file, self._offset)
        return Bookmark(self._offset, told_by, self.pending, json.dumps(state))

    # -- lines ------------------------------------------------------------------------------

    def _whole(self, line: Line) -> Iterator[Spoken]:
        if not line.content:
            self.skipped += line.end - line.offset > 1  # a line too long to be one
            return
        if is_idle(line.content):
            return
        records, bad = parse(line.content)
        self.skipped += bad
        for record in records:
            yield from self._record(record, line)

    def _record(self, record: Record, line: Line) -> Iterator[Spoken]:
        kind = record.get("type")
        if not isinstance(kind, str):
            self.skipped += 1
            return
        if kind == "queue-operation":
            yield from self._queue_operation(record, line)
            return
        self._evidence.weigh(record)
        if kind in ("user", "assistant", "system", "attachment") and not record.get("isSidechain"):
            yield from self._in_conversation(kind, record, line)

    def _in_conversation(self, kind: str, record: Record, line: Line) -> Iterator[Spoken]:
        self._cwd = filled(record.get("cwd")) or self._cwd
        self._began = True
        yield from self._settle_early()
        turn: Spoken | None = None
        if kind == "user":
            turn = self._user(record, line)
        elif kind == "assistant":
            turn = self._assistant(record, line)
        elif kind == "attachment":
            turn = self._attachment(record, line)
        if uuid := filled(record.get("uuid")):
            self._anchor, self._since_anchor = uuid, 0
        if turn:
            yield turn

    # -- the operator and the agent ----------------------------------------------------------

    def _user(self, record: Record, line: Line) -> Spoken | None:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if is_tool_result(content):
            return None
        sent = is_prompt(record)
        if sent:
            self._answering = "absent" if is_model_call(content) else presence_of(record)
            self._prompted = True
        words = prompt_words(record)
        told_by = mark(words.text if words else raw(content))
        repeated = self._queue.prompt(told_by, record.get("promptSource") == "queued")
        if words is None or not sent or not self._is_admitted():
            return None
        if repeated:
            return None if repeated.counted else self._queued_turn(repeated, self._answering)
        return self._turn(record, line, words, self._answering)

    def _assistant(self, record: Record, line: Line) -> Spoken | None:
        if not self._is_admitted():
            return None
        words = assistant_words(record)
        if words is None:
            return None
        self._queue.spoken()
        return self._turn(record, line, words, self._presence_now(record))

    def _attachment(self, record: Record, line: Line) -> Spoken | None:
        """A prompt queued in mid-turn reaches the agent as an attachment."""
        attachment = record.get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return None
        if attachment.get("commandMode", "prompt") != "prompt" or origin_kind(attachment) not in (
            None,
            "human",
        ):
            return None
        if attachment.get("isMeta") or not self._is_admitted():
            return None
        words = words_in(attachment.get("prompt"))
        if words is None:
            return None
        presence = presence_of(attachment) or self._presence_now(record)
        if is_model_call(attachment.get("prompt")):
            presence = "absent"
        entry, before = self._queue.attach(mark(words.text))
        if entry is None:
            return self._turn(record, line, words, presence)._replace(delivery=True)
        if before and (entry.counted or presence == "absent"):
            return None
        return self._queued_turn(entry, presence, words, filled(record.get("uuid")))

    def _presence_now(self, record: Record) -> Presence | None:
        """That of the prompt being answered; where a file begins with none, the record's own."""
        return self._answering if self._prompted else presence_of(record)

    def _is_admitted(self) -> bool:
        if self._admits(self._cwd):
            return True
        self.left_out = True
        return False

    def _turn(self, record: Record, line: Line, words: Words, presence: Presence | None) -> Spoken:
        turn_id, ts = filled(record.get("uuid")), moment(record)
        if turn_id is None:
            self._since_anchor += 1
            anchor = self._anchor or f"{self._session}:"
            turn_id = derived_id("record", anchor, self._since_anchor, words.role, ts)
        return Spoken(line.offset, line.end, turn_id, words.role, ts, words.text, presence, self._cwd)

    # -- queued prompts ----------------------------------------------------------------------

    def _queue_operation(self, record: Record, line: Line) -> Iterator[Spoken]:
        operation, content = record.get("operation"), record.get("content")
        words = content_mark(content)
        if operation == "enqueue" and words:
            notice = words_in(content) is None or is_model_call(content)
            entry = Queued(line.offset, moment(record), words, notice)
            barred = self._began and not entry.notice and not self._is_admitted()
            self._queue.enqueue(entry._replace(barred=barred))
        elif operation == "dequeue":
            self._queue.dequeue(words)
        elif operation == "popAll":
            self._queue.take_back(words)
        elif operation == "remove":
            removed = self._queue.remove(words)
            if removed:
                yield from self._delivered(removed)

    def _delivered(self, entry: Queued) -> Iterator[Spoken]:
        """Given out once it is known where the session works and whom it answers."""
        if not self._began:
            self._early.append(entry)
            return
        presence = self._answering if self._prompted else None
        self._queue.remember(entry._replace(counted=presence != "absent"))
        turn = self._queued_turn(entry, presence) if self._is_admitted() else None
        if turn:
            yield turn

    def _settle_early(self) -> Iterator[Spoken]:
        early, self._early = self._early, []
        for entry in early:
            yield from self._delivered(entry)

    def _queued_turn(
        self,
        entry: Queued,
        presence: Presence | None,
        words: Words | None = None,
        also: str | None = None,
    ) -> Spoken | None:
        words = None if entry.barred else words or self._words_at(entry)
        if words is None:
            return None
        return Spoken(
            entry.offset,
            entry.offset,
            None,
            words.role,
            entry.ts,
            words.text,
            presence,
            self._cwd,
            (also,) if also else (),
        )

    def _words_at(self, entry: Queued) -> Words | None:
        """The words of a queued prompt, from the line that queued it."""
        with Path(self._path).open("rb") as file:
            line = next(lines(file, entry.offset), None)
        for record in parse(line.content).records if line else ():
            content = record.get("content")
            if record.get("type") == "queue-operation" and content_mark(content) == entry.mark:
                return words_in(content)
        return None
