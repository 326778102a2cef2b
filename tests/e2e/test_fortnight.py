"""A scripted fortnight, lived day by day: what is shown each evening is what the script comes to.

The script is data (tests/fortnight). What it comes to is worked out from it by an oracle that knows
nothing of edge; which sessions an artefato is about, the script says itself. The same play a second
time, or on another log, shows the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fortnight.acts import Answer, Close, Comment, Forget, Imported, Open, Promote, Session, Vote
from tests.fortnight.oracle import Ballot, World
from tests.fortnight.played import Play, Played, at_a_terminal
from tests.fortnight.week_one import WEEK_ONE
from tests.fortnight.week_two import WEEK_TWO
from tests.support.esdb.process import EventStoreProcess

DAYS = WEEK_ONE + WEEK_TWO
ACTS_SHOWN = 5
NAMED = 3
OFFERED = 8
MEASURED = frozenset(("seconds", "mode", "position", "head", "cursor"))
"""What this machine's clock says, and what differs between logs."""
HEALTH = re.compile(r"## Health\n.*?\n## ", re.DOTALL)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with at_a_terminal(tmp_path_factory.mktemp("fortnight") / "home") as person:
        yield Play(person, None).through(DAYS)


def evenings() -> list[World]:
    return [World(DAYS, day.looked_at) for day in DAYS]


def openings() -> list[World]:
    """The world just as each dispatch is opened."""
    return [
        World(DAYS, day.when(happening.at))
        for day in DAYS
        for happening in day.happens
        if isinstance(happening, Open)
    ]


def briefings(played: Played) -> list[tuple[World, dict[str, list[dict[str, Any]]]]]:
    """Each Briefing of an evening or of an opening, its lines by section, with the world it is of."""
    shown = [evening.briefing for evening in played.evenings]
    shown += [opened["briefing"] for _, opened in played.opened]
    return [
        (world, {section["name"]: section["items"] for section in briefing["sections"]})
        for world, briefing in zip([*evenings(), *openings()], shown, strict=True)
    ]


def test_the_script_is_as_long_as_it_has_to_be() -> None:
    happens = [happening for day in DAYS for happening in day.happens]
    acts = sum(isinstance(h, Comment | Vote | Answer) for h in happens)
    acts += sum(len(h.comments) for h in happens if isinstance(h, Imported))
    assert (len(DAYS), len({h.artefato.slug for h in happens if isinstance(h, Close) and h.artefato})) == (
        14,
        12,
    )
    assert len({h.goes_on or h.label for h in happens if isinstance(h, Session)}) >= 40
    assert acts >= 60
    for day in DAYS:
        assert [h.at for h in day.happens] == sorted(h.at for h in day.happens)


def test_every_chat_stands_as_what_was_said_and_decided_leaves_it(played: Played) -> None:
    for world, evening in zip(evenings(), played.evenings, strict=True):
        titles = {s["id"]: s["title"] for e in played.evenings for t in _TIERS for s in e.direction[t]}
        told = [
            (
                *(played.keys[c["comment_id"]], c["body"], c["target_ref"], c["state"]),
                *(c["closed_by"], c["outcome"], c["reply"], titles.get(c["direction_id"])),
            )
            for c in evening.chats
        ]
        expected = [
            (c.key, c.text, c.on, c.state, c.closed_by, c.outcome, c.reply, c.steer)
            for c in world.chats.values()
        ]
        assert told == expected


def test_every_act_is_owed_what_it_is_owed(played: Played) -> None:
    for world, evening in zip(evenings(), played.evenings, strict=True):
        assert evening.pending["counts"] == world.pending()
        told = [(a["kind"], a["target"], a["text"], a["value"]) for a in evening.pending["pending"]]
        assert told == [
            ("vote", a.slug, None, a.value) if isinstance(a, Ballot) else ("comment", a.on, a.text, None)
            for a in world.waiting()
        ]
        states = [chat.state for chat in world.chats.values()]
        status = {
            "open": len(states) - states.count("closed"),
            "actionable": states.count("open"),
            "awaiting": states.count("parked"),
            "naked": world.pending()["naked"],
            "overflow": world.overflow,
            "unfinished_runs": [],
            "errors": [],
            "projection_lag": 0,
            "degraded": False,
        }
        assert {name: evening.status[name] for name in status} == status


def test_each_grill_loads_what_hurts_most_first_and_rules_settle_what_is_settled(played: Played) -> None:
    assert len(played.loaded) == 4
    for grill, loaded in played.loaded:
        assert loaded == [decision.key for decision in grill.decides]
    ends = {"park": "parked", "acknowledge": "acknowledged", "fold": "folded-to-direction"}
    assert len(played.ruled) == 6
    for rules, made in played.ruled:
        assert [*made.items()] == [(d.key, ends[d.do]) for d in rules.decides]


