"""How alike short texts are, by the pieces of their words: an embedding that needs nothing but itself.

Pieces rather than words, so that "retry" meets "retries" and "fila" meets "filas"; what many of
the texts say weighs little. The same texts give the same numbers on every machine, which an
embedder that may be hosted, changed or away does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt
from typing import Final

from edge.domain.language import is_common, words

_PIECE: Final = 4
_SHORTEST: Final = 3

Weights = Mapping[str, float]


def pieces(text: str) -> Counter[str]:
    """The four-letter pieces of its words that mean something, whole words where they are shorter."""
    found: Counter[str] = Counter()
    for word in words(text):
        if len(word) >= _SHORTEST and not is_common(word):
            found.update(word[i : i + _PIECE] for i in range(max(1, len(word) - _PIECE + 1)))
    return found


def weighed(texts: Sequence[Counter[str]]) -> list[Weights]:
    """Each text as a vector of length 1; a piece weighs less the more of the texts have it."""
    had = Counter(piece for text in texts for piece in text)
    told = {piece: log(1 + len(texts) / n) for piece, n in had.items()}
    return [_unit({piece: (1 + log(n)) * told[piece] for piece, n in text.items()}) for text in texts]


def cosine(one: Weights, other: Weights) -> float:
    """From 0, nothing in common, to 1."""
    few, many = sorted((one, other), key=len)
    return _sum(weight * many[piece] for piece, weight in few.items() if piece in many)


def _unit(vector: dict[str, float]) -> Weights:
    length = sqrt(_sum(weight * weight for weight in vector.values()))
    return {piece: weight / length for piece, weight in vector.items()} if length else {}


def _sum(numbers: Iterable[float]) -> float:
    return sum(numbers, 0.0)
