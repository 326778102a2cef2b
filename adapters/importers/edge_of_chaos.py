"""Translates the lines ``{seq, ts, type, subject, payload}`` of the older JSONL log.

The stream follows type and payload; ``subject`` decides nothing. What refers to another
line (a disposition by its number, an answer by its question) is looked up in the lines
before it, then in the log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid5

from adapters.importers.fields import act_id, checked, shown, whole
from edge.domain.catalogue import CATALOGUE, validated
from edge.domain.direction import title_from
from edge.domain.events import Data, Event
from edge.domain.language import fold
from edge.domain.refs import ref_hash
from edge.domain.refusal import Refused
from edge.domain.streams import Streams
from edge.ports_exchange import Translated

LINES: Final = UUID("3a5d1c1a-6d0e-5c7e-9a41-5be0e3f0c2d7")
"""Namespace of the ids made of lines."""

_RENAMED: Final = {"source.dropped": "source.retired"}
_PASSED_OVER: Final = frozenset(("source.signal", "log.created"))
_MAX_TYPE: Final = 100
_SESSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")
_OWN_ID: Final = {"voz.comment": "comment_id", "voz.vote": "vote_id", "voz.clarify": "clarify_id"}
_REFERRED_TO: Final = ("voz.comment", "voz.vote", "voz.clarify")

Past = Callable[[Sequence[str]], Iterable[Event]]
"""The log's events of some types, in log order."""


class _Place(NamedTuple):
    """Where a line goes, and where it would go if what it refers to were unknown."""

    stream: str
    otherwise: str | None = None


class _Known:
    """What lines refer to: acts by their line's number, chats by question, artefatos by vote."""

    def __init__(self) -> None:
        self.acts: dict[int, tuple[str, str]] = {}
        """Number → (``comment_id`` or ``vote_id``, the id)."""
        self.chats: dict[str, str] = {}
        self.slugs: dict[str, str] = {}

    def learn(self, type_: str, data: Data, seq: object) -> None:
        if type_ == "voz.clarify" and data.get("clarify_id") and data.get("comment_id"):
            self.chats.setdefault(data["clarify_id"], data["comment_id"])
        field = {"voz.comment": "comment_id", "voz.vote": "vote_id"}.get(type_)
        id_ = data.get(field) if field else None
        if field and isinstance(id_, str):
            if isinstance(seq, int):
                self.acts[seq] = (field, id_)
            if field == "vote_id" and isinstance(data.get("slug"), str):
                self.slugs.setdefault(id_, data["slug"])


class EdgeOfChaos:
    """An :class:`edge.ports_exchange.Importer`. ``past`` reads what the log holds already."""

    def __init__(self, streams: Streams, past: Past) -> None:
        self._streams = streams
        self._read_past = past
        self._lines = _Known()
        self._log: _Known | None = None

    def translate(self, text: str, record: Data) -> Translated | None:
        type_ = _type_of(record)
        if type_ in _PASSED_OVER:
            return None
        payload = record.get("payload")
        if payload is not None and not isinstance(payload, dict):
            raise Refused(f"payload {shown(payload)} is not an object")
        recorded_at = _moment(record.get("ts"))
        seq = _seq(record.get("seq"))
        id_ = uuid5(LINES, text)
        inert = self._streams.imported(_safe(record.get("subject")))
        if type_ not in CATALOGUE:
            return Translated(str(id_), inert, type_, payload or {}, recorded_at, seq)
        data = _completed(type_, checked(type_, payload or {}), id_.hex)
        place = self._place(type_, data, inert)
        self._lines.learn(type_, data, seq)
        return Translated(str(id_), place.stream, type_, data, recorded_at, seq, place.otherwise)

    def _place(self, type_: str, data: Data, inert: str) -> _Place:
        """The stream of an event; the references in its data are filled in on the way."""
        category = type_.partition(".")[0]
        if type_ == "voz.vote":
            return _Place(self._streams.votes(data["slug"]) if data.get("slug") else inert)
        if type_ == "voz.disposition" and not data.get("comment_id"):
            return self._disposed(data, inert)
        if type_ == "voz.clarify_answer" and not data.get("comment_id"):
            return self._answered(data, inert)
        if category == "direction" and data.get("origin_comment_id"):
            return _Place(self._streams.chat(data["origin_comment_id"]))
        if category == "episode":
            return _Place(self._of_episode(type_, data, inert))
        for field, stream in _BY_FIELD.get("intent" if type_ == "intent.kernel" else category, ()):
            if data.get(field):
                return _Place(stream(self._streams, data[field]))
        return _Place(inert)

    def _disposed(self, data: Data, inert: str) -> _Place:
        """The act a disposition is of: named by ``vote_id``, or by ``of``, an id or a line's number."""
        of, otherwise = data.get("of"), inert
        if data.get("vote_id"):
            of = data["vote_id"]
        elif isinstance(of, str) and of:
            otherwise = self._streams.chat(act_id("of", of))
            data["vote_id" if self._slug_of(of) else "comment_id"] = of
        elif (number := whole(of)) is not None:
            act = self._act_of(number)
            if act is None:
                return _Place(inert)
            field, of = act
            data[field] = of
        elif of is not None and of != "":
            raise Refused(f"of {shown(of)} is neither an id nor a line's number")
        if data.get("comment_id"):
            return _Place(self._streams.chat(data["comment_id"]), inert)
        slug = (data.get("slug") or self._slug_of(of)) if isinstance(of, str) else None
        return _Place(self._streams.votes(slug), otherwise) if slug else _Place(inert)

    def _answered(self, data: Data, inert: str) -> _Place:
        """The chat of the question; to a question nobody knows the answer is kept, and answers nothing."""
        clarify_id = data.get("clarify_id") or ""
        chat = self._lines.chats.get(clarify_id) or self._past().chats.get(clarify_id)
        if not chat:
            return _Place(inert)
        data["comment_id"] = chat
        return _Place(self._streams.chat(chat), inert)

    def _of_episode(self, type_: str, data: Data, inert: str) -> str:
        if type_ == "episode.extracted":
            return self._streams.extraction(_session(data["episode"]))
        return self._streams.episode(_session(data["session"])) if "session" in data else inert

    def _act_of(self, seq: int) -> tuple[str, str] | None:
        return self._lines.acts.get(seq) or self._past().acts.get(seq)

    def _slug_of(self, vote_id: str) -> str | None:
        return self._lines.slugs.get(vote_id) or self._past().slugs.get(vote_id)

    def _past(self) -> _Known:
        """What the log held when it was first asked. The first line of a number stands there for
        good, so that the same line means the same act whenever it is imported again."""
        if self._log is None:
            self._log = _Known()
            for event in self._read_past(_REFERRED_TO):
                seq = event.metadata.get("seq")
                self._log.learn(event.type, event.data, None if seq in self._log.acts else seq)
        return self._log


