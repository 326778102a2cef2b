"""P9 beside Neo4j: what is extracted projected there, and Graphiti's stock driver on the same server.

Both extract by the same rules from the same episodes of 7 facts. Ours extracts on the index and
projects in batches; stock Graphiti asks the server for everything, and writes there itself. Most of
either's time is the server's, so the wall clock is compared, the client's CPU stands beside it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Final
from uuid import uuid4

from bench.clock import cpu
from bench.context import Context
from bench.conversations import Conversations, read_marked
from bench.report import Row, span
from edge.ports_knowledge import EpisodeText
from tests.support.neo4j.process import Neo4jProcess, Server, missing

FACTS: Final = 7
BATCH: Final = 20
STOCK_EPISODES: Final = 20
_PROJECTION: Final = 0.015
_TIMES: Final = 10

Spent = tuple[float, float]
"""CPU and wall seconds an episode."""


def measure(context: Context) -> list[Row]:
    lacking = missing()
    if lacking:
        context.notes.append(f"Neo4j was not measured: {lacking}.")
        return []
    server = Neo4jProcess(context.memory / "neo4j")
    try:
        return _rows(server.server, 200 if context.quick else 1_000)
    finally:
        server.stop()


def _rows(server: Server, episodes: int) -> list[Row]:
    talk = Conversations(FACTS)
    early, late, extracted = _projected(server, list(talk.episodes(episodes)))
    stock = asyncio.run(_stock(server, list(Conversations(FACTS).episodes(STOCK_EPISODES))))
    ours = extracted[1] + early[1]
    ratio = stock[1] / ours
    return [
        Row(
            "P9",
            f"projecting an episode of {FACTS} facts into Neo4j, the first {BATCH * 5} after warming",
            f"{span(early[0])} client ({span(early[1])} wall)",
            bar=f"≤ {_PROJECTION * 1e3:.0f} ms",
            met=early[1] <= _PROJECTION,
            sizes=f"batches of {BATCH}",
        ),
        Row(
            "P9",
            f"the same, the last {BATCH * 5} of {episodes:,}",
            f"{span(late[0])} client ({span(late[1])} wall)",
            ratio=f"{late[1] / early[1]:.2f}×",
            bar=f"≤ {_PROJECTION * 1e3:.0f} ms, flat",
            met=late[1] <= _PROJECTION and late[1] <= 1.5 * early[1],
        ),
        Row(
            "P9",
            "extracting and projecting an episode, beside Graphiti's stock Neo4j driver",
            span(ours),
            peer=span(stock[1]),
            ratio=f"{ratio:.0f}× faster",
            bar=f"≥ {_TIMES}×",
            met=ratio >= _TIMES,
            sizes=f"wall clock, stock over its first {STOCK_EPISODES} episodes",
        ),
    ]


def _projected(server: Server, texts: Sequence[EpisodeText]) -> tuple[Spent, Spent, Spent]:
    """Projecting early and late, and extracting, an episode each; two batches warm the server first."""
    from adapters.embeddings.hashed import HashedEmbedder
    from adapters.graph.extractor import GraphitiExtractor
    from adapters.graph.neo4j.graph import Neo4jGraph
    from tests.support.knowledge import FoldedKnowledge, KeptTexts, KeptVectors

    embedder, vectors, known = HashedEmbedder(), KeptVectors(), FoldedKnowledge()
    extractor = GraphitiExtractor("bench", None, embedder, vectors, KeptTexts(), rules=read_marked)
    group = f"g{uuid4().hex[:12]}"
    batches: list[Spent] = []
    extracting: list[Spent] = []
    with closing(Neo4jGraph(server.uri, server.password, group, embedder, vectors, log_id="bench")) as graph:
        for begin in range(0, len(texts), BATCH):
            began = cpu(), time.perf_counter()
            for text in texts[begin : begin + BATCH]:
                extractor.refresh(known)
                known.add(text, {"episode": text.id, "by": extractor.by, **extractor.extract(text)})
            extracting.append(_since(began))
            extractor.refresh(known)
            began = cpu(), time.perf_counter()
            graph.project(known)
            batches.append(_since(began))
    return _mean(batches[2:7]), _mean(batches[-5:]), _mean(extracting[2:])


async def _stock(server: Server, texts: Sequence[EpisodeText]) -> Spent:
    """Stock Graphiti, its own Neo4j driver, our rules: an episode."""
    from adapters.embeddings.hashed import HashedEmbedder
    from adapters.graph.loading import load_graphiti

    load_graphiti(HashedEmbedder.dimension)
    from graphiti_core import Graphiti
    from graphiti_core.driver.neo4j_driver import Neo4jDriver
    from graphiti_core.nodes import EpisodeType

    from adapters.graph.cleaning import iso
    from adapters.graph.embedding import Remembering
    from adapters.graph.extraction import NoCrossEncoder, PortEmbedder
    from adapters.graph.index import Index
    from adapters.graph.kinds import entity_types
    from adapters.graph.prompting import structured_prompts
    from adapters.graph.rules import RuleClient
    from tests.support.knowledge import KeptVectors

    embedder = Remembering(HashedEmbedder())
    rules = RuleClient(Index(embedder, KeptVectors()))
    driver = Neo4jDriver(server.uri, "neo4j", server.password)
    if driver._init_task:
        await driver._init_task
    graphiti = Graphiti(
        graph_driver=driver,
        llm_client=rules,
        embedder=PortEmbedder(embedder),
        cross_encoder=NoCrossEncoder(),
        prompt_library=structured_prompts(),
    )
    group, spent = f"s{uuid4().hex[:12]}", []
    for text in texts:
        rules.begin(read_marked(text.turns, lambda _name: None), iso(text.at))
        began = cpu(), time.perf_counter()
        await graphiti.add_episode(
            name=text.session,
            episode_body="\n".join(turn["text"] for turn in text.turns),
            source_description="session",
            reference_time=text.at,
            source=EpisodeType.message,
            group_id=group,
            entity_types=entity_types(),
        )
        taken = cpu() - began[0], time.perf_counter() - began[1]
        spent.append((taken[0] * BATCH, taken[1] * BATCH))
    await driver.close()  # all that Graphiti holds open
    return _mean(spent[2:])


def _since(began: Spent) -> Spent:
    return cpu() - began[0], time.perf_counter() - began[1]


def _mean(batches: Sequence[Spent]) -> Spent:
    """An episode's, on the mean over batches."""
    per = len(batches) * BATCH
    return sum(one for one, _ in batches) / per, sum(two for _, two in batches) / per
