"""Why: the chain of events behind what edge says, down to the turn of a transcript.

An answer is a tree. What stands behind a thing is read from the streams that hold it, which the
read models name; nothing is worked out that the log does not say.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, get_args

from edge import why_events, why_knowledge, why_voz, why_work
from edge.domain.events import Event
from edge.domain.refs import normal
from edge.domain.refusal import Misused
from edge.domain.streams import Streams
from edge.ports import EventLog, IdKind, Queries
from edge.why_nodes import Node, line_of
from edge.why_telling import Telling

KINDS: Final = ("line", "source", "event", *get_args(IdKind))

_BY_KIND: Final[dict[str, Callable[[Telling, str], Node | None]]] = {
    "line": why_work.of_line,
    "direction": why_voz.of_steer,
    "knowledge": why_knowledge.of_known,
    "artefato": why_work.of_artefato,
    "comment": why_voz.of_chat,
    "vote": why_voz.of_vote,
    "clarify": why_voz.of_question,
    "run": why_work.of_run,
    "dispatch": why_work.of_dispatch,
    "source": why_knowledge.of_source,
    "event": why_events.of_event,
}


class Why:
    """One answer from a log and the read models at its head; inside one snapshot of them.

    With ``until`` from read models as of a position, and of the log what stood up to there.
    """

    def __init__(
        self,
        log: EventLog,
        streams: Streams,
        queries: Queries,
        now: datetime,
        found: Callable[[str], Event | None],
        until: int | None = None,
    ) -> None:
        self._queries = queries
        self._now = now
        self._telling = Telling(_BY_KIND, log, streams, queries, now, found, until)

    def explain(self, id_: str, kind: str | None = None) -> Node:
        """What stands behind an id, or a prefix of one; exit 2 where there is none, or more than one."""
        if kind is not None and kind not in KINDS:
            raise Misused(f"no kind {kind!r}", hint=", ".join(KINDS))
        candidates = [c for c in self._candidates(id_.strip()) if kind in (None, c[0])]
        if len(candidates) > 1:
            named = ", ".join(f"{full} ({of})" for of, full in candidates)
            raise Misused(f"{id_!r} is more than one thing: {named}", hint="give more of it, or --kind")
        node = self._telling.node(*candidates[0]) if candidates else None
        if node is None:
            raise Misused(
                f"there is nothing {id_!r} to explain",
                hint="an id as lists print it, a source's ref, or DISPATCH#N for a line of its Briefing",
            )
        return node

    def _candidates(self, id_: str) -> list[tuple[str, str]]:
        dispatch, n = line_of(id_)
        if n:
            lines = [("line", f"{full}#{n}") for full in self._queries.matching("dispatch", dispatch)]
            if lines:
                return lines
        kinds: tuple[IdKind, ...] = get_args(IdKind)
        found: list[tuple[str, str]] = [
            (kind, full) for kind in kinds for full in self._queries.matching(kind, id_)
        ]
        exact = [one for one in found if one[1] == id_]
        if self._queries.source(id_, self._now):
            exact.append(("source", normal(id_)))
        return exact or found or [("event", id_)]
