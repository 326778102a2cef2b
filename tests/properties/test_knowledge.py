"""Knowledge is the fold of what living episodes contributed, however they came and went."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.domain.curated import Curation
from edge.domain.events import Data
from edge.domain.knowledge import Entity, Fact, entity_id, fact_id, fold, mention_id, normalised, words_hash
from projections.known import Known
from projections.store import ReadStore
from tests.support.house import House, dump, folded
from tests.support.soak import more

NAMES = ["Redis", "redis", "Postgrés", "edge", "a fila"]
SAID = ["Redis holds the queue", "edge uses Postgrés", "a fila é do Redis", "Postgrés replaced Redis."]
STREAMS = ["one", "two"]
HOW = ["stated", "closed", "both"]
"""What an episode does with a fact: it says it, only makes it doubtful, or both."""

Step = tuple[Any, ...]

steps = st.lists(
    st.one_of(
        st.tuples(st.just("capture"), st.sampled_from(STREAMS), st.sampled_from(["present", "unknown"])),
        st.tuples(
            st.just("extract"),
            st.integers(0, 9),
            st.lists(st.tuples(st.sampled_from(SAID), st.sampled_from(HOW)), max_size=3),
            st.sampled_from(NAMES),
        ),
        st.tuples(
            st.just("reclassify"), st.sampled_from(STREAMS), st.sampled_from(["absent", "unknown", "present"])
        ),
        st.tuples(st.just("forget"), st.sampled_from(STREAMS), st.booleans()),
        st.tuples(
            st.just("curate"),
            st.sampled_from(["promoted", "contested", "retired", "merged", "merged"]),
            st.sampled_from(SAID),
            st.sampled_from([*SAID, "what nobody said"]),
        ),
    ),
    max_size=14,
)


def contribution(episode: str, said: list[tuple[str, str]], name: str) -> Data:
    """What an extraction of the episode could say: one entity, and facts of it."""
    one, other = entity_id(name), entity_id("edge")
    facts: dict[str, Data] = {}
    for statement, how in said:
        id_ = fact_id(one, "HAS", other, statement)
        words = {"source": one, "target": other, "relation": "HAS", "statement": statement}
        facts[id_] = {
            "id": id_,
            **(words if how != "closed" else {}),
            **({"closed": ["2026-11-01", None]} if how != "stated" else {}),
        }
    entities = [{"id": one, "name": name}, {"id": other, "name": "edge"}]
    return {
        "episode": episode,
        "by": {"extractor": "test", "version": "1", "model": "rules"},
        "gist": f"spoke of {name}",
        "entities": list({e["id"]: e for e in entities}.values()),
        "facts": list(facts.values()),
        "mentions": [[mention_id(episode, e["id"]), e["id"]] for e in entities],
        "cost": {"calls": 2, "tokens": 10, "seconds": 0.25},
    }


class History:
    """Events as sweep, extractor, forget and operator write them, and what should be known of them."""

    def __init__(self) -> None:
        self.house = House()
        self.episodes: list[str] = []
        self.stream_of: dict[str, str] = {}
        self.presence: dict[str, str] = {}
        self.said: dict[str, tuple[int, Data]] = {}
        """By episode its latest extraction, and when it was."""

    def play(self, step: Step) -> None:
        getattr(self, step[0])(*step[1:])

    def capture(self, name: str, presence: str) -> None:
        at = len(self.episodes) * 10
        turn = {"id": f"t{at}", "role": "operator", "ts": "2026-11-01T08:00:00Z", "text": f"turn {at}"}
        self.house.foreign(
            "episode.captured",
            f"episode-g.{name}",
            actor="sweep",
            session=name,
            surface="claude-code",
            tier="low",
            presence=presence,
            prefix_hash="x",
            to=at + 10,
            turns=[turn],
            **{"from": at},
        )
        id_ = self.house.events("episode.captured")[-1].id
        self.episodes.append(id_)
        self.stream_of[id_], self.presence[id_] = name, presence

    def extract(self, which: int, said: list[tuple[str, str]], name: str) -> None:
        if not self.episodes:
            return
        episode = self.episodes[which % len(self.episodes)]
        data = contribution(episode, said, name)
        self.house.foreign("episode.extracted", f"extraction-g.{episode}", actor="extractor", **data)
        if episode in self.stream_of:
            self.said[episode] = (self.house.memory.head(), data)

    def reclassify(self, name: str, presence: str) -> None:
        self.house.foreign(
            "episode.reclassified",
            f"episode-g.{name}",
            actor="sweep",
            to=10_000,
            presence=presence,
            **{"from": 0},
        )
        for id_, stream in self.stream_of.items():
            if stream == name and self.presence[id_] != "present":
                self.presence[id_] = presence

    def forget(self, name: str, extractions_first: bool) -> None:
        """As ``edge forget`` does: the tombstones, then everything before them cut off."""
        gone = [id_ for id_, stream in self.stream_of.items() if stream == name]
        tombs = [("extraction.forgotten", f"extraction-g.{id_}") for id_ in gone]
        session = ("episode.forgotten", f"episode-g.{name}")
        for type_, stream in [*tombs, session] if extractions_first else [session, *tombs]:
            self.house.foreign(type_, stream, actor="operator", to=0, permanent=False, keys=[])
        self.house.current()
        for _, stream in [*tombs, session]:
            last = next(self.house.memory.read(stream, backwards=True, limit=1))
            self.house.memory.truncate_before(stream, last.revision)
        for id_ in gone:
            del self.stream_of[id_]
            self.said.pop(id_, None)

    def curate(self, what: str, statement: str, into: str) -> None:
        id_, other = (fact_id(entity_id("Redis"), "HAS", entity_id("edge"), one) for one in (statement, into))
        more = {
            "promoted": {"statement": statement.upper()},
            "contested": {"reason": "doubt"},
            "retired": {"reason": "old"},
            "merged": {"into": other},
        }[what]
        self.house.foreign(f"knowledge.{what}", f"knowledge-g.{id_}", actor="operator", id=id_, **more)

    def alive(self) -> list[tuple[str, Data]]:
        told = sorted((at, id_, data) for id_, (at, data) in self.said.items())
        return [(id_, data) for _, id_, data in told if self.presence[id_] != "absent"]


@given(steps, st.booleans())
@settings(max_examples=more(150, 4), deadline=None)
def test_what_is_known_is_the_fold_of_the_living_and_a_rebuild_knows_the_same(
    given_steps: list[Step], at_once: bool
) -> None:
    history = History()
    for step in given_steps:
        history.play(step)
        if not at_once:
            history.house.current()
    history.house.current()
    prove(history)


@pytest.mark.parametrize("seed", range(150))
def test_what_is_merged_is_the_fold_of_the_living_too(seed: int) -> None:
    """The same of lives in which statements are said, merged and forgotten much, and heirs come and go."""
    random = Random(seed)
    history = History()
    streams = ["one", "two", "three", "four"]
    for n, stream in enumerate(streams):
        history.play(("capture", stream, "present"))
        history.play(("extract", n, [(SAID[n], "stated")], "Redis"))
    for _ in range(random.randrange(2, 12)):
        match random.choice(["merged", "merged", "forget", "extract", "capture", "promoted", "retired"]):
            case "forget":
                history.play(("forget", random.choice(streams), random.random() < 0.5))
            case "capture":
                history.play(("capture", random.choice(streams), "present"))
            case "extract":
                said = [(one, "stated") for one in random.sample(SAID, random.randrange(3))]
                history.play(("extract", random.randrange(10), said, "Redis"))
            case act:
                history.play(("curate", act, random.choice(SAID), random.choice([*SAID, "what nobody said"])))
        if seed % 2:
            history.house.current()
            prove(history)
    history.house.current()
    prove(history)


def prove(history: History) -> None:
    store = history.house.store
    entities, facts = fold(history.alive())
    known = Known(store)
    assert {e.id: e for e in known.entities_changed() if e.alive} == entities
    assert {f.id: f for f in known.facts_changed() if f.alive} == facts
    gone = {e.id for e in known.entities_changed() if not e.alive}
    assert gone.isdisjoint(entities)
    assert rows(store) == rows(folded(history.house.memory))

    tiers = dict(store.connection.execute("SELECT id, tier FROM knowledge_facts"))
    for id_, fact in facts.items():
        assert tiers[id_] == expected_tier(store, id_, fact.closed is not None, fact.statement)
    words = {num for (num,) in store.connection.execute("SELECT rowid FROM knowledge_fts")}
    shown = "SELECT num FROM knowledge_facts WHERE tier IN ('hypothesis', 'contested', 'curated')"
    assert words == {num for (num,) in store.connection.execute(shown)}


def test_no_read_model_keeps_a_hash_of_the_name_of_an_entity_that_was_curated_and_forgotten() -> None:
    history = History()
    history.play(("capture", "one", "present"))
    history.play(("extract", 0, [], "Postgrés"))
    id_ = entity_id("Postgrés")
    history.house.foreign(
        "knowledge.merged", f"knowledge-g.{id_}", "operator", id=id_, into=entity_id("edge")
    )
    history.house.current()
    history.play(("forget", "one", True))
    history.house.current()
    assert words_hash("Postgrés") not in " ".join(dump(history.house.store.connection))
    history.house.close()


def test_a_cost_that_no_column_can_hold_keeps_no_extraction_from_being_folded() -> None:
    house = House()
    said = contribution("an episode", [], "Postgres")
    for tokens, seconds in ((1e30, 1e300), (10**30, 0.25), (10, 0.25)):
        cost = {"calls": 2, "tokens": tokens, "seconds": seconds}
        house.foreign("episode.extracted", "extraction-g.an-episode", "extractor", **{**said, "cost": cost})
    house.current()
    connection = house.store.connection
    assert house.store.quarantined() == []
    assert connection.execute("SELECT calls, tokens > 2e15 FROM knowledge_costs").get == (6, 1)
    assert dump(connection) == dump(folded(house.log).connection)
    house.close()


def rows(store: ReadStore) -> list[str]:
    return [row for row in dump(store.connection) if row.startswith("knowledge_")]


def expected_tier(store: ReadStore, id_: str, closed: bool, statement: str) -> str:
    docs = [json.loads(doc) for (doc,) in store.connection.execute("SELECT doc FROM knowledge_curations")]
    curations: list[Curation] = sorted(docs, key=lambda c: c["position"])
    own = [c for c in curations if c["id"] == id_]
    same = [c for c in curations if _says(c, statement)]
    for curation in [*own, *reversed(same)][:1]:
        if curation["standing"] == "curated" and curation["id"] != id_:
            return "said"
        if curation["standing"] != "merged" or has_heir(store, curation["id"], curations):
            return curation["standing"]
    return "contested" if closed else "hypothesis"


def has_heir(store: ReadStore, id_: str, curations: list[Curation]) -> bool:
    """Whether anything it was merged into, however many times, still stands or was retired; of a circle
    the first that stands is the heir of the others."""
    into = {c["id"]: c["into"] for c in curations if c["standing"] == "merged"}
    stands = {fact for (fact,) in store.connection.execute("SELECT id FROM knowledge_facts")} | {id_}
    stands |= {c["id"] for c in curations if c["standing"] == "retired"}
    path = [id_]
    while (after := into.get(path[-1])) is not None:
        if after in path:
            circle = [one for one in path[path.index(after) :] if one in stands]
            return bool(circle) and min(circle) != id_
        path.append(after)
    return any(one in stands for one in path[1:])


def _says(curation: Curation, statement: str) -> bool:
    promoted_as = curation["statement"]
    said = normalised(statement)
    return (promoted_as is not None and normalised(promoted_as) == said) or (
        curation["about"] == words_hash(said)
    )


@given(steps)
@settings(max_examples=more(60, 4), deadline=None)
def test_following_what_changed_leads_to_the_same_as_reading_all(given_steps: list[Step]) -> None:
    """As the graph's index and Neo4j follow: what is gone is told to them, too."""
    history = History()
    followed: dict[str, Any] = {}
    position = 0
    for step in given_steps:
        history.play(step)
        history.house.current()
        known = Known(history.house.store)
        changed: list[Entity | Fact] = [*known.entities_changed(position), *known.facts_changed(position)]
        for one in changed:
            if one.alive:
                followed[one.id] = one
            else:
                followed.pop(one.id, None)
        position = known.position()
    entities, facts = fold(history.alive())
    assert followed == {**entities, **facts}
