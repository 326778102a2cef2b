"""Whatever is told, repeated, contradicted and forgotten: the index holds the fold of the log."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from edge.domain.events import Data
from edge.domain.knowledge import fold, mention_id
from tests.specs.test_extraction import Story, without_time
from tests.support.episodes import episode
from tests.support.soak import more

names = st.sampled_from(
    ["Ana", "ana", "Érico", "Ana_Luísa", "Ana_Luisa_P", "courier", "src/a.py", "Redis", "redis_x"]
)
lines = st.builds(
    "{}{} {} {}{}".format,
    st.sampled_from(["", "", "! "]),
    names,
    st.sampled_from(["uses", "owns"]),
    names,
    st.sampled_from(["", "", " @2026-04-30", " @2026-06-01"]),
)
told = st.lists(
    st.tuples(st.lists(lines, max_size=5), st.one_of(st.none(), st.integers(0, 5))), min_size=1, max_size=6
)


@settings(deadline=None, max_examples=more(40, 4))
@given(told)
def test_the_index_is_the_fold_and_a_process_started_anew_agrees(
    steps: list[tuple[list[str], int | None]],
) -> None:
    through, restarted = Story(), Story()
    for number, (said, forgotten) in enumerate(steps):
        text = episode(number, *said)
        restarted.restart()
        data = through.tell(text)
        assert without_time(restarted.tell(text)) == without_time(data)
        _is_whole(data, text.id)
        if forgotten is not None and forgotten < number:
            for story in (through, restarted):
                story.known.leave_out(episode(forgotten).id)
        through.extractor.refresh(through.known)
        entities, facts = fold(through.known.contributions)
        index = through.extractor._index
        assert index.entities == entities
        assert index.facts == facts
        for fact in facts.values():
            assert {fact.source, fact.target} <= entities.keys(), "no fact is left hanging"


def _is_whole(data: Data, episode_id: str) -> None:
    ids = [entity["id"] for entity in data["entities"]]
    assert len(set(ids)) == len(ids)
    assert data["order"] == [fact["id"] for fact in data["facts"]]
    assert len(set(data["order"])) == len(data["order"])
    assert all({fact["source"], fact["target"]} <= set(ids) for fact in data["facts"])
    assert data["mentions"] == [[mention_id(episode_id, entity), entity] for _, entity in data["mentions"]]
    assert {entity for _, entity in data["mentions"]} <= set(ids)
