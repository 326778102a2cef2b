"""Carries the log's events into the read models, exactly once, page by page.

A page is whole appends (I25); its rows and its checkpoint are one transaction in which the
checkpoint must still stand where the page began, so two workers or a kill cannot apply twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from edge.domain.events import Event, batch_of, by_append
from edge.domain.forgetting import FORGOTTEN, boundaries, counts, is_forgotten
from edge.domain.refusal import Failed
from edge.ports import CaughtUp, EventLog, Report
from edge.ports import Checkpoint as Mark
from projections.forgotten import first_revisions
from projections.store import Checkpoint, ReadStore

PAGE_EVENTS: Final = 2_000
PAGE_TURNS: Final = 4_000
"""Turns in the episodes of one page: text is what fills memory."""
_ENDS: Final = frozenset(FORGOTTEN)
ATTEMPTS: Final = 3
"""How often a poison append is tried before it is quarantined."""


class LogChangedError(Failed):
    """The log is not the one, or no longer the one, that the read models were folded from."""

    name = "log-changed"


class _Moved(Exception):  # not an error: another worker was faster
    """Another worker applied this page."""


class Runner:
    """Brings the models of a store to the head of a log. ``strict`` raises on a poison append."""

    def __init__(self, log: EventLog, store: ReadStore, log_stream: str, *, strict: bool = False) -> None:
        self._log = log
        self._store = store
        self._log_stream = log_stream
        self._strict = strict
        self._first: dict[str, int] | None = None
        """By stream, the first revision that counts: what was forgotten is passed over."""
        self._by_type: dict[str, list[str]] = {}
        for model in store.models:
            for type_ in model.TYPES:
                self._by_type.setdefault(type_, []).append(model.NAME)

    def catch_up(self, until: int | None = None, report: Report | None = None) -> int:
        """Apply what stands after the checkpoint, up to position ``until`` (default: the head now).

        Returns the position reached. Raises :class:`LogChangedError` rather than read on in
        a log that was swapped, restored, or restored and grown again.
        """
        goal = self._log.head() if until is None else until
        done = 0
        while True:
            checkpoint = self._agreed_checkpoint()
            self._check_same_log(checkpoint)
            if checkpoint.position >= goal:
                return checkpoint.position
            self._learn_what_is_forgotten(checkpoint)
            try:
                done = self._run(checkpoint, goal, done, report)
                return self._agreed_checkpoint().position
            except _Moved:
                continue

    def follow(self, subscription: Iterable[Event | CaughtUp | Mark]) -> Iterator[int]:
        """Apply what a subscription after the checkpoint delivers; yields each position reached.

        In pages while it catches up, then append by append; where nothing was to catch up, the
        position it began at. Another worker may apply some of it first: that is passed over.
        """
        append: list[Event] = []
        page: list[Sequence[Event]] = []
        live = False
        for item in subscription:
            if isinstance(item, Event):
                append.append(item)
                index, size = batch_of(item)
                if index < size - 1:
                    continue
                page.append(append)
                append = []
                if not live and len(page) < PAGE_EVENTS // 4:
                    continue
            elif isinstance(item, CaughtUp):
                live = True
            if page:
                yield self._apply_what_is_new(page)
                page = []
            elif isinstance(item, CaughtUp):
                yield self._store.position()

    def _apply_what_is_new(self, page: Sequence[Sequence[Event]]) -> int:
        while True:
            checkpoint = self._agreed_checkpoint()
            new = [append for append in page if append[-1].position > checkpoint.position]
            if not new:
                return checkpoint.position
            self._learn_what_is_forgotten(checkpoint)
            reached = self._after(new[-1])
            try:
                self._apply(new, checkpoint, reached)
                return reached.position
            except _Moved:
                continue

    def lag(self) -> int:
        """How many events stand in the log beyond the checkpoint."""
        position = self._store.position()
        if self._log.head() <= position:
            return 0
        return sum(1 for _ in self._log.read_all(after=position or None))

    def _run(self, checkpoint: Checkpoint, goal: int, done: int, report: Report | None) -> int:
        for page in _pages(self._log.read_all(after=checkpoint.position or None), goal):
            reached = self._after(page[-1])
            self._apply(page, checkpoint, reached)
            checkpoint = reached
            done += sum(len(append) for append in page)
            if report:
                report("folding", done, None)
        return done

    def _learn_what_is_forgotten(self, checkpoint: Checkpoint) -> None:
        """Before a fold from the start reads any text, all that was ever forgotten; else what the
        store knows. So it makes no difference whether the log still shows what was truncated."""
        if checkpoint.position:
            if self._first is None:
                self._first = first_revisions(self._store.connection)
            return
        forgotten = list(self._log.read_all(types=FORGOTTEN))
        if forgotten:
            with self._store.transaction():
                for event in forgotten:
                    for model in self._store.models:
                        model.learn(event)
        self._first = boundaries(forgotten)

    def _after(self, append: Sequence[Event]) -> Checkpoint:
        """Where the models stand once an append is applied."""
        last = append[-1]
        return Checkpoint(self._store.log_id, last.position, last.id, last.stream, last.revision)

    def _agreed_checkpoint(self) -> Checkpoint:
        checkpoints = self._store.checkpoints()
        if len(checkpoints) > 1:
            raise Failed(
                "the read models stand at different positions", hint="`edge rebuild` folds them anew"
            )
        return checkpoints.pop()

    def check_same_log(self) -> int:
        """The position the models stand at; raises :class:`LogChangedError` where the log is another."""
        checkpoint = self._agreed_checkpoint()
        self._check_same_log(checkpoint)
        return checkpoint.position

    def _check_same_log(self, checkpoint: Checkpoint) -> None:
        first = next(self._log.read(self._log_stream, limit=1), None)
        log_id = first.data.get("log_id") if first else None
        if log_id != self._store.log_id or checkpoint.log_id != self._store.log_id:
            raise LogChangedError(
                "the read models were folded from another log",
                hint="if this log is the right one, `edge rebuild` folds them anew",
            )
        if not checkpoint.position:
            return
        standing = next(self._log.read(checkpoint.stream, from_revision=checkpoint.revision, limit=1), None)
        forgotten = standing is not None and standing.revision > checkpoint.revision
        same = standing is not None and (standing.id, standing.position) == (
            checkpoint.event_id,
            checkpoint.position,
        )
        if not same and not (forgotten and self._log.head() >= checkpoint.position):
            raise LogChangedError(
                "the log was restored or replaced behind what the read models have folded",
                hint="if this log is the right one, `edge rebuild` folds them anew",
            )

    def _apply(self, page: Sequence[Sequence[Event]], old: Checkpoint, new: Checkpoint) -> None:
        try:
            self._transact(page, old, new)
        except (_Moved, Failed):
            raise
        except Exception:  # noqa: BLE001  # one bad append must not stop the rest: it is found and recorded
            self._one_by_one(page, old)

    def _transact(self, page: Iterable[Sequence[Event]], old: Checkpoint, new: Checkpoint) -> None:
        concerned = self._concerned(page)
        try:
            with self._store.transaction():
                for model in self._store.models:
                    events = concerned[model.NAME]
                    if events:
                        model.expect(events)
                        for event in events:
                            model.apply(event)
                        model.flush()
                self._advance(old, new)
                first = self._forget(page)
        except BaseException:
            for model in self._store.models:
                model.discard()
            raise
        self._first = (self._first or {}) | first

    def _forget(self, page: Iterable[Sequence[Event]]) -> dict[str, int]:
        """Where streams forgotten in a page begin now; models that had folded what stood before are
        marked to be folded anew."""
        events = [event for append in page for event in append if event.type in _ENDS]
        first = boundaries(events) if events else {}
        known = self._first or {}
        new = [e for e in events if is_forgotten(e) and first[e.stream] > known.get(e.stream, 0)]
        if new:
            types = {event.type for event in new}
            self._store.mark_to_refold([m.NAME for m in self._store.models if m.REFOLDED_AFTER & types])
            self._store.drop_quarantined([(event.stream, event.position) for event in new])
        # a stream forgotten again further on may be known to begin later than this page says
        return {stream: max(revision, known.get(stream, 0)) for stream, revision in first.items()}

    def _concerned(self, page: Iterable[Sequence[Event]]) -> dict[str, list[Event]]:
        """The events of a page by the model that folds them: no model reads another's tables."""
        events: dict[str, list[Event]] = {model.NAME: [] for model in self._store.models}
        by_type, first = self._by_type, self._first
        for append in page:
            for event in append:
                if first and not counts(event, first):
                    continue
                for name in by_type.get(event.type, ()):
                    events[name].append(event)
        return events

    def _advance(self, old: Checkpoint, new: Checkpoint) -> None:
        names = [model.NAME for model in self._store.models]
        moved = 0
        for name in names:
            self._store.connection.execute(
                "UPDATE checkpoints SET log_id = ?, position = ?, event_id = ?, stream = ?, revision = ?"
                " WHERE position = ? AND model = ?",
                (*new, old.position, name),
            )
            moved += self._store.connection.changes()
        if moved != len(names):
            raise _Moved

    def _one_by_one(self, page: Sequence[Sequence[Event]], old: Checkpoint) -> None:
        for append in page:
            last = append[-1]
            new = self._after(append)
            for attempt in range(ATTEMPTS):
                try:
                    self._transact([append], old, new)
                    break
                except (_Moved, Failed):
                    raise
                except Exception as error:  # recorded: quarantined with its error, shown by health
                    if self._strict:
                        raise Failed(
                            f"the append at position {last.position} ({last.stream}@{last.revision}) cannot"
                            f" be folded: {type(error).__name__}: {error}",
                            hint="what was folded before stays; `edge log show` has the event",
                        ) from error
                    if attempt == ATTEMPTS - 1:
                        self._quarantine(append, error, old, new)
            old = new

    def _quarantine(
        self, append: Sequence[Event], error: Exception, old: Checkpoint, new: Checkpoint
    ) -> None:
        said = f"{type(error).__name__}: {error}"
        with self._store.transaction():
            self._store.connection.executemany(
                "INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?, ?)",
                [(e.position, e.id, e.stream, e.type, said) for e in append],
            )
            self._advance(old, new)


def _pages(events: Iterable[Event], goal: int) -> Iterator[list[Sequence[Event]]]:
    """Whole appends that end at or before ``goal``, in pages of bounded size."""
    page: list[Sequence[Event]] = []
    size = turns = 0
    for append in by_append(events):
        if append[-1].position > goal:
            break
        page.append(append)
        size += len(append)
        for event in append:
            if event.type == "episode.captured":
                said = event.data.get("turns")
                turns += len(said) if isinstance(said, list) else 0  # a stranger may write anything
        if size >= PAGE_EVENTS or turns >= PAGE_TURNS:
            yield page
            page, size, turns = [], 0, 0
    if page:
        yield page
