"""What each saving of model calls spares, and what it costs in contradictions found.

``python -m bench.model_calls`` prints the table. The model is a stand-in that always answers
rightly, so a contradiction is missed only where it was never asked about; a real model misses
more, and more of them the more is asked at once.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import Any, Final
from unittest.mock import patch

from adapters.embeddings.hashed import HashedEmbedder
from adapters.graph.extractor import GraphitiExtractor
from adapters.graph.loading import load_graphiti
from edge.ports_knowledge import Answer, EpisodeText
from tests.support.episodes import episode, read_lines
from tests.support.knowledge import FoldedKnowledge, KeptTexts, KeptVectors
from tests.support.standing_in import HOSTED, StandIn

EPISODES: Final = 60
_FACTS: Final = 7
_THINGS: Final = [f"{kind}-{nth}" for nth in range(12) for kind in ("courier", "ledger", "broker", "sweeper")]
_PLACES: Final = [f"{place}-{nth}" for nth in range(4) for place in ("lisbon", "porto", "faro", "braga")]
_RELATIONS: Final = ("uses", "calls", "reads", "blocks", "tests")


class Stock(StandIn):
    """The stand-in, also asked what only stock Graphiti asks."""

    async def ask(self, system: str, prompt: str, schema: dict[str, Any], *, purpose: str) -> Answer:
        if purpose in {"times", "summaries"}:
            self.asked.append(purpose)
            said = prompt.rsplit("<REFERENCE TIME>\n", maxsplit=1)[-1].split("\n", maxsplit=1)[0]
            times = {"valid_at": said[:25], "invalid_at": None}
            return Answer(times if purpose == "times" else {"summaries": []}, len(prompt) // 4)
        return await super().ask(system, prompt, schema, purpose=purpose)


def told(count: int) -> list[EpisodeText]:
    """Episodes in which things are moved from place to place, among other talk."""
    rng = random.Random(4)
    made = []
    for number in range(count):
        lines = []
        for _ in range(_FACTS):
            thing = _THINGS[min(int(rng.paretovariate(0.7)) - 1, len(_THINGS) - 1)]
            if rng.random() < 0.25:
                lines.append(f"{thing} {HOSTED} {rng.choice(_PLACES)}")
            else:
                lines.append(f"{thing} {rng.choice(_RELATIONS)} {rng.choice(_THINGS)}")
        made.append(episode(number, *lines))
    return made


def variants() -> dict[str, Any]:
    """Clients by what they save, each on top of the one before."""
    load_graphiti(HashedEmbedder.dimension)
    from graphiti_core.prompts.extract_edges import EdgeTimestamps, ExtractedEdges
    from graphiti_core.prompts.extract_nodes import SummarizedEntities
    from graphiti_core.prompts.lib import default_chat_prompt_library as stock

    from adapters.graph.model import ModelClient
    from adapters.graph.prompting import FACTS, SAME_FACTS, SUMMARIES, TIMES, Context

    class AsStock(ModelClient):
        """Every question a call of its own, dates and summaries asked for."""

        async def answer(self, question: str, context: Context) -> Context:
            if question == SAME_FACTS:
                return (await self._judged([context]))[0]
            if question == SUMMARIES:
                asked = stock.extract_nodes.extract_summaries_batch(context)
                return (await self._ask("summaries", asked, SummarizedEntities)).model_dump()
            if question == FACTS:
                return (
                    await self._ask("facts", stock.extract_edges.edge(context), ExtractedEdges)
                ).model_dump()
            if question == TIMES:
                asked = stock.extract_edges.extract_timestamps(context)
                return (await self._ask("times", asked, EdgeTimestamps)).model_dump()
            return await super().answer(question, context)

    class Dated(AsStock):
        async def answer(self, question: str, context: Context) -> Context:
            return await (ModelClient if question == FACTS else AsStock).answer(self, question, context)

    class Derived(Dated):
        async def answer(self, question: str, context: Context) -> Context:
            return await (ModelClient if question == SUMMARIES else Dated).answer(self, question, context)

    class SameEndsOnly(ModelClient):
        async def answer(self, question: str, context: Context) -> Context:
            if question == SAME_FACTS:
                context = context | {"edge_invalidation_candidates": []}
                if not context["existing_edges"]:
                    return {"duplicate_facts": [], "contradicted_facts": []}
            return await super().answer(question, context)

    return {
        "stock Graphiti's questions": AsStock,
        "dates asked with the facts": Dated,
        "summaries derived from facts": Derived,
        "all facts judged in one call: as built": ModelClient,
        "only facts of the same two ends judged": SameEndsOnly,
    }


def run(client: Any) -> tuple[float, float, int, Counter[str]]:
    """Calls and tokens an episode, contradictions found, calls by purpose."""
    from adapters.graph import extraction

    with patch.object(extraction, "ModelClient", client):
        model, known, texts = Stock(), FoldedKnowledge(), KeptTexts()
        extractor = GraphitiExtractor(
            "bench", model, HashedEmbedder(), KeptVectors(), texts, rules=read_lines
        )
        calls = tokens = 0.0
        for text in told(EPISODES):
            extractor.refresh(known)
            data = extractor.extract(text)
            calls += data["cost"]["calls"]
            tokens += data["cost"]["tokens"]
            known.add(text, data)
            texts.texts[text.id] = text
    closed = sum(1 for fact in known.facts.values() if fact.closed)
    return calls / EPISODES, tokens / EPISODES, closed, Counter(model.asked)


def main() -> int:
    print(f"{EPISODES} episodes of {_FACTS} facts\n")
    print("| saving, on top of those above | calls | tokens in and out | contradicted |\n|---|---|---|---|")
    for name, client in variants().items():
        calls, tokens, closed, asked = run(client)
        print(f"| {name} | {calls:.1f} | {tokens:,.0f} | {closed} |")
        print(name, dict(asked), file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