_BY_FIELD: Final[dict[str, tuple[tuple[str, Callable[[Streams, str], str]], ...]]] = {
    "voz": (("comment_id", Streams.chat),),
    "direction": (("id", Streams.direction),),
    "artefato": (("slug", Streams.artefato),),
    "intent": (("slug", Streams.artefato), ("dispatch_id", Streams.dispatch)),
    "grill": (("run_id", Streams.grill), ("grill_run_id", Streams.grill)),
    "dispatch": (("dispatch_id", Streams.dispatch),),
    "briefing": (("dispatch_id", Streams.dispatch),),
    "source": (("ref", lambda streams, ref: streams.source(ref_hash(ref))),),
    "knowledge": (("id", Streams.knowledge),),
}
"""By category, the fields that name the stream, the first given one deciding."""


def _type_of(record: Data) -> str:
    type_ = record.get("type")
    if not isinstance(type_, str) or not type_:
        raise Refused("it has no type" if not type_ else f"type {shown(type_)} is not text")
    if len(type_) > _MAX_TYPE or not type_.isprintable() or type_.startswith("$"):
        raise Refused(f"type {shown(type_)} cannot name events")  # "$" is the event store's own
    return _RENAMED.get(type_, type_)


def _moment(ts: Any) -> str:
    """A time in the one form the log keeps; without an offset it is UTC."""
    if not isinstance(ts, str):
        raise Refused("it has no ts" if ts is None else f"ts {shown(ts)} is not an ISO 8601 time")
    try:
        moment = datetime.fromisoformat(ts)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise Refused(f"ts {shown(ts)} is not an ISO 8601 time") from None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _seq(value: Any) -> int | str | None:
    return value if isinstance(value, str) else whole(value)


def _safe(subject: Any) -> str:
    """The subject as the id of a stream."""
    name = fold(subject) if isinstance(subject, str) else ""
    return re.sub(r"[^a-z0-9_.-]+", "-", name[:400])[:100].strip("-_.") or "unknown"


def _session(name: str) -> str:
    if not _SESSION.fullmatch(name):
        raise Refused(f"session {shown(name)} is not a valid id")
    return name


def _completed(type_: str, data: Data, line_id: str) -> Data:
    """What the older log said otherwise, or left to be understood."""
    category = type_.partition(".")[0]
    if category == "voz" and data.get("body") is None and data.get("text") is not None:
        data["body"] = data.pop("text")
    if field := _OWN_ID.get(type_):  # without one it could not be answered
        data[field] = data.get(field) or line_id
    if category == "direction":
        if not data.get("id") and data.get("direction_id"):
            data["id"] = data.pop("direction_id")
        if type_ != "direction.dropped" and not data.get("title") and data.get("body"):
            data["title"] = title_from(data["body"])
    # the sweep's cursor and what extraction reads stand in these: nothing in them may be missing
    return validated(type_, data, "import") if category == "episode" else data
