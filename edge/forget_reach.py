"""How far forgetting reaches: the streams that quote what goes, the steers that must outlive it.

All of it is found in the log each time, from what is still there: the streams that hold the
words are truncated last, so a forgetting that was cut off finds the same again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from edge.domain import forgetting
from edge.domain.direction import Item, changes
from edge.domain.episodes import CAPTURED
from edge.domain.events import Draft, Event
from edge.domain.forgetting import FORGOTTEN, MOVING, QUOTING, Going, Keys
from edge.domain.refusal import Refused
from edge.domain.streams import category
from edge.forget_streams import OPERATOR
from edge.journal import Journal


class Reach(NamedTuple):
    """What goes with some streams that are forgotten for what they hold."""

    keys: dict[str, list[str]]
    """By episode stream, the keys of its turns that must stay known."""
    upto: dict[str, int]
    """By stream, the revision up to which it was looked at."""
    quoting: list[str]
    """Streams that go for what they quote."""
    cited_by: list[str]
    """Artefatos that name it as a source, and stay."""
    copies: dict[str, int]
    """Streams that stay and hold turns of it again, and how many."""


def reach(journal: Journal, roots: Sequence[str]) -> Reach:
    """Reads what the roots hold, then all that may quote it. Text is passed by, never held."""
    going, keys, upto = Going(), Keys(), dict.fromkeys(roots, -1)
    for stream in roots:
        for event in _held(journal, stream):
            upto[stream] = event.revision
            going.take(event)
            if event.type == CAPTURED:
                keys.own(event)
    extractions = [journal.streams.extraction(episode) for episode in going.episodes]
    for stream in extractions:
        going.ids.update(event.id for event in journal.log.read(stream))
    quoting, cited_by = dict.fromkeys(extractions), dict[str, None]()
    copies: Counter[str] = Counter()
    for event in _others(journal, roots, with_turns=bool(going.episodes)):
        if event.type == CAPTURED:
            copies[event.stream] += keys.other(event)
        elif event.type in QUOTING and going.is_quoted_by(event):
            quoting[event.stream] = None
        elif event.type == "artefato.published" and going.is_cited_by(event):
            cited_by[event.data["slug"]] = None
    return Reach(
        {stream: keys.of(stream) for stream in roots if category(stream) == "episode"},
        upto,
        list(quoting),
        list(cited_by),
        {stream: n for stream, n in copies.items() if n},
    )


def _held(journal: Journal, stream: str) -> Iterator[Event]:
    """What a stream holds that is, or is to be, forgotten."""
    return (event for event in journal.log.read(stream) if not forgetting.is_forgotten(event))


def _others(journal: Journal, roots: Sequence[str], *, with_turns: bool) -> Iterator[Event]:
    """The events of other streams that may quote, cite or copy, as far as they count."""
    first = forgetting.boundaries(journal.log.read_all(types=FORGOTTEN))
    types = (*QUOTING, "artefato.published", *((CAPTURED,) if with_turns else ()))
    apart = set(roots)
    for event in journal.log.read_all(types=types):
        if event.stream not in apart and forgetting.counts(event, first):
            yield event


# -- Direction -------------------------------------------------------------------------------------


def steers_at_stake(journal: Journal, roots: Sequence[str]) -> list[str]:
    """The steers that would change without the roots, and must not."""
    moving = (event for event in _moving(journal, roots) if event.stream in roots)
    touched = {change.id for event in moving for change in changes(event)}
    if not touched:
        return []
    whole, rest = _items(journal, roots)
    moved = {id_ for id_ in touched if forgetting.kept(id_, whole.get(id_), rest.get(id_))}
    # what a steer that is set anew had taken the place of stays out by that
    replaced = {id_ for id_ in moved if id_ in whole and whole[id_]["superseded_by"] in moved}
    return sorted(moved - replaced)


def keep_steer(journal: Journal, roots: Sequence[str], id_: str) -> None:
    """Have a steer stand by its own stream as it stands by all of them. Done already, it does nothing."""

    def again(_state: None) -> list[Draft]:
        whole, rest = _items(journal, roots)
        return forgetting.kept(id_, whole.get(id_), rest.get(id_))

    try:
        stream = journal.streams.direction(id_)
    except Refused:
        return  # a stranger's id names no stream, and so has nowhere to stand
    journal.decide(stream, lambda: None, lambda state, _event: state, again, OPERATOR)


def _moving(journal: Journal, roots: Sequence[str]) -> Iterator[Event]:
    """What moves Direction as far as it counts, and what of it goes."""
    first = forgetting.boundaries(journal.log.read_all(types=FORGOTTEN))
    for event in journal.log.read_all(types=MOVING):
        if event.stream in roots or forgetting.counts(event, first):
            yield _without_text(event)


def _without_text(event: Event) -> Event:
    """A publication without its body, which may be long and moves nothing."""
    if event.type != "artefato.published":
        return event
    return event._replace(data={name: event.data.get(name) for name in ("slug", "proposes")})


def _items(journal: Journal, roots: Sequence[str]) -> tuple[dict[str, Item], dict[str, Item]]:
    """Direction's items by everything, and by what stays."""
    events = list(_moving(journal, roots))
    return (
        forgetting.items_of(events),
        forgetting.items_of(event for event in events if event.stream not in roots),
    )
