"""How much of the last days the Recap looked at, where it was not all of it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import apsw
import pytest

from edge.domain.language import Lang
from edge.recap import DAYS, EPISODES
from tests.support.corpora import captured
from tests.support.house import House, replayed

SAID = {
    "en": "looked at: the newest 200 of {n} episodes of the last 7 days",
    "pt": "vistos: os 200 episódios mais recentes dos {n} dos últimos 7 dias",
}


@pytest.fixture
def house() -> House:
    """An artefato, and the clock some days after it."""
    house = House()
    house.publish("filas", "Jobs were lost", body="# Filas\n\nA fila guarda os trabalhos.")
    house.hand_clock.move(24 * 20)
    return house


def live(house: House, episodes: int, days_ago: float = 1, presence: str = "present") -> list[str]:
    """Episodes that were said and read, each a second before the one before; their ids."""
    latest = house.hand_clock.at - timedelta(days=days_ago)
    return [_said(house, (latest - timedelta(seconds=n)).isoformat(), presence) for n in range(episodes)]


def _said(house: House, at: str, presence: str) -> str:
    session = f"s{house.memory.head()}"
    captured(house, session, at.replace("+00:00", "Z"), presence=presence)
    episode = next(house.memory.read(f"episode-g.{session}")).id
    house.foreign(
        "episode.extracted",
        f"extraction-g.{episode}",
        actor="extractor",
        episode=episode,
        by={"extractor": "test", "version": "1", "model": "rules"},
        gist="conversas sobre marés",
        entities=[],
        facts=[],
        mentions=[],
        cost={"calls": 0, "tokens": 0, "seconds": 0.0},
    )
    return episode


def recap(house: House, lang: Lang = "en") -> list[str]:
    house.settings = replace(house.settings, lang=lang)
    section = next(s for s in house.briefing(100_000).sections if s.name == "recap")
    return [item.text for item in section.items]


@pytest.mark.parametrize("lang", ["en", "pt"])
def test_more_than_are_looked_at_are_counted_and_the_first_line_says_so(house: House, lang: Lang) -> None:
    live(house, EPISODES)
    assert len(recap(house, lang)) == 1
    live(house, 31, days_ago=2)
    first, published = recap(house, lang)
    assert first == SAID[lang].format(n=EPISODES + 31)
    assert published.startswith("**filas**")


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "looked at: the newest 200 of more than 250 episodes of the last 7 days"),
        ("pt", "vistos: os 200 episódios mais recentes de mais de 250 dos últimos 7 dias"),
    ],
)
def test_counting_ends_where_it_is_known_that_there_are_many(
    house: House, lang: Lang, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("edge.recap", "edge.briefing_recap"):
        monkeypatch.setattr(f"{module}.COUNTED", 250)
    live(house, 250)
    assert recap(house, lang)[0] == SAID[lang].format(n=250)
    live(house, 2, days_ago=2)
    assert recap(house, lang)[0] == said


def test_only_episodes_that_count_and_were_said_in_those_days_are_counted(house: House) -> None:
    live(house, EPISODES + 5)
    live(house, 7, days_ago=DAYS + 1)  # too old
    live(house, 3, presence="absent")  # nobody's
    unread = house.hand_clock.at - timedelta(hours=1)
    captured(house, "unread", unread.isoformat().replace("+00:00", "Z"))
    assert recap(house)[0] == SAID["en"].format(n=EPISODES + 5)
    house.hand_clock.move(24 * DAYS)
    assert len(recap(house)) == 1  # all of them are too old now


def test_it_follows_from_log_and_clock(house: House) -> None:
    live(house, EPISODES + 2)
    again = replayed(house.events())
    again.hand_clock.at = house.hand_clock.at
    assert recap(again) == recap(house)


def test_a_tight_budget_leaves_it_standing(house: House) -> None:
    live(house, EPISODES + 2)
    text = house.briefing(1).text
    assert SAID["en"].format(n=EPISODES + 2) in text


def test_without_an_artefato_there_is_nothing_it_could_be_about() -> None:
    house = House()
    live(house, EPISODES + 1)
    section = next(s for s in house.briefing().sections if s.name == "recap")
    assert section.items == []


def test_counting_looks_at_the_window_and_not_at_all_there_is(house: House) -> None:
    asked: list[str] = []
    live(house, EPISODES)
    connection = house.store.connection
    connection.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))
    recap(house)
    connection.trace_v2(0)
    (count,) = {sql for sql in asked if re.match(r"SELECT count\(\*\) FROM \(SELECT 1 FROM knowledge", sql)}
    plan = connection.execute(f"EXPLAIN QUERY PLAN {count}", ("2026", 5)).fetchall()
    assert "SEARCH knowledge_episodes USING COVERING INDEX knowledge_episodes_at (at>?)" in {
        step[3] for step in plan
    }
