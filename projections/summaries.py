"""What models wrote of clusters, in a table of this host beside the read models."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import cast

from projections.store import ReadStore


class StoredSummaries:
    """See :class:`edge.summaries.SummaryStore`."""

    def __init__(self, store: ReadStore) -> None:
        self._connection = store.connection

    def standing(self) -> dict[str, str]:
        rows = self._connection.execute("SELECT content, summary FROM knowledge_summaries")
        return dict(cast("Iterable[tuple[str, str]]", rows))

    def put(self, content: str, model: str, summary: str) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO knowledge_summaries VALUES (?, ?, ?)", (content, model, summary)
        )

    def keep_only(self, contents: Collection[str]) -> None:
        if gone := self.standing().keys() - set(contents):
            self._connection.execute(
                "DELETE FROM knowledge_summaries WHERE content IN (SELECT value FROM json_each(?))",
                (json.dumps(sorted(gone)),),
            )
