"""Folded states kept as JSON rows: read at once for a page, changed in memory, written once."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Generic, TypeVar, cast

import apsw

from edge import quick_json

State = TypeVar("State")


def written(value: Any) -> str:
    """A value as the JSON of a row."""
    try:
        return quick_json.encoder()(value).decode()
    except ValueError:  # nested deeper than it goes
        return json.dumps(value, ensure_ascii=False)


def read(doc: str) -> Any:
    """What :func:`written` made a row of."""
    try:
        return quick_json.decoder()(doc)
    except ValueError:
        return json.loads(doc)


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
        self._held: dict[str, State | None] = {}
        self._changed: dict[str, State] = {}
        names = [key, *columns, "doc"]
        moved = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
        self._write = (
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
            f" ON CONFLICT ({key}) DO UPDATE SET {moved}"
        )
        self._select = f"SELECT {key}, doc FROM {table} WHERE {key} IN (SELECT value FROM json_each(?))"

    def expect(self, keys: Collection[str]) -> None:
        """Read the states of all these keys with one query; what is held already stays as it is."""
        wanted = {key for key in keys if key not in self._held}
        if not wanted:
            return
        self._held.update(dict.fromkeys(wanted))
        rows = cast(
            "Iterable[tuple[str, str]]", self._connection.execute(self._select, (json.dumps(list(wanted)),))
        )
        self._held.update((key, read(doc)) for key, doc in rows)

    def get(self, key: str) -> State | None:
        if key not in self._held:
            self.expect((key,))
        return self._held[key]

    def put(self, key: str, state: State) -> None:
        self._held[key] = self._changed[key] = state

    def flush(self) -> None:
        """Write what changed; the page's transaction makes it count."""
        self._connection.executemany(
            self._write,
            [(key, *self._values(state), written(state)) for key, state in self._changed.items()],
        )
        self.discard()

    def discard(self) -> None:
        """Forget everything held: the next page reads what stands in the store."""
        self._held.clear()
        self._changed.clear()
