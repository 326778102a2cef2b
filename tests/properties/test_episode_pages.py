"""Episodes folded in one page and one append at a time come to the same, strangers' histories too."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.eventlog.memory import MemoryEventLog
from edge.domain.events import NewEvent
from projections import runner
from projections.episodes import counts
from tests.support.house import LOG_ID, dump, folded

SESSIONS = ("s1", "s2")
EPISODES = ("e1", "e2", "e3", "e4")

turns = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(["t1", "t2", "t3"]),
            "role": st.sampled_from(["operator", "assistant"]),
            "text": st.sampled_from(["one", "dois", "três"]),
        },
        optional={"ts": st.sampled_from(["2026-11-20T10:00:00Z", "2026-11-20T13:00:00+02:00", "no time"])},
    ),
    max_size=3,
)
presences = st.sampled_from(["present", "unknown", "absent"])
captured = st.tuples(
    st.just("episode.captured"), st.sampled_from(SESSIONS), presences, turns, st.integers(0, 3)
)
told = st.tuples(st.just("episode.reclassified"), st.sampled_from(SESSIONS), presences)
forgotten = st.tuples(st.just("episode.forgotten"), st.sampled_from(SESSIONS))
extracted = st.tuples(st.just("episode.extracted"), st.sampled_from(EPISODES))


def data_of(step: Any) -> dict[str, Any]:
    match step:
        case ("episode.captured", session, presence, said, at):
            here = {"session": session, "surface": "claude-code", "tier": "low", "presence": presence}
            return {**here, "from": at * 10, "to": at * 10 + 10, "prefix_hash": "h", "turns": said}
        case ("episode.reclassified", _, presence):
            return {"from": 0, "to": 20, "presence": presence}
        case ("episode.forgotten", _):
            return {"to": 20, "permanent": False, "keys": []}
        case (_, episode):
            return {"episode": episode, "by": {"model": "rules"}, "gist": "", "cost": {}}
    raise AssertionError(step)


def log_of(steps: list[Any]) -> MemoryEventLog:
    """A log of the steps, one append each; the first four captured are the episodes there are names for."""
    log, ends = MemoryEventLog(), {"log-g": -1}
    ids = iter(EPISODES)
    log.append("log-g", [NewEvent("0", "log.created", {"log_id": LOG_ID}, {"batch": [0, 1]})], -1)
    for nth, step in enumerate(steps):
        category = "extraction" if step[0] == "episode.extracted" else "episode"
        stream = f"{category}-g.{step[1]}"
        id_ = next(ids, f"other{nth}") if step[0] == "episode.captured" else f"n{nth}"
        metadata = {"batch": [0, 1], "recorded_at": f"2026-11-20T12:00:{nth % 60:02d}.000Z"}
        ends[stream] = log.append(
            stream, [NewEvent(id_, step[0], data_of(step), metadata)], ends.get(stream, -1)
        ).revision
    return log


@given(st.lists(st.one_of(captured, captured, extracted, extracted, told, forgotten), max_size=14))
def test_a_page_of_all_gives_what_a_page_an_append_gives(steps: list[Any]) -> None:
    log = log_of(steps)
    whole = folded(log).connection
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "PAGE_EVENTS", 1)
        assert dump(folded(log).connection) == dump(whole)


@given(st.lists(st.one_of(captured, captured, extracted, extracted, told, forgotten), max_size=14))
def test_what_is_counted_is_what_the_rows_say(steps: list[Any]) -> None:
    store = folded(log_of(steps))
    rows = list(store.connection.execute("SELECT presence, turns, extracted FROM episodes"))
    alive = [extracted for presence, turns, extracted in rows if presence != "absent" and turns > 0]
    assert counts(store.connection) == (len(alive), len([done for done in alive if not done]))
    assert not store.quarantined()
