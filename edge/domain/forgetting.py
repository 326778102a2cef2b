"""Forgetting: what goes with what, what quotes it, and what of Direction must outlive it.

A ``<category>.forgotten`` event is appended in a stream, then the stream is truncated before
it. From its append on, nothing before it counts: a fold from the start passes it over whether
the truncation has happened or not, and wherever a log still shows what was truncated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from typing import Final

from edge.domain import direction
from edge.domain.chat import text_of
from edge.domain.direction import Item
from edge.domain.episodes import turn_keys
from edge.domain.events import Data, Draft, Event
from edge.domain.streams import category

CATEGORIES: Final = ("episode", "extraction", "voz", "artefato", "grill", "dispatch")
FORGOTTEN: Final = tuple(f"{name}.forgotten" for name in CATEGORIES)
"""The types that end what stands before them in their stream."""

ROOTS: Final = ("episode", "voz", "artefato")
"""Categories that are forgotten for what they hold; the others only for what they quote."""

MOVING: Final = ("direction.proposed", "direction.set", "direction.dropped", "artefato.published")
QUOTING: Final = ("briefing.presented", "grill.started", "grill.planned")
"""The types that can hold words of another stream."""

KEYS_AN_EVENT: Final = 8_000
"""Keys in one event, so that those of a long session are several appends and each fits."""

RETIRED: Final = "what took it out was forgotten"


# -- what no longer counts --------------------------------------------------------------------


def is_forgotten(event: Event) -> bool:
    """Whether the event ends what stands before it: of a stream's own category only, so that a
    stranger's record kept elsewhere ends nothing."""
    return event.type in FORGOTTEN and event.type.partition(".")[0] == category(event.stream)


def boundary(event: Event) -> int:
    """The first revision that stays in its stream. Events whose keys did not fit one append stand
    in a row; the first of them is where the stream now begins."""
    part = event.data.get("part")
    return event.revision - (part if isinstance(part, int) and 0 <= part <= event.revision else 0)


def boundaries(events: Iterable[Event]) -> dict[str, int]:
    """By stream, the first revision that counts, from the log's forgotten events in any order."""
    first: dict[str, int] = {}
    for event in events:
        if is_forgotten(event):
            first[event.stream] = max(boundary(event), first.get(event.stream, 0))
    return first


def counts(event: Event, first: Mapping[str, int]) -> bool:
    return event.revision >= first.get(event.stream, 0)


# -- what goes ----------------------------------------------------------------------------------


class Going:
    """What is in streams that go, as far as others may quote it. Text is passed by, never held."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        """Events whose words go. A steer's own stay: it is the operator's strategy, set anew."""
        self.episodes: list[str] = []
        self.comments: set[str] = set()
        self.proposals: set[str] = set()
        self.publications: set[str] = set()
        self.names: set[str] = set()
        """What a citation may call it: the session or the slug."""

    def take(self, event: Event) -> None:
        """Take in one event that goes."""
        if event.type not in ("direction.set", "direction.dropped"):
            self.ids.add(event.id)
        match event.type:
            case "episode.captured":
                self.episodes.append(event.id)
                self.names.add(text_of(event.data, "session"))
            case "voz.comment":
                self.comments.add(text_of(event.data, "comment_id"))
            case "artefato.published":
                self.publications.add(event.id)
                self.names.add(text_of(event.data, "slug"))
                self.proposals.update(change.id for change in direction.changes(event))

    def is_quoted_by(self, event: Event) -> bool:
        """Whether an event of another stream may hold words of it."""
        data = event.data
        match event.type:
            case "briefing.presented":
                return any(self._is_quoted_in(item) for item in _records(data, "items"))
            case "grill.started":
                loaded = {text_of(chat, "comment_id") for chat in _records(data, "loaded")}
                agenda = {text_of(entry, "id") for entry in _records(data, "agenda")}
                return bool(loaded & self.comments or agenda & self.proposals)
            case "grill.planned":
                return text_of(data, "comment_id") in self.comments or self._is_named(data.get("evidence"))
        return False

    def _is_quoted_in(self, line: Data) -> bool:
        """Whether a line of a Briefing may hold words of it. One that offers a source names what gave
        it weight, a vote or a closed chat, and holds no word but the ref, which a publication cites."""
        return self._is_named(line.get("events"), self.publications if line.get("sources") else self.ids)

    def _is_named(self, ids: object, among: set[str] | None = None) -> bool:
        going = self.ids if among is None else among
        return isinstance(ids, list) and any(isinstance(id_, str) and id_ in going for id_ in ids)

    def is_cited_by(self, event: Event) -> bool:
        """Whether a publication names it as a source. Its words are edge's own, and stay."""
        refs = [text_of(cite, "ref") for cite in _records(event.data, "cites")]
        told_by = {told for name in self.names if name for told in (name, name[:8]) if len(told) >= 8}
        told_by |= self.names - {""}
        return any(told in ref for told in told_by for ref in refs)


