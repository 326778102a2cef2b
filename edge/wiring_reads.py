"""The read side of an install: its read models at the log's head, as they stand, and as of a time.

Nothing here is imported before something is read.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from edge.domain.grill import moment
from edge.domain.refusal import Misused, Refused
from edge.settings import moment_named
from projections.models import MODELS
from projections.queries import ReadModels
from projections.runner import Runner
from projections.store import DamagedError, ReadStore, set_aside

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime
    from pathlib import Path

    from edge.domain.events import Event
    from edge.ports import IdKind, Queries
    from edge.why_nodes import Node
    from edge.wiring import Edge
    from projections.dashboard_queries import DashboardQueries


def opened(path: Path, log_id: str) -> ReadStore:
    """The store of a log's read models; a damaged one is set aside for an empty one."""
    try:
        return ReadStore(path, MODELS, log_id)
    except DamagedError:
        set_aside(path)  # disposable: the next catch-up folds all of it from the log
        return ReadStore(path, MODELS, log_id)


class ReadParts:
    """What is asked of an install's read models, and what brings them there."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    @cached_property
    def runner(self) -> Runner:
        return Runner(self._edge.log, self._edge.store, self._edge.streams.log)

    @cached_property
    def queries(self) -> ReadModels:
        """The read models wherever they stand just now."""
        return ReadModels(self._edge.store)

    @cached_property
    def standing(self) -> DashboardQueries:
        """The same for whoever must not run the log, with what only pages ask."""
        from projections.dashboard_queries import DashboardQueries

        return DashboardQueries(self._edge.store)

    def current(self) -> ReadModels:
        """The read models at the log's head as it is now; tables of older code are rebuilt first."""
        self.fold_anew()
        self.runner.catch_up(report=self._edge.report)
        self.fold_anew()
        return self.queries

    def fold_anew(self) -> None:
        """Tables of older code, and those that hold what was forgotten since they were folded."""
        store = self._edge.store
        outdated = [model.NAME for model in store.outdated()]
        if outdated:
            marked = store.to_refold()
            self.rebuild(tuple(marked) if marked == outdated else ())

    def rebuild(self, names: tuple[str, ...]) -> int:
        """Fold models anew beside the old and swap them in; all of them where none is named."""
        from projections.rebuild import rebuild

        edge = self._edge
        return rebuild(edge.log, edge.store, edge.streams.log, names, edge.report)

    # -- another time -----------------------------------------------------------------------

    def at(self, when: str, models: Collection[str]) -> ReadModels:
        """The read models as of a position or an ISO time, replayed in memory by the same fold."""
        edge = self._edge
        chosen = tuple(model for model in MODELS if not models or model.NAME in models)
        store = ReadStore(None, chosen, edge.log_id)
        Runner(edge.log, store, edge.streams.log).catch_up(self.position_of(when), edge.report)
        return ReadModels(store)

    def position_of(self, when: str) -> int:
        """The position meant by ``when``: one itself, or the last before anything recorded later."""
        log = self._edge.log
        if when.isdecimal():
            position = int(when)
            if position > log.head():
                raise Refused(f"the log has no position {position} yet", hint=f"its head is {log.head()}")
            return position
        from edge.audit import last_position_at

        return last_position_at(log, moment_named(when, self._edge.settings.tz))

    def clock_at(self, when: str | None) -> datetime:
        """The time it was: now, the time asked for, or when the last event up to a position was recorded."""
        log, now = self._edge.log, self._edge.clock.now()
        if when is None:
            return now
        if not when.isdecimal():
            return moment_named(when, self._edge.settings.tz)
        after = next((e.position for e in log.read_all(after=int(when), limit=1)), None)
        last = next(log.read_all(before=after, backwards=True, limit=1), None)
        return moment(last.recorded_at, now) if last else now

    # -- one thing by its id ----------------------------------------------------------------

    def resolve(self, kind: IdKind, prefix: str) -> str:
        """The one id that begins with ``prefix``; itself where nothing does, for the rules to refuse."""
        found = self.current().matching(kind, prefix)
        if len(found) > 1:
            raise Misused(
                f"{prefix!r} begins more than one {kind} id: {', '.join(found)}", hint="give more of it"
            )
        return found[0] if found else prefix

    def why(self, id_: str, kind: str | None, at: str | None) -> Node:
        """What stands behind an id, as of the log's head, or as it stood at a position or a time."""
        return self._why(self.current() if at is None else self.at(at, ()), id_, kind, at)

    def why_standing(self, id_: str, kind: str | None) -> Node:
        """The same of the read models as they stand."""
        return self._why(self.standing, id_, kind)

    def _why(self, queries: Queries, id_: str, kind: str | None, at: str | None = None) -> Node:
        from edge.audit import found
        from edge.why import Why

        edge = self._edge

        def find(event: str) -> Event | None:
            return edge.embedded_log.find(event) if edge.settings.log is None else found(edge.log, event)

        until = None if at is None else self.position_of(at)
        with queries.snapshot():
            return Why(edge.log, edge.streams, queries, self.clock_at(at), find, until).explain(id_, kind)
