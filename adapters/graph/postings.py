"""Lexical search: BM25 over token postings, which grow and shrink with what they index."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Final

import numpy as np

from adapters.graph.vectors import Scored, ranked
from edge.domain.knowledge import normalised

_K1: Final = 1.2
_B: Final = 0.75
_TERMS: Final = 128
"""Distinct words of a query that count, as Graphiti's own drivers have it."""
_COMMON: Final = 800
"""Texts a word may stand in before a query that has rarer words goes without it."""
_COMPACT: Final = 2_000
_WORD: Final = re.compile(r"[^\W_]+")


@lru_cache(4_000)
def words_of(text: str) -> tuple[str, ...]:
    """The words a text is found by: case and accents aside."""
    return tuple(_WORD.findall(text.lower() if text.isascii() else normalised(text)))


class Postings:
    """Which texts hold which words, and how often."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._docs: dict[str, array[int]] = {}
        self._times: dict[str, array[int]] = {}
        self._in: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._ids: list[str | None] = []
        self._lengths = array("I")
        self._gone = array("I")
        self._texts: dict[str, str] = {}
        self._words = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def put(self, owner: str, text: str) -> None:
        """Index a text under an id, in place of what stood there."""
        if owner in self._numbers:
            if self._texts[owner] == text:
                return
            self.drop(owner)
        words = words_of(text)
        number = len(self._ids)
        self._ids.append(owner)
        self._lengths.append(len(words))
        self._numbers[owner] = number
        self._texts[owner] = text
        self._words += len(words)
        for word, times in Counter(words).items():
            if word not in self._docs:
                self._docs[word], self._times[word], self._in[word] = array("I"), array("B"), 0
            self._docs[word].append(number)
            self._times[word].append(min(times, 255))
            self._in[word] += 1

    def drop(self, owner: str) -> None:
        """Take a text out; nothing where there is none."""
        number = self._numbers.pop(owner, None)
        if number is None:
            return
        words = words_of(self._texts.pop(owner))
        self._ids[number] = None
        self._gone.append(number)
        self._words -= len(words)
        for word in set(words):
            self._in[word] -= 1
        if len(self._gone) > max(_COMPACT, len(self._numbers)):
            self._compact()

    def matching(self, query: str, limit: int) -> list[Scored]:
        """Ids of texts that share a word with the query, best first, ids breaking ties."""
        terms = self._terms(query)
        if not terms:
            return []
        scores = np.zeros(len(self._ids), np.float32)
        lengths = np.frombuffer(self._lengths, np.uint32)
        for word in terms:
            docs = np.frombuffer(self._docs[word], np.uint32)
            times = np.frombuffer(self._times[word], np.uint8).astype(np.float32)
            spread = (_K1 * (1 - _B + _B * lengths[docs] / self._mean())).astype(np.float32)
            scores[docs] += np.float32(self._rarity(word)) * times * np.float32(_K1 + 1) / (times + spread)
        scores[np.frombuffer(self._gone, np.uint32)] = 0
        held = np.flatnonzero(scores)
        if limit < len(held):
            best = scores[held]
            held = held[best >= np.partition(best, -limit)[-limit]]
        found = [(str(self._ids[number]), round(float(scores[number]), 5)) for number in held.tolist()]
        return ranked(found, limit)

    def among(self, query: str, owners: Collection[str], limit: int) -> list[Scored]:
        """The same among a few ids."""
        terms = self._terms(query)
        found = []
        for owner in owners:
            if owner not in self._numbers:
                continue
            words = words_of(self._texts[owner])
            spread = _K1 * (1 - _B + _B * len(words) / self._mean())
            score = sum(
                self._rarity(word) * times * (_K1 + 1) / (times + spread)
                for word in terms
                if (times := words.count(word))
            )
            if score > 0:
                found.append((owner, round(score, 5)))
        return ranked(found, limit)

    def _terms(self, query: str) -> list[str]:
        """The query's words that stand somewhere, rarest first; very common ones only among themselves."""
        known = [word for word in dict.fromkeys(words_of(query)) if self._in.get(word)][:_TERMS]
        known.sort(key=lambda word: (self._in[word], word))
        rare = [word for word in known if self._in[word] <= _COMMON]
        return rare or known[:1]

    def _rarity(self, word: str) -> float:
        held = self._in[word]
        return math.log(1 + (len(self._numbers) - held + 0.5) / (held + 0.5))

    def _mean(self) -> float:
        return self._words / len(self._numbers) if self._words else 1.0

    def _compact(self) -> None:
        texts = dict(self._texts)
        self._clear()
        for owner, text in texts.items():
            self.put(owner, text)
