"""Clusters of knowledge: which entities belong together, by the facts that hold between them.

A pure function of what is known, without a clock and without the last run: the same log gives the
same clusters anywhere, now or replayed. Hubs (who speaks, the project itself, what touches too
much) are left out of the division, since through them everything hangs together with everything.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeVar

from edge.domain.communities import communities
from edge.domain.knowledge import normalised

SPEAKERS: Final = frozenset(
    "claude assistant user operator operador usuario utilizador i you we me us eu tu nos voce voces human"
    " agent agente assistente mentee".split()
)
HUB_NEIGHBOURS: Final = 24
"""What touches no more than this many is no hub, however little is known."""
HUB_SHARE: Final = 0.05
"""The share of all entities one may touch before it is a hub."""
CONTESTED_WEIGHT: Final = 0.5
AGED_WEIGHT: Final = 0.5
"""What an old fact still weighs beside a new one: clusters drift with time, and do not dissolve."""
AGEING_DAYS: Final = 90.0
HEAT_DAYS: Final = 7.0
"""Half-life of what makes a cluster matter now. By halves the order is the same at any later time."""
CORE: Final = 0.5
"""The share of its strongest entity's weight at which an entity is of the cluster's core."""
TELLING: Final = 3
"""Names in a label."""
LARGEST: Final = 40
"""A cluster of more entities is divided further, if its own facts divide it."""

Key = TypeVar("Key", str, int)


class Named(NamedTuple):
    """An entity that lives. ``first``: where in the log it was first spoken of, for order only."""

    id: str
    name: str
    first: int


class Stated(NamedTuple):
    """A fact that is shown. ``support``: how many episodes; ``last``: when the last one was said."""

    id: str
    source: str
    target: str
    tier: str
    support: int
    last: str


class Cluster(NamedTuple):
    """All by id, what weighs most first. ``hubs`` are named by its facts and belong to no cluster."""

    id: str
    telling: tuple[str, ...]
    entities: tuple[str, ...]
    facts: tuple[str, ...]
    hubs: tuple[str, ...]
    related: tuple[str, ...]
    """Other clusters its entities have facts with, the closest first."""
    heat: float


def clustered(
    entities: Iterable[Named],
    facts: Iterable[Stated],
    merged: Mapping[str, str],
    projects: Collection[str],
) -> list[Cluster]:
    """The clusters, those that matter now first. ``merged`` says which id counts as which other."""
    named = {entity.id: entity for entity in entities}
    told = _between(named, facts, merged)
    weights = _weights(told)
    hubs = _hubs(named, told, projects)
    links: dict[tuple[str, str], float] = defaultdict(float)
    for fact in told:
        if fact.source not in hubs and fact.target not in hubs:
            links[min(fact.source, fact.target), max(fact.source, fact.target)] += weights[fact.id]
    nodes = sorted({node for pair in links for node in pair}, key=_place)
    groups = [small for group in communities(nodes, links) for small in _small_enough(group, links)]
    return _described([group for group in groups if len(group) > 1], named, told, weights)


def cluster_id(lead: str) -> str:
    """A cluster is named after the entity that leads it."""
    return f"c-{hashlib.blake2b(lead.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


def resolved(id_: str, merged: Mapping[str, str], alive: Collection[str]) -> str:
    """The living entity an id counts as, through any number of merges; itself where there is none.

    Merges in a circle, which only a foreign writer can bring about, count as the first id of it.
    """
    path = [id_]
    while (after := merged.get(path[-1])) is not None:
        if after in path:
            return min((one for one in path[path.index(after) :] if one in alive), default=id_)
        path.append(after)
    return next((one for one in reversed(path) if one in alive), id_)


def _between(named: Mapping[str, Named], facts: Iterable[Stated], merged: Mapping[str, str]) -> list[Stated]:
    """The facts between two different living entities, merged ones as what they are merged into.

    Sorted by id: floats add up the same whatever order facts are given in.
    """
    ends = {id_: resolved(id_, merged, named) for id_ in merged}
    told = [
        fact._replace(source=ends.get(fact.source, fact.source), target=ends.get(fact.target, fact.target))
        if fact.source in ends or fact.target in ends
        else fact
        for fact in facts
    ]
    kept = [f for f in told if f.source != f.target and f.source in named and f.target in named]
    return sorted(kept)


def _weights(told: list[Stated]) -> dict[str, float]:
    """What each fact weighs: by how many episodes say so, and how long ago the last one did."""
    ages = _ages(told)
    return {
        fact.id: math.log2(1 + max(fact.support, 1))
        * (AGED_WEIGHT + (1 - AGED_WEIGHT) * 0.5 ** (ages[fact.id] / AGEING_DAYS))
        * (CONTESTED_WEIGHT if fact.tier == "contested" else 1.0)
        for fact in told
    }


def _ages(told: list[Stated]) -> dict[str, float]:
    """Days before the latest of them: no clock, so that nothing changes while nothing happens."""
    times = {fact.id: _day(fact.last) for fact in told}
    latest = max(times.values(), default=0.0)
    return {id_: latest - time for id_, time in times.items()}


def _day(said: str) -> float:
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / 86_400


def _hubs(named: Mapping[str, Named], told: list[Stated], projects: Collection[str]) -> set[str]:
    neighbours: dict[str, set[str]] = defaultdict(set)
    for fact in told:
        neighbours[fact.source].add(fact.target)
        neighbours[fact.target].add(fact.source)
    most = max(HUB_NEIGHBOURS, HUB_SHARE * len(neighbours))
    own = SPEAKERS | {normalised(project) for project in projects}
    return {
        id_
        for id_, touched in neighbours.items()
        if len(touched) > most or normalised(named[id_].name) in own
    }


def _place(id_: str) -> str:
    """An order that follows from each id alone, and has nothing to do with when it came."""
    return hashlib.blake2b(id_.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _small_enough(group: list[str], links: Mapping[tuple[str, str], float]) -> list[list[str]]:
    if len(group) <= LARGEST:
        return [group]
    inside = set(group)
    own = {
        (one, other): weight for (one, other), weight in links.items() if one in inside and other in inside
    }
    smaller = communities(group, own)
    if len(smaller) == 1:
        return [group]
    return [part for one in smaller for part in _small_enough(one, own)]


class _Rows:
    """What one cluster gathers while the facts are gone through."""

    def __init__(self) -> None:
        self.inner: dict[str, float] = defaultdict(float)
        self.facts: list[tuple[float, str]] = []
        self.hubs: dict[str, float] = defaultdict(float)
        self.others: dict[int, float] = defaultdict(float)
        self.heat = 0.0


def _described(
    groups: list[list[str]], named: Mapping[str, Named], told: list[Stated], weights: Mapping[str, float]
) -> list[Cluster]:
    at = {id_: n for n, group in enumerate(groups) for id_ in group}
    rows = [_Rows() for _ in groups]
    ages = _ages(told)
    everywhere: dict[str, float] = defaultdict(float)
    for fact in told:
        weight = weights[fact.id]
        for end, other in ((fact.source, fact.target), (fact.target, fact.source)):
            everywhere[end] += weight
            if end in at and at.get(other) == at[end]:
                rows[at[end]].inner[end] += weight
            elif end in at and other not in at:
                rows[at[end]].hubs[other] += weight
            elif end in at:
                rows[at[end]].others[at[other]] += weight
        for home in {at[end] for end in (fact.source, fact.target) if end in at}:
            rows[home].heat += 0.5 ** (ages[fact.id] / HEAT_DAYS)
        home = at.get(fact.source, at.get(fact.target, -1))  # a fact is told in one place
        if home >= 0:
            rows[home].facts.append((-weight, fact.id))
    leads = [_lead(row.inner, named) for row in rows]
    found = []
    for row, lead in zip(rows, leads, strict=True):
        by_weight = _by_weight(row.inner)
        telling = sorted(row.inner, key=lambda id_: (-(row.inner[id_] ** 2) / everywhere[id_], id_))
        found.append(
            Cluster(
                cluster_id(lead),
                _worth_naming(telling, named),
                tuple(by_weight),
                tuple(id_ for _, id_ in sorted(row.facts)),
                tuple(id_ for id_ in _by_weight(row.hubs)),
                tuple(cluster_id(leads[n]) for n in _by_weight(row.others)),
                round(row.heat, 6),
            )
        )
    return sorted(found, key=lambda c: (-c.heat, c.id))


def _by_weight(weighed: Mapping[Key, float]) -> list[Key]:
    return sorted(weighed, key=lambda key: (-round(weighed[key], 9), key))


def _lead(inner: Mapping[str, float], named: Mapping[str, Named]) -> str:
    """Of the core the one spoken of first: what comes later cannot take its place, only outgrow it."""
    strongest = max(inner.values())
    core = [id_ for id_, weight in inner.items() if weight >= CORE * strongest]
    return min(core, key=lambda id_: (named[id_].first, id_))


def _worth_naming(telling: list[str], named: Mapping[str, Named]) -> tuple[str, ...]:
    """The most telling entities whose names do not say each other again; paths only where nothing else is."""
    chosen: list[str] = []
    plain = [id_ for id_ in telling if "/" not in named[id_].name and named[id_].name.strip()]
    for id_ in [*plain, *telling]:
        name = normalised(named[id_].name)
        said = [normalised(named[one].name) for one in chosen]
        if name and not any(name in other or other in name for other in said):
            chosen.append(id_)
        if len(chosen) == TELLING:
            break
    return tuple(chosen or telling[:1])