def _records(data: Data, key: str) -> list[Data]:
    value = data.get(key)
    return [r for r in value if isinstance(r, dict)] if isinstance(value, list) else []


# -- the keys that must stay known ----------------------------------------------------------------


class Keys:
    """The keys of the turns in streams that go, by the stream that has each first.

    A key that a staying stream has earlier is that stream's: it would otherwise take the turn
    from it. What a staying stream has later is a copy, still known by the keys kept here.
    """

    def __init__(self) -> None:
        self._first: dict[str, tuple[int, str]] = {}

    def own(self, event: Event) -> None:
        """A captured piece that goes; all of those before any that stays."""
        here = (event.position, event.stream)
        for turn in event.data.get("turns") or ():
            for key in turn_keys(turn):
                self._first[key] = min(here, self._first.get(key, here))

    def other(self, event: Event) -> int:
        """A captured piece that stays; how many of its turns are copies of what goes."""
        copies = 0
        for turn in event.data.get("turns") or ():
            ours = [key for key in turn_keys(turn) if key in self._first]
            earlier = [key for key in ours if event.position < self._first[key][0]]
            for key in earlier:
                del self._first[key]
            copies += bool(ours)
        return copies

    def of(self, stream: str) -> list[str]:
        return sorted(key for key, (_, first) in self._first.items() if first == stream)


def in_parts(keys: Sequence[str]) -> Iterator[list[str]]:
    """The keys as one event each holds them; one at least."""
    for at in range(0, max(len(keys), 1), KEYS_AN_EVENT):
        yield list(keys[at : at + KEYS_AN_EVENT])


# -- what of Direction outlives it ------------------------------------------------------------------


def items_of(events: Iterable[Event]) -> dict[str, Item]:
    """Direction's items as these events leave them."""
    items: dict[str, Item] = {}
    for event in events:
        for change in direction.changes(event):
            item = direction.evolve(items.get(change.id), change)
            if item is not None:
                items[change.id] = item
    return items


def kept(id_: str, whole: Item | None, rest: Item | None) -> list[Draft]:
    """What to append to an item's own stream, so that it stands after forgetting as it did before.

    ``whole`` is the item by everything, ``rest`` by what stays. A steer that is set is set
    anew, one that only what goes took out is taken out again; what was only proposed goes with
    what proposed it. Nothing where the rest says the same.
    """
    if whole is not None and whole["tier"] == "set":
        if rest is not None and rest["tier"] == "set" and _says(rest) == _says(whole):
            return []
        return direction.set_(whole, id_, _fields(whole), whole["supersedes"])
    if rest is not None and direction.live(rest) and (whole is None or not direction.live(whole)):
        return direction.drop(rest, id_, RETIRED)
    return []


def _says(item: Item) -> tuple[object, ...]:
    fields = _fields(item)
    return tuple(fields.get(name) for name in ("title", "body", "kind", "expires_at", "relates_to"))


def _fields(item: Item) -> Data:
    """The fields as a steer may have them, also where a stranger wrote others."""
    body = item["body"].strip() or item["title"].strip() or item["id"]
    title = direction.title_from(item["title"]) or direction.title_from(body)
    fields: Data = {"title": title, "body": body}
    fields["kind"] = item["kind"] if item["kind"] in direction.KINDS else "priority"
    if item["expires_at"] and direction.ends_at(item["expires_at"], UTC):
        fields["expires_at"] = item["expires_at"]
    if item["relates_to"]:
        fields["relates_to"] = item["relates_to"]
    return fields
