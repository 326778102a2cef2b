"""Vectors without a model: hashed words and character n-grams, accents folded.

Fine on names and on statements that share words; blind across languages and to meaning. The
same text gives the same vector in every process and on every machine: the hash is BLAKE2b.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

DIMENSION: Final = 384
_GRAMS: Final = (2, 3, 4)
_WORDS_KEPT: Final = 20_000
"""Words whose hashes are kept: some 300 bytes each."""
_TEXTS_KEPT: Final = 4_000
_LONGEST: Final = 2_000
"""Words of a text that count; the rest of a longer one adds nothing to a likeness."""
_WORD: Final = re.compile(r"[^\W_]+")

_Part = tuple[NDArray[np.int64], NDArray[np.float32]]


class HashedEmbedder:
    """The default :class:`edge.ports_knowledge.Embedder`: no dependency, no service, some 0.1 ms a text."""

    name = "hashed-384-1"
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 a text; all zero where a text has no letter or digit."""
        rows = np.zeros((len(texts), DIMENSION), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = _vector(text)
        return rows


@lru_cache(_TEXTS_KEPT)
def _vector(text: str) -> NDArray[np.float32]:
    words = _WORD.findall(_plain(text))[:_LONGEST]
    if not words:
        return np.zeros(DIMENSION, np.float32)
    parts = [_word(word) for word in words]
    places = np.concatenate([place for place, _ in parts])
    weights = np.concatenate([weight for _, weight in parts])
    vector = np.bincount(places, weights, DIMENSION)
    length = float(np.sqrt(vector @ vector))
    if not length:
        return np.zeros(DIMENSION, np.float32)
    made: NDArray[np.float32] = (vector / length).astype(np.float32)
    made.flags.writeable = False  # it is handed out again and again
    return made


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in folded if not unicodedata.combining(char))


@lru_cache(_WORDS_KEPT)
def _word(word: str) -> _Part:
    """Where a word and its n-grams fall, and how heavily; short words are mostly grammar."""
    framed = f"<{word}>"
    grams = [framed]
    grams += [framed[at : at + size] for size in _GRAMS for at in range(len(framed) - size + 1)]
    hashes = [
        int.from_bytes(blake2b(gram.encode("utf-8", "replace"), digest_size=8).digest()) for gram in grams
    ]
    places = np.array([value % DIMENSION for value in hashes], np.int64)
    signs = np.array([1.0 if value >> 63 else -1.0 for value in hashes], np.float32)
    weights = np.full(len(grams), 1 / np.sqrt(max(len(grams) - 1, 1)), np.float32)
    weights[0] = 0.6  # the word itself weighs somewhat less than all its n-grams
    importance = 0.5 if len(word) <= 3 and word.isalpha() else 1.0
    return places, (signs * weights * importance).astype(np.float32)