_TIERS = ("set", "proposed", "expired")


def test_direction_holds_what_was_set_proposed_and_ran_out_in_first_seen_order(played: Played) -> None:
    for world, evening in zip(evenings(), played.evenings, strict=True):
        told = {tier: [steer["title"] for steer in evening.direction[tier]] for tier in _TIERS}
        assert told == world.direction()
        for steer in (steer for tier in _TIERS for steer in evening.direction[tier]):
            held = world.steers[steer["title"]]
            assert (steer["body"], steer["kind"]) == (held.steer.body, held.steer.kind)
            assert (steer["expires_at"], steer["from_artefato"]) == (held.steer.expires, held.slug)


def test_the_corpus_has_each_artefato_with_its_why_its_vote_and_what_became_of_it(played: Played) -> None:
    for world, evening in zip(evenings(), played.evenings, strict=True):
        told = [
            (a["slug"], a["title"], a["intent"], a["revision"], a["votes"], a["impact"], a["open_chats"])
            for a in evening.artefatos
        ]
        assert told == [
            (
                *(slug, known.latest.title, known.intent, known.revision),
                {"up": int(known.vote > 0), "down": int(known.vote < 0)},
                world.impact(slug),
                sum(chat.on == slug and chat.state != "closed" for chat in world.chats.values()),
            )
            for slug, known in world.published.items()
        ]


def test_sources_rank_and_score_by_what_came_of_them_and_each_weight_is_told(played: Played) -> None:
    for world, evening in zip(evenings(), played.evenings, strict=True):
        expected = world.sources(world.now)
        assert [{name: s[name] for name in expected[0]} for s in evening.sources] == expected
        for source in evening.sources:
            assert source["why_left"] == 0
            assert abs(sum(weight["aged"] for weight in source["why"]) - source["score"]) < 0.001
            assert {weight["event"] for weight in source["why"]} <= played.events.keys()


def test_an_artefato_is_related_to_the_sessions_it_is_about_and_to_no_other(played: Played) -> None:
    first = {s.turns()[0][1]: s.label for day in DAYS for s in day.happens if isinstance(s, Session)}
    episodes = {
        e["id"]: next(first[turn["text"]] for turn in e["data"]["turns"] if turn["text"] in first)
        for e in played.events.values()
        if e["type"] == "episode.captured" and e["data"]["turns"]
    }
    seen = set()
    for world, lines in briefings(played):
        told = []
        for item in lines["recap"]:
            (slug,) = re.findall(r"\*\* \(([a-z-]+), ", item["text"])
            told.append((slug, {episodes[e] for e in item["events"] if e in episodes}))
        expected = world.recap()
        assert [slug for slug, _ in told] == [slug for slug, _ in expected]
        for (slug, found), (_, about), item in zip(told, expected, lines["recap"], strict=True):
            assert found <= about, slug
            assert len(found) == min(NAMED, len(about)), slug
            said = ("has to do with", "not related to what you did", "no session of the last 7 days")
            (which,) = [one for one in said if one in item["text"]]
            assert which == (said[0] if about else said[1] if world.recent() else said[2]), slug
            seen.add(which)
            counts = world.impact(slug)
            became = "proposed {proposes}: {accepted} accepted, {rejected} gone, {open} open".format(**counts)
            assert (became in item["text"]) == bool(counts["proposes"])
            assert f"why: {world.published[slug].intent}" in item["text"]
    assert len(seen) == 3


def test_a_briefing_shows_direction_voz_the_breadcrumb_and_sources_as_they_stand(played: Played) -> None:
    for world, lines in briefings(played):
        held = world.direction()
        told = [(item["tier"], item["text"].split("**")[1]) for item in lines["direction"]]
        assert told == [(tier, title) for tier in ("set", "proposed") for title in held[tier]]
        assert [item["text"].split(": ", 1)[1] for item in lines["breadcrumb"]] == (
            [world.breadcrumb] if world.breadcrumb else []
        )
        sources = world.sources(world.now)[:OFFERED]
        assert [(item["tier"], item["sources"]) for item in lines["sources"]] == [
            (source["tier"], [source["ref"]]) for source in sources
        ]
        for item, source in zip(lines["sources"], sources, strict=True):
            assert (source["opinion"] or f"score {source['score']:.2f}") in item["text"]
        _shows_what_waits(world, [item["text"] for item in lines["voz"]])


