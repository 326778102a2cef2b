"""Episodes whose vocabulary grows as that of real text does, with what is to be read in them.

Names come by a Pitman-Yor process: a few are in every other episode (Zipf), new ones keep coming
ever more slowly (Heaps, exponent 0.6). One fact in ten or so is said again in the same words, one
in twenty is marked as contradicting. Seeded: the same numbers give the same episodes.
"""

from __future__ import annotations

import bisect
import copy
import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from adapters.graph.reading import Named, Read, Related
from edge.domain.events import Data
from edge.ports_knowledge import EpisodeText

TURNS: Final = 10
_DISCOUNT: Final = 0.6
_STRENGTH: Final = 12.0
_AGAIN: Final = 0.1
_CONTRADICTS: Final = 0.05
_SYLLABLES: Final = "ba co de fi gu la me ni po ra su ta ve xi zo pra tre blo cla fre gra plu sto vri".split()
_RELATIONS: Final = "uses owns reads writes calls replaces blocks follows tests ships names keeps".split()
_LABELS: Final = ("Person", "Project", "Tool", "File", "Code", "Concept")
_BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
_MARK: Final = "·"


class Conversations:
    """A stream of episodes of about ``facts`` facts each."""

    def __init__(self, facts: int, seed: int = 9) -> None:
        self._random = random.Random(seed)
        self._facts = facts
        self._given = 0
        self._names = 0
        self._drawn: list[str] = []
        self._words = [self._word() for _ in range(4_000)]
        self._weights = _sums([1 / rank for rank in range(1, len(self._words) + 1)])
        self._said: list[str] = []

    def episodes(self, count: int) -> Iterator[EpisodeText]:
        for nth in range(self._given, self._given + count):
            self._given = nth + 1
            at = _BEGAN + timedelta(minutes=47 * nth)
            yield EpisodeText(
                str(uuid.UUID(int=self._random.getrandbits(128))),
                at,
                f"session-{nth // 5}",
                "claude-code",
                "/home/op/courier",
                tuple(self._turns(at)),
            )

    def fork(self, seed: int) -> Conversations:
        """What else could have been said from here on; this stream goes on as it would have."""
        other = copy.deepcopy(self)
        other._random.seed(seed)
        return other

    def _turns(self, at: datetime) -> list[Data]:
        lines = [self._fact() for _ in range(max(2, round(self._random.gauss(self._facts, self._facts / 5))))]
        turns = []
        for number in range(TURNS):
            said = [*lines[number::TURNS], self._tail(40)]
            turns.append(
                {
                    "id": str(number),
                    "role": "operator" if number % 2 == 0 else "assistant",
                    "ts": (at - timedelta(minutes=TURNS - number)).isoformat(),
                    "text": "\n".join(said),
                }
            )
        return turns

    def _fact(self) -> str:
        if self._said and self._random.random() < _AGAIN:
            return self._random.choice(self._said[-400:])
        source, target = self._name(), self._name()
        while target == source:
            target = self._name()
        marked = "not" if self._random.random() < _CONTRADICTS else ""
        line = _MARK.join(("", source, self._random.choice(_RELATIONS), target, self._tail(4), marked))
        self._said.append(line)
        return line

    def _name(self) -> str:
        """A name by the process: new, or an old one by how often it was said."""
        new = (_STRENGTH + _DISCOUNT * self._names) / (len(self._drawn) + _STRENGTH)
        if self._random.random() < new or self._names < 2:
            self._names += 1
            self._drawn.append(self._fresh())
        else:
            self._drawn.append(self._random.choice(self._drawn))
        return self._drawn[-1]

    def _fresh(self) -> str:
        kind = self._random.random()
        one, two = self._word(), self._word()
        if kind < 0.5:
            return f"{one.title()} {two.title()}"
        return f"{one}_{two}" if kind < 0.8 else f"src/{one}/{two}.py"

    def _word(self) -> str:
        return "".join(self._random.choices(_SYLLABLES, k=self._random.choice((2, 2, 3, 3, 4))))

    def _tail(self, words: int) -> str:
        return " ".join(
            self._words[bisect.bisect(self._weights, self._random.random() * self._weights[-1])]
            for _ in range(words)
        )


def read_marked(
    turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None
) -> Read:
    """The reading of these episodes: what extraction costs beside reading, which the text is none of."""
    names: dict[str, Named] = {}
    relations = []
    for turn in turns:
        for line in turn["text"].split("\n"):
            if not line.startswith(_MARK):
                continue
            _, source, relation, target, tail, marked = line.split(_MARK)
            for name in (source, target):
                names.setdefault(name, Named(name, _LABELS[len(name) % len(_LABELS)]))
            statement = f"{source} {'no longer ' if marked else ''}{relation} {target} {tail}"
            relations.append(Related(source, relation, target, statement, turn["ts"], bool(marked)))
    return Read(tuple(names.values()), tuple(relations), turns[0]["text"][:120])


def _sums(weights: list[float]) -> list[float]:
    total, sums = 0.0, []
    for weight in weights:
        total += weight
        sums.append(total)
    return sums
