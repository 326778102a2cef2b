"""An embedder asked once for each text, however often the extraction of an episode wants it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from edge.ports_knowledge import Embedder

_KEPT: Final = 2_000
"""Texts whose vectors are kept: some 1.5 KB each at 384 dimensions."""


class Remembering:
    """An :class:`~edge.ports_knowledge.Embedder` in front of another, with what it was asked last."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self.name = embedder.name
        self.dimension = embedder.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text; what is missing is asked for in one call. Raises what the embedder raises."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        fresh = dict(zip(missing, self._embedder.embed(missing), strict=True)) if missing else {}
        rows = np.empty((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = fresh[text] if text in fresh else self._again(text)
        for text, vector in fresh.items():
            self._kept[text] = vector.copy()  # a row alone, not the whole answer it came in
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return rows

    def _again(self, text: str) -> NDArray[np.float32]:
        self._kept.move_to_end(text)
        return self._kept[text]
