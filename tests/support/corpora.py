"""Generated knowledge: episodes about topics, as extraction would have contributed them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from edge.domain.events import Data
from edge.domain.knowledge import entity_id, fact_id, mention_id
from tests.support.house import House

SPOKEN = datetime(2026, 8, 1, 9, tzinfo=UTC)


class Speaker:
    """Says one episode after the other: each about a topic of its own vocabulary, which grows, with a
    few words that all topics share."""

    def __init__(self, seed: int = 1, topics: int = 12, facts: int = 7) -> None:
        self._random = Random(seed)
        self._topics = topics
        self._facts = facts
        self.spoken = 0

    def contribution(self, episode: str) -> Data:
        """What an extraction of the next episode says."""
        topic = min(int(self._random.paretovariate(0.7)) - 1, self._topics - 1)
        entities: dict[str, Data] = {}
        facts: dict[str, Data] = {}
        for _ in range(self._facts):
            one, other = self._name(topic), self._name(topic)
            if one == other:
                continue
            statement = f"{one} needs {other}"
            source, target = entity_id(one), entity_id(other)
            entities |= {source: {"id": source, "name": one}, target: {"id": target, "name": other}}
            id_ = fact_id(source, "NEEDS", target, statement)
            facts[id_] = {
                "id": id_,
                "source": source,
                "target": target,
                "relation": "NEEDS",
                "statement": statement,
            }
        self.spoken += 1
        return {
            "episode": episode,
            "by": {"extractor": "test", "version": "1", "model": "rules"},
            "gist": f"spoke of topic {topic}",
            "entities": list(entities.values()),
            "facts": list(facts.values()),
            "mentions": [[mention_id(episode, id_), id_] for id_ in entities],
            "cost": {"calls": 0, "tokens": 0, "seconds": 0.0},
        }

    def _name(self, topic: int) -> str:
        if self._random.random() < 0.08:
            return f"shared {int(self._random.paretovariate(0.8)) % 60}"
        return f"topic {topic} word {int(self._random.paretovariate(0.7)) % (8 + self.spoken // 12)}"


def speak(house: House, speaker: Speaker, episodes: int) -> list[str]:
    """Have episodes captured and extracted, a few a day; their ids."""
    said = []
    for _ in range(episodes):
        n = speaker.spoken
        at = (SPOKEN + timedelta(hours=6 * n)).isoformat().replace("+00:00", "Z")
        captured(house, f"s{n}", at)
        episode = next(house.memory.read(f"episode-g.s{n}")).id
        data = speaker.contribution(episode)
        house.foreign("episode.extracted", f"extraction-g.{episode}", actor="extractor", **data)
        said.append(episode)
    house.current()
    return said


def captured(
    house: House, session: str, at: str, project: str | None = None, presence: str = "present"
) -> None:
    """One episode of one turn."""
    turn = {"id": session, "role": "operator", "ts": at, "text": f"turn of {session}"}
    said = {"session": session, "surface": "claude-code", "tier": "low", "presence": presence}
    house.foreign(
        "episode.captured",
        f"episode-g.{session}",
        actor="sweep",
        **said,
        **({"project": project} if project else {}),
        **{"from": 0, "to": 10, "prefix_hash": "x", "turns": [turn]},
    )
