"""What Graphiti gets of our driver, what it is refused, and that its own search works on it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest

from adapters.embeddings.hashed import HashedEmbedder
from adapters.graph.embedding import Remembering
from adapters.graph.index import Index
from adapters.graph.loading import load_graphiti
from tests.contracts.test_graph_index import contribution
from tests.support.episodes import episode
from tests.support.knowledge import FoldedKnowledge, KeptTexts, KeptVectors

load_graphiti(HashedEmbedder.dimension)

from graphiti_core.driver.graph_operations.graph_operations import GraphOperationsInterface  # noqa: E402
from graphiti_core.driver.search_interface.search_interface import SearchInterface  # noqa: E402
from graphiti_core.edges import EntityEdge  # noqa: E402
from graphiti_core.errors import EdgeNotFoundError, NodeNotFoundError  # noqa: E402
from graphiti_core.graphiti import Graphiti  # noqa: E402
from graphiti_core.nodes import EntityNode, EpisodicNode  # noqa: E402
from graphiti_core.search.search_config_recipes import (  # noqa: E402
    COMBINED_HYBRID_SEARCH_MMR,
    EDGE_HYBRID_SEARCH_MMR,
    EDGE_HYBRID_SEARCH_RRF,
    NODE_HYBRID_SEARCH_MMR,
    NODE_HYBRID_SEARCH_RRF,
)
from graphiti_core.search.search_filters import ComparisonOperator, DateFilter, SearchFilters  # noqa: E402
from graphiti_core.search.search_utils import (  # noqa: E402
    edge_fulltext_search,
    edge_similarity_search,
    get_mentioned_nodes,
    node_fulltext_search,
)
from graphiti_core.utils.maintenance import dedup_helpers  # noqa: E402

from adapters.graph.driver import IndexDriver  # noqa: E402
from adapters.graph.extraction import NoCrossEncoder, PortEmbedder  # noqa: E402
from adapters.graph.prompting import ContextClient  # noqa: E402
from adapters.graph.search import AS_NEO4J  # noqa: E402
from adapters.graph.staging import Unsupported  # noqa: E402

Made = TypeVar("Made")


def run(work: Coroutine[Any, Any, Made]) -> Made:
    return asyncio.run(work)


class Set:
    """A small graph behind the driver, and Graphiti on it."""

    def __init__(self) -> None:
        self.known = FoldedKnowledge()
        self.known.add(episode(1), contribution([(0, "uses", 7, 0, False), (4, "calls", 5, 0, False)]))
        self.known.add(episode(2), contribution([(3, "owns", 4, 0, False), (0, "uses", 7, 0, True)]))
        embedder = Remembering(HashedEmbedder())
        self.index = Index(embedder, KeptVectors())
        self.index.refresh(self.known)
        self.texts = KeptTexts()
        self.texts.texts = {text.id: text for text in (episode(1, "hello"), episode(2, "there"))}
        self.driver = IndexDriver("g", self.index, self.texts, AS_NEO4J, self.index.summary)
        self.graphiti = Graphiti(
            graph_driver=self.driver,
            llm_client=ContextClient(),
            embedder=PortEmbedder(embedder),
            cross_encoder=NoCrossEncoder(),
        )


@pytest.fixture
def graph() -> Set:
    return Set()


# -- stock Graphiti reads it ---------------------------------------------------------------


def test_its_search_finds_facts_by_words_and_likeness(graph: Set) -> None:
    edges = run(graph.graphiti.search("who uses Redis", group_ids=["g"]))
    assert edges[0].fact == "Ana uses Redis"
    assert edges[0].episodes == [episode(1).id, episode(2).id]
    assert edges[0].invalid_at == datetime(2026, 5, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    "recipe",
    [EDGE_HYBRID_SEARCH_RRF, EDGE_HYBRID_SEARCH_MMR, NODE_HYBRID_SEARCH_RRF, NODE_HYBRID_SEARCH_MMR],
)
def test_its_recipes_that_ask_for_facts_and_entities_work(graph: Set, recipe: Any) -> None:
    found = run(graph.graphiti.search_("courier ledger", recipe, group_ids=["g"]))
    names = {node.name for node in found.nodes} | {edge.fact for edge in found.edges}
    assert names & {"courier", "courier calls ledger"}


def test_its_lookups_work(graph: Set) -> None:
    node = graph.index.named("Ana")[0].id
    fact = next(fact for fact in graph.index.facts.values() if fact.relation == "uses")
    driver = graph.driver
    assert run(EntityNode.get_by_uuid(driver, node)).name == "Ana"
    assert [one.name for one in run(EntityNode.get_by_uuids(driver, [node, "x"], group_id="g"))] == ["Ana"]
    assert run(EntityNode.get_by_uuids(driver, [node], group_id="other")) == []
    assert [one.uuid for one in run(EntityNode.get_by_names(driver, ["ANA"], ["g"]))] == [node]
    assert run(EntityEdge.get_by_uuid(driver, fact.id)).fact == fact.statement
    assert len(run(EntityEdge.get_by_uuids(driver, [fact.id, "x"]))) == 1
    assert len(run(EntityEdge.get_between_nodes(driver, fact.source, fact.target))) == 1
    assert len(run(EntityEdge.get_by_node_uuid(driver, node))) == 1
    text = run(EpisodicNode.get_by_uuid(driver, episode(1).id))
    assert text.content == "operator: hello"
    assert {one.name for one in run(get_mentioned_nodes(driver, [text]))} == {
        "Ana",
        "Redis",
        "courier",
        "ledger",
    }
    one = run(EntityNode.get_by_uuid(driver, node))
    run(one.load_name_embedding(driver))
    assert one.name_embedding is not None
    assert len(one.name_embedding) == HashedEmbedder.dimension


def test_what_is_not_there_is_said_as_graphiti_says_it(graph: Set) -> None:
    with pytest.raises(NodeNotFoundError):
        run(EntityNode.get_by_uuid(graph.driver, "x"))
    with pytest.raises(EdgeNotFoundError):
        run(EntityEdge.get_by_uuid(graph.driver, "x"))
    with pytest.raises(NodeNotFoundError):
        run(EpisodicNode.get_by_uuid(graph.driver, "x"))


# -- filters --------------------------------------------------------------------------------


def search(graph: Set, **filters: Any) -> list[str]:
    asked = SearchFilters(**filters)
    found = run(
        edge_fulltext_search(graph.driver, "ana uses calls owns redis courier ledger", asked, ["g"], 9)
    )
    return sorted(edge.fact for edge in found)


def test_the_filters_there_are_filter(graph: Set) -> None:
    every = ["Ana Luísa owns courier", "Ana uses Redis", "courier calls ledger"]
    assert search(graph) == every
    courier = graph.index.named("courier")[0].id
    ana = graph.index.named("ana")[0].id
    fact = next(fact.id for fact in graph.index.facts.values() if fact.relation == "uses")
    assert search(graph, edge_types=["calls", "uses"]) == every[1:]
    assert search(graph, edge_uuids=[fact]) == [every[1]]
    assert search(graph, edge_source_node_uuids=[courier]) == [every[2]]
    assert search(graph, edge_target_node_uuids=[courier]) == [every[0]]
    ends = [ana, graph.index.named("redis")[0].id]
    assert search(graph, edge_source_node_uuids=ends, edge_target_node_uuids=ends) == [every[1]]
    assert search(graph, node_labels=["Concept"]) == every
    assert search(graph, node_labels=["Person"]) == []
    assert (
        run(node_fulltext_search(graph.driver, "courier", SearchFilters(node_labels=["Person"]), ["g"], 9))
        == []
    )


def test_a_filter_found_far_down_is_found(graph: Set) -> None:
    for number in range(3, 60):
        graph.known.add(
            episode(number), contribution([(number % 9, "uses", (number + 1) % 9, number % 3, False)])
        )
    graph.index.refresh(graph.known)
    graph.driver.begin()
    asked = SearchFilters(edge_types=["owns"])
    found = run(edge_fulltext_search(graph.driver, "courier redis ana", asked, ["g"], 1))
    assert [edge.fact for edge in found] == ["Ana Luísa owns courier"]


@pytest.mark.parametrize(
    "filters",
    [
        {name: [[DateFilter(comparison_operator=ComparisonOperator.is_null)]]}
        for name in ("valid_at", "invalid_at", "created_at", "expired_at")
    ]
    + [{"property_filters": []}],
)
def test_other_filters_are_refused_not_ignored(graph: Set, filters: dict[str, Any]) -> None:
    with pytest.raises(Unsupported, match=next(iter(filters))):
        search(graph, **filters)
    with pytest.raises(Unsupported):
        run(node_fulltext_search(graph.driver, "ana", SearchFilters(**filters), ["g"], 9))


def test_another_groups_things_are_not_here(graph: Set) -> None:
    assert run(edge_fulltext_search(graph.driver, "redis", SearchFilters(), ["other"], 9)) == []
    assert run(graph.graphiti.search("redis", group_ids=["other"])) == []
    with pytest.raises(Unsupported):
        run(graph.graphiti.add_episode("n", "b", "d", datetime.now(UTC), group_id="other"))


# -- what is not there is refused -------------------------------------------------------------


def test_every_operation_there_is_is_one_that_is_needed(graph: Set) -> None:
    """All others raise NotImplementedError, whereupon Graphiti tries Cypher."""
    own = {name for name in vars(type(graph.driver.graph_operations_interface)) if not name.startswith("_")}
    assert own - {"begin", "model_config", "model_post_init"} <= set(dir(GraphOperationsInterface))
    found = {name for name in vars(type(graph.driver.search_interface)) if "search" in name}
    assert found - {"_search"} == {
        "edge_fulltext_search",
        "edge_similarity_search",
        "node_fulltext_search",
        "node_similarity_search",
    }
    assert found <= set(dir(SearchInterface))


@pytest.mark.parametrize(
    "work",
    [
        lambda graph: graph.graphiti.search_("x y", COMBINED_HYBRID_SEARCH_MMR, group_ids=["g"]),
        lambda graph: graph.graphiti.remove_episode(episode(1).id),
        lambda graph: graph.graphiti.build_communities(["g"]),
        lambda graph: graph.driver.execute_query("MATCH (n) RETURN n"),
        lambda graph: graph.driver.session().run("MATCH (n) DETACH DELETE n"),
        lambda graph: graph.driver.build_indices_and_constraints(delete_existing=True),
        lambda graph: graph.driver.delete_all_indexes(),
        lambda graph: EntityNode.get_by_group_ids(graph.driver, ["g"]),
        lambda graph: EntityNode.delete_by_group_id(graph.driver, "g"),
        lambda graph: EntityNode(name="x", group_id="g").save(graph.driver),
        lambda graph: edge_similarity_search(graph.driver, [0.0], "a", "b", SearchFilters(), ["g"]),
        lambda graph: graph.graphiti.retrieve_episodes(datetime.now(UTC), saga="s"),
    ],
)
def test_what_is_not_needed_is_refused(graph: Set, work: Any) -> None:
    async def asked() -> None:
        await work(graph)

    with pytest.raises((Unsupported, NotImplementedError)):
        run(asked())


# -- how it is loaded -------------------------------------------------------------------------


def test_signatures_kept_are_those_graphiti_makes() -> None:
    for name in ("ana luisa", "src/a.py", "", "x"):
        shingles = dedup_helpers._shingles(name)
        bare = [
            min((dedup_helpers._hash_shingle(shingle, seed) for shingle in shingles), default=0)
            for seed in range(dedup_helpers._MINHASH_PERMUTATIONS)
        ]
        assert list(dedup_helpers._minhash_signature(shingles)) == (bare if shingles else [])


_LOADED = """
import json, os, sys
from adapters.graph.extractor import GraphitiExtractor
from adapters.embeddings.hashed import HashedEmbedder
from tests.support.knowledge import *
from tests.support.episodes import episode, read_lines
early = "graphiti_core" in sys.modules
before = dict(os.environ)
extractor = GraphitiExtractor("g", None, HashedEmbedder(), KeptVectors(), KeptTexts(), rules=read_lines)
extractor.refresh(FoldedKnowledge())
extractor.extract(episode(1, "Ana uses Redis"))
from graphiti_core.telemetry.telemetry import is_telemetry_enabled
after = {k: v for k, v in os.environ.items() if before.get(k) != v}
print(json.dumps([early, after, is_telemetry_enabled()]))
"""


def test_graphiti_is_loaded_when_needed_without_telemetry_and_reads_no_env_file(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", _LOADED],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(root), "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
    )
    assert json.loads(done.stdout) == [False, {"GRAPHITI_TELEMETRY_ENABLED": "false"}, False]
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
