"""An install with a real Neo4j beside it: the graph follows what is known, is rebuilt from the log
without a model, and where it is down only the graph is behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from graphiti_core import Graphiti

from adapters.embeddings.hashed import HashedEmbedder
from adapters.graph.extractor import GraphitiExtractor
from adapters.graph.neo4j.graph import Neo4jGraph
from edge.domain.refusal import Unreachable
from edge.init import initialise
from edge.settings import Settings, load
from edge.wiring import Edge
from tests.support.episodes import episode, read_lines
from tests.support.knowledge import FoldedKnowledge, KeptTexts, KeptVectors
from tests.support.neo4j.process import Server
from tests.support.neo4j.stock import Seen, seen, with_graphiti
from tests.support.sessions import TALKS, write_talks
from tests.support.standing_in import StandIn


class Desk:
    """An install whose sessions wait, and the graph it is configured with."""

    def __init__(self, place: Path, server: Server, patch: pytest.MonkeyPatch) -> None:
        self.group = f"g{uuid4().hex[:12]}"
        self.server = server
        self.home = place / "home"
        self.store = place / "transcripts"
        self.store.mkdir()
        patch.setenv("EDGE_ACTOR", "operator")
        patch.setenv("EDGE_GRAPH_PASSWORD", server.password)
        initialise(Settings(self.home, self.group, root=str(self.store), graph=server.uri))
        self.edge = Edge(load(self.home))

    def open(self) -> None:
        edge = self.edge
        edge.dispatches.open(
            "report",
            None,
            "operator",
            edge.sweep_for,
            lambda id_: edge.extract_for(id_, lambda _line: None),
            edge.briefing,
        )

    def seen(self, group: str | None = None) -> Seen:
        return seen(self.server, HashedEmbedder(), group or self.group)

    def known(self) -> tuple[set[str], set[str]]:
        """Ids of the living entities and facts in the read models."""
        self.edge.current()
        known = self.edge.knowledge.known
        with self.edge.store.snapshot():
            return (
                {entity.id for entity in known.entities_changed() if entity.alive},
                {fact.id for fact in known.facts_changed() if fact.alive},
            )

    def assert_the_same(self) -> None:
        entities, facts = self.known()
        graph = self.seen()
        assert set(graph["entities"]) == entities
        assert set(graph["facts"]) == facts
        contributions = self.edge.store.connection.execute(
            "SELECT count(*) FROM knowledge_contributions WHERE kind = 'entity'"
        ).get
        assert len(graph["mentions"]) == contributions


@pytest.fixture
def desk(tmp_path: Path, neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    desk = Desk(tmp_path, neo4j_server, monkeypatch)
    with closing(desk.edge):
        yield desk


def test_what_an_open_extracts_is_what_graphitis_own_client_counts(desk: Desk) -> None:
    write_talks(desk.store, "queue", "fila")
    desk.open()
    desk.assert_the_same()
    write_talks(desk.store)
    desk.open()
    desk.assert_the_same()
    assert len(desk.seen()["episodes"]) == len(TALKS)
    health = desk.edge.health()
    assert (health["graph"]["lag"], health["graph"]["said"]) == (0, None)

    async def asked(graphiti: Graphiti) -> list[str]:
        return [edge.fact for edge in await graphiti.search("Checkout Stripe", group_ids=[desk.group])]

    assert any("Stripe" in fact for fact in with_graphiti(desk.server, HashedEmbedder(), asked))


def test_a_promoted_statement_stands_in_a_group_of_its_own(desk: Desk) -> None:
    write_talks(desk.store)
    desk.open()
    item = desk.edge.current().knowledge.items()[0]
    desk.edge.curation.promote(item.id, "So it is, and so it stays", [])
    desk.edge.knowledge.follow()
    curated = desk.seen(f"{desk.group}_curated")["facts"]
    assert [fact[3] for fact in curated.values()] == ["So it is, and so it stays"]
    desk.assert_the_same()
    desk.edge.curation.retire(item.id, "it was not so")
    desk.edge.knowledge.follow()
    assert desk.seen(f"{desk.group}_curated")["facts"] == {}


def test_a_graph_rebuilt_is_the_graph_that_followed_and_asks_no_model(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_talks(desk.store)
    desk.open()
    followed = desk.seen()

    def asked(*_: object) -> None:
        raise AssertionError("a rebuild extracts nothing")

    monkeypatch.setattr("adapters.graph.extractor.GraphitiExtractor.extract", asked)
    desk.edge.rebuild()
    rebuilt = desk.edge.knowledge.rebuild_graph()
    assert rebuilt.said is None
    assert desk.seen() == followed


def test_where_the_graph_is_down_everything_else_goes_on_and_it_catches_up(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_talks(desk.store)
    away = Edge(Settings(desk.home, desk.group, root=str(desk.store), graph="bolt://127.0.0.1:1"))
    away.sweep()
    done = away.extract_for("d1", lambda _line: None)
    assert (done["episodes"], done["lag"]) == (len(TALKS), 0)
    health = away.health()
    assert health["graph"]["lag"] == len(TALKS)
    assert "127.0.0.1:1" in health["graph"]["said"]
    assert health["degraded"]
    away.close()
    desk.open()
    assert desk.edge.health()["graph"] == {
        "position": desk.edge.health()["graph"]["position"],
        "lag": 0,
        "said": None,
    }
    desk.assert_the_same()


def test_the_graph_can_be_what_knowledge_is_searched_in(desk: Desk) -> None:
    write_talks(desk.store)
    desk.open()
    settings = load(desk.home)
    searching = Edge(Settings(**{**settings.__dict__, "search": "neo4j"}))
    found = searching.knowledge.search("Checkout depends on Stripe", 5)
    assert found
    assert "Stripe" in found[0][0].statement
    searching.close()


@pytest.mark.parametrize("searched", ["index", "graph"])
def test_a_models_candidates_may_be_searched_in_the_graph_and_what_is_found_is_the_same(
    searched: str, neo4j_server: Server
) -> None:
    """Contradictions across other ends, and names like others: only a search finds what to ask about."""
    group, embedder, known, texts = f"g{uuid4().hex[:12]}", HashedEmbedder(), FoldedKnowledge(), KeptTexts()
    graph = Neo4jGraph(
        neo4j_server.uri, neo4j_server.password, group, embedder, KeptVectors(), log_id="a-log"
    )
    extractor = GraphitiExtractor(
        group,
        StandIn(),
        embedder,
        KeptVectors(),
        texts,
        rules=read_lines,
        candidates=graph.search if searched == "graph" else None,
    )
    told = [
        episode(1, "Ana_Luísa_Prado uses Redis", "courier hosted_on Lisbon"),
        episode(2, "Ana_Luísa_P uses Redis", "courier hosted_on Porto"),
    ]
    for text in told:
        extractor.refresh(known)
        data = extractor.extract(text)
        known.add(text, {"episode": text.id, "by": extractor.by, **data})
        texts.texts[text.id] = text
        graph.project(known)
    graph.close()
    (closed,) = (known.facts[fact["id"]].statement for fact in data["facts"] if fact.get("closed"))
    assert closed == "courier hosted_on Lisbon"


def test_the_graph_lets_go_of_what_is_forgotten_at_once_or_when_it_is_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_talks(desk.store)
    desk.open()
    forgetting = desk.edge.forgetting
    desk.edge.knowledge.graph.close()
    monkeypatch.setattr(desk.edge.knowledge, "graph", _Down())
    forgetting.forget(forgetting.session("deploy"))
    assert desk.edge.health()["forgetting"] == ["graph"]
    monkeypatch.undo()
    monkeypatch.setenv("EDGE_GRAPH_PASSWORD", desk.server.password)
    desk.edge.knowledge.__dict__.pop("graph", None)
    assert desk.edge.finish_forgetting() == []
    assert desk.edge.health()["forgetting"] == []
    desk.assert_the_same()
    assert not any("Fly.io" in str(row) for kind in desk.seen().values() for row in kind.values())


class _Down:
    def position(self, *_: object) -> int:
        raise Unreachable("the graph is down")

    project = rebuild = position

    def close(self) -> None: ...
