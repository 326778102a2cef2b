"""What one episode contributes, given what is known: by rules, through Graphiti."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from adapters.embeddings.hashed import HashedEmbedder
from adapters.graph.extractor import GraphitiExtractor
from adapters.graph.reading import Named, Read, Related, read
from edge.domain.catalogue import validated
from edge.domain.events import Data
from edge.domain.knowledge import entity_id, fact_id, mention_id
from edge.domain.refusal import Misused
from edge.ports_knowledge import EpisodeText, ModelAway, ModelFailed
from tests.support.episodes import episode, read_lines
from tests.support.knowledge import FoldedKnowledge, KeptTexts, KeptVectors


class Story:
    """Extraction episode after episode, as the log would have it; ``restart`` gives a new process."""

    def __init__(self, rules: Any = read_lines) -> None:
        self.known = FoldedKnowledge()
        self.vectors = KeptVectors()
        self.rules = rules
        self.restart()

    def restart(self) -> None:
        self.extractor = GraphitiExtractor(
            "g", None, HashedEmbedder(), self.vectors, KeptTexts(), rules=self.rules
        )

    def tell(self, text: EpisodeText) -> Data:
        self.extractor.refresh(self.known)
        data = self.extractor.extract(text)
        self.known.add(text, stored(text, data, self.extractor.by))
        return data


def stored(text: EpisodeText, data: Data, by: dict[str, str]) -> Data:
    """As the log would hold it: validated, and through JSON."""
    whole = validated("episode.extracted", {"episode": text.id, "by": by, **data}, "extractor")
    back: Data = json.loads(json.dumps(whole))
    return back


def facts_by_words(data: Data) -> dict[str | None, Data]:
    """By what they state; None: one that is only closed."""
    return {fact.get("statement"): fact for fact in data["facts"]}


@pytest.fixture
def story() -> Story:
    return Story()


def test_a_first_episode_gives_entities_facts_and_mentions_with_the_ids_anybody_would_give(
    story: Story,
) -> None:
    text = episode(1, "Ana uses Redis")
    data = story.tell(text)
    ana, redis = entity_id("Ana"), entity_id("Redis")
    assert data["entities"] == [
        {"id": ana, "name": "Ana", "labels": ["Concept"]},
        {"id": redis, "name": "Redis", "labels": ["Concept"]},
    ]
    fact = fact_id(ana, "uses", redis, "Ana uses Redis")
    assert data["facts"] == [
        {
            "id": fact,
            "source": ana,
            "target": redis,
            "relation": "uses",
            "statement": "Ana uses Redis",
            "valid_from": "2026-05-01T10:00:00Z",
            "reference_time": "2026-05-01T10:00:00Z",
        }
    ]
    assert data["mentions"] == [[mention_id(text.id, ana), ana], [mention_id(text.id, redis), redis]]
    assert data["order"] == [fact]
    assert data["gist"] == "Ana uses Redis"
    assert data["cost"]["calls"] == data["cost"]["tokens"] == data["cost"]["dropped"] == 0


def test_a_fact_said_again_comes_with_its_first_words_and_date(story: Story) -> None:
    first = story.tell(episode(1, "Ana_Luísa uses Redis"))
    again = story.tell(episode(2, "ana_luisa uses redis"))
    assert again["facts"] == first["facts"]
    assert [entity["name"] for entity in again["entities"]] == ["Ana Luísa", "Redis"]
    (fact,) = story.known.facts.values()
    assert len(fact.episodes) == 2


def test_what_a_marked_statement_contradicts_is_closed_in_the_words_of_nobody(story: Story) -> None:
    story.tell(episode(1, "Ana uses Redis", "Ana knows Bruno"))
    data = story.tell(episode(2, "! Valkey replaces Redis"))
    by_words = facts_by_words(data)
    assert set(by_words) == {"Valkey replaces Redis", None}
    (known,) = (fact for fact in story.known.facts.values() if fact.statement == "Ana uses Redis")
    assert by_words[None] == {"id": known.id, "closed": ["2026-05-01T11:00:00Z", "2026-05-01T11:00:00Z"]}
    assert "closed" not in by_words["Valkey replaces Redis"]
    assert {entity["name"] for entity in data["entities"]} == {"Valkey", "Redis"}
    assert len(data["mentions"]) == 2
    assert known.closed == ("2026-05-01T11:00:00Z", "2026-05-01T11:00:00Z")
    assert len(known.episodes) == 1, "who only doubts a fact does not support it"


def test_what_is_said_to_have_ended_ends_that_very_relation_and_no_other() -> None:
    story = Story(rules=read)
    story.tell(episode(1, "The `worker` uses Redis.", "The `worker` uses Postgres.", "Redis runs on Fly.io."))
    data = story.tell(episode(2, "The `worker` no longer uses Redis."))
    closed = {story.known.facts[fact["id"]].statement for fact in data["facts"] if fact.get("closed")}
    assert closed == {"The `worker` uses Redis."}


def test_without_a_mark_nothing_is_closed(story: Story) -> None:
    story.tell(episode(1, "Ana uses Redis"))
    data = story.tell(episode(2, "Ana uses Valkey"))
    assert set(facts_by_words(data)) == {"Ana uses Valkey"}


def test_a_fact_closed_before_and_said_again_is_not_closed_again(story: Story) -> None:
    story.tell(episode(1, "Ana uses Redis"))
    story.tell(episode(2, "! Valkey replaces Redis"))
    data = story.tell(episode(3, "Ana uses Redis"))
    assert "closed" not in facts_by_words(data)["Ana uses Redis"]


def test_leaving_out_the_episode_that_closed_a_fact_opens_it_again(story: Story) -> None:
    story.tell(episode(1, "Ana uses Redis"))
    closing = episode(2, "! Valkey replaces Redis")
    story.tell(closing)
    story.tell(episode(3, "Ana uses Redis"))
    story.known.leave_out(closing.id)
    story.extractor.refresh(story.known)
    (fact,) = (fact for fact in story.known.facts.values() if fact.alive)
    assert fact.statement == "Ana uses Redis"
    assert fact.closed is None
    assert set(story.extractor._index.facts) == {fact.id}


def test_a_fact_repeated_and_contradicted_in_one_episode_keeps_both(story: Story) -> None:
    story.tell(episode(1, "Ana uses Redis"))
    data = story.tell(episode(2, "Ana uses Redis", "! Valkey replaces Redis"))
    by_words = facts_by_words(data)
    assert by_words["Ana uses Redis"]["closed"]
    assert set(by_words) == {"Ana uses Redis", "Valkey replaces Redis"}
    assert len(data["order"]) == len(data["facts"]) == 2


def test_said_twice_in_one_episode_is_there_once(story: Story) -> None:
    data = story.tell(episode(1, "Ana uses Redis", "ana uses redis", "ANA uses Redis"))
    assert len(data["facts"]) == 1
    assert len(data["entities"]) == len(data["mentions"]) == 2


def test_names_that_normalise_to_the_same_within_an_episode_are_one_entity(story: Story) -> None:
    data = story.tell(episode(1, "Érico uses Redis", "Erico knows Ana"))
    assert len({entity["id"] for entity in data["entities"]}) == len(data["entities"]) == 3


def test_a_date_that_was_said_counts(story: Story) -> None:
    data = story.tell(episode(1, "Ana uses Redis @2025-12-24"))
    assert data["facts"][0]["valid_from"] == "2025-12-24T00:00:00Z"
    assert data["facts"][0]["reference_time"] == "2026-05-01T10:00:00Z"


def test_an_older_statement_does_not_close_a_newer_one(story: Story) -> None:
    story.tell(episode(5, "Ana uses Redis"))
    data = story.tell(episode(1, "! Valkey replaces Redis"))
    by_words = facts_by_words(data)
    assert "Ana uses Redis" not in by_words
    assert by_words["Valkey replaces Redis"]["closed"] == ["2026-05-01T14:00:00Z", "2026-05-01T10:00:00Z"]


LIFE = [
    episode(1, "Ana uses Redis", "Bruno owns courier", "src/a.py calls src/b.py"),
    episode(2, "Ana uses Redis", "Ana owns ledger", "Bruno knows Ana"),
    episode(3, "! Valkey replaces Redis", "Carla knows Bruno"),
    episode(4, "ana uses valkey", "! Carla replaces Bruno", "courier calls ledger"),
    episode(5, "! ledger replaces courier", "Ana_Maria knows Ana", "ledger calls courier"),
]


def without_time(data: Data) -> Data:
    return data | {"cost": {name: value for name, value in data["cost"].items() if name != "seconds"}}


def test_a_process_started_anew_extracts_the_same() -> None:
    through, restarted = Story(), Story()
    for text in LIFE:
        restarted.restart()
        assert without_time(through.tell(text)) == without_time(restarted.tell(text))


def test_extracting_the_same_again_gives_the_same() -> None:
    story = Story()
    for text in LIFE:
        story.extractor.refresh(story.known)
        first = story.extractor.extract(text)
        assert without_time(story.tell(text)) == without_time(first)


def test_what_was_extracted_is_not_known_before_the_log_has_it(story: Story) -> None:
    story.extractor.refresh(story.known)
    story.extractor.extract(episode(1, "Ana uses Redis"))
    assert not story.extractor._index.entities
    data = story.extractor.extract(episode(2, "! Valkey replaces Redis"))
    assert set(facts_by_words(data)) == {"Valkey replaces Redis"}


def test_nothing_to_read_is_a_contribution_too(story: Story) -> None:
    data = story.tell(episode(1, "Bom dia!"))
    assert (data["entities"], data["facts"], data["mentions"], data["order"]) == ([], [], [], [])
    assert story.tell(episode(2))["gist"] == ""


@pytest.mark.parametrize("text", ["\x00", "\u202e\u200b", "...", "   ", "\ud800"])
def test_names_of_which_nothing_is_left_are_dropped_with_their_facts_and_counted(text: str) -> None:
    def rules(turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None) -> Read:
        names = (Named(text, "Concept"), Named("Ana", "Person"), Named("Bruno", "Nonsense"))
        said = [
            Related("Ana", "knows", other, f"Ana knows {other}", "tomorrow", False)
            for other in ("Bruno", text)
        ]
        return Read(names, tuple(said), text)

    data = Story(rules).tell(episode(1, "hello"))
    assert [entity["name"] for entity in data["entities"]] == ["Ana", "Bruno"]
    assert [fact["statement"] for fact in data["facts"]] == ["Ana knows Bruno"]
    assert data["cost"]["dropped"] == 1


def test_a_fact_about_a_name_that_was_not_read_is_dropped_and_counted() -> None:
    def rules(turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None) -> Read:
        return Read(
            (Named("Ana", "Person"),), (Related("Ana", "knows", "Bruno", "Ana knows Bruno", None, False),), ""
        )

    data = Story(rules).tell(episode(1, "hello"))
    assert data["facts"] == []
    assert data["cost"]["dropped"] == 1


def test_what_is_long_or_many_is_bounded() -> None:
    def rules(turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None) -> Read:
        names = [f"n{nth} " + "x" * 5_000 for nth in range(500)]
        said = [
            Related(one, "k" * 999, two, "w " * 9_000 + one, None, False)
            for one, two in itertools.pairwise(names)
        ]
        return Read(tuple(Named(name, "Tool") for name in names), tuple(said), "g" * 9_999)

    data = Story(rules).tell(episode(1, "hello"))
    assert len(data["entities"]) <= 80
    assert len(data["facts"]) <= 120
    assert len(json.dumps(data)) < 250_000
    assert len(data["gist"]) <= 400


def test_rules_that_fail_leave_no_trace() -> None:
    story = Story()
    story.tell(episode(1, "Ana uses Redis"))
    before = dict(story.extractor._index.facts)

    def broken(turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None) -> Read:
        raise ValueError("secret words")

    story.extractor._rules = broken
    story.extractor._started()._rules = broken
    with pytest.raises(ModelFailed, match=r"^extraction failed: ValueError$"):
        story.extractor.extract(episode(2, "Ana uses Valkey"))
    assert story.extractor._index.facts == before
    assert not story.extractor._started().driver.staging.nodes


def test_the_reading_is_told_the_names_that_are_known() -> None:
    heard: list[str | None] = []

    def rules(turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None) -> Read:
        heard.append(known("ana luisa"))
        return read_lines(turns, known)

    story = Story(rules)
    story.tell(episode(1, "Ana_Luísa uses Redis"))
    story.tell(episode(2, "Bruno uses Redis"))
    assert heard == [None, "Ana Luísa"]


def test_an_embedder_that_is_away_is_said_and_the_next_refresh_makes_good() -> None:
    class Away(HashedEmbedder):
        away = True

        def embed(self, texts: Sequence[str]) -> Any:
            if self.away:
                raise ModelAway("the embedder does not answer")
            return super().embed(texts)

    story = Story()
    story.tell(episode(1, "Ana uses Redis"))
    embedder = Away()
    late = GraphitiExtractor("g", None, embedder, KeptVectors(), KeptTexts(), rules=read_lines)
    with pytest.raises(ModelAway):
        late.refresh(story.known)
    embedder.away = False
    late.refresh(story.known)
    assert set(late._index.facts) == set(story.known.facts)
    embedder.away = True
    with pytest.raises(ModelAway):
        late.extract(episode(2, "Carla owns courier"))


def test_by_says_who_extracted(story: Story) -> None:
    assert story.extractor.by == {
        "extractor": "graphiti",
        "version": "0.31.2+1",
        "model": "rules",
        "embedder": "hashed-384-1",
    }


def test_a_group_that_graphiti_could_not_take_is_refused() -> None:
    with pytest.raises(Misused):
        GraphitiExtractor("no group", None, HashedEmbedder(), KeptVectors(), KeptTexts())
