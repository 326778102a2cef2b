"""Communities of a weighted graph: Louvain, made so that its answer depends on the graph alone.

Nodes are visited in the order they are given in, never shuffled: with an order that follows from
the nodes themselves, one more node leaves the others where they were, and so most communities.
Each connected part is divided by itself, so that nothing far away moves what is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

_GAIN: Final = 1e-9
"""What a move must be better by: less is the noise of adding floats up."""
_ROUNDS: Final = 100
"""No graph seen needs a tenth of it; rounding must not be able to keep nodes moving for ever."""

Weights = list[dict[int, float]]
"""By node its neighbours with their weights; a node's own weight with itself counted twice."""


def communities(nodes: Sequence[str], links: Mapping[tuple[str, str], float]) -> list[list[str]]:
    """The nodes in groups that hold together more than they hold to others, each in given order."""
    number = {node: i for i, node in enumerate(nodes)}
    weights: Weights = [{} for _ in nodes]
    for one, other, weight in sorted((number[a], number[b], w) for (a, b), w in links.items() if a != b):
        weights[one][other] = weights[one].get(other, 0.0) + weight
        weights[other][one] = weights[other].get(one, 0.0) + weight
    found = [group for part in _parts(weights) for group in _divided(part, weights)]
    return [[nodes[i] for i in sorted(group)] for group in found]


def _parts(weights: Weights) -> Iterator[list[int]]:
    """The connected parts, each in order."""
    seen = [False] * len(weights)
    for start in range(len(weights)):
        if seen[start]:
            continue
        seen[start], part = True, [start]
        for node in part:
            for other in weights[node]:
                if not seen[other]:
                    seen[other] = True
                    part.append(other)
        yield sorted(part)


def _divided(part: list[int], weights: Weights) -> list[list[int]]:
    place = {node: i for i, node in enumerate(part)}
    local = [{place[other]: weight for other, weight in weights[node].items()} for node in part]
    groups = [[node] for node in part]
    while True:
        community = _moved(local)
        if len(set(community)) == len(local):
            return groups
        groups, local = _joined(groups, local, community)


def _moved(weights: Weights) -> list[int]:
    """Each node's community, after no single move makes the division better."""
    degree = [sum(neighbours.values()) for neighbours in weights]
    whole = sum(degree)
    community = list(range(len(weights)))
    held = degree.copy()
    for _ in range(_ROUNDS):
        moving = False
        for node, neighbours in enumerate(weights):
            own, share = community[node], degree[node] / whole if whole else 0.0
            towards: dict[int, float] = {own: 0.0}
            for other, weight in neighbours.items():
                if other != node:
                    towards[community[other]] = towards.get(community[other], 0.0) + weight
            held[own] -= degree[node]
            best, most = own, towards[own] - held[own] * share + _GAIN
            for candidate, weight in towards.items():
                gain = weight - held[candidate] * share
                if gain > most:
                    best, most = candidate, gain + _GAIN
            held[best] += degree[node]
            community[node] = best
            moving = moving or best != own
        if not moving:
            break
    return community


def _joined(
    groups: list[list[int]], weights: Weights, community: list[int]
) -> tuple[list[list[int]], Weights]:
    """The communities as the nodes of a smaller graph, in the order of their first members."""
    place = {name: i for i, name in enumerate(dict.fromkeys(community))}
    joined: list[list[int]] = [[] for _ in place]
    smaller: Weights = [{} for _ in place]
    for node, neighbours in enumerate(weights):
        mine = place[community[node]]
        joined[mine] += groups[node]
        row = smaller[mine]
        for other, weight in neighbours.items():
            theirs = place[community[other]]
            row[theirs] = row.get(theirs, 0.0) + weight
    return joined, smaller
