"""The Briefing's knowledge: what the operator promoted, then the clusters that matter now.

Every line says its tier, since what sessions were found to say is no more than a hypothesis.
What a model wrote of a cluster is left out: these lines follow from the log alone (I20).
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final, NamedTuple

from edge.clusters import each_statement_once
from edge.domain.episodes import BRIEFING_BEGIN, BRIEFING_END
from edge.domain.language import Lang, first_line
from edge.ports_knowledge import ClusterFact, ClusterView, KnownClusters

CURATED_SHOWN: Final = 8
CLUSTERS_SHOWN: Final = 5
STATEMENTS_SHOWN: Final = 3
FACTS_LOOKED_AT: Final = 24
"""Of a cluster, for statements that are not curated and say something new."""
STATEMENT_SHOWN: Final = 140
"""Characters of a statement."""
EVENTS_NAMED: Final = 20
"""Events of one fact that its line names, the latest."""

_FRAME: Final = re.compile("<(?=/?system-reminder)", re.IGNORECASE)
"""Of the block in which Claude Code gives a session what a hook says."""

_MORE_CURATED: Final[dict[Lang, str]] = {"en": "and {n} more curated", "pt": "e mais {n} curados"}


class Line(NamedTuple):
    """One line: its text, its tier, the events it came from."""

    text: str
    tier: str | None
    events: list[str]


def lines(known: KnownClusters, lang: Lang) -> list[Line]:
    """The section's lines, curated ones first; at most some :data:`CURATED_SHOWN` and
    :data:`CLUSTERS_SHOWN`."""
    curated = known.curated(CURATED_SHOWN)
    found = [Line(f"[curated] {quoted(one.statement)}", "curated", one.events) for one in curated]
    left = known.curated_count() - len(curated)
    if left > 0:
        found.append(Line(_MORE_CURATED[lang].format(n=left), None, []))
    for cluster in known.views(CLUSTERS_SHOWN, FACTS_LOOKED_AT):
        told = each_statement_once(fact for fact in cluster.facts if fact.tier != "curated")
        facts = list(islice(told, STATEMENTS_SHOWN))
        if facts:
            found.append(_cluster(cluster, facts, known))
    return found


def _cluster(cluster: ClusterView, facts: list[ClusterFact], known: KnownClusters) -> Line:
    doubted = all(fact.tier == "contested" for fact in facts)
    tier = "contested" if doubted else "hypothesis"
    said = "; ".join(
        quoted(fact.statement) + (" [contested]" if fact.tier == "contested" and not doubted else "")
        for fact in facts
    )
    events = [event for fact in facts for event in known.events_of(fact.id, EVENTS_NAMED)]
    text = f"[{tier}] **{quoted(cluster.label)}** ({cluster.id}): {said}"
    return Line(text, tier, list(dict.fromkeys(events)))


def quoted(text: str) -> str:
    """A statement in one line, cut, and unable to end what a Briefing is marked with."""
    return one_line(first_line(" ".join(text.split()), STATEMENT_SHOWN).rstrip(".;"))


def one_line(text: str) -> str:
    """A text in one line, unable to end what a Briefing is marked with or what a session frames it in."""
    line = " ".join(text.splitlines())
    for mark in (BRIEFING_BEGIN, BRIEFING_END, "<!--", "-->"):
        line = line.replace(mark, mark.replace("--", "- -"))
    return _FRAME.sub("< ", line)
