"""The Recap's relations: which of the operator's last sessions an artefato has to do with (I21).

They are worked out for what is asked now and stored nowhere as truth. What the host notes of
them are ids, by what they were worked out from, so that asking again costs a look.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from edge.domain.corpus import Artefato
from edge.domain.language import words
from edge.domain.likeness import cosine, pieces, weighed
from edge.ports import Queries, RecentEpisode

DAYS: Final = 7
ARTEFATOS: Final = 5
EPISODES: Final = 200
"""Of the window, the newest, that are looked at."""
COUNTED: Final = 1_000
"""Of the window, so many are counted at most: it is known there are more."""
NAMED: Final = 3
"""Related episodes of one artefato that are named, at most."""
ALIKE: Final = 0.16
"""Likeness from which two texts are about the same; measured, see docs/recap-precision.md."""
_FIRST_WORDS: Final = 1_200
"""Characters of an artefato's body that tell what it is about."""
_NAME_WEIGHS: Final = 0.2
_GENERIC: Final = 0.3
"""A name that more than this share of the episodes has tells nothing, once there are some."""
_FEW: Final = 8
_DIRECTORY: Final = re.compile(r"[^/\\]+")
_NOTE: Final = "recap"
_VERSION: Final = 2


class Relations(NamedTuple):
    """By slug, the episodes an artefato is related to, best first; how many were looked at, of how
    many that there are in the window, one more than :data:`COUNTED` at most."""

    episodes: dict[str, list[str]]
    looked_at: int
    there: int


def relations(queries: Queries, now: datetime) -> Relations:
    """The relations of the last artefatos with the Atividade of the last days, noted or worked out."""
    artefatos = queries.artefatos(last=ARTEFATOS)
    recent = queries.recent_episodes(_since(now), EPISODES)
    there = len(recent)
    if there == EPISODES:
        there = queries.count_of_recent_episodes(_since(now), COUNTED + 1)
    kept = json.loads(queries.noted(_NOTE) or "{}")
    if kept.get("key") == _key(artefatos, recent):
        return Relations(kept["episodes"], len(recent), there)
    return Relations(_worked_out(queries, artefatos, recent), len(recent), there)


def refresh(queries: Queries, now: datetime) -> None:
    """Note the relations as they are now, unless they are noted already."""
    artefatos = queries.artefatos(last=ARTEFATOS)
    recent = queries.recent_episodes(_since(now), EPISODES)
    key = _key(artefatos, recent)
    if json.loads(queries.noted(_NOTE) or "{}").get("key") != key:
        found = _worked_out(queries, artefatos, recent)
        queries.note(_NOTE, json.dumps({"key": key, "episodes": found}))


def _since(now: datetime) -> str:
    try:
        return (now.astimezone(UTC) - timedelta(days=DAYS)).isoformat()
    except OverflowError:  # in the first days there are, before which nothing was said
        return ""


def _key(artefatos: Sequence[Artefato], recent: Sequence[tuple[str, int]]) -> str:
    told = [_VERSION, [(a["slug"], a["event"], a["kernel_event"]) for a in artefatos], recent]
    return hashlib.blake2b(json.dumps(told).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _worked_out(
    queries: Queries, artefatos: Sequence[Artefato], recent: Sequence[tuple[str, int]]
) -> dict[str, list[str]]:
    episodes = queries.told_of([id_ for id_, _ in recent]) if artefatos else []
    if not episodes:
        return {artefato["slug"]: [] for artefato in artefatos}
    texts = [_text(artefato, queries.artefato_body(artefato["slug"]) or "") for artefato in artefatos]
    spoken = [pieces(" ".join([episode.gist, *episode.names])) for episode in episodes]
    vectors = weighed([*map(pieces, texts), *spoken])
    named = _told_by_name(episodes)
    found = {}
    for n, artefato in enumerate(artefatos):
        said = f" {' '.join(words(texts[n]))} "
        scores = []
        for nth, episode in enumerate(episodes):
            alike = cosine(vectors[n], vectors[len(texts) + nth])
            shared = sum(f" {name} " in said for name in named[nth])
            if shared or alike >= ALIKE:
                scores.append((alike + _NAME_WEIGHS * shared, nth, episode.id))
        best = sorted(scores, key=lambda s: (-round(s[0], 9), s[1]))[:NAMED]
        found[artefato["slug"]] = [id_ for _, _, id_ in best]
    return found


def _text(artefato: Artefato, body: str) -> str:
    proposed = [f"{p.get('title', '')} {p.get('body', '')}" for p in artefato["proposes"]]
    said = [artefato["title"], artefato["intent"] or "", *artefato["distills"], *proposed]
    return "\n".join([*said, body[:_FIRST_WORDS]])


def _told_by_name(episodes: Sequence[RecentEpisode]) -> list[set[str]]:
    """The names of each episode, as folded words, that tell it from the others.

    Not that of the project it was said in: two matters of one project have no more than it in common.
    """
    named = [
        _folded(episode.names) - _folded(_DIRECTORY.findall(episode.project or "")) for episode in episodes
    ]
    if len(episodes) < _FEW:
        return named
    had = Counter(name for names in named for name in names)
    generic = {name for name, n in had.items() if n > _GENERIC * len(episodes)}
    return [names - generic for names in named]


def _folded(names: Iterable[str]) -> set[str]:
    return {folded for name in names if len(folded := " ".join(words(name))) > 2}
