"""What is asked of sources: all of them by rank, or one by its ref, each with why it stands there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, cast

import apsw

from edge.domain.refs import normal
from edge.domain.sources import Ranked, Signal, Source, ranked, until, weighed_by

WHY_SHOWN: Final = 20
"""Signals of one source that its explanation names, the newest."""


def by_rank(connection: apsw.Connection, now: datetime, limit: int | None) -> Iterator[Ranked]:
    """The sources that are curated or have a signal, best first."""
    early = _early(connection, now)
    # what is neither has no row to be ranked: a source whose only vote was taken back, or a retired one
    rows = connection.execute(
        "SELECT doc FROM sources WHERE (curated OR json_extract(doc, '$.signals') > 0)"
        " AND ref NOT IN (SELECT value FROM json_each(?)) ORDER BY curated DESC, faded DESC, ref LIMIT ?",
        (json.dumps([source["ref"] for source in early]), -1 if limit is None else limit),
    )
    found = [cast("Source", json.loads(cast("str", doc))) for (doc,) in rows]
    if early:
        found = sorted([*found, *early], key=lambda s: (not s["curated"], -s["faded"], s["ref"]))[:limit]
    for source in found:
        yield ranked(source, _signals_of(connection, source["ref"], WHY_SHOWN), now)


def of_ref(connection: apsw.Connection, ref: str, now: datetime) -> Ranked | None:
    """One source, by any spelling of its ref."""
    ref = normal(ref)
    row = connection.execute("SELECT doc FROM sources WHERE ref = ?", (ref,)).fetchone()
    if row is None:
        return None
    source = cast("Source", json.loads(cast("str", row[0])))
    source = next((early for early in _early(connection, now) if early["ref"] == ref), source)
    return ranked(source, _signals_of(connection, ref, WHY_SHOWN), now)


def _early(connection: apsw.Connection, now: datetime) -> list[Source]:
    """The sources with a signal recorded later than the clock, weighed by it: a replay at a position
    asks at the time of its last event, and an import may bring older events after newer ones."""
    rows = connection.execute(
        "SELECT doc FROM sources WHERE ref IN (SELECT ref FROM source_signals WHERE since > ?)",
        (until(now),),
    )
    sources = [cast("Source", json.loads(cast("str", doc))) for (doc,) in rows]
    return [weighed_by(source, _signals_of(connection, source["ref"]), now) for source in sources]


def _signals_of(connection: apsw.Connection, ref: str, limit: int | None = None) -> list[Signal]:
    """The signals of a source, newest first; all of them, or the newest."""
    rows = connection.execute(
        "SELECT ref, kind, about, weight, at, event FROM source_signals WHERE ref = ?"
        " ORDER BY position DESC, kind, about LIMIT ?",
        (ref, -1 if limit is None else limit),
    )
    return [Signal(*cast("Any", row)) for row in rows]
