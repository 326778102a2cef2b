"""Episodes: what the sweep has captured of a session, and which of its turns count.

Two folds stand here. :class:`StreamState` is one episode stream as the sweep must know it
before it appends. :class:`Episodes` is all of them: every turn once (a fork or a resume
copies turns, and racing sweeps may capture a copy twice: the earlier in global order counts)
and what is Atividade. Both are pure; a read model keeps the same in tables.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from edge.domain.events import NO_STREAM, Data, Event

BRIEFING_BEGIN: Final = "<!-- edge:briefing -->"
BRIEFING_END: Final = "<!-- /edge:briefing -->"
"""What edge injects into a session stands between these two; the sweep leaves it out."""
MODEL_CALL_MARK: Final = "<!-- edge:model-call -->"
"""A prompt that begins so is edge asking a model: nobody is there, whatever its record says (I15)."""

CAPTURED: Final = "episode.captured"
RECLASSIFIED: Final = "episode.reclassified"
FORGOTTEN: Final = "episode.forgotten"

_QUEUED: Final = uuid.UUID("7f1c2c1e-4f0c-5d8a-9c65-0f7f6a1d3b52")
_TOLD_BY: Final = 1024
"""Characters of a text that tell it from another of the same time and role."""


# -- the keys of a turn ---------------------------------------------------------------------


def queued_id(ts: str | None, text: str) -> str:
    """The id of a prompt queued while the agent worked: of its time and its (redacted) text."""
    return str(uuid.uuid5(_QUEUED, f"{ts or ''}\n{text}"))


def derived_id(*of: object) -> str:
    """The id of a turn whose record has none, from what stands around it."""
    return str(uuid.uuid5(_QUEUED, "\n".join(str(part) for part in of)))


def id_key(turn_id: str, part: int | None = None) -> str:
    return turn_id if part is None or part <= 1 else f"{turn_id}#{part}"


def words_key(role: str, ts: str, text: str, part: int | None = None) -> str:
    """The key of a turn logged again under a new id: its time, its role and its words."""
    said = f"{role}\n{ts}\n{part or 1}\n{text[:_TOLD_BY]}"
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16).hexdigest()


def queued_key(ts: str, text: str, hours_back: int = 0) -> str | None:
    """The key a queued prompt has beside its own: its words and the hour they were queued in.

    A fork keeps the record that delivered a queued prompt, not the queueing itself, and so
    has neither its id nor its time. None where ``ts`` is no time.
    """
    try:
        hour = datetime.fromisoformat(ts) - timedelta(hours=hours_back)
    except (ValueError, OverflowError):
        return None
    said = f"queued\n{hour:%Y-%m-%dT%H}\n{text[:_TOLD_BY]}"
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16).hexdigest()


def turn_keys(turn: Data) -> tuple[str, ...]:
    """All keys of a captured turn (or of a part of one); any of them makes a later one its copy."""
    turn_id, ts, text, part = turn["id"], turn.get("ts"), turn["text"], turn.get("part")
    keys = [id_key(turn_id, part)]
    if ts:
        keys.append(words_key(turn["role"], ts, text, part))
        # an id made of time and text is a UUID of version 5: few ids are, and making one takes long
        if turn["role"] == "operator" and str(turn_id)[14:15] == "5" and turn_id == queued_id(ts, text):
            queued = queued_key(ts, text)
            if queued:
                keys.append(queued)
    return tuple(keys)


def counted(turns: Iterable[Data], known: Callable[[str], bool]) -> list[tuple[Data, tuple[str, ...]]]:
    """The turns of an episode that count, with their keys: none stood earlier in the log or here.

    A turn repeated under the ``queued_key`` alone is no copy: that key only helps the sweep.
    """
    return counted_of(((turn, turn_keys(turn)) for turn in turns), known)


def counted_of(
    turns: Iterable[tuple[Data, tuple[str, ...]]], known: Callable[[str], bool]
) -> list[tuple[Data, tuple[str, ...]]]:
    """:func:`counted` of turns that come with their keys."""
    here: set[str] = set()
    out = []
    for turn, keys in turns:
        if not any(key in here or known(key) for key in keys[:2]):
            out.append((turn, keys))
        here.update(keys)
    return out


def said_at(turns: Sequence[Data], recorded_at: str) -> str:
    """When an episode was said, ISO 8601 UTC: its latest turn's time, else when it was recorded."""
    times = [moment for moment in (_utc(turn.get("ts")) for turn in turns) if moment]
    if not times:
        return recorded_at
    return max(times).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _utc(ts: object) -> datetime | None:
    """A time as all times are compared: in UTC; one without an offset is taken as UTC."""
    try:
        moment = datetime.fromisoformat(ts) if isinstance(ts, str) else None
        if moment is None:
            return None
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


