"""The index answers as one would who looks at every entity and fact; also after much forgetting."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.embeddings.hashed import DIMENSION, HashedEmbedder
from adapters.graph.embedding import Remembering
from adapters.graph.index import Index
from adapters.graph.vectors import BLOCK, Rows
from edge.domain.events import Data
from edge.domain.knowledge import Entity, entity_id, fact_id, fold, normalised
from tests.support.episodes import BEGAN, episode
from tests.support.knowledge import FoldedKnowledge, KeptVectors

NAMES = ["Ana", "ana", "Érico", "Ana Luísa", "courier", "ledger", "src/a.py", "Redis", "redis cluster"]
RELATIONS = ["uses", "owns", "calls"]

Statement = tuple[int, str, int, int, bool]
statements = st.tuples(
    st.integers(0, len(NAMES) - 1),
    st.sampled_from(RELATIONS),
    st.integers(0, len(NAMES) - 1),
    st.integers(0, 2),
    st.booleans(),
)
steps = st.lists(st.one_of(st.lists(statements, max_size=5), st.integers(0, 8)), min_size=1, max_size=12)


def contribution(said: list[Statement]) -> Data:
    entities: dict[str, Data] = {}
    facts: dict[str, Data] = {}
    for source, relation, target, variant, closed in said:
        for name in (NAMES[source], NAMES[target]):
            entities[entity_id(name)] = {"id": entity_id(name), "name": name, "labels": ["Concept"]}
        ends = entity_id(NAMES[source]), entity_id(NAMES[target])
        words = f"{NAMES[source]} {relation} {NAMES[target]} {'again ' * variant}".strip()
        owner = fact_id(ends[0], relation, ends[1], words)
        facts[owner] = {
            "id": owner,
            "source": ends[0],
            "target": ends[1],
            "relation": relation,
            "statement": words,
            "valid_from": "2026-05-01T10:00:00Z",
            "reference_time": "2026-05-01T10:00:00Z",
        } | ({"closed": ["2026-05-02", None]} if closed else {})
    return {"gist": "", "entities": list(entities.values()), "facts": list(facts.values())}


def fresh(known: FoldedKnowledge) -> Index:
    index = Index(Remembering(HashedEmbedder()), KeptVectors())
    index.refresh(known)
    return index


@settings(deadline=None, max_examples=60)
@given(steps, st.booleans())
def test_it_holds_the_fold_of_the_contributions_however_it_came_by_it(
    done: list[list[Statement] | int], each: bool
) -> None:
    known, told = FoldedKnowledge(), list[str]()
    index = Index(Remembering(HashedEmbedder()), KeptVectors())
    for number, step in enumerate(done):
        if isinstance(step, int):
            if step < len(told):
                known.leave_out(told.pop(step))
        else:
            text = episode(number)
            told.append(text.id)
            known.add(text, contribution(step))
        if each:
            index.refresh(known)
    index.refresh(known)
    _same_as_fold(index, known)
    _looks_up_as_an_oracle_does(index)
    _answers_alike(index, fresh(known))


def _same_as_fold(index: Index, known: FoldedKnowledge) -> None:
    entities, facts = fold(known.contributions)
    assert index.entities == entities
    assert index.facts == facts


def _looks_up_as_an_oracle_does(index: Index) -> None:
    entities, facts = index.entities.values(), index.facts.values()
    for name in NAMES:
        assert {one.id for one in index.named(name)} == {
            one.id for one in entities if normalised(one.name) == normalised(name)
        }
    ids = [entity_id(name) for name in NAMES]
    for one in ids:
        assert {fact.id for fact in index.facts_of(one)} == {
            fact.id for fact in facts if one in {fact.source, fact.target}
        }
    assert set(index.between(ids[:3], ids[2:5])) == {
        fact.id for fact in facts if fact.source in ids[:3] and fact.target in ids[2:5]
    }
    told = {name for entity in entities for name in entity.episodes}
    for name in told:
        assert {one.id for one in index.mentioned(name)} == {
            entity.id for entity in entities if name in entity.episodes
        }
    _likeness(index)
    _words(index)


def _likeness(index: Index) -> None:
    queries = HashedEmbedder().embed(["Ana uses Redis again", "courier", ""])
    for query, found in zip(queries, index.alike_facts(queries, 3, 0.3), strict=True):
        vectors = HashedEmbedder().embed([fact.statement for fact in index.facts.values()])
        scores = dict(zip(index.facts, (vectors @ query).tolist(), strict=True))
        best = sorted((score for score in scores.values() if score >= 0.3), reverse=True)[:3]
        assert [score for _, score in found] == pytest.approx(best, abs=2e-4)
        assert all(scores[owner] == pytest.approx(score, abs=2e-4) for owner, score in found)
        among = index.alike_among(query, list(index.facts), 3, 0.3)
        assert [score for _, score in among] == pytest.approx([score for _, score in found], abs=2e-4)


def _words(index: Index) -> None:
    query = "Ana again uses nothing"
    scores = bm25(query, {fact.id: f"{fact.relation} {fact.statement}" for fact in index.facts.values()})
    found = index.facts_with(query, 4)
    assert [score for _, score in found] == pytest.approx(sorted(scores.values(), reverse=True)[:4], rel=1e-3)
    assert all(scores[owner] == pytest.approx(score, rel=1e-3) for owner, score in found)
    among = index.facts_with_among(query, list(index.facts), 4)
    assert [score for _, score in among] == pytest.approx([score for _, score in found], rel=1e-3)


def bm25(query: str, texts: dict[str, str]) -> dict[str, float]:
    words = {owner: re.findall(r"[^\W_]+", normalised(text)) for owner, text in texts.items()}
    mean = sum(map(len, words.values())) / len(words) if words else 1
    scores = {}
    for owner, held in words.items():
        score = 0.0
        for term in set(re.findall(r"[^\W_]+", normalised(query))):
            times, having = Counter(held)[term], sum(1 for other in words.values() if term in other)
            rarity = math.log(1 + (len(words) - having + 0.5) / (having + 0.5))
            score += rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(held) / mean))
        if score:
            scores[owner] = score
    return scores


def _answers_alike(index: Index, other: Index) -> None:
    """Whatever the order in which things came in: two processes extract the same."""
    queries = HashedEmbedder().embed(["Ana uses Redis", "erico"])
    for one, two in (
        *zip(index.alike_facts(queries, 4, 0.0), other.alike_facts(queries, 4, 0.0), strict=True),
        *zip(index.alike_entities(queries, 4, 0.0), other.alike_entities(queries, 4, 0.0), strict=True),
    ):  # the last digit of a score depends on where its row stands
        assert [score for _, score in one] == pytest.approx([score for _, score in two], abs=2e-4)
    assert index.facts_with("ana uses again", 4) == other.facts_with("ana uses again", 4)
    assert index.entities_with("ana redis", 4) == other.entities_with("ana redis", 4)
    for entity in index.entities.values():
        assert index.summary(entity) == other.summary(entity)
    assert index.episodes_until(BEGAN + timedelta(days=9), 99) == other.episodes_until(
        BEGAN + timedelta(days=9), 99
    )


def test_vectors_come_from_the_store_and_are_made_once() -> None:
    known, vectors = FoldedKnowledge(), KeptVectors()
    known.add(episode(1), contribution([(0, "uses", 4, 0, False)]))
    Index(Remembering(HashedEmbedder()), vectors).refresh(known)
    assert vectors.made == 3
    Index(Remembering(HashedEmbedder()), vectors).refresh(known)
    assert vectors.made == 3


def test_a_vector_of_another_size_is_made_again() -> None:
    known, vectors = FoldedKnowledge(), KeptVectors()
    known.add(episode(1), contribution([(0, "uses", 4, 0, False)]))
    vectors.put_vectors(HashedEmbedder.name, {entity_id("Ana"): b"short"})
    Index(Remembering(HashedEmbedder()), vectors).refresh(known)
    assert len(vectors.kept[HashedEmbedder.name, entity_id("Ana")]) == DIMENSION * 4


def test_earlier_episodes_come_by_time_not_by_when_they_were_extracted() -> None:
    known = FoldedKnowledge()
    for number, hours in ((1, 5), (2, 1), (3, 9), (4, 3)):
        known.add(episode(number, hours=hours), contribution([]))
    index = fresh(known)
    found = index.episodes_until(BEGAN + timedelta(hours=5), 2)
    assert [one.id for one in found] == [episode(4).id, episode(1).id]
    known.leave_out(episode(4).id)
    index.refresh(known)
    assert [one.id for one in index.episodes_until(BEGAN + timedelta(hours=5), 2)] == [
        episode(2).id,
        episode(1).id,
    ]
    assert index.episode(episode(4).id) is None


def test_rows_beyond_a_block_are_found_and_gone_ones_are_not() -> None:
    rows = Rows(8)
    made = np.eye(8, dtype=np.float32)
    for nth in range(BLOCK + 20):
        rows.put(f"{nth:05}", made[nth % 8])
    for nth in range(0, BLOCK, 2):
        rows.drop(f"{nth:05}")
    assert len(rows) == BLOCK // 2 + 20
    (found,) = rows.nearest(made[:1], 100, 0.5)
    assert [owner for owner, _ in found] == [f"{nth:05}" for nth in range(BLOCK, BLOCK + 20, 8)]
    rows.put("new", made[0])
    assert ("new", 1.0) in rows.nearest(made[:1], 100, 0.5)[0]


def test_words_survive_the_removal_of_most_texts() -> None:
    known = FoldedKnowledge()
    index = Index(Remembering(HashedEmbedder()), KeptVectors())
    for number in range(60):
        known.add(episode(number), contribution([(number % 9, "uses", (number + 1) % 9, number % 3, False)]))
    index.refresh(known)
    for number in range(55):
        known.leave_out(episode(number).id)
    index.refresh(known)
    _answers_alike(index, fresh(known))
    assert {entity.id for entity in index.entities.values()} <= {entity_id(name) for name in NAMES}


def test_an_entity_that_comes_back_under_another_spelling_is_found_by_it() -> None:
    known = FoldedKnowledge()
    index = Index(Remembering(HashedEmbedder()), KeptVectors())
    one, two = episode(1), episode(2)
    known.add(one, contribution([(0, "uses", 4, 0, False)]))
    index.refresh(known)
    known.leave_out(one.id)
    known.add(two, contribution([(1, "uses", 4, 0, False)]))
    index.refresh(known)
    assert [entity.name for entity in index.named("ANA")] == ["ana"]
    assert isinstance(index.entities[entity_id("Ana")], Entity)


# -- the hashed embedder ---------------------------------------------------------------------


def test_the_same_text_gives_the_same_vector_in_every_process() -> None:
    code = (
        "from adapters.embeddings.hashed import HashedEmbedder as E;"
        "print(E().embed(['Ana Luísa usa Redis']).tobytes().hex())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert said == {HashedEmbedder().embed(["Ana Luísa usa Redis"]).tobytes().hex() + "\n"}


@given(st.lists(st.text(max_size=80), max_size=5))
def test_vectors_are_of_length_one_or_of_nothing(texts: list[str]) -> None:
    rows = HashedEmbedder().embed(texts)
    assert rows.shape == (len(texts), DIMENSION)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    blank = [not re.search(r"[^\W_]", text) for text in texts]
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | np.isclose(lengths, 0))
    assert all(length == 0 for length, nothing in zip(lengths, blank, strict=True) if nothing)


def test_accents_and_case_fold_and_likeness_is_graded() -> None:
    rows = HashedEmbedder().embed(["Ana Luísa", "ANA LUISA", "Ana Luiza", "payment broker"])
    same, near, far = (float(rows[0] @ row) for row in rows[1:])
    assert same == pytest.approx(1)
    assert near > 0.5 > abs(far)
