"""Sources: what the operator holds of one, and what its signals add up to (I22).

A signal is something that happened, with a weight; nobody rates anything. Weights fade by half
in :data:`HALF_LIFE` days. A curated opinion stands above all scores and does not fade.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypedDict

from edge.domain.chat import text_of
from edge.domain.events import Data, Draft, Event
from edge.domain.refs import kind_of, normal
from edge.domain.refusal import Refused

SignalKind = Literal["cited", "used", "ignored", "credit"]
KINDS: Final[tuple[SignalKind, ...]] = ("cited", "used", "ignored", "credit")
HALF_LIFE: Final = 30.0
"""Days."""
_BEGAN: Final = datetime.fromisoformat("2020-01-01T00:00:00+00:00")
_DAY: Final = 86_400.0
_MOST: Final = 1_000.0
"""Half-lives from 2020 that a double can hold: the year 2100 is at 975."""


class Signal(NamedTuple):
    """One thing that happened to a source. ``about`` names what it came from: a slug, a dispatch, a steer,
    a comment, or a slug's vote; of one kind, ``about`` and event a source has one."""

    ref: str
    kind: SignalKind
    about: str
    weight: float
    at: str
    event: str


class Source(TypedDict):
    """One ref in its normal form, JSON-ready. ``event`` and ``position`` are of its last curation.

    ``weights`` are the sums of its signals as they were given; ``faded`` is the sum of all of them
    as it would have weighed at the start of 2020: comparing two needs no clock. ``exact`` are parts that
    add up to it without rounding.
    """

    ref: str
    kind: str
    curated: bool
    opinion: str | None
    reason: str | None
    position: int
    event: str
    weights: dict[str, float]
    faded: float
    exact: list[float]
    signals: int
    """How many it has."""


class Ranked(NamedTuple):
    """A source as lists show it: its score at a clock, why, and the events that say so, newest first."""

    ref: str
    kind: str
    tier: Literal["curated", "hypothesis"]
    score: float
    signals: dict[str, float]
    opinion: str | None
    events: list[str]
    why: list[Data]
    why_left: int

    def as_json(self) -> Data:
        return self._asdict()


def initial(ref: str) -> Source:
    return Source(
        ref=ref,
        kind=kind_of(ref),
        curated=False,
        opinion=None,
        reason=None,
        position=0,
        event="",
        weights=dict.fromkeys(KINDS, 0.0),
        faded=0.0,
        exact=[],
        signals=0,
    )


def evolve(source: Source, event: Event) -> Source:
    """Fold a curation of the source into its state, which the fold owns."""
    match event.type:
        case "source.curated":
            source.update({"curated": True, "opinion": text_of(event.data, "opinion"), "reason": None})
        case "source.retired":
            source.update({"curated": False, "reason": text_of(event.data, "reason")})
        case _:
            return source
    source["position"], source["event"] = event.position, event.id
    return source


def weigh(source: Source, signal: Signal, sign: Literal[1, -1] = 1) -> Source:
    """Add a signal to what a source's weigh together; -1 takes back one that was added."""
    weight = sign * signal.weight
    source["weights"][signal.kind] += weight
    source["exact"] = _plus(source["exact"], weight * _doubled(half_lives(signal.at)))
    source["faded"] = math.fsum(source["exact"])
    source["signals"] += sign
    return source


def _plus(parts: list[float], number: float) -> list[float]:
    """Parts with exactly the sum of these and a number (Shewchuk's, as in ``math.fsum``).

    A weight recorded years later than the others is larger by more digits than a double has: in one
    number they would be lost beside it, and missing when it is taken back.
    """
    kept: list[float] = []
    for part in parts:
        larger, smaller = (number, part) if abs(number) >= abs(part) else (part, number)
        number = larger + smaller
        rest = smaller - (number - larger)
        if rest:
            kept.append(rest)
    return [*kept, number] if number else kept


def weighed_by(source: Source, signals: Iterable[Signal], now: datetime) -> Source:
    """The source with ``faded`` summed anew of all its signals, none of them younger than the clock.

    For a source with a signal recorded later than the clock says it is: a weight never grows.
    """
    source["faded"] = math.fsum(signal.weight * _doubled(_reached(signal, now)) for signal in signals)
    return source


def score(faded: float, now: datetime) -> float:
    """What ``faded`` weighs at the clock."""
    return faded * _doubled(-until(now))


def shown(number: float) -> float:
    """A weight or a score as it is shown: four places, and no negative nothing."""
    return round(number, 4) + 0.0


def ranked(source: Source, signals: list[Signal], now: datetime) -> Ranked:
    """A source as lists show it; ``signals`` are its newest, newest first."""
    why: list[Data] = [
        {
            "signal": signal.kind,
            "weight": shown(signal.weight),
            "aged": shown(signal.weight * _doubled(_reached(signal, now) - until(now))),
            "at": signal.at,
            "event": signal.event,
            "about": signal.about,
        }
        for signal in signals
    ]
    events = [signal.event for signal in signals]
    return Ranked(
        ref=source["ref"],
        kind=source["kind"],
        tier="curated" if source["curated"] else "hypothesis",
        score=shown(score(source["faded"], now)),
        signals={kind: shown(source["weights"][kind]) for kind in KINDS},
        opinion=source["opinion"] if source["curated"] else None,
        events=list(dict.fromkeys([source["event"], *events] if source["curated"] else events)),
        why=why,
        why_left=source["signals"] - len(signals),
    )


@lru_cache(maxsize=256)  # the signals of one event share its time
def half_lives(at: str) -> float:
    """Half-lives from 2020 to a recorded time; one that cannot be read has faded all the way."""
    try:
        when = datetime.fromisoformat(at)
    except ValueError:
        return -_MOST
    return until(when) if when.tzinfo else -_MOST


def until(when: datetime) -> float:
    """Half-lives from 2020 to a moment."""
    days = (when - _BEGAN).total_seconds() / _DAY
    return days / HALF_LIFE


def _reached(signal: Signal, now: datetime) -> float:
    return min(half_lives(signal.at), until(now))


def _doubled(times: float) -> float:
    return math.pow(2.0, min(max(times, -_MOST), _MOST))


# -- what the operator may do ---------------------------------------------------------------


def curate(source: Source, opinion: str, origin_comment_id: str | None) -> list[Draft]:
    """Hold an opinion of a source; the same one again adds nothing."""
    _named(source)
    if not opinion.strip():
        raise Refused("a curated source needs the operator's opinion of it")
    if source["curated"] and source["opinion"] == opinion.strip():
        return []
    data: Data = {"ref": normal(source["ref"]), "opinion": opinion.strip()}
    if origin_comment_id:
        data["origin_comment_id"] = origin_comment_id
    return [Draft("source.curated", data)]


def retire(source: Source, reason: str) -> list[Draft]:
    """Hold an opinion no longer; what happened still counts. The same again adds nothing."""
    _named(source)
    if not reason.strip():
        raise Refused("retiring a source needs its reason", hint="say why with --reason")
    if not source["curated"]:
        if source["event"] and source["reason"] == reason.strip():
            return []
        raise Refused(
            f"you hold no opinion of {source['ref']}", hint="`edge sources list` shows the curated ones"
        )
    return [Draft("source.retired", {"ref": normal(source["ref"]), "reason": reason.strip()})]


def _named(source: Source) -> None:
    if not source["ref"].strip():
        raise Refused("a source needs its ref")
