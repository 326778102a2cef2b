"""What extraction asks of the read store: episodes that wait, where their words stand, what failed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import apsw

from edge.extraction import Trouble


def troubles(connection: apsw.Connection) -> dict[str, Trouble]:
    """What is noted of episodes that could not be extracted."""
    rows = connection.execute("SELECT episode, attempts, until, error FROM knowledge_troubles")
    found = cast("Iterable[tuple[str, int, str, str]]", rows)
    return {episode: Trouble(attempts, until, error) for episode, attempts, until, error in found}


def note(connection: apsw.Connection, episode: str, trouble: Trouble) -> None:
    connection.execute("INSERT OR REPLACE INTO knowledge_troubles VALUES (?, ?, ?, ?)", (episode, *trouble))


def settle(connection: apsw.Connection, episode: str | None = None) -> None:
    """Forget the trouble with one episode, or with all."""
    connection.execute("DELETE FROM knowledge_troubles WHERE episode = ?1 OR ?1 IS NULL", (episode,))


def silence(connection: apsw.Connection) -> None:
    """Keep no words of what went wrong: a model that failed may have been quoted, and quotes its prompt."""
    connection.execute("UPDATE knowledge_troubles SET error = ''")


def cost_each(connection: apsw.Connection, model: str) -> float | None:
    """Tokens an episode cost that model so far, on the mean."""
    row = connection.execute(
        "SELECT total(tokens) / nullif(total(episodes), 0) FROM knowledge_costs WHERE model = ?", (model,)
    ).get
    return cast("float | None", row)


def extracted(connection: apsw.Connection, until: int) -> list[str]:
    """Living episodes whose result stands at or before a position, in log order."""
    rows = connection.execute(
        "SELECT e.id FROM knowledge_episodes k JOIN episodes e ON e.id = k.id"
        " WHERE k.state = 'alive' AND k.extracted BETWEEN 1 AND ? ORDER BY e.position",
        (until,),
    )
    return [cast("str", row[0]) for row in list(rows)]