def _shows_what_waits(world: World, lines: list[str]) -> None:
    waiting, counts = world.waiting(), world.pending()
    if not waiting:
        assert lines == []
        return
    assert lines[0] == "comments {comments} · votes {votes} · without a receipt {naked}".format(**counts)
    for act, line in zip(waiting[:ACTS_SHOWN], lines[1:], strict=False):
        about, said = (act.slug, f"{act.value:+d}") if isinstance(act, Ballot) else (act.on, act.text[:80])
        assert line.endswith(f" ({about or 'general'}): {said}")
    assert lines[1 + ACTS_SHOWN :] == (
        [f"and {len(waiting) - ACTS_SHOWN} more"] if len(waiting) > ACTS_SHOWN else []
    )


def test_a_sweep_takes_in_what_was_said_to_an_agent_once_and_nothing_else(played: Played) -> None:
    for world, (_, opened) in zip(openings(), played.opened, strict=True):
        swept = opened["sweep"]
        turns = sum(len(said.session.turns()) for said in world.new)
        assert (swept["episodes"], swept["turns"]) == (len(world.new), turns)


def test_what_the_operator_made_their_own_stays_so(played: Played) -> None:
    (at,) = [day.when(h.at) for day in DAYS for h in day.happens if isinstance(h, Promote)]
    for day, evening in zip(DAYS, played.evenings, strict=True):
        curated = [item["statement"] for item in evening.knowledge if item["tier"] == "curated"]
        assert curated == (["Trama depends on Novelo."] if day.looked_at > at else [])
        shown = [i for s in evening.briefing["sections"] if s["name"] == "knowledge" for i in s["items"]]
        assert sum(item["tier"] == "curated" for item in shown) == len(curated)


def test_what_was_forgotten_is_nowhere_and_a_copy_of_it_brings_nothing_back(played: Played) -> None:
    (at,) = [day.when(h.at) for day in DAYS for h in day.happens if isinstance(h, Forget)]
    after = [evening for day, evening in zip(DAYS, played.evenings, strict=True) if day.looked_at > at]
    copies = [h for day in DAYS for h in day.happens if isinstance(h, Session) and h.copies == "private-1"]
    assert (len(after), len(copies)) == (6, 1)
    for told in (*after, *played.events.values()):
        assert "salary" not in str(told)
    assert copies[0].turns()[0][1] in str(played.events)


# -- the same again ---------------------------------------------------------------------------


def comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: comparable(held) for name, held in value.items() if name not in MEASURED}
    return [comparable(held) for held in value] if isinstance(value, list | tuple) else value


def test_the_same_fortnight_again_shows_the_same_bytes(played: Played, tmp_path: Path) -> None:
    with at_a_terminal(tmp_path / "home") as person:
        again = Play(person, None).through(DAYS)
    _shown_alike(again, played)
    assert [e.chats for e in again.evenings] == [e.chats for e in played.evenings]
    assert [*again.events] == [*played.events]


def test_on_eventstoredb_it_shows_the_same_bytes(played: Played, tmp_path: Path) -> None:
    with (
        EventStoreProcess(tmp_path / "esdb.db") as server,
        at_a_terminal(tmp_path / "home") as person,
    ):
        there = Play(person, server.uri).through(DAYS)
    _shown_alike(there, played)
    assert not (tmp_path / "home" / "log.db").exists()


def _shown_alike(one: Played, other: Played) -> None:
    for mine, theirs in zip(one.evenings, other.evenings, strict=True):
        assert mine.text.encode() == theirs.text.encode()
        assert comparable(mine) == comparable(theirs)
    for (_, mine_opened), (_, theirs_opened) in zip(one.opened, other.opened, strict=True):
        assert comparable(mine_opened) == comparable(theirs_opened)


def test_each_evening_told_again_later_is_what_was_shown(played: Played) -> None:
    gets = played.person.gets
    for day, evening in zip(DAYS, played.evenings, strict=True):
        when = day.looked_at.isoformat()
        again = gets("at", when, "briefing")
        assert again["recomputed"]
        assert _without_health(again["text"]) == _without_health(evening.text)
        assert gets("direction", "list", "--at", when) == evening.direction
        assert gets("sources", "list", "--at", when) == evening.sources
        assert gets("voz", "list", "--at", when) == evening.chats
        assert gets("voz", "pending", "--at", when) == evening.pending


def _without_health(text: str) -> str:
    return HEALTH.sub("## ", text)


def test_what_a_dispatch_was_told_at_its_opening_is_given_back(played: Played) -> None:
    presented = [e for e in played.events.values() if e["type"] == "briefing.presented"]
    assert len(presented) == len(played.opened)
    for event, (_, opened) in zip(presented, played.opened, strict=True):
        shown = played.person.gets("briefing", "--at", event["position"])
        assert (shown["recomputed"], shown["text"]) == (False, opened["briefing"]["text"])


