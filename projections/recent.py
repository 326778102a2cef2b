"""Episodes looked up: the operator's last sessions as extraction tells of them, and where each stands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, cast

import apsw

from edge.ports import Place, RecentEpisode
from projections.documents import read

_COUNTS: Final = "extracted > 0 AND state = 'alive' AND presence != 'absent'"


def said_since(connection: apsw.Connection, since: str, limit: int) -> list[tuple[str, int]]:
    """See :meth:`edge.ports.Queries.recent_episodes`."""
    rows = connection.execute(
        f"SELECT id, changed FROM knowledge_episodes WHERE at >= ? AND {_COUNTS}"
        " ORDER BY at DESC, id DESC LIMIT ?",
        (since, limit),
    )
    return cast("list[tuple[str, int]]", list(rows))


def count_since(connection: apsw.Connection, since: str, limit: int) -> int:
    """See :meth:`edge.ports.Queries.count_of_recent_episodes`."""
    query = f"SELECT count(*) FROM (SELECT 1 FROM knowledge_episodes WHERE at >= ? AND {_COUNTS} LIMIT ?)"
    return cast("int", connection.execute(query, (since, limit)).get)


def told_of(connection: apsw.Connection, episodes: Sequence[str]) -> list[RecentEpisode]:
    """See :meth:`edge.ports.Queries.told_of`."""
    asked = json.dumps(list(episodes))
    named: dict[str, list[str]] = {}
    for episode, doc in connection.execute(
        "SELECT episode, doc FROM knowledge_contributions"
        " WHERE episode IN (SELECT value FROM json_each(?)) AND kind = 'entity' ORDER BY episode, owner",
        (asked,),
    ):
        named.setdefault(cast("str", episode), []).append(str(read(cast("str", doc)).get("name") or ""))
    rows = connection.execute(
        "SELECT id, at, session, project, gist, extraction FROM knowledge_episodes"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (asked,),
    )
    found = {
        id_: RecentEpisode(id_, at, session, project, gist, named.get(id_, []), [id_, extraction])
        for id_, at, session, project, gist, extraction in cast("list[tuple[str, ...]]", list(rows))
    }
    return [found[id_] for id_ in episodes if id_ in found]


def place(connection: apsw.Connection, episode: str) -> Place | None:
    """See :meth:`edge.ports.Queries.episode_place`."""
    row = connection.execute("SELECT stream, position FROM episodes WHERE id = ?", (episode,)).fetchone()
    return Place(*cast("tuple[str, int]", row)) if row else None


def naming(connection: apsw.Connection, entity: str, limit: int) -> tuple[list[str], int]:
    """See :meth:`edge.ports.Queries.episodes_naming`."""
    rows = connection.execute(
        "SELECT c.episode, count(*) OVER () FROM knowledge_contributions c"
        " JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
        " WHERE c.owner = ? AND c.kind = 'entity' ORDER BY c.position DESC LIMIT ?",
        (entity, limit),
    )
    found = cast("list[tuple[str, int]]", list(rows))
    return [episode for episode, _ in reversed(found)], found[0][1] if found else 0
