"""One pass of extraction: what is due, what it may cost, and what becomes of what fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest

from edge.domain.events import NO_STREAM, Data, Draft
from edge.domain.refusal import Refused
from edge.extraction import ATTEMPTS, FIRST_WAIT, Bounds, Extracted, Extraction, Trouble
from edge.journal import Act, timestamp
from edge.ports_knowledge import EpisodeText, KnownGraph, ModelAway, ModelFailed, Spent
from tests.support.house import BEGAN, House


class ToldWaiting:
    """What waits, told by the test: id → when it was said. ``current`` takes out what the log has."""

    def __init__(self, house: House, **said: datetime) -> None:
        self.house = house
        self.said = said
        self.notes: dict[str, Trouble] = {}
        self.each: float | None = None

    def current(self) -> None:
        done = {event.data["episode"] for event in self.house.events("episode.extracted")}
        self.said = {id_: at for id_, at in self.said.items() if id_ not in done}

    def ids(self, since: str) -> list[str]:
        self.current()
        return [id_ for id_, at in self.said.items() if timestamp(at) >= since]

    def extracted(self, until: int) -> list[str]:
        last = {e.data["episode"]: e.position for e in self.house.events("episode.extracted")}
        return [id_ for id_, position in last.items() if position <= until]

    def text(self, episode: str) -> EpisodeText | None:
        if episode == "forgotten":
            return None
        turn = {"id": "t", "role": "operator", "ts": None, "text": "x" * 400}
        return EpisodeText(episode, BEGAN, "s", "claude-code", None, (turn,))

    def troubles(self) -> dict[str, Trouble]:
        return self.notes

    def trouble(self, episode: str, trouble: Trouble) -> None:
        self.notes[episode] = trouble

    def settled(self, episode: str) -> None:
        self.notes.pop(episode, None)

    def cost_each(self) -> float | None:
        return self.each


class ToldExtractor:
    """Extracts nothing but what it is told to; ``trouble`` names the episodes that fail, and how."""

    by = {"extractor": "told", "version": "1", "model": "told", "embedder": "none"}  # noqa: RUF012

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.trouble: dict[str, Exception] = {}
        self.before: dict[str, object] = {}

    def refresh(self, known: KnownGraph) -> None: ...

    def extract(self, episode: EpisodeText) -> Data:
        self.asked.append(episode.id)
        if episode.id in self.trouble:
            raise self.trouble[episode.id]
        return {"gist": f"of {episode.id}", "cost": {"calls": 3, "tokens": 500, "seconds": 0.5}}


class ToldLease:
    holder: str | None = None

    @contextmanager
    def held(self) -> Iterator[str | None]:
        yield self.holder


class Desk:
    def __init__(self, **said: datetime) -> None:
        self.house = House()
        self.waiting = ToldWaiting(self.house, **said)
        self.extractor = ToldExtractor()
        self.lease = ToldLease()
        self.seconds = 0.0
        self.started = 0

    def _start(self) -> ToldExtractor:
        self.started += 1
        return self.extractor

    def _now(self) -> float:
        self.seconds += 1
        return self.seconds

    def extraction(self, **bounds: float) -> Extraction:
        kept = Bounds(int(bounds.get("days", 14)), int(bounds.get("episodes", 99)), bounds.get("seconds", 99))
        return Extraction(
            self.house.journal,
            self._start,
            self.waiting,
            self.lease,
            kept,
            self._now,
            lambda _what, _done, _of: None,
        )

    def run(self, **bounds: float) -> Extracted:
        return self.extraction(**bounds).run("d1")


def ago(days: float) -> datetime:
    return BEGAN - timedelta(days=days)


def test_the_newest_days_come_first_each_in_log_order_then_what_is_older() -> None:
    desk = Desk(old=ago(90), older_yet=ago(200), new=ago(2), newest=ago(1))
    assert desk.run().episodes == 4
    assert desk.extractor.asked == ["new", "newest", "old", "older_yet"]


def test_each_result_is_one_event_of_the_extractor_that_names_its_episode_as_its_cause() -> None:
    desk = Desk(one=ago(1))
    done = desk.run()
    event = desk.house.events("episode.extracted")[0]
    assert (event.stream, event.revision, event.actor) == ("extraction-g.one", 0, "extractor")
    assert event.data["by"] == ToldExtractor.by
    assert (event.metadata["dispatch_id"], event.metadata["$causationId"]) == ("d1", "one")
    assert (done.calls, done.tokens, done.seconds, done.lag) == (3, 500, 0.5, 0)


def test_nothing_is_started_where_nothing_waits() -> None:
    desk = Desk()
    assert desk.run().stopped is None
    assert desk.started == 0


def test_a_pass_ends_at_its_episodes_and_at_its_seconds_and_the_next_goes_on() -> None:
    desk = Desk(a=ago(3), b=ago(2), c=ago(1))
    first = desk.run(episodes=1)
    assert (first.episodes, first.stopped, first.lag) == (1, "episodes", 2)
    second = desk.run(seconds=1)  # the clock of the test moves by one at each look
    assert (second.episodes, second.stopped, second.lag) == (1, "seconds", 1)
    assert desk.run().lag == 0
    assert desk.extractor.asked == ["a", "b", "c"]


def test_a_model_that_is_away_ends_the_pass_with_a_line_and_what_was_done_stays() -> None:
    desk = Desk(a=ago(2), b=ago(1))
    desk.extractor.trouble["b"] = ModelAway("the model does not answer", hint="start it")
    done = desk.run()
    assert (done.episodes, done.failed, done.lag) == (1, 0, 1)
    assert (done.stopped, done.said) == ("unreachable", "the model does not answer")
    assert desk.waiting.notes == {}  # the episode is not to blame
    del desk.extractor.trouble["b"]
    assert desk.run().lag == 0


def test_a_days_allowance_that_is_spent_ends_the_pass() -> None:
    desk = Desk(a=ago(1))
    desk.extractor.trouble["a"] = Spent("1,000 tokens are used up today")
    done = desk.run()
    assert (done.stopped, done.said, done.lag) == ("tokens", "1,000 tokens are used up today", 1)


def test_an_episode_that_fails_rests_and_is_tried_again_ever_later_until_it_is_set_aside() -> None:
    desk = Desk(bad=ago(2), good=ago(1))
    desk.extractor.trouble["bad"] = ModelFailed("it answered nonsense")
    done = desk.run()
    assert (done.episodes, done.failed, done.lag, done.set_aside) == (1, 1, 1, [])
    for attempt in range(1, ATTEMPTS):
        wait = FIRST_WAIT * 2 ** (attempt - 1)
        assert desk.waiting.notes["bad"] == Trouble(
            attempt, timestamp(desk.house.clock.now() + wait), "it answered nonsense"
        )
        assert desk.run().failed == 0  # it rests
        desk.house.hand_clock.move(wait / timedelta(hours=1))
        done = desk.run()
        assert done.failed == 1
    assert done.set_aside == ["bad"]
    desk.house.hand_clock.move(24 * 365)
    assert desk.run() == done._replace(failed=0)
    assert desk.extractor.asked.count("bad") == ATTEMPTS


def test_an_episode_that_fails_once_is_settled_by_the_next_try() -> None:
    desk = Desk(bad=ago(1))
    desk.extractor.trouble["bad"] = ModelFailed("it was cut off")
    desk.run()
    del desk.extractor.trouble["bad"]
    desk.house.hand_clock.move(1)
    assert (desk.run().episodes, desk.waiting.notes) == (1, {})


def test_a_result_that_is_none_or_too_large_is_that_episodes_trouble_and_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk(odd=ago(2), large=ago(1))
    answers: dict[str, Data] = {"odd": {"facts": "none"}, "large": {"gist": "x" * 2_000_000, "cost": {}}}
    monkeypatch.setattr(desk.extractor, "extract", lambda episode: answers[episode.id])
    done = desk.run()
    assert (done.episodes, done.failed) == (0, 2)
    assert desk.house.events("episode.extracted") == []


def test_an_episode_forgotten_meanwhile_is_passed_over() -> None:
    desk = Desk(forgotten=ago(2), there=ago(1))
    assert desk.run().episodes == 1
    assert desk.extractor.asked == ["there"]


def test_one_that_somebody_else_extracted_meanwhile_is_theirs() -> None:
    desk = Desk(shared=ago(1))
    kept = desk.extractor.extract

    def extract(episode: EpisodeText) -> Data:
        theirs = {"episode": "shared", "by": {"model": "theirs"}, "gist": "theirs"}
        stream = desk.house.streams.extraction("shared")
        desk.house.journal.append(stream, [Draft("episode.extracted", theirs)], NO_STREAM, Act("extractor"))
        return kept(episode)

    desk.extractor.extract = extract  # type: ignore[method-assign]
    done = desk.run()
    assert (done.episodes, done.failed, done.lag) == (0, 0, 0)
    assert [e.data["gist"] for e in desk.house.events("episode.extracted")] == ["theirs"]


def test_while_another_holds_the_lease_nothing_is_asked_and_it_is_named() -> None:
    desk = Desk(a=ago(1))
    desk.lease.holder = "process 7 on desk"
    done = desk.run()
    assert (done.stopped, done.lag) == ("busy", 1)
    assert "process 7 on desk" in (done.said or "")
    assert desk.started == 0


def test_the_estimate_goes_by_the_tally_else_by_the_words_and_is_nothing_for_rules() -> None:
    desk = Desk(a=ago(2), b=ago(1))
    assert desk.extraction().estimate(model=False) == (2, 0)
    guessed = desk.extraction().estimate(model=True)
    assert guessed.episodes == 2
    assert 2 * 4_000 < guessed.tokens < 2 * 5_000
    desk.waiting.each = 700.0
    assert desk.extraction(episodes=1).estimate(model=True) == (1, 700)


def test_asked_anew_each_result_is_followed_by_another_and_none_is_asked_for_twice() -> None:
    desk = Desk(a=ago(3), b=ago(2), c=ago(1))
    desk.run()
    until = desk.house.memory.head()
    desk.extractor.trouble["b"] = ModelAway("the model does not answer")
    first = desk.extraction().again(until)
    assert (first.episodes, first.stopped, first.lag) == (1, "unreachable", 2)
    del desk.extractor.trouble["b"]
    second = desk.extraction(episodes=1, seconds=1).again(until)  # whoever asks for all gets all
    assert (second.episodes, second.stopped, second.lag) == (2, None, 0)
    assert desk.extractor.asked == ["a", "b", "c", "a", "b", "b", "c"]
    streams = {event.stream: event.revision for event in desk.house.events("episode.extracted")}
    assert streams == dict.fromkeys(("extraction-g.a", "extraction-g.b", "extraction-g.c"), 1)


def test_nothing_is_asked_anew_of_what_was_forgotten() -> None:
    desk = Desk(a=ago(1))
    desk.run()
    until = desk.house.memory.head()
    desk.house.foreign("extraction.forgotten", "extraction-g.a", actor="operator")
    assert desk.extraction().again(until).episodes == 0
    assert desk.extractor.asked == ["a"]


def test_two_do_not_ask_anew_at_once() -> None:
    desk = Desk(a=ago(1))
    desk.lease.holder = "process 7 on desk"
    with pytest.raises(Refused, match="process 7 on desk"):
        desk.extraction().again(1)