def test_told_in_portuguese_it_is_the_same_briefing(played: Played) -> None:
    english = played.evenings[-1].briefing["sections"]
    settings = played.person.home / "edge.toml"
    kept = settings.read_text("utf-8")
    settings.write_text(kept.replace('lang = "en"', 'lang = "pt"'), "utf-8")
    try:
        portuguese = played.person.gets("briefing")
    finally:
        settings.write_text(kept, "utf-8")
    told = [(s["name"], [_what_it_tells(item) for item in s["items"]]) for s in portuguese["sections"]]
    assert told == [(s["name"], [_what_it_tells(item) for item in s["items"]]) for s in english]
    (recap,) = [s["items"] for s in portuguese["sections"] if s["name"] == "recap"]
    (as_said,) = [s["items"] for s in english if s["name"] == "recap"]
    for item, same in zip(recap, as_said, strict=True):
        related = "has to do with" in same["text"]
        assert ("tem a ver com" in item["text"]) == related
        assert ("sem relação com o que fez nos últimos 7 dias" in item["text"]) == (not related)
        intent = same["text"].split("why: ")[1].split("; ")[0]
        assert f"porquê: {intent}" in item["text"]
    heads = [line for line in portuguese["text"].splitlines() if line.startswith("#")]
    assert heads == ["# Briefing", *(f"## {name}" for name in _HEADS)]


_HEADS = ("Saúde", "Direction", "Voz pendente", "Recap", "Último rasto", "Conhecimento", "Fontes")


def test_a_smaller_budget_leaves_out_the_lines_worth_least_and_counts_them(played: Played) -> None:
    whole = {s["name"]: s["items"] for s in played.evenings[-1].briefing["sections"]}
    shown_before: set[str] = set()
    cut = 0
    for budget in (1, *range(100, 2_500, 100)):
        briefing = played.person.gets("briefing", "--budget-tokens", budget)
        shown, spared, left_out = _kept(whole, briefing)
        cut += bool(left_out)
        if left_out and spared:
            assert min(map(_WORTH.__getitem__, spared)) >= max(map(_WORTH.__getitem__, left_out))
        assert len(briefing["text"].encode()) <= 4 * budget or not spared
        assert shown_before <= shown
        shown_before = shown
    assert cut > 3
    assert shown_before == {item["text"] for items in whole.values() for item in items}


Line = tuple[str, str | None]
"""Its section and tier."""


def _kept(
    whole: dict[str, list[dict[str, Any]]], briefing: dict[str, Any]
) -> tuple[set[str], set[Line], set[Line]]:
    """The lines shown, what they are beyond those that always are, and what is left out of the whole."""
    shown, spared, left_out = set(), set(), set()
    for section in briefing["sections"]:
        name, items = section["name"], [item["text"] for item in section["items"]]
        lines = whole[name]
        told = [line["text"] for line in lines]
        n = 0
        if items != told:
            n = int(items.pop().removeprefix("and ").removesuffix(" more"))
        assert items == told[: len(told) - n]
        always = name in ("health", "voz")
        assert not (always and n)
        shown |= set(items)
        spared |= {(name, line["tier"]) for line in lines[1 : len(items)] if not always}
        left_out |= {(name, line["tier"]) for line in lines[len(items) :]}
    return shown, spared, left_out


_WORTH: dict[Line, int] = {
    ("direction", "set"): 7,
    ("knowledge", "curated"): 6,
    ("sources", "curated"): 5,
    ("recap", None): 4,
    ("direction", "proposed"): 3,
    ("breadcrumb", None): 3,
    ("knowledge", "hypothesis"): 2,
    ("sources", "hypothesis"): 1,
}
"""As docs/concepts.md has it."""


def _what_it_tells(item: dict[str, Any]) -> tuple[Any, ...]:
    return item["tier"], item["events"], item["sources"]


def test_folded_anew_it_is_the_same(played: Played) -> None:
    person, last = played.person, played.evenings[-1]
    person.gets("rebuild")
    _stands_as(played, last.text)
    for file in person.home.glob("read.db*"):
        file.unlink()
    _stands_as(played, last.text)


def _stands_as(played: Played, text: str) -> None:
    seen = played.person.types("briefing")
    assert seen.code == 0, seen.err
    assert _without_health(seen.out) == _without_health(text)
    assert played.person.gets("sources", "list") == played.evenings[-1].sources
    assert played.person.gets("direction", "list") == played.evenings[-1].direction
    assert played.person.gets("voz", "list") == played.evenings[-1].chats
