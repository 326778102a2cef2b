"""Vectors by id in fixed blocks: appended in place, searched by one matrix product."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 2_048
"""Rows a block: 3 MB at 384 dimensions. Growing adds a block and copies nothing."""
_SMALL: Final = 1 << 18
"""Multiplications of one product. OpenBLAS shares larger ones among threads, and a single query's
too, which at these sizes spend many times the work waiting for each other."""
_WIDE: Final = 16
"""Queries of one product."""
IDENTICAL: Final = 1 - 1e-5
"""A cosine from which on two vectors are of one and the same text."""
_NEAR: Final = 2e-4
_DIGITS: Final = 4
"""Scores are compared at this many digits: the last bits depend on where a row stands."""

Vectors = NDArray[np.float32]
Scored = tuple[str, float]


class Rows:
    """Unit vectors of one dimension by id. Rows that go are filled again by the next that come."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._blocks: list[Vectors] = []
        self._ids: list[str | None] = []
        self._places: dict[str, int] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, owner: object) -> bool:
        return owner in self._places

    def put(self, owner: str, vector: Vectors) -> None:
        """Set the vector of an id, in its old place where it has one."""
        place = self._places.get(owner)
        if place is None:
            place = self._free.pop() if self._free else self._appended()
            self._places[owner] = place
            self._ids[place] = owner
        self._row(place)[:] = vector

    def drop(self, owner: str) -> None:
        """Forget an id; nothing where there is none."""
        place = self._places.pop(owner, None)
        if place is not None:
            self._row(place)[:] = 0
            self._ids[place] = None
            self._free.append(place)

    def get(self, owner: str) -> Vectors | None:
        place = self._places.get(owner)
        return None if place is None else self._row(place)

    def nearest(self, queries: Vectors, limit: int, least: float) -> list[list[Scored]]:
        """For each row of ``queries`` the ids of cosine ``least`` or more, best first, ids breaking ties."""
        if not self._places or not len(queries):
            return [[] for _ in queries]
        scores = np.concatenate(
            [self._products(queries[start : start + _WIDE]) for start in range(0, len(queries), _WIDE)]
        )
        return [self._best(row, limit, least) for row in scores]

    def among(self, query: Vectors, owners: Collection[str], limit: int, least: float) -> list[Scored]:
        """The same for one query among a few ids."""
        known = [(owner, self._places[owner]) for owner in owners if owner in self._places]
        scored = [(owner, round(float(self._row(place) @ query), _DIGITS)) for owner, place in known]
        return ranked([each for each in scored if each[1] >= least], limit)

    def _products(self, queries: Vectors) -> Vectors:
        """A row of cosines for each of a few queries, by products too small to be shared among threads."""
        used, asked = len(self._ids), len(queries)
        turned = np.ascontiguousarray(queries.T if asked > 1 else np.repeat(queries, 2, axis=0).T)
        scores = np.empty((used, turned.shape[1]), np.float32)
        step = max(1, _SMALL // turned.size)
        for nth, block in enumerate(self._blocks):
            for first in range(nth * BLOCK, min((nth + 1) * BLOCK, used), step):
                last = min(first + step, (nth + 1) * BLOCK, used)
                np.matmul(block[first % BLOCK : first % BLOCK + last - first], turned, out=scores[first:last])
        return np.ascontiguousarray(scores[:, :asked].T)

    def _best(self, scores: Vectors, limit: int, least: float) -> list[Scored]:
        bound = least - _NEAR
        if limit < len(scores):
            bound = max(bound, float(np.partition(scores, -limit)[-limit]) - _NEAR)
        found: list[Scored] = []
        for place in np.flatnonzero(scores >= bound).tolist():
            owner = self._ids[place]
            score = round(float(scores[place]), _DIGITS)
            if owner is not None and score >= least:
                found.append((owner, score))
        return ranked(found, limit)

    def _appended(self) -> int:
        place = len(self._ids)
        if place == len(self._blocks) * BLOCK:
            self._blocks.append(np.zeros((BLOCK, self._dimension), np.float32))
        self._ids.append(None)
        return place

    def _row(self, place: int) -> Vectors:
        row: Vectors = self._blocks[place // BLOCK][place % BLOCK]
        return row


def ranked(scored: Sequence[Scored], limit: int) -> list[Scored]:
    """Best first, ids breaking ties, so that an order does not depend on who came first."""
    return sorted(scored, key=lambda each: (-each[1], each[0]))[:limit]
