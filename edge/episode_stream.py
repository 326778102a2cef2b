"""One session's episode stream, as the sweep writes it: always after what others wrote meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from edge.domain.episodes import CAPTURED, RECLASSIFIED, Range, StreamState, evolve_stream, turn_keys
from edge.domain.events import Data, Draft, Event
from edge.domain.refusal import Failed
from edge.journal import ATTEMPTS, Act, Journal, Recorded
from edge.ports import WrongRevision
from edge.ports_transcripts import Presence

_KEYS_OF_COPY: Final = 2  # the id's and the words'; the key of a queued prompt makes no copy


class EpisodeStream:
    """Appends at the revision it knows; on conflict it hears what stands there by now."""

    def __init__(self, journal: Journal, name: str, state: StreamState, act: Act) -> None:
        self.name = name
        self.state = state
        self._journal = journal
        self._act = act
        self._heard: set[str] = set()

    def append(self, drafts: Sequence[Draft]) -> bool:
        """Append after what is known of the stream; False where somebody else did meanwhile."""
        try:
            recorded = self._journal.append(self.name, drafts, self.state.revision, self._act)
        except WrongRevision as conflict:
            self._hear(conflict)
            return False
        for event in _as_events(recorded, self.name):
            self.state = evolve_stream(self.state, event)
        return True

    def attempts(self, turns: list[Data]) -> Iterator[list[Data]]:
        """What of the turns is still to be captured, anew after each conflict; ends when nothing is."""
        for _ in range(ATTEMPTS):
            left = [turn for turn in turns if self._heard.isdisjoint(copy_keys(turn))]
            if not left or self.state.closed:
                return
            yield left
        raise self._kept_changing()

    def reclassify(self, verdict: Presence) -> None:
        """Say what later bytes decided about pieces captured while it was not known."""
        if verdict == "unknown":
            return
        for _ in range(ATTEMPTS):
            drafts = [
                Draft(RECLASSIFIED, {"from": piece.from_, "to": piece.to, "presence": verdict})
                for piece in dict.fromkeys(self.state.undecided)
                if _moves(piece, verdict)
            ]
            if not drafts or self.append(drafts):
                return
        raise self._kept_changing()

    def _hear(self, conflict: WrongRevision) -> None:
        """Fold what stands in the stream by now; where it is shorter than it was known, all of it."""
        if conflict.current < self.state.revision:
            self.state = StreamState()
        for event in self._journal.log.read(self.name, from_revision=self.state.revision + 1):
            self.state = evolve_stream(self.state, event)
            for turn in event.data.get("turns", ()) if event.type == CAPTURED else ():
                self._heard.update(turn_keys(turn))

    def _kept_changing(self) -> Failed:
        return Failed(
            f"{self.name} kept changing: gave up after {ATTEMPTS} attempts",
            hint="try again; if it goes on, `edge doctor` shows who is writing",
        )


def copy_keys(turn: Data) -> tuple[str, ...]:
    """The keys that make a turn a copy of another."""
    return turn_keys(turn)[:_KEYS_OF_COPY]


def _moves(piece: Range, verdict: Presence) -> bool:
    return piece.presence not in (verdict, "present")


def _as_events(recorded: Recorded, stream: str) -> Iterator[Event]:
    first = recorded.at.revision - len(recorded.events) + 1
    for revision, event in enumerate(recorded.events, first):
        yield Event(event.id, event.type, stream, revision, recorded.at.position, event.data, event.metadata)
