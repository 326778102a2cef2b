"""What forgetting needs: what there is to forget, and what else keeps words and must let go of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

NOTED: Final = "forgotten:"
"""Begins the names under which a host notes how far something has let go of what is forgotten."""
STREAMS: Final = "log streams"
"""The first thing to be finished on each host: that no stream still holds what was forgotten."""
READ_MODELS: Final = "read models"


class ForgottenStream(NamedTuple):
    """A stream that was forgotten: the first revision that stays, and the position of its event."""

    stream: str
    first: int
    position: int


class CapturedSession(NamedTuple):
    """A session, one of its streams, and a project it was in."""

    session: str
    stream: str
    project: str | None


class ForgetIndex(Protocol):
    """What forgetting asks of the read models."""

    def last(self) -> int:
        """The position of the last forgotten event; 0 where nothing ever was forgotten."""
        ...

    def streams(self, after: int = 0) -> list[ForgottenStream]:
        """Streams whose last forgotten event stands after a position, in log order."""
        ...

    def beginning(self, prefix: str) -> list[str]:
        """At most three forgotten streams whose names begin so."""
        ...

    def briefing(self, position: int) -> bool:
        """Whether a Briefing that was shown, or composed, at a position has been forgotten."""
        ...

    def noted(self, name: str) -> str | None: ...
    def note(self, name: str, value: str) -> None: ...
    def sessions(self) -> list[CapturedSession]: ...
    def episode_streams(self, stream: str) -> list[str]:
        """The streams of a session whose own stream is named, second files and agents too."""
        ...


def let_go_up_to(index: ForgetIndex, name: str) -> int:
    """Up to which forgotten event something has let go, as this host noted."""
    said = index.noted(f"{NOTED}{name}")
    return int(said) if said and said.isdecimal() else 0


def still_holding(index: ForgetIndex, follow_ups: Iterable[FollowUp]) -> list[str]:
    """By name, what has not let go yet of all that is forgotten; asks nobody but this host."""
    last = index.last()
    names = [STREAMS, *(beside.name for beside in follow_ups)] if last else []
    return [name for name in names if let_go_up_to(index, name) < last]


class FollowUp(Protocol):
    """Something beside the log that keeps words, or what was made of them, and must let them go.

    After the log is truncated ``follow`` is called on each host, and again by later commands for
    as long as it raises; until then ``status`` names it. What was forgotten up to which position
    it has let go of is noted per host, so a host that was away is told when it is back.
    """

    @property
    def name(self) -> str:
        """As ``status`` names it, like ``read models`` or ``neo4j``. It is noted under: never change it."""
        ...

    def follow(self, after: int) -> None:
        """Let go of all that is forgotten; idempotent. What was forgotten up to the position
        ``after`` it has let go of already. Raises :class:`~edge.domain.refusal.EdgeError` where
        it cannot now."""
        ...
