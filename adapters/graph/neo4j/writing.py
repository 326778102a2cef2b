"""A page of rows into Neo4j, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neo4j import ManagedTransaction, Record

from adapters.graph.neo4j import statements as cypher
from adapters.graph.neo4j.pages import Page


class Writer:
    """Runs the statements of one group; those without rows are left out."""

    def __init__(self, transaction: ManagedTransaction, group: str) -> None:
        self._transaction = transaction
        self._group = group

    def write(self, page: Page) -> None:
        self._rows(cypher.MAKE_EPISODES, page.episodes)
        self._rows(cypher.SET_EPISODES, page.episodes)
        self._rows(cypher.REVIVE_ENTITIES, page.entities)
        self._rows(cypher.MAKE_ENTITIES, page.entities)
        self._rows(cypher.SET_ENTITIES, page.entities)
        self._rows(cypher.MENTION, page.mentions)
        self._rows(cypher.UNMENTION, page.unmentions)
        self._uuids(cypher.UNMENTION_ENTITIES, page.gone_entities)
        ends = self._replace_facts(page.facts, page.gone_facts)
        self._rows(cypher.SET_EPISODE_FACTS, page.episode_facts)
        unmentioned = [*page.gone_entities, *(row["entity"] for row in page.unmentions)]
        if page.gone_episodes:
            mentioned, more = self._drop_episodes(page.gone_episodes)
            unmentioned += mentioned
            ends += more
        self._uuids(cypher.FADE_ENTITIES, unmentioned)
        self._uuids(cypher.DROP_ENTITIES, unmentioned)
        self._uuids(cypher.DROP_ENDS, ends)

    def set_whole(self, page: Page) -> None:
        """Write the page, and take everything else out of the group."""
        self._replace_facts([], [row["uuid"] for row in page.facts])
        for query, rows in (
            (cypher.KEEP_ONLY_FACTS, page.facts),
            (cypher.KEEP_ONLY_ENTITIES, page.entities),
        ):
            self._run(query, uuids=[row["uuid"] for row in rows])
        self.write(page)

    def _replace_facts(self, rows: Sequence[dict[str, Any]], gone: Sequence[str]) -> list[str]:
        """The ends of what stood before, which may be loose now."""
        were = self._uuids(cypher.DELETE_FACTS, [*gone, *(row["uuid"] for row in rows)])
        self._uuids(cypher.MAKE_ENDS, [row[end] for row in rows for end in ("source", "target")])
        self._rows(cypher.MAKE_FACTS, rows)
        return [end for record in were for end in (record["source"], record["target"])]

    def _drop_episodes(self, episodes: Sequence[str]) -> tuple[list[str], list[str]]:
        """Entities they mentioned, and the ends of facts that nothing else supported."""
        dropped = self._uuids(cypher.DROP_EPISODES, episodes)
        facts = {fact for record in dropped for fact in record["facts"]}
        empty = self._run(cypher.WITHDRAW, facts=sorted(facts), uuids=list(episodes))
        ends = self._replace_facts([], [record["uuid"] for record in empty])
        return [entity for record in dropped for entity in record["entities"]], ends

    def _rows(self, query: str, rows: Sequence[dict[str, Any]]) -> None:
        if rows:
            self._run(query, rows=rows)

    def _uuids(self, query: str, uuids: Sequence[str]) -> list[Record]:
        once = list(dict.fromkeys(uuids))
        return self._run(query, uuids=once) if once else []

    def _run(self, query: str, **parameters: Any) -> list[Record]:
        return list(self._transaction.run(query, parameters, group=self._group))
