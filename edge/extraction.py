"""Extraction: episodes that wait become what they mention and state, each once, for a bounded cost.

The append is the commit: one ``episode.extracted`` at the first revision of the episode's own
stream. Whoever else extracted it meanwhile, or whatever was killed on the way, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, Protocol

from edge.domain.events import NO_STREAM, Data, Draft
from edge.domain.knowledge import EXTRACTED
from edge.domain.language import tokens
from edge.domain.refusal import EdgeError, Refused, Unreachable
from edge.journal import Act, Journal, timestamp
from edge.ports import AppendRefused, Report, WrongRevision
from edge.ports_knowledge import EpisodeText, Extractor, ModelFailed, Spent

ATTEMPTS: Final = 5
"""How often an episode that could not be extracted is tried before it is set aside."""
FIRST_WAIT: Final = timedelta(minutes=10)
"""Until an episode that failed is tried again; doubled each time."""
TOKENS_EACH: Final = 4_000
"""What an episode is taken to cost a model beside its own text, while no tally says better."""

Stop = Literal["episodes", "seconds", "tokens", "unreachable", "busy"]


class Bounds(NamedTuple):
    """What one pass may take on: so many episodes, so many seconds, the newest days first."""

    days: int
    episodes: int
    seconds: float


class Trouble(NamedTuple):
    """An episode that could not be extracted: how often, until when it rests, and why."""

    attempts: int
    until: str
    error: str

    @property
    def set_aside(self) -> bool:
        return self.attempts >= ATTEMPTS


class Waiting(Protocol):
    """The episodes that wait, and what this host noted of those that failed."""

    def current(self) -> None:
        """Bring the read models, and what the extractor knows, to the head of the log."""
        ...

    def ids(self, since: str) -> list[str]:
        """Episodes said at or after a time that no extraction has read, in log order."""
        ...

    def extracted(self, until: int) -> list[str]:
        """Episodes whose result stands at or before a position, in log order."""
        ...

    def text(self, episode: str) -> EpisodeText | None: ...
    def troubles(self) -> dict[str, Trouble]: ...
    def trouble(self, episode: str, trouble: Trouble) -> None: ...
    def settled(self, episode: str) -> None: ...
    def cost_each(self) -> float | None:
        """Tokens an episode cost the model so far; None where nothing tells."""
        ...


class Lease(Protocol):
    """Lets one extractor of a host work at a time."""

    def held(self) -> AbstractContextManager[str | None]:
        """None inside where it is ours, else who holds it."""
        ...


class Estimate(NamedTuple):
    """What waits, and what reading it would cost a model (0 tokens: rules)."""

    episodes: int
    tokens: int


class Extracted(NamedTuple):
    """What one pass came to. ``stopped``: why it ended before everything was read, and in whose words."""

    episodes: int
    failed: int
    lag: int
    set_aside: list[str]
    calls: int
    tokens: int
    seconds: float
    stopped: Stop | None
    said: str | None

    def as_json(self) -> Data:
        """The ``extraction`` object ``open`` prints."""
        return {
            "episodes": self.episodes,
            "failed": self.failed,
            "lag": self.lag,
            "set_aside": self.set_aside,
            "cost": {"calls": self.calls, "tokens": self.tokens, "seconds": round(self.seconds, 3)},
            "stopped": self.stopped,
            "said": self.said,
        }


class Extraction:
    """One pass over what waits, newest window first, in log order within it."""

    def __init__(
        self,
        journal: Journal,
        extractor: Callable[[], Extractor],
        waiting: Waiting,
        lease: Lease,
        bounds: Bounds,
        seconds: Callable[[], float],
        report: Report,
    ) -> None:
        self._journal = journal
        self._extractor = extractor
        self._waiting = waiting
        self._lease = lease
        self._bounds = bounds
        self._seconds = seconds
        self._report = report

    def estimate(self, model: bool) -> Estimate:
        """What the next pass would take on at most."""
        due = self._due()[: self._bounds.episodes]
        if not model or not due:
            return Estimate(len(due), 0)
        each = self._waiting.cost_each()
        if each is not None:
            return Estimate(len(due), round(each * len(due)))
        some = [text for text in map(self._waiting.text, due[:20]) if text is not None]
        words = sum(tokens(turn["text"]) for text in some for turn in text.turns) / max(len(some), 1)
        return Estimate(len(due), round((words * 2 + TOKENS_EACH) * len(due)))

    def run(self, dispatch_id: str | None = None) -> Extracted:
        """Extract what is due within the bounds. A model that is away ends the pass, not the caller."""
        tally = _Tally(self._seconds())
        with self._lease.held() as holder:
            if holder is None:
                tally.stop(*self._pass(tally, dispatch_id))
            elif self._due():
                tally.stop("busy", f"another extraction is at work ({holder})")
        return self._told(tally, self._waiting.ids(""))

    def _told(self, tally: _Tally, left: list[str]) -> Extracted:
        aside = [id_ for id_, trouble in self._waiting.troubles().items() if trouble.set_aside]
        return Extracted(
            episodes=tally.episodes,
            failed=tally.failed,
            lag=len(left),
            set_aside=sorted(set(aside).intersection(left)),
            calls=tally.calls,
            tokens=tally.tokens,
            seconds=tally.seconds,
            stopped=tally.stopped,
            said=tally.said,
        )

    def again(self, until: int) -> Extracted:
        """Extract anew every episode whose result stands at or before a position, unbounded but by the
        model's allowance; killed and begun again, it goes on with those that are left."""
        tally = _Tally(self._seconds())
        with self._lease.held() as holder:
            if holder is not None:
                raise Refused(f"another extraction is at work ({holder})", hint="try again when it is done")
            due = self._waiting.extracted(until)
            tally.stop(*self._each(due, tally, lambda id_: self._again(id_, tally), None))
        return self._told(tally, self._waiting.extracted(until))

    def _pass(self, tally: _Tally, dispatch_id: str | None) -> tuple[Stop | None, str | None]:
        return self._each(
            self._due(), tally, lambda id_: self._one(id_, NO_STREAM, tally, dispatch_id), self._bounds
        )

    def _each(
        self, due: list[str], tally: _Tally, extract: Callable[[str], None], bounds: Bounds | None
    ) -> tuple[Stop | None, str | None]:
        """One after another until a bound is reached, or nothing can be extracted now."""
        if not due:
            return None, None
        try:
            self._waiting.current()
            for done, episode in enumerate(due):
                self._report("extracting", done, len(due))
                if bounds and tally.episodes + tally.failed >= bounds.episodes:
                    return "episodes", None
                if bounds and self._seconds() - tally.began > bounds.seconds:
                    return "seconds", None
                extract(episode)
        except Spent as spent:
            return "tokens", spent.message
        except Unreachable as away:
            return "unreachable", away.message
        return None, None

    def _again(self, episode: str, tally: _Tally) -> None:
        stream = self._journal.streams.extraction(episode)
        last = next(self._journal.log.read(stream, backwards=True, limit=1), None)
        if last is not None and last.type == EXTRACTED:
            self._one(episode, last.revision, tally, None)

    def _one(self, episode: str, expected: int, tally: _Tally, dispatch_id: str | None) -> None:
        text = self._waiting.text(episode)
        if text is None:  # forgotten, or found to be no operator's, since it was listed
            return
        extractor = self._extractor()
        try:
            said = extractor.extract(text)
            draft = Draft(EXTRACTED, {"episode": episode, "by": extractor.by, **said})
            act = Act("extractor", dispatch_id=dispatch_id, causation=episode)
            self._journal.append(self._journal.streams.extraction(episode), [draft], expected, act)
        except WrongRevision:  # somebody else extracted it, or it was forgotten
            self._waiting.current()
            return
        except (ModelFailed, Refused, AppendRefused) as error:
            tally.failed += 1
            self._note(episode, error)
            return
        tally.add(said["cost"])
        self._waiting.settled(episode)
        self._waiting.current()

    def _due(self) -> list[str]:
        """What waits and does not rest: the newest days first, then the rest, each in log order."""
        now = self._journal.clock.now()
        troubles = self._waiting.troubles()
        rest = {id_ for id_, t in troubles.items() if t.set_aside or t.until > timestamp(now)}
        newest = self._waiting.ids(timestamp(now - timedelta(days=self._bounds.days)))
        seen = set(newest)
        older = [id_ for id_ in self._waiting.ids("") if id_ not in seen]
        return [id_ for id_ in (*newest, *older) if id_ not in rest]

    def _note(self, episode: str, error: EdgeError) -> None:
        before = self._waiting.troubles().get(episode)
        attempts = before.attempts + 1 if before else 1
        until: datetime = self._journal.clock.now() + FIRST_WAIT * 2 ** (attempts - 1)
        self._waiting.trouble(episode, Trouble(attempts, timestamp(until), error.message))


class _Tally:
    def __init__(self, began: float) -> None:
        self.began = began
        self.episodes = self.failed = self.calls = self.tokens = 0
        self.seconds = 0.0
        self.stopped: Stop | None = None
        self.said: str | None = None

    def add(self, cost: Data) -> None:
        self.episodes += 1
        self.calls += int(cost.get("calls") or 0)
        self.tokens += int(cost.get("tokens") or 0)
        self.seconds += float(cost.get("seconds") or 0)

    def stop(self, why: Stop | None, said: str | None) -> None:
        self.stopped, self.said = why, said
