"""What a Neo4j must hold after a projection, as Graphiti's stock client and the domain's fold say."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from graphiti_core import Graphiti
from graphiti_core.nodes import EntityNode
from graphiti_core.search.search_config_recipes import COMBINED_HYBRID_SEARCH_RRF
from graphiti_core.search.search_filters import SearchFilters
from neo4j import Driver, ManagedTransaction
from neo4j.exceptions import SessionExpired

from adapters.graph.neo4j import Curated, GraphChangedError, Neo4jGraph, pages
from adapters.graph.neo4j.curated import entity_id, fact_id
from edge.domain.knowledge import Entity, Fact
from edge.domain.refusal import Refused
from edge.ports_knowledge import KnownEpisode, ModelAway
from tests.support.known import MemoryKnown, MemoryVectors, Speaker, WordEmbedder
from tests.support.neo4j.dump import bare, checkpoint, dump
from tests.support.neo4j.process import Server
from tests.support.neo4j.stock import expected, seen, with_graphiti

Open = Callable[..., Neo4jGraph]

CURATED = (
    Curated("k1", "Reports name their sources", "2026-11-02T10:00:00Z", target="reports", evidence=("e1",)),
    Curated("k2", "The log is the truth", "2026-11-03T10:00:00Z", "the log", valid_from="2026-11-01"),
)


class Neo4jGraphContract:
    """Subclasses give the ``server``."""

    @pytest.fixture
    def group(self) -> str:
        return f"g{uuid4().hex[:12]}"

    @pytest.fixture
    def embedder(self) -> WordEmbedder:
        return WordEmbedder()

    @pytest.fixture
    def open_graph(self, server: Server, group: str, embedder: WordEmbedder) -> Iterator[Open]:
        """Opens the graph of a group, by default the test's own."""
        opened: list[Neo4jGraph] = []

        def open_(group: str = group, **other: Any) -> Neo4jGraph:
            said: dict[str, Any] = {"embedder": embedder, "vectors": MemoryVectors(), "log_id": "a-log"}
            said = said | {"lease": 0.0} | other
            opened.append(Neo4jGraph(server.uri, server.password, group, **said))
            return opened[-1]

        yield open_
        for graph in opened:
            graph.close()

    @pytest.fixture
    def driver(self, server: Server) -> Iterator[Driver]:
        with bare(server) as driver:
            yield driver

    # -- it is the fold ----------------------------------------------------------------------

    @pytest.mark.parametrize("seed", range(3))
    def test_after_whatever_came_graphiti_counts_what_the_fold_says(
        self,
        server: Server,
        group: str,
        embedder: WordEmbedder,
        open_graph: Open,
        seed: int,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Contributions, episodes forgotten and extracted again, projected now and then."""
        monkeypatch.setattr(pages, "ROWS", random.Random(seed).choice((3, 20, 400)))
        known, speaker, graph = MemoryKnown(), Speaker(seed), open_graph()
        for steps in (1, 4, 9, 1, 16, 3):
            for _ in range(steps):
                speaker.disturb(known)
            assert graph.project(known) > 0
            assert seen(server, embedder, group) == expected(known, embedder, group)
            assert graph.position() == known.position()
        assert graph.project(known) == 0

    def test_a_rebuild_is_what_stood_there_and_asks_the_embedder_for_nothing(
        self, embedder: WordEmbedder, open_graph: Open, driver: Driver, group: str
    ) -> None:
        known, speaker, graph = MemoryKnown(), Speaker(7), open_graph()
        for _ in range(40):
            speaker.disturb(known)
            if len(known.contributions) % 3 == 0:
                graph.project(known, CURATED)
        graph.project(known, CURATED)
        live, embedded = dump(driver, group), embedder.embedded
        driver.execute_query("CREATE (:Entity {uuid: 'x', group_id: $group, name: 'not ours'})", group=group)
        assert graph.rebuild(known, CURATED) > 0
        assert dump(driver, group) == live
        assert embedder.embedded == embedded
        assert graph.position() == known.position()

    def test_all_that_is_gone_leaves_nothing(self, open_graph: Open, driver: Driver, group: str) -> None:
        known, graph = MemoryKnown(), open_graph()
        Speaker(3).speak(12, known)
        graph.project(known)
        for episode in list(known.contributions):
            known.forget(episode)
        graph.project(known)
        assert dump(driver, group) == []

    def test_an_episode_told_gone_takes_along_what_only_it_said(
        self, open_graph: Open, driver: Driver, group: str, server: Server, embedder: WordEmbedder
    ) -> None:
        """Also where the read models were folded anew and remember nothing of what is gone."""
        known, speaker, graph = MemoryKnown(), Speaker(5), open_graph()
        speaker.speak(12, known)
        graph.project(known)
        for episode in list(known.contributions)[::2]:
            known.forget(episode)
        known.entities = {id_: each for id_, each in known.entities.items() if each.alive}
        known.facts = {id_: each for id_, each in known.facts.items() if each.alive}
        graph.project(known)
        assert seen(server, embedder, group) == expected(known, embedder, group)

    def test_a_fact_whose_end_nobody_mentions_waits_for_its_name(
        self, open_graph: Open, driver: Driver, group: str, server: Server, embedder: WordEmbedder
    ) -> None:
        """An episode that closes a fact supports it, and need not mention its ends."""
        a, b = {"id": "a", "name": "Ana"}, {"id": "b", "name": "Bruno"}
        fact = {"id": "f", "source": "a", "target": "b", "relation": "KNOWS", "statement": "Ana knows Bruno"}
        known, graph = MemoryKnown(), open_graph()
        known.contribute(_episode("e1"), {"entities": [a, b], "facts": [fact]})
        closing = {**fact, "closed": ["2026-11-02T00:00:00Z", None]}
        known.contribute(_episode("e2"), {"entities": [a], "facts": [closing]})
        graph.project(known)
        known.forget("e1")
        graph.project(known)
        found = seen(server, embedder, group)
        assert (set(found["entities"]), set(found["facts"])) == ({"a"}, set())
        assert not any("Bruno" in row for row in dump(driver, group) if "EdgeGone" in row)
        known.contribute(_episode("e3"), {"entities": [b], "facts": []})
        graph.project(known)
        assert seen(server, embedder, group) == expected(known, embedder, group)
        assert set(seen(server, embedder, group)["facts"]) == {"f"}

    def test_what_a_model_made_of_nonsense_harms_no_reader(
        self, open_graph: Open, server: Server, embedder: WordEmbedder, group: str
    ) -> None:
        odd = {
            "id": "a",
            "name": "x" * 20_000,
            "labels": ["Thing", "no good", "Episodic", "a`) DETACH DELETE (n", "Entity_x", "", "EdgeGone"],
            "attributes": {"big": 2**70, "mixed": [1, "a"], "": 1, "`": 2, "\0": 3, "created_at": "never"},
        }
        blank = {"id": "b", "name": "\ud800", "labels": []}
        fact = {
            "id": "f",
            "source": "a",
            "target": "b",
            "relation": "R" * 20_000,
            "statement": " ",
            "valid_from": "yesterday",
            "reference_time": "2026-11-01",
            "closed": ["0001-01-01T00:00:00+23:00", "2026-11-01T10:00:00-03:00"],
        }
        known, graph = MemoryKnown(), open_graph()
        known.contribute(_episode("e1"), {"entities": [odd, blank], "facts": [fact]})
        graph.project(known)
        found = seen(server, embedder, group)
        name, _, labels, _, _, attributes, _ = found["entities"]["a"]
        assert (len(name), labels) == (1_000, ["Entity", "Thing"])
        assert attributes == {"big": str(2**70), "mixed": '[1, "a"]'}
        assert found["entities"]["b"][0] == "?"
        assert found["facts"]["f"][6] is None
        assert [each and each.isoformat() for each in found["facts"]["f"][8:]] == [
            None,
            None,
            "2026-11-01T13:00:00+00:00",
            "2026-11-01T00:00:00+00:00",
        ]
        results = with_graphiti(server, embedder, lambda graphiti: graphiti.search("x", group_ids=[group]))
        assert [edge.uuid for edge in results] in ([], ["f"])

    # -- whose it is -------------------------------------------------------------------------

    def test_two_groups_in_one_database_do_not_touch(
        self, open_graph: Open, driver: Driver, group: str, server: Server, embedder: WordEmbedder
    ) -> None:
        """Though an entity of one name has one id in both, and here all other ids are the same too."""
        other = f"{group}_b"
        known, speaker = MemoryKnown(), Speaker(11)
        graphs = open_graph(), open_graph(other)
        for _ in range(12):
            speaker.disturb(known)
            for graph in graphs:
                graph.project(known, CURATED)
        before = dump(driver, other)
        assert before == dump(driver, group)
        for episode in list(known.contributions)[1:]:
            known.forget(episode)
        graphs[0].project(known)
        graphs[0].rebuild(known)
        assert dump(driver, other) == before
        assert dump(driver, group) != before

    def test_what_is_curated_stands_apart_and_goes_only_by_the_operator(
        self, open_graph: Open, driver: Driver, group: str, server: Server, embedder: WordEmbedder
    ) -> None:
        known, graph, own = MemoryKnown(), open_graph(), f"{group}_curated"
        Speaker(2).speak(6, known)
        graph.project(known, CURATED)
        before = seen_curated(server, own)
        assert {entity["name"] for entity in before[0]} == {"operator", "reports", "the log"}
        assert {fact["uuid"] for fact in before[1]} == {fact_id("k1", own), fact_id("k2", own)}
        assert {fact["evidence"] for fact in before[1]} == {("e1",), ()}
        for episode in list(known.contributions):
            known.forget(episode)
        graph.project(known, CURATED)
        assert seen_curated(server, own) == before
        known._position += 10
        assert graph.project(known, CURATED[1:]) == 1
        assert [entity["uuid"] for entity in seen_curated(server, own)[0]] == [entity_id("the log", own)]
        assert graph.project(known, CURATED[1:]) == 0
        assert graph.project(known) == 0, "none are left, which is no change that has to be counted"
        assert seen_curated(server, own) == ([], [])

    def test_a_graph_of_another_log_is_not_written_on(
        self, open_graph: Open, driver: Driver, group: str
    ) -> None:
        known, other = MemoryKnown(), open_graph(log_id="another-log")
        Speaker(1).speak(2, known)
        open_graph().project(known)
        before = dump(driver, group)
        for use in (other.position, lambda: other.project(known)):
            with pytest.raises(GraphChangedError, match="of another log"):
                use()
        assert dump(driver, group) == before
        assert other.rebuild(known) > 0
        assert other.position() == known.position()

    def test_a_graph_that_edge_did_not_write_is_not_written_on(
        self, open_graph: Open, driver: Driver, group: str
    ) -> None:
        theirs = "CREATE (:Entity {uuid: randomUUID(), group_id: $group, name: 'theirs'})"
        driver.execute_query(theirs, group=group)
        known, graph = MemoryKnown(), open_graph()
        with pytest.raises(GraphChangedError, match="edge did not write"):
            graph.project(known)
        assert len(dump(driver, group)) == 1
        assert checkpoint(driver, group) == {}

    def test_vectors_of_two_embedders_are_not_mixed(self, open_graph: Open, group: str) -> None:
        known = MemoryKnown()
        Speaker(1).speak(2, known)
        open_graph().project(known)
        other = open_graph(embedder=WordEmbedder(16, "other"))
        with pytest.raises(Refused, match="of the embedder words, not other"):
            other.project(known)
        assert other.rebuild(known) > 0

    # -- who writes it -----------------------------------------------------------------------

    @pytest.mark.parametrize("lease", [0.0, 15.0])
    @pytest.mark.parametrize("projectors", [2, 4])
    def test_projectors_at_once_double_and_lose_nothing(
        self,
        open_graph: Open,
        driver: Driver,
        group: str,
        server: Server,
        embedder: WordEmbedder,
        projectors: int,
        lease: float,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(pages, "ROWS", 8)
        known, speaker = MemoryKnown(), Speaker(13)
        first = open_graph(lease=lease)
        graphs = [first, *(open_graph(lease=lease) for _ in range(projectors - 1))]
        for steps in (6, 5, 1):
            for _ in range(steps):
                speaker.disturb(known)
            threads = [threading.Thread(target=graph.project, args=(known, CURATED)) for graph in graphs]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert first.position() == known.position()
            assert seen(server, embedder, group) == expected(known, embedder, group)
        assert "claim" not in checkpoint(driver, group)

    def test_a_projector_that_is_overtaken_stops_and_its_page_counts_for_nothing(
        self, open_graph: Open, driver: Driver, group: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The other one takes over in the middle, and ends before the first goes on."""
        monkeypatch.setattr(pages, "ROWS", 8)
        known, slow, fast = MemoryKnown(), open_graph(), open_graph()
        Speaker(4).speak(6, known)
        behind = _Frozen(known)
        Speaker(5).speak(3, known)

        def overtake(number: int) -> None:
            if number == 2:
                assert fast.project(known) > 0

        _before_each_page(slow, overtake, monkeypatch)
        assert slow.project(behind) == 0
        whole = dump(driver, group)
        assert fast.position() == known.position()
        assert slow.project(behind) == 0, "what is behind the graph does not lead it back"
        assert dump(driver, group) == whole
        assert fast.rebuild(known) > 0
        assert dump(driver, group) == whole

    def test_a_projector_at_work_is_left_alone_for_its_lease(
        self, open_graph: Open, group: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known, slow, polite = MemoryKnown(), open_graph(), open_graph(lease=60.0)
        Speaker(4).speak(6, known)
        seen_by_other: list[int] = []
        _before_each_page(slow, lambda _: seen_by_other.append(polite.project(known)), monkeypatch)
        assert slow.project(known) > 0
        assert set(seen_by_other) == {0}

    def test_an_answer_that_is_lost_doubles_nothing(
        self,
        open_graph: Open,
        driver: Driver,
        group: str,
        server: Server,
        embedder: WordEmbedder,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Each transaction is committed, and done again as the driver does where it heard nothing."""
        monkeypatch.setattr(pages, "ROWS", 8)
        known, graph = MemoryKnown(), open_graph()
        speaker = Speaker(6)
        speaker.speak(6, known)
        write, lost = graph._connection.write, []

        def deaf(work: Callable[[ManagedTransaction], Any], session: Any = None) -> Any:
            try:
                write(work, session)
                raise SessionExpired("the answer was lost")
            except SessionExpired:
                lost.append(work)
            return write(work, session)

        monkeypatch.setattr(graph._connection, "write", deaf)
        graph.rebuild(known, CURATED)
        known.forget(next(iter(known.contributions)))
        speaker.speak(2, known)
        graph.project(known, CURATED)
        assert len(lost) > 12
        assert graph.position() == known.position()
        assert seen(server, embedder, group) == expected(known, embedder, group)

    def test_an_embedder_that_is_away_holds_nobody_up(
        self, open_graph: Open, driver: Driver, group: str, embedder: WordEmbedder
    ) -> None:
        class Away(WordEmbedder):
            def embed(self, texts: Any) -> Any:
                raise ModelAway("the embedder is away")

        known = MemoryKnown()
        Speaker(1).speak(2, known)
        with pytest.raises(ModelAway):
            open_graph(embedder=Away()).project(known)
        assert "claim" not in checkpoint(driver, group)
        assert open_graph(lease=60.0).project(known) > 0

    # -- what it is for ----------------------------------------------------------------------

    def test_graphiti_searches_it(
        self, open_graph: Open, server: Server, embedder: WordEmbedder, group: str
    ) -> None:
        known, graph = MemoryKnown(), open_graph()
        a, b = {"id": f"a {group}", "name": "Ana"}, {"id": "b", "name": "Bruno"}
        said = {"source": a["id"], "target": "b", "relation": "KNOWS"}
        facts = [
            {"id": "f1", "statement": "Ana paints boats in Lisboa", **said},
            {"id": "f2", "statement": "Bruno repairs clocks", **said},
        ]
        known.contribute(_episode("e1"), {"entities": [a, b], "facts": facts})
        graph.project(known, CURATED)
        groups = [group, f"{group}_curated"]

        async def ask(graphiti: Graphiti) -> Any:
            by_word = await graphiti.search("paints boats", group_ids=groups)
            promoted = await graphiti.search("reports name sources", group_ids=groups)
            every = await graphiti.search_(
                "Bruno clocks gist", config=COMBINED_HYBRID_SEARCH_RRF, group_ids=[group]
            )
            node = await EntityNode.get_by_uuid(graphiti.driver, f"a {group}")
            return by_word, promoted, every, node

        by_word, promoted, every, node = with_graphiti(server, embedder, ask)
        assert by_word[0].uuid == "f1"
        assert (promoted[0].group_id, promoted[0].attributes) == (groups[1], {"curated_id": "k1"})
        assert every.edges[0].uuid == "f2"
        assert every.nodes[0].name == "Bruno"
        assert [episode.uuid for episode in every.episodes] == ["e1"]
        assert node.name == "Ana"

    def test_candidates_are_found_by_words_and_by_sense(
        self, open_graph: Open, group: str, embedder: WordEmbedder
    ) -> None:
        known, graph = MemoryKnown(), open_graph()
        a, b = {"id": "a", "name": "Ana Reis"}, {"id": "b", "name": "Bruno"}
        said = {"source": "a", "target": "b", "relation": "KNOWS"}
        facts = [{"id": f"f{n}", "statement": f"statement number {n} of many", **said} for n in range(30)]
        facts.append({"id": "it", "statement": "Ana paints boats", **said})
        known.contribute(_episode("e1"), {"entities": [a, b], "facts": facts})
        graph.project(known, CURATED)
        search = graph.search()
        found = search.facts("boats Ana paints", limit=5)
        assert (found[0].id, found[0].statement, found[0].curated) == ("it", "Ana paints boats", False)
        found = search.facts("the log is the truth", limit=5)
        assert (found[0].id, found[0].curated) == ("k2", True)
        assert search.facts("", limit=5) == search.facts("zzz qqq", min_score=0.95) == []
        assert len(search.facts("statement number", limit=3)) == 3

        async def candidates() -> Any:
            vector = embedder.embed(["Ana Reis"])[0].tolist()
            return (
                await search.node_similarity_search(None, vector, SearchFilters(), [group], 1),
                await search.node_fulltext_search(None, "Reis", SearchFilters(), [group], 1),
                await search.edge_similarity_search(None, vector, "a", "b", SearchFilters(), [group], 3, 0.0),
                await search.edge_fulltext_search(None, "boats", SearchFilters(node_labels=["No"]), [group]),
            )

        nodes, worded, between, filtered = asyncio.run(candidates())
        assert [node.uuid for node in (*nodes, *worded)] == ["a", "a"]
        assert (len(between), filtered) == (3, [])


def seen_curated(server: Server, group: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The curated group's entities and facts."""
    with bare(server) as driver:
        nodes = driver.execute_query(
            "MATCH (n:Entity {group_id: $group}) RETURN n.uuid AS uuid, n.name AS name ORDER BY uuid",
            group=group,
        ).records
        facts = driver.execute_query(
            "MATCH ()-[r:RELATES_TO {group_id: $group}]->() RETURN r.uuid AS uuid, r.episodes AS evidence,"
            " r.fact AS fact, r.valid_at AS valid_at ORDER BY uuid",
            group=group,
        ).records
    told = [{**fact.data(), "evidence": tuple(fact["evidence"])} for fact in facts]
    return [node.data() for node in nodes], told


class _Frozen:
    """What was known when this was made."""

    def __init__(self, known: MemoryKnown) -> None:
        self._position = known.position()
        self._episodes = list(known.episodes_changed())
        self._entities = list(known.entities_changed())
        self._facts = list(known.facts_changed())

    def position(self) -> int:
        return self._position

    def episodes_changed(self, after: int = 0) -> Iterator[KnownEpisode]:
        return iter(self._episodes)

    def entities_changed(self, after: int = 0) -> Iterator[Entity]:
        return iter(self._entities)

    def facts_changed(self, after: int = 0) -> Iterator[Fact]:
        return iter(self._facts)


def _before_each_page(
    graph: Neo4jGraph, happens: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let something happen before each of a projector's writes but the first, which is its claim."""
    write, count = graph._connection.write, iter(range(10_000))

    def watched(work: Callable[[ManagedTransaction], Any], session: Any = None) -> Any:
        if number := next(count):
            happens(number)
        return write(work, session)

    monkeypatch.setattr(graph._connection, "write", watched)


def _episode(id_: str) -> KnownEpisode:
    return KnownEpisode(id_, "2026-11-01T08:00:00Z", "s1", None, f"gist of {id_}", alive=True)
