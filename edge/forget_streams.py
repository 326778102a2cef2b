"""One stream forgotten: the event that says so at its end, and the truncation before it.

Whatever races it meets the event: a sweep hears that the session is closed, a close finds the
chat stale, an extractor that there is a stream already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from edge.domain import dispatch, forgetting
from edge.domain.episodes import StreamState, evolve_stream
from edge.domain.events import LINK_TYPE, NO_STREAM, Data, Draft, Event
from edge.domain.refusal import Failed
from edge.domain.streams import category
from edge.journal import ATTEMPTS, Act, Journal
from edge.ports import WrongRevision

OPERATOR: Final = Act("operator")


@dataclass
class _Standing:
    """A stream as it stands: where it ends, what of it is forgotten, what came after that."""

    revision: int = NO_STREAM
    first: int | None = None
    """The first revision that stays; None where nothing was forgotten."""
    more: bool = False
    """Whether anything stands after the last forgotten event."""
    content: int = NO_STREAM
    """The last revision that is no forgotten event."""
    keys: set[str] = field(default_factory=set)
    episodes: StreamState = field(default_factory=StreamState)
    shown: list[int] = field(default_factory=list)
    quoted: bool = False
    """Whether a Briefing stands that was not forgotten."""

    def take(self, event: Event) -> None:
        self.revision = event.revision
        self.episodes = evolve_stream(self.episodes, event)
        if forgetting.is_forgotten(event):
            self.first, self.more, self.quoted = forgetting.boundary(event), False, False
            self.keys.update(event.data.get("keys") or ())
            self.shown += [at for at in event.data.get("shown") or () if isinstance(at, int)]
            return
        if event.type != LINK_TYPE:
            self.more, self.content = True, event.revision
        if event.type == "briefing.presented":
            self.quoted = True
            composed = event.data.get("position")
            self.shown += [event.position, *([composed] if isinstance(composed, int) else [])]


Due = Callable[[_Standing], bool]
"""Whether a stream is to be marked, as it stands."""


class Ending:
    """Marks streams as forgotten, and truncates them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def episodes(self, stream: str, keys: Sequence[str], upto: int, also: Sequence[str]) -> bool:
        """Mark a session's stream; the keys of its turns stay known. False where more was captured
        after revision ``upto``, of which ``keys`` know nothing; then nothing of it is written.

        Keys of a long session take several appends. Stopped between them, it is not truncated,
        and the next run finds which are missing.
        """
        for _ in range(ATTEMPTS):
            standing = self._standing(stream)
            if standing.content > upto:
                return False
            again = standing.first is not None and not standing.more
            missing = sorted(set(keys) - standing.keys) if again else sorted({*keys, *standing.keys})
            if again and not missing:
                return True
            part = standing.revision + 1 - (standing.first or 0) if again else 0
            data: Data = {
                "to": standing.episodes.cursor,
                "permanent": True,
                "keys": next(forgetting.in_parts(missing)),
                "through": (standing.first or 0) - 1 if again else standing.revision,
                "part": part,
                "also": [] if again else list(also),
            }
            self._appended(stream, Draft("episode.forgotten", data), standing)
        raise self._kept_changing(stream)

    def root(self, stream: str, also: Sequence[str]) -> None:
        """Mark a chat, the votes on an artefato, or an artefato."""
        self._once(stream, lambda standing: standing.first is None, {"also": list(also)})

    def quoting(self, stream: str) -> None:
        """Mark what quotes: a grill, an extraction (made or still to be made), a dispatch."""
        if category(stream) == "dispatch":
            self.dispatch(stream)
        else:
            self._once(stream, lambda standing: standing.first is None or standing.more, {})

    def dispatch(self, stream: str) -> None:
        """Mark a dispatch whose Briefing quotes; one still open goes on."""
        for _ in range(ATTEMPTS):
            standing = self._standing(stream)
            if not standing.quoted:
                return
            id_ = stream.partition(".")[2]
            state, _revision = self._journal.load(stream, dispatch.initial(id_), dispatch.evolve)
            data: Data = {"through": standing.revision, "shown": sorted(set(standing.shown))}
            if state["state"] == "open":
                origin = state["origin"] if state["origin"] in ("operator", "beat") else "operator"
                data["opened"] = {"kind": state["kind"] or "load", "origin": origin}
                if state["theme"]:
                    data["opened"]["theme"] = state["theme"]
            if self._appended(stream, Draft("dispatch.forgotten", data), standing):
                return
        raise self._kept_changing(stream)

    def truncate(self, stream: str) -> None:
        """Take out what stands before the stream's forgotten event; nothing where it has none."""
        first = self.first_kept(stream)
        if not self.begins_before(stream, first):
            return
        try:
            self._journal.log.truncate_before(stream, first)
        except Failed:
            if self.begins_before(stream, first):
                raise  # else only a trace is left in a file that is busy, which a later step wipes

    def first_kept(self, stream: str) -> int:
        """The first revision that stays."""
        for event in self._journal.log.read(stream, backwards=True):
            if forgetting.is_forgotten(event):
                return forgetting.boundary(event)
        return 0

    def begins_before(self, stream: str, revision: int) -> bool:
        first = next(self._journal.log.read(stream, limit=1), None)
        return first is not None and first.revision < revision

    def _once(self, stream: str, is_due: Due, data: Data) -> None:
        for _ in range(ATTEMPTS):
            standing = self._standing(stream)
            if not is_due(standing):
                return
            draft = Draft(f"{category(stream)}.forgotten", {"through": standing.revision, **data})
            if self._appended(stream, draft, standing):
                return
        raise self._kept_changing(stream)

    def _standing(self, stream: str) -> _Standing:
        standing = _Standing()
        for event in self._journal.log.read(stream):
            standing.take(event)
        return standing

    def _appended(self, stream: str, draft: Draft, standing: _Standing) -> bool:
        """False where somebody else appended meanwhile."""
        try:
            self._journal.append(stream, [draft], standing.revision, OPERATOR)
        except WrongRevision:
            return False
        return True

    @staticmethod
    def _kept_changing(stream: str) -> Failed:
        return Failed(f"{stream} kept changing", hint="`edge forget` again goes on")