# -- one stream, as the sweep needs it ------------------------------------------------------


class Range(NamedTuple):
    """A captured piece whose presence later bytes may still decide otherwise."""

    from_: int
    to: int
    presence: str


class StreamState(NamedTuple):
    """One episode stream: where it ends, where its cursor stands, and what is not settled."""

    revision: int = NO_STREAM
    cursor: int = 0
    """Byte offset up to which the file has been taken in: ``to`` of the last captured or forgotten."""
    prefix_hash: str | None = None
    """Hash of the last 4 KiB before ``cursor``; None where nobody recorded one (a forgotten stream)."""
    pending: tuple[int, ...] = ()
    undecided: tuple[Range, ...] = ()
    forgotten: int = 0
    """Nothing before this offset is captured again."""
    closed: bool = False
    """Forgotten for good: nothing of this session is captured again."""


def evolve_stream(state: StreamState, event: Event) -> StreamState:
    """Fold one event of the stream; unknown types only move the revision."""
    data = event.data
    state = state._replace(revision=event.revision)
    if event.type == CAPTURED:
        piece = Range(data["from"], data["to"], data["presence"])
        return state._replace(
            cursor=piece.to,
            prefix_hash=data["prefix_hash"],
            pending=tuple(data.get("pending", ())),
            undecided=state.undecided if piece.presence == "present" else (*state.undecided, piece),
        )
    if event.type == RECLASSIFIED:
        told = Range(data["from"], data["to"], data["presence"])
        return state._replace(undecided=tuple(_reclassified(state.undecided, told)))
    if event.type == FORGOTTEN:
        # nothing of before stays: a fold that never saw it must come to the same
        to = data["to"]
        return StreamState(event.revision, cursor=to, forgotten=to, closed=bool(data["permanent"]))
    return state


def covers(told: Range, piece: Range) -> bool:
    """Whether a reclassification speaks of a piece: it lies inside, and is not known as present."""
    return told.from_ <= piece.from_ and piece.to <= told.to and piece.presence != "present"


def _reclassified(pieces: Sequence[Range], told: Range) -> list[Range]:
    moved = [p._replace(presence=told.presence) if covers(told, p) else p for p in pieces]
    return [p for p in moved if p.presence != "present"]


# -- all of them: what counts, what is Atividade ---------------------------------------------


class Episode(NamedTuple):
    """One captured piece with the turns of it that count."""

    id: str
    position: int
    stream: str
    session: str
    surface: str
    project: str | None
    recorded_at: str
    range: Range
    turns: tuple[Data, ...]

    @property
    def is_activity(self) -> bool:
        """Whether it belongs to Atividade: somebody may have been there, and something counts."""
        return self.range.presence != "absent" and bool(self.turns)


class Episodes:
    """The fold of every episode stream, in global order. ``evolve`` changes it in place."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.by_id: dict[str, Episode] = {}
        self.streams: dict[str, StreamState] = {}

    def evolve(self, event: Event) -> None:
        if event.type not in (CAPTURED, RECLASSIFIED, FORGOTTEN):
            return
        self.streams[event.stream] = evolve_stream(self.streams.get(event.stream, StreamState()), event)
        if event.type == CAPTURED:
            self._capture(event)
        elif event.type == RECLASSIFIED:
            self._reclassify(event)
        else:
            self._forget(event)

    def known(self, keys: Collection[str]) -> set[str]:
        """Those of the keys that some captured or forgotten turn has."""
        return self.keys.intersection(keys)

    def activity(self) -> list[Episode]:
        """The episodes of Atividade in log order."""
        return [e for e in self.by_id.values() if e.is_activity]

    def _capture(self, event: Event) -> None:
        data = event.data
        turns = counted(data["turns"], self.keys.__contains__)
        for turn in data["turns"]:
            self.keys.update(turn_keys(turn))
        self.by_id[event.id] = Episode(
            event.id,
            event.position,
            event.stream,
            data["session"],
            data["surface"],
            data.get("project"),
            event.recorded_at,
            Range(data["from"], data["to"], data["presence"]),
            tuple(turn for turn, _ in turns),
        )

    def _reclassify(self, event: Event) -> None:
        told = Range(event.data["from"], event.data["to"], event.data["presence"])
        for episode in self._of(event.stream):
            if covers(told, episode.range):
                moved = episode.range._replace(presence=told.presence)
                self.by_id[episode.id] = episode._replace(range=moved)

    def _forget(self, event: Event) -> None:
        """Everything the stream held goes; its keys stay known (``keys`` brings them to a rebuild)."""
        self.keys.update(event.data.get("keys", ()))
        for episode in self._of(event.stream):
            del self.by_id[episode.id]

    def _of(self, stream: str) -> list[Episode]:
        return [e for e in self.by_id.values() if e.stream == stream]
