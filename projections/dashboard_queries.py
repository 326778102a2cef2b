"""The read side as the dashboard asks it: pages of what other readers take whole."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from edge.domain.chat import Chat
from edge.domain.knowledge import Tier
from edge.domain.steer_history import Move
from edge.ports import Which
from edge.ports_dashboard import EpisodeSeen, Named, Tied
from edge.ports_knowledge import Knowing
from projections.knowledge_rows import SHOWN, entity_of
from projections.moves import MOVE, moves_in
from projections.queries import WHICH, ReadModels

_TIERS = ", ".join(f"'{tier}'" for tier in SHOWN)


class DashboardQueries(ReadModels):
    """See :class:`edge.ports_dashboard.DashboardReads`."""

    def recent_chats(
        self, limit: int, before: int | None = None, which: Which = "all", target: str | None = None
    ) -> list[Chat]:
        where, bindings = [WHICH[which]], list[Any]()
        if target is not None:
            where.append("target_ref = ?")
            bindings.append(target)
        if before is not None:
            where.append("position < ?")
            bindings.append(before)
        sql = f"SELECT doc FROM chats WHERE {' AND '.join(where)} ORDER BY position DESC LIMIT ?"
        return list(self._docs(sql, *bindings, limit))

    def open_chats_by_artefato(self) -> dict[str, int]:
        sql = f"SELECT target_ref, count(*) FROM chats WHERE {WHICH['open']} GROUP BY target_ref"
        rows = cast("Iterable[tuple[str | None, int]]", self._connection.execute(sql))
        return {slug: count for slug, count in rows if slug}

    def activity(self, since: str) -> list[tuple[str, str, int]]:
        sql = "SELECT quarter, kind, events FROM activity WHERE quarter >= ? ORDER BY quarter, kind"
        return cast("list[tuple[str, str, int]]", list(self._connection.execute(sql, (since,))))

    # -- Direction's history ----------------------------------------------------------------

    def moves(self, limit: int) -> list[Move]:
        sql = f"{MOVE} ORDER BY position DESC, place DESC LIMIT ?"
        return moves_in(self._connection.execute(sql, (limit,)))[::-1]

    # -- knowledge --------------------------------------------------------------------------

    def episode(self, id_: str) -> EpisodeSeen | None:
        row = self._connection.execute(
            "SELECT e.id, e.position, e.session, e.project, e.said, coalesce(k.gist, '')"
            " FROM episodes e LEFT JOIN knowledge_episodes k ON k.id = e.id WHERE e.id = ?",
            (id_,),
        ).fetchone()
        return EpisodeSeen(*cast("tuple[str, int, str, str | None, str, str]", row)) if row else None

    def known_count(self) -> dict[Tier, int]:
        sql = f"SELECT tier, count(*) FROM knowledge_facts WHERE tier IN ({_TIERS}) GROUP BY tier"
        found = cast("Iterable[tuple[Tier, int]]", self._connection.execute(sql))
        return dict.fromkeys(cast("tuple[Tier, ...]", SHOWN), 0) | dict(found)

    def recently_known(
        self, limit: int, before: int | None = None, tier: Tier | None = None
    ) -> list[Knowing]:
        only = _TIERS if tier is None else f"'{tier}'"
        until = "" if before is None else f" AND first < {int(before)}"
        sql = (
            f"SELECT id, 0 FROM knowledge_facts WHERE tier IN ({only}){until} ORDER BY first DESC, id LIMIT ?"
        )
        return self._in_order(sql, limit)

    def said_of(self, entity: str, limit: int) -> list[Knowing]:
        sql = (
            "SELECT id, first FROM (SELECT id, first, tier FROM knowledge_facts WHERE source = ?1"
            " UNION SELECT id, first, tier FROM knowledge_facts WHERE target = ?1)"
            f" WHERE tier IN ({_TIERS}) ORDER BY first DESC, id LIMIT ?2"
        )
        return self._in_order(sql, entity, limit)

    def _in_order(self, sql: str, *bindings: Any) -> list[Knowing]:
        rows = cast("list[tuple[str, float]]", list(self._connection.execute(sql, bindings)))
        return [item for item, _ in self.knowledge.found(rows)]

    def entity(self, id_: str) -> Named | None:
        row = self._connection.execute(
            "SELECT id, doc, episodes FROM knowledge_entities WHERE id = ?", (id_,)
        ).fetchone()
        return _named(cast("tuple[str, str, int]", row)) if row else None

    def most_spoken_of(self, limit: int) -> list[Named]:
        rows = self._connection.execute(
            "SELECT id, doc, episodes FROM knowledge_entities ORDER BY episodes DESC, first, id LIMIT ?",
            (limit,),
        )
        return [_named(row) for row in cast("list[tuple[str, str, int]]", list(rows))]

    def ties(self, entities: list[str]) -> list[Tied]:
        rows = self._connection.execute(
            "SELECT min(source, target), max(source, target), count(*) FROM knowledge_facts"
            f" WHERE tier IN ({_TIERS}) AND source != target"
            " AND source IN (SELECT value FROM json_each(?1))"
            " AND target IN (SELECT value FROM json_each(?1)) GROUP BY 1, 2 ORDER BY 1, 2",
            (json.dumps(entities),),
        )
        return [Tied(*row) for row in cast("list[tuple[str, str, int]]", list(rows))]


def _named(row: tuple[str, str, int]) -> Named:
    id_, doc, episodes = row
    return Named(id_, entity_of(id_, doc).name, episodes)
