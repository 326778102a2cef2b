"""Clusters depend on what is known, and on nothing else; little news changes them little."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import networkx  # type: ignore[import-untyped]  # the peer
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.domain.clusters import Cluster, Named, Stated, clustered
from edge.domain.communities import communities
from edge.wiring import Edge
from projections.clusters import Clusters
from projections.store import ReadStore
from tests.properties.test_knowledge import History, Step, steps
from tests.support.corpora import Speaker, speak
from tests.support.house import House, folded
from tests.support.soak import more

IDS = [f"e{n}" for n in range(14)]
entities = [Named(id_, f"name {id_}", n // 2) for n, id_ in enumerate(IDS)]
facts = st.lists(
    st.tuples(
        st.sampled_from(IDS),
        st.sampled_from(IDS),
        st.sampled_from(["hypothesis", "contested", "curated"]),
        st.integers(1, 9),
        st.sampled_from(["2026-11-01T08:00:00Z", "2026-06-01", "2026-10-30T08:00:00+02:00", "", "nonsense"]),
    ),
    max_size=30,
).map(lambda told: [Stated(f"f{n}", *fact) for n, fact in enumerate(told)])
merges = st.dictionaries(st.sampled_from(IDS), st.sampled_from(IDS), max_size=3)


@given(facts, merges, st.randoms(use_true_random=False))
@settings(max_examples=more(200, 4), deadline=None)
def test_the_order_things_are_given_in_makes_no_difference(
    told: list[Stated], merged: dict[str, str], random: Random
) -> None:
    shuffled = random.sample(told, len(told))
    mixed = random.sample(entities, len(entities))
    assert clustered(mixed, shuffled, merged, ["name e1"]) == clustered(entities, told, merged, ["name e1"])


@given(facts, merges)
@settings(max_examples=more(200, 4), deadline=None)
def test_everything_stands_in_one_cluster_at_most(told: list[Stated], merged: dict[str, str]) -> None:
    clusters = clustered(entities, told, merged, ["name e1"])
    for many in ([c.id for c in clusters], _all("entities", clusters), _all("facts", clusters)):
        assert len(many) == len(set(many))
    inside = set(_all("entities", clusters))
    assert "e1" not in inside
    for cluster in clusters:
        assert len(cluster.entities) > 1
        assert cluster.facts
        assert set(cluster.telling) <= set(cluster.entities)
        assert inside.isdisjoint(cluster.hubs)
        assert cluster.id not in cluster.related
    assert {one for c in clusters for one in c.related} <= {c.id for c in clusters}


def _all(field: str, clusters: list[Cluster]) -> list[str]:
    return [id_ for cluster in clusters for id_ in getattr(cluster, field)]


def graph(seed: int, nodes: int = 150) -> tuple[list[str], dict[tuple[str, str], float]]:
    """Five groups, each denser inside than to the others."""
    random = Random(seed)
    links = {}
    for _ in range(nodes * 4):
        one = random.randrange(nodes)
        other = random.randrange(nodes) if random.random() < 0.2 else (one + 5 * random.randrange(12)) % nodes
        if one != other:
            links[f"n{min(one, other)}", f"n{max(one, other)}"] = random.choice([1.0, 1.6, 2.0])
    return sorted({node for pair in links for node in pair}), links


def test_communities_are_as_good_as_those_of_networkx() -> None:
    for seed in range(12):
        nodes, links = graph(seed)
        theirs = networkx.Graph()
        theirs.add_nodes_from(nodes)
        theirs.add_weighted_edges_from((a, b, weight) for (a, b), weight in links.items())
        ours = communities(nodes, links)
        assert sorted(node for group in ours for node in group) == nodes
        peer = networkx.community.louvain_communities(theirs, seed=seed)
        worth = networkx.community.modularity(theirs, map(set, ours))
        assert worth >= 0.97 * networkx.community.modularity(theirs, peer)


SCRIPT = """
from tests.properties.test_clusters import of_a_corpus
print(of_a_corpus())
"""


def of_a_corpus() -> str:
    house = House()
    speak(house, Speaker(seed=3), 60)
    return repr([(c, v.label) for c, v in zip(_ranked(house), _clusters(house).views(), strict=True)])


def test_other_processes_find_the_same_whatever_their_hash_seed() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert said == {of_a_corpus() + "\n"}


def _clusters(house: Edge) -> Clusters:
    return Clusters(house.store)


def _ranked(house: Edge) -> list[Cluster]:
    return _clusters(house).ranked()


def test_one_more_episode_leaves_nine_in_ten_clusters_their_ids() -> None:
    house, speaker = House(), Speaker(seed=5)
    speak(house, speaker, 150)
    before = {c.id: set(c.entities) for c in _clusters(house).ranked()}
    assert len(before) >= 10
    kept = of = 0
    for _ in range(25):
        speak(house, speaker, 1)
        after = {c.id: set(c.entities) for c in _clusters(house).ranked()}
        same = before.keys() & after.keys()
        assert len(same) >= 0.8 * len(before)
        assert all(before[id_] & after[id_] for id_ in same)
        kept, of, before = kept + len(same), of + len(before), after
    assert kept >= 0.9 * of


@given(steps)
@settings(max_examples=more(100, 4), deadline=None)
def test_what_is_kept_is_what_would_be_computed_after_whatever_happened(given_steps: list[Step]) -> None:
    history = History()
    kept = Clusters(history.house.store)
    for step in given_steps:
        history.play(step)
        history.house.current()
        kept.refresh()
        assert not kept.refresh()
        fresh = Clusters(folded(history.house.memory))
        assert kept.ranked() == fresh.ranked()
        assert kept.views() == fresh.views()


def test_what_is_kept_holds_no_words() -> None:
    house = House()
    speak(house, Speaker(), 20)
    _clusters(house).refresh()
    assert _ranked(house)
    for (doc,) in house.store.connection.execute("SELECT doc FROM knowledge_clusters"):
        assert "topic" not in str(doc)


def test_replayed_at_a_position_the_clusters_are_as_they_were_then() -> None:
    house, speaker = House(), Speaker()
    speak(house, speaker, 20)
    then, position = _ranked(house), house.memory.head()
    speak(house, speaker, 10)
    assert _ranked(house) != then
    as_it_was: ReadStore = folded(house.memory, until=position)
    assert Clusters(as_it_was).ranked() == then
