"""Random lives of sources, foreign and out of order too: what each is worth, and why, against sums
over the raw events that share nothing with the fold; live, rebuilt, replayed anywhere, and after
something was forgotten."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import pytest

from edge.domain.events import Data, Event
from edge.domain.sources import Ranked
from tests.support.house import House, dump

SPELT = {
    "https://a.example/post": "https://a.example/post",
    " HTTPS://A.example:443/post/#top": "https://a.example/post",
    "https://b.example?q=1&utm_source=x": "https://b.example?q=1",
    "session:0F8FAD5B-d9cb-469f-a165-70867728950e": "session:0f8fad5b-d9cb-469f-a165-70867728950e",
    "commit:DEADBEEF": "commit:deadbeef",
    "the  survey": "the survey",
}
"""How a ref is written, and the one it is."""
FORGETS = ("artefato", "comment")


def proposal(slug: str, body: str) -> str:
    return f"{slug}.{sha256(f'Try{body}'.encode()).hexdigest()[:8]}"


ODD: list[Any] = [None, "odd", 7, [None], [[]], [{"ref": 7}]]
IDS = ("x1", "x1", "x2")
"""Of comments and of steers alike: strangers may give one id to both."""
SLUGS = ("one", "one", "one", "two")
DISPATCHES = ("d1", "d1", "d2")
HOURS = (0, 1, 24, 24, 900, -900, 300_000, -300_000)
"""How many may go by before an event: an import brings older ones after newer, a clock may be decades off."""
FARTHEST = 500_000
"""Hours from where a life began."""
OFTEN = {
    "artefato.published": 6,
    "briefing.presented": 3,
    "dispatch.closed": 2,
    "voz.vote": 3,
    "voz.comment": 2,
    "voz.resolved": 3,
    "direction.proposed": 2,
    "direction.set": 4,
    "direction.dropped": 2,
    "source.curated": 1,
    "source.retired": 1,
}
STREAMS = {
    "artefato": "artefato-g.{slug}",
    "briefing": "dispatch-g.{dispatch_id}",
    "dispatch": "dispatch-g.{dispatch_id}",
    "direction": "direction-g.{id}",
    "source": "source-g.x",
}


def happening(random: Random) -> tuple[str, str, Data]:
    """An event of a type, its stream and its data."""
    type_ = random.choices(list(OFTEN), list(OFTEN.values()))[0]
    family = type_.partition(".")[0]
    data: Data
    match type_:
        case "artefato.published":
            data = {"slug": random.choice(SLUGS), "title": "t", "body": "b", "cites": cites(random)}
            tried = {"title": "Try", "body": "again", "kind": "thread"}
            data |= {"proposes": random.choice([[], [tried], [tried, tried], random.choice(ODD)])}
            data |= {"dispatch_id": random.choice(DISPATCHES)}
        case "briefing.presented":
            items = [{"sources": written(random)} for _ in range(random.randrange(3))]
            data = {"dispatch_id": random.choice(DISPATCHES), "items": oddly(random, items)}
        case "dispatch.closed":
            data = {"dispatch_id": random.choice(DISPATCHES)}
        case "voz.vote":
            value = random.choice([-1, 0, 1, 1, 2, None])
            data = {"slug": random.choice(SLUGS), "vote_id": random.choice(IDS), "value": value}
        case "voz.comment":
            data = {"comment_id": random.choice(IDS), "body": "words", "target_ref": random.choice(SLUGS)}
        case "voz.resolved":
            outcome = random.choice(["folded-to-direction", "folded-to-direction", "replied"])
            data = {"comment_id": random.choice(IDS), "outcome": outcome, "direction_id": random.choice(IDS)}
        case "direction.proposed" | "direction.set":
            of = random.choice([random.choice(IDS), proposal(random.choice(SLUGS), "again")])
            data = {"id": of, "title": "Try", "body": "again", "kind": "thread"}
            if type_ == "direction.proposed":
                data["from_artefato"] = random.choice(SLUGS)
        case "direction.dropped":
            of = random.choice([random.choice(IDS), proposal(random.choice(SLUGS), "again")])
            data = {"id": of, "reason": "no"}
        case "source.curated":
            data = {"ref": random.choice(list(SPELT)), "opinion": random.choice(["sound", "weak"])}
        case _:
            data = {"ref": random.choice(list(SPELT)), "reason": "moved"}
    voz = "votes-g.{slug}" if type_ == "voz.vote" else "chat-g.{comment_id}"
    return type_, STREAMS.get(family, voz).format(**data), data


def written(random: Random) -> list[str]:
    return random.choices(list(SPELT), k=random.randrange(4))


def cites(random: Random) -> Any:
    more: list[Data] = [{}, {}, {"relevant": True}, {"relevant": False, "kind": "mundo"}]
    return oddly(random, [{"ref": ref, **random.choice(more)} for ref in written(random)])


def oddly(random: Random, value: Any) -> Any:
    return random.choice(ODD) if random.random() < 0.1 else value


class Weight(NamedTuple):
    ref: str
    signal: str
    about: str
    weight: float
    event: Event


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def cited(publication: Event) -> dict[str, float]:
    """What a publication cites, and with what weight."""
    found: dict[str, float] = {}
    for one in listed(publication.data["cites"]):
        if isinstance(one, dict) and isinstance(one["ref"], str):
            ref = SPELT[one["ref"]]
            found[ref] = max(found.get(ref, 0.0), 1.5 if one.get("relevant") else 1.0)
    return found


def spread(whole: float, about: str, slug: str | None, event: Event, before: list[Event]) -> list[Weight]:
    mine = [e for e in before if e.type == "artefato.published" and e.data["slug"] == slug]
    of = cited(mine[-1]) if mine else {}
    return [Weight(ref, "credit", about, whole / len(of), event) for ref in of]


def proposer(id_: str, before: list[Event]) -> str | None:
    """The artefato that proposed a steer, the first since it was last dropped."""
    drops = [n for n, e in enumerate(before) if e.type == "direction.dropped" and e.data["id"] == id_]
    for event in before[drops[-1] :] if drops else before:
        data = event.data
        if event.type == "direction.proposed" and data["id"] == id_:
            return str(data["from_artefato"])
        if event.type == "artefato.published" and id_ in [
            proposal(data["slug"], p["body"])
            for p in listed(data["proposes"])
            if isinstance(p, dict) and "body" in p
        ]:
            return str(data["slug"])
    return None


def target(id_: str, before: list[Event]) -> str | None:
    about = (e.data["target_ref"] for e in before if e.type == "voz.comment" and e.data["comment_id"] == id_)
    return next(about, None)


def weights(events: list[Event]) -> list[Weight]:
    """Everything that happened to any source."""
    found: list[Weight] = []
    credited: set[tuple[str, str]] = set()
    for n, event in enumerate(events):
        data, before = event.data, events[:n]
        match event.type:
            case "direction.set" if ("steer", data["id"]) not in credited and (
                slug := proposer(data["id"], before)
            ):
                credited.add(("steer", data["id"]))
                found += spread(2.0, data["id"], slug, event, before)
            case "voz.resolved" if (
                data["outcome"] == "folded-to-direction"
                and ("chat", data["comment_id"]) not in credited
                and (slug := target(data["comment_id"], before))
            ):
                credited.add(("chat", data["comment_id"]))
                found += spread(1.0, data["comment_id"], slug, event, before)
            case "voz.vote" if data["value"] in (-1, 0, 1):
                about = f"vote:{data['slug']}"
                found = [w for w in found if w.about != about]
                if data["value"]:
                    found += spread(0.5 * data["value"], about, data["slug"], event, before)
            case "artefato.published":
                for ref, weight in cited(event).items():
                    was = [w for w in found if w[:3] == (ref, "cited", data["slug"])]
                    if not was or was[0].weight < weight:
                        found = [w for w in found if w not in was]
                        found.append(Weight(ref, "cited", data["slug"], weight, event))
            case "dispatch.closed":
                found += settled(event, before)
    return found


def settled(event: Event, before: list[Event]) -> list[Weight]:
    mine = [e for e in before if e.data.get("dispatch_id") == event.data["dispatch_id"]]
    out = [e for e in mine if e.type == "artefato.published"]
    if not out or any(e.type == event.type for e in mine):
        return []
    offered = {
        SPELT[ref]
        for e in mine
        if e.type == "briefing.presented"
        for item in listed(e.data["items"])
        if isinstance(item, dict)
        for ref in item.get("sources", ())
    }
    used = {ref for e in out for ref in cited(e)}
    about = str(event.data["dispatch_id"])
    return [
        Weight(ref, "used", about, 0.25, event)
        if ref in used
        else Weight(ref, "ignored", about, -0.05, event)
        for ref in offered
    ]


def age(event: Event, now: datetime) -> float:
    return max(0.0, (now - datetime.fromisoformat(event.recorded_at)).total_seconds() / 86_400)


def prove(known: list[Ranked], events: list[Event], now: datetime) -> None:
    """The list says of each source what the raw events say of it, in the order that follows."""
    happened = weights(events)
    held: dict[str, str] = {}
    for event in events:
        if event.type == "source.curated":
            held[SPELT[event.data["ref"]]] = event.data["opinion"]
        elif event.type == "source.retired":
            held.pop(SPELT[event.data["ref"]], None)
    assert {s.ref for s in known} == {w.ref for w in happened} | held.keys()
    scores: dict[str, float] = {}
    for source in known:
        mine = [w for w in happened if w.ref == source.ref]
        aged = {(*w[1:3], w.event.id): w.weight * 0.5 ** (age(w.event, now) / 30) for w in mine}
        scores[source.ref] = sum(aged.values())
        assert abs(source.score - scores[source.ref]) < 1e-4
        assert source.opinion == held.get(source.ref)
        assert source.tier == ("curated" if source.ref in held else "hypothesis")
        for signal, total in source.signals.items():
            assert abs(total - sum(w.weight for w in mine if w.signal == signal)) < 1e-4
        assert source.why_left == 0
        assert sorted(
            (y["signal"], y["about"], y["event"], y["at"], y["weight"]) for y in source.why
        ) == sorted((w.signal, w.about, w.event.id, w.event.recorded_at, round(w.weight, 4)) for w in mine)
        for why in source.why:
            assert abs(why["aged"] - aged[why["signal"], why["about"], why["event"]]) < 1e-4
        places = {event.id: n for n, event in enumerate(events)}
        told = [places[why["event"]] for why in source.why]
        assert told == sorted(told, reverse=True), "newest first"
    for above, below in pairwise(known):
        assert (above.tier == "curated") >= (below.tier == "curated")
        if above.tier == below.tier:
            assert scores[above.ref] > scores[below.ref] - 1e-9


def told(house: House, now: datetime) -> list[Ranked]:
    known = house.current()
    found = known.sources(now)
    assert known.sources(now, 2) == found[:2]
    for written, ref in SPELT.items():
        one = known.source(written, now)
        assert [one] == [s for s in found if s.ref == ref] or (one is None or not one.why)
    return found


def rows(house: House) -> list[str]:
    return [row for row in dump(house.store.connection) if row.startswith("source")]


@pytest.mark.parametrize("seed", range(40))
def test_what_a_source_is_worth_follows_from_what_happened_whenever_and_however_it_is_asked(
    seed: int,
) -> None:
    random = Random(seed)
    house, away = House(), 0
    try:
        for _ in range(random.randrange(8, 32)):
            hours = random.choice([h for h in HOURS if abs(away + h) <= FARTHEST])
            away += hours
            house.hand_clock.move(hours)
            type_, stream, data = happening(random)
            house.foreign(type_, stream, **data)
            prove(told(house, house.clock.now()), house.events(), house.clock.now())
        assert not house.store.connection.execute("SELECT * FROM quarantine").fetchall()
        live = rows(house)
        events = house.events()
        for n, event in enumerate(events, 1):
            at = str(event.position)
            prove(house.at(at, ("sources",)).sources(house.clock_at(at)), events[:n], house.clock_at(at))
        house.rebuild()
        assert rows(house) == live
        forget(house, FORGETS[seed % 2])
    finally:
        house.close()


def forget(house: House, what: str) -> None:
    """Forget one thing; its weights are gone as if it had never been."""
    known = house.current()
    if what == "artefato":
        names = [a["slug"] for a in known.artefatos()]
    else:
        names = [c["comment_id"] for c in known.chats()]
    if not names:
        return
    assert house.forgetting.forget(getattr(house.forgetting, what)(names[0])).pending == []
    left = told(house, house.clock.now())
    prove(left, [e for e in house.events() if not e.type.endswith(".forgotten")], house.clock.now())
    if what == "artefato":
        gone = (names[0], f"vote:{names[0]}")
        assert not [why for source in left for why in source.why if why["about"] in gone]
    after = rows(house)
    house.rebuild()
    assert rows(house) == after


def happens(house: House, *told: tuple[float, str, Data]) -> dict[str, Ranked]:
    """Events after so many hours each; the sources as they are known then."""
    for hours, type_, data in told:
        house.hand_clock.move(hours)
        house.foreign(type_, STREAMS.get(type_.partition(".")[0], "votes-g.{slug}").format(**data), **data)
    return {source.ref: source for source in house.current().sources(house.clock.now())}


CITES: list[Data] = [{"ref": "the survey"}]
PUBLISHED: Data = {"slug": "one", "title": "t", "body": "b", "dispatch_id": "d1", "cites": CITES}


@pytest.mark.parametrize("years", [5, 20, 40])
def test_a_vote_by_a_clock_that_ran_ahead_takes_no_other_weight_with_it_when_it_is_taken_back(
    years: int,
) -> None:
    ahead = years * 365 * 24.0
    house = House()
    known = happens(
        house,
        (0, "artefato.published", PUBLISHED),
        (ahead, "voz.vote", {"slug": "one", "vote_id": "v1", "value": 1}),
        (-ahead, "voz.vote", {"slug": "one", "vote_id": "v2", "value": 0}),
    )
    assert known["the survey"].score == 1.0
    house.close()


def test_a_proposal_that_was_dropped_and_is_set_again_is_credited_only_where_it_was_proposed_again() -> None:
    tried = {"title": "Try", "body": "again", "kind": "thread"}
    id_ = proposal("one", "again")
    dropped: tuple[float, str, Data] = (1, "direction.dropped", {"id": id_, "reason": "not that"})
    set_: tuple[float, str, Data] = (1, "direction.set", {"id": id_, **tried})
    published: tuple[float, str, Data] = (1, "artefato.published", {**PUBLISHED, "proposes": [tried]})
    house = House()
    assert happens(house, published, dropped, set_)["the survey"].signals["credit"] == 0.0
    assert happens(house, dropped, published, set_)["the survey"].signals["credit"] == 2.0
    assert happens(house, dropped, published, set_)["the survey"].signals["credit"] == 2.0, "once"
    house.close()
