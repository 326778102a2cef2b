"""P11: knowledge search over 20k facts, hashed embedder, warm: words and likeness put together."""

from __future__ import annotations

import random
import statistics
import time
from typing import Final

from bench.context import Context
from bench.report import Row, span
from edge.domain.events import NO_STREAM, Data, NewEvent
from edge.domain.knowledge import entity_id, fact_id, mention_id

BAR: Final = 0.050
FACTS_EACH: Final = 8
QUERIES: Final = 200

_LEXICON: Final = 4_000


def measure(context: Context) -> list[Row]:
    from adapters.embeddings.hashed import HashedEmbedder
    from adapters.eventlog.memory import MemoryEventLog
    from projections.known import StoredVectors
    from projections.models import MODELS
    from projections.queries import ReadModels
    from projections.runner import Runner
    from projections.store import ReadStore

    facts = 2_000 if context.quick else 20_000
    words = random.Random(11)
    log = MemoryEventLog()
    log.append("log-g", [_event("log.created", {"log_id": "bench"})], NO_STREAM)
    for episode in range(facts // FACTS_EACH):
        id_ = f"episode-{episode}"
        log.append(f"extraction-g.{id_}", [_event("episode.extracted", _contribution(id_, words))], NO_STREAM)
    store = ReadStore(context.memory / "p11.db", MODELS, "bench")
    Runner(log, store, "log-g").catch_up()
    view = ReadModels(store).knowledge
    embedder, vectors = HashedEmbedder(), StoredVectors(store)
    queries = [_sentence(words) for _ in range(QUERIES)]
    view.search(queries[0], embedder, vectors, 10)  # warm: the vectors are made and in memory
    cpu, wall = [], []
    for query in queries:
        began, looked = time.process_time(), time.perf_counter()
        found = view.search(query, embedder, vectors, 10)
        cpu.append(time.process_time() - began)
        wall.append(time.perf_counter() - looked)
        assert len(found) == 10, query
    vectors.close()
    store.close()
    p95 = statistics.quantiles(cpu, n=20)[-1]
    return [
        Row(
            "P11",
            "knowledge search, warm, 10 best",
            f"p95 {span(p95)}, median {span(statistics.median(cpu))}"
            f" (wall p95 {span(statistics.quantiles(wall, n=20)[-1])})",
            bar=f"p95 ≤ {span(BAR)}",
            met=p95 <= BAR,
            sizes=f"{facts:,} facts, {QUERIES} queries of 6 words",
        )
    ]


def _event(type_: str, data: Data) -> NewEvent:
    from adapters.system import TimeOrderedIds

    metadata = {"recorded_at": "2026-11-01T08:00:00.000Z", "actor": "extractor", "batch": [0, 1]}
    return NewEvent(TimeOrderedIds().new(), type_, data, metadata)


def _word(words: random.Random) -> str:
    """A word of a growing lexicon, the early ones far more often."""
    return f"w{int(words.paretovariate(0.7)) % _LEXICON:04d}ord"


def _sentence(words: random.Random, length: int = 6) -> str:
    return " ".join(_word(words) for _ in range(length))


def _contribution(episode: str, words: random.Random) -> Data:
    facts = []
    entities: dict[str, str] = {}
    for _ in range(FACTS_EACH):
        source, target = _word(words).capitalize(), _word(words).capitalize()
        statement = f"{source} uses {target} for {_sentence(words, 9)}"
        one, other = entity_id(source), entity_id(target)
        entities |= {one: source, other: target}
        facts.append(
            {
                "id": fact_id(one, "USES", other, statement),
                "source": one,
                "target": other,
                "relation": "USES",
                "statement": statement,
            }
        )
    return {
        "episode": episode,
        "by": {"extractor": "bench", "version": "1", "model": "rules"},
        "gist": "",
        "entities": [{"id": id_, "name": name} for id_, name in entities.items()],
        "facts": facts,
        "mentions": [[mention_id(episode, id_), id_] for id_ in entities],
        "cost": {},
    }
