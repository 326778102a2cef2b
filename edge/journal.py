"""The one append path: every event edge writes is checked, redacted and stamped here.

Writes go load → decide → append at the loaded revision → on conflict read and decide again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeVar

from edge import quick_json
from edge.domain.events import LINK_TYPE, NO_STREAM, SCHEMA, Actor, Appended, Data, Draft, Event, NewEvent
from edge.domain.language import clean
from edge.domain.refusal import Failed
from edge.domain.streams import Streams
from edge.ports import Clock, EventLog, Ids, Redactor, WrongRevision

State = TypeVar("State")

ATTEMPTS: Final = 64
"""How often a decision is taken again on conflict; more means something is wrong."""

CHECKED_KEPT: Final = 1_024
CHECKED_LENGTH: Final = 4_096
"""Data of so many events, none of it longer in bytes of JSON, is recognised when it comes again."""

MACHINE_FIELDS: Final = frozenset(
    "id type stream session surface project episode prefix_hash plan_hash comment_id vote_id clarify_id"
    " direction_id dispatch_id grill_run_id run_id log_id basis answers slug target_ref keys also".split()
)
"""Fields that hold ids or names made by machines; a hash in one is not a secret."""


class Act(NamedTuple):
    """Who writes, within which dispatch or run, and which event led to it."""

    actor: Actor
    dispatch_id: str | None = None
    grill_run_id: str | None = None
    causation: str | None = None


class Recorded(NamedTuple):
    """The events of one append and where its last one stands."""

    events: tuple[NewEvent, ...]
    at: Appended


def timestamp(moment: datetime) -> str:
    """ISO 8601 UTC with milliseconds, the one form times are stored in."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _told_by(data: Data) -> bytes | None:
    """What the log would hold of the data; None where that can be no JSON yet."""
    try:
        return quick_json.encoder()(data)
    except ValueError:
        return None


class Journal:
    """Appends what was decided, as the actor who decided it."""

    def __init__(self, log: EventLog, streams: Streams, redactor: Redactor, clock: Clock, ids: Ids) -> None:
        self.log = log
        self.streams = streams
        self.clock = clock
        self.ids = ids
        self._redactor = redactor
        self._checked: dict[tuple[Actor, str, bytes | None], None] = {}

    def now(self) -> str:
        return timestamp(self.clock.now())

    def new_id(self) -> str:
        """A fresh id in the character set of acts, runs and dispatches."""
        return self.ids.new().replace("-", "")

    def prepare(self, drafts: Sequence[Draft], act: Act) -> tuple[NewEvent, ...]:
        """Complete events from drafts: validated, without secrets, with their metadata.

        Raises :class:`~edge.domain.refusal.Refused` where the actor may not write the type
        (I17) or the data has not its shape.
        """
        actor, dispatch_id, run_id, causation = act
        work = {"dispatch_id": dispatch_id} if dispatch_id else {}
        if run_id:
            work["grill_run_id"] = run_id
        cause = {"$causationId": causation} if causation else {}
        now, size = self.now(), len(drafts)
        events = []
        for index, (type_, given, given_id) in enumerate(drafts):
            data = self.as_stored(type_, given, actor)
            id_ = given_id or self.ids.new()
            own_act = data.get("comment_id") or data.get("vote_id") or id_
            metadata: Data = {
                "recorded_at": now,
                "actor": actor,
                "batch": [index, size],
                **work,
                "$correlationId": run_id or dispatch_id or own_act,
                **cause,
                "schema": SCHEMA,
            }
            events.append(NewEvent(id_, type_, data, metadata))
        return tuple(events)

    def as_stored(self, type_: str, data: Data, actor: Actor) -> Data:
        """The data just as an append by ``actor`` would store it; refused where it could not.

        What came out of it goes through again unchanged, so data it gave lately, for the same
        type and actor, is only recognised: a plan's events are checked when the plan is stored,
        and not anew by each close. A plan that another process stored is checked in full.
        """
        if type_ == "episode.captured":  # large, and never the same again
            return self._stored(type_, data, actor)
        if (actor, type_, _told_by(data)) in self._checked:
            return data
        stored = self._stored(type_, data, actor)
        told_by = _told_by(stored)
        if told_by and len(told_by) <= CHECKED_LENGTH:
            self._checked[actor, type_, told_by] = None
            if len(self._checked) > CHECKED_KEPT:
                del self._checked[next(iter(self._checked))]  # the oldest
        return stored

    def _stored(self, type_: str, data: Data, actor: Actor) -> Data:
        from edge.domain.catalogue import validated

        return self.without_secrets(type_, validated(type_, data, actor))

    def redacted(self, text: str) -> str:
        """A text as it would be stored."""
        return self._redactor.redact(clean(text)).text

    def without_secrets(self, type_: str, data: Data) -> Data:
        """The data with every text redacted (I23) and storable as UTF-8.

        The sweep redacts a turn whole, before it is cut into parts: a secret across the cut
        could not be seen here any more.
        """
        return data if type_ == "episode.captured" else self.storable(data)

    def storable(self, data: Data) -> Data:
        """The data with every text of it redacted and storable."""
        return {key: self._safe(key, value) for key, value in data.items()}

    def _safe(self, key: str, value: Any) -> Any:
        if isinstance(value, str):
            return clean(value) if key in MACHINE_FIELDS else self._redactor.redact(clean(value)).text
        if isinstance(value, list):
            return [self._safe(key, item) for item in value]
        if isinstance(value, dict):
            return {name: self._safe(name, item) for name, item in value.items()}
        return value

    def append(self, stream: str, drafts: Sequence[Draft], expected: int, act: Act) -> Recorded:
        """Append what was decided on the state loaded at ``expected``; raises WrongRevision."""
        events = self.prepare(drafts, act)
        return Recorded(events, self.log.append(stream, events, expected))

    def load(
        self,
        stream: str,
        state: State,
        evolve: Callable[[State, Event], State],
        from_revision: int | None = None,
    ) -> tuple[State, int]:
        """A stream folded into ``state``, links passed over, and the revision it ends at."""
        revision = self._before(from_revision)
        for event in self.log.read(stream, from_revision=from_revision):
            if event.type != LINK_TYPE:
                state = evolve(state, event)
            revision = event.revision
        return state, revision

    def decide(
        self,
        stream: str,
        initial: Callable[[], State],
        evolve: Callable[[State, Event], State],
        decide: Callable[[State], Sequence[Draft]],
        act: Act,
        from_revision: int | None = None,
    ) -> Recorded | None:
        """Load, decide, append; again on conflict. None where the decision is to write nothing.

        ``from_revision`` begins the load there, for a decision that concerns only what follows.
        """
        for _ in range(ATTEMPTS):
            state, revision = self.load(stream, initial(), evolve, from_revision)
            drafts = decide(state)
            if not drafts:
                return None
            try:
                return self.append(stream, drafts, revision, act)
            except WrongRevision:
                continue
        raise Failed(
            f"{stream} kept changing: gave up after {ATTEMPTS} attempts",
            hint="try again; if it goes on, `edge doctor` shows who is writing",
        )

    @staticmethod
    def _before(from_revision: int | None) -> int:
        return NO_STREAM if from_revision is None else from_revision - 1
