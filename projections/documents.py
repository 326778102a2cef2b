"""Folded states kept as JSON rows: loaded once a page, changed in memory, written once a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, cast

import apsw

State = TypeVar("State")

_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class Documents(Generic[State]):
    """The rows of one table whose ``doc`` column holds a state, keyed by its first column.

    ``columns`` derives the values of the table's other columns from a state, so that what is
    queried and what is folded cannot disagree.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        table: str,
        key: str,
        columns: Sequence[str],
        values: Callable[[State], tuple[Any, ...]],
    ) -> None:
        self._connection = connection
        self._values = values
        self._cache: dict[str, State | None] = {}
        self._changed: set[str] = set()
        names = ", ".join([key, *columns, "doc"])
        marks = ", ".join("?" * (len(columns) + 2))
        self._insert = f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})"  # noqa: S608  # own names
        self._select = f"SELECT doc FROM {table} WHERE {key} = ?"  # noqa: S608  # own names

    def get(self, key: str) -> State | None:
        if key in self._cache:
            return self._cache[key]
        row = self._connection.execute(self._select, (key,)).fetchone()
        state = None if row is None else cast("State", json.loads(cast("str", row[0])))
        self._cache[key] = state
        return state

    def put(self, key: str, state: State) -> None:
        self._cache[key] = state
        self._changed.add(key)

    def changed(self) -> Iterator[tuple[str, State]]:
        for key in self._changed:
            yield key, cast("State", self._cache[key])

    def flush(self) -> None:
        """Write what changed; the page's transaction makes it count."""
        self._connection.executemany(
            self._insert, [(key, *self._values(state), _dump(state)) for key, state in self.changed()]
        )
        self.discard()

    def discard(self) -> None:
        """Forget everything held: the next page reads what stands in the store."""
        self._cache.clear()
        self._changed.clear()
