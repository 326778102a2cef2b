"""Prompts queued while the agent works: delivered in mid-turn, sent on as a prompt, or taken back.

A ``remove`` delivers one, and no user record need follow; a ``dequeue`` announces the user
record that follows; ``popAll`` gives them back to the editor. Only some of these lines say
which prompt they mean: words decide where there are words, else the order of queueing, the
operator's prompts before the program's notices. No words are kept here, only marks of them.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final, Literal, NamedTuple

from adapters.transcripts.turns import NOTICE_START, texts, words_in

KEPT: Final = 256
"""Queued and delivered prompts remembered; older ones are given up."""

Stage = Literal["queued", "dequeued", "attached"]


def mark(text: str) -> str:
    """Tells one text from another without keeping it."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def content_mark(content: Any) -> str | None:
    """The mark of a queue line's content, the same its later record will have; None without any."""
    said = raw(content)
    if not said:
        return None
    words = None if said.startswith(NOTICE_START) else words_in(content)
    return mark(words.text if words else said)


def raw(content: Any) -> str:
    """All the text of a content, whoever wrote it."""
    return "\n\n".join(texts(content)).strip()


class Queued(NamedTuple):
    """A queued prompt. ``offset`` is that of the line that holds its words."""

    offset: int
    ts: str | None
    mark: str
    notice: bool
    stage: Stage = "queued"
    spoken_since: bool = False
    """Delivered, and the agent has spoken since: a prompt of the same words is a new one."""
    counted: bool = True
    """Delivered, and given out as a turn that somebody may have typed."""
    barred: bool = False
    """Queued in a project that is not to be read: it keeps its place in the queue and is never given out."""


class PromptQueue:
    """The queue of one session as its transcript tells it."""

    def __init__(self, saved: dict[str, Any] | None = None) -> None:
        saved = saved or {}
        self.waiting = [Queued(*entry) for entry in saved.get("waiting", ())]
        self.delivered = [Queued(*entry) for entry in saved.get("delivered", ())]

    def saved(self) -> dict[str, Any]:
        return {"waiting": self.waiting, "delivered": self.delivered}

    def pending(self) -> tuple[int, ...]:
        """Where the prompts stand of which it is not known yet what becomes of them."""
        return tuple(e.offset for e in self.waiting if not e.notice and e.stage != "attached")

    def enqueue(self, entry: Queued) -> None:
        self.waiting = [*self.waiting[-KEPT + 1 :], entry]

    def dequeue(self, words: str | None) -> None:
        """The user record of one of them follows."""
        at = self._find(words, ("queued",)) if words else self._first(("queued",))
        if at is not None:
            self.waiting[at] = self.waiting[at]._replace(stage="dequeued")

    def remove(self, words: str | None) -> Queued | None:
        """One of them was delivered; which, if it is the operator's and not counted yet."""
        if words:
            at = self._find(words, ("attached", "queued", "dequeued"))
        else:
            at = self._first(("attached",))
            at = self._first(("queued",), notice=False) if at is None else at
            at = self._first(("queued",), notice=True) if at is None else at
        if at is None:
            return None
        entry = self.waiting.pop(at)
        if entry.notice or entry.stage == "attached":
            return None
        return entry

    def take_back(self, words: str | None) -> None:
        """``popAll``: one line a prompt where it names them, else one for all of them."""
        if words is None:
            self.waiting = [e for e in self.waiting if e.notice or e.stage != "queued"]
            return
        at = self._find(words, ("queued", "dequeued"))
        if at is not None:
            del self.waiting[at]

    def remember(self, entry: Queued) -> None:
        """A delivered prompt whose own record may still come."""
        self.delivered = [*self.delivered[-KEPT + 1 :], entry]

    def prompt(self, words: str, queued: bool) -> Queued | None:
        """A user record with these words: the delivered prompt it repeats, or None for a new one."""
        at = self._find(words, ("dequeued", "queued"))
        if at is not None:
            was_announced = self.waiting.pop(at).stage == "dequeued"
            if not was_announced:  # then the dequeue meant this one, not the one taken for it
                other = self._first(("dequeued",))
                if other is not None:
                    self.waiting[other] = self.waiting[other]._replace(stage="queued")
            return None
        for i, entry in enumerate(self.delivered):
            if entry.mark == words and (queued or not entry.spoken_since):
                return self.delivered.pop(i)
        return None

    def attach(self, words: str) -> tuple[Queued | None, bool]:
        """An attachment delivers these words: the prompt it means, and whether it was delivered before."""
        for i, entry in enumerate(self.delivered):
            if entry.mark == words:
                return self.delivered.pop(i), True
        at = self._find(words, ("queued", "dequeued"))
        if at is None:
            return None, False
        entry = self.waiting[at]
        self.waiting[at] = entry._replace(stage="attached")
        return entry, False

    def spoken(self) -> None:
        """The agent said something."""
        if self.delivered and not self.delivered[-1].spoken_since:
            self.delivered = [entry._replace(spoken_since=True) for entry in self.delivered]

    def _find(self, words: str | None, stages: tuple[Stage, ...]) -> int | None:
        for stage in stages:
            for i, entry in enumerate(self.waiting):
                if entry.stage == stage and entry.mark == words:
                    return i
        return None

    def _first(self, stages: tuple[Stage, ...], notice: bool | None = None) -> int | None:
        for i, entry in enumerate(self.waiting):
            if entry.stage in stages and notice in (None, entry.notice):
                return i
        return None
