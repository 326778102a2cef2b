"""What pages ask of the read store: pages of chats, Direction's history, activity by the operator's days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from zoneinfo import ZoneInfo

import pytest

from adapters.web.pages.health import by_day
from edge.domain import direction
from edge.wiring import Edge
from projections.activity import quarter_of
from tests.support.house import House
from tests.support.lived_in import lived_in


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    edge = lived_in(tmp_path_factory.mktemp("reads") / "home")
    yield edge
    edge.close()


def test_pages_of_chats_put_together_are_all_chats(lived: Edge) -> None:
    reads = lived.reads()
    pages, before = [], None
    while page := reads.recent_chats(2, before):
        pages += page
        before = page[-1]["position"]
    assert pages[::-1] == list(reads.chats())


def test_the_last_move_of_each_steer_is_where_direction_stands(lived: Edge) -> None:
    reads = lived.reads()
    moves = reads.moves(10_000)
    assert [m.position for m in moves] == sorted(m.position for m in moves)
    for id_, of in groupby(sorted(moves, key=lambda m: m.id), key=lambda m: m.id):
        item, last = reads.item(id_), list(of)[-1]
        assert item is not None
        assert last == reads.moves_of(id_)[-1]
        assert {"set": "set", "propose": "proposed", "drop": "gone"}[last.op] == item["tier"]
    changed = [c for e in lived.log.read_all() for c in direction.changes(e)]
    assert len(changed) == len(moves)


def test_activity_counts_each_event_once(lived: Edge) -> None:
    counted = sum(events for _, _, events in lived.reads().activity("2000"))
    kinds = ("voz.comment", "voz.reply", "voz.clarify", "episode.captured", "artefato.published")
    steers = ("direction.set", "direction.dropped")
    assert counted == len(list(lived.log.read_all(types=[*kinds, *steers])))


@pytest.mark.parametrize(
    "zone", ["Europe/Lisbon", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "UTC"]
)
def test_days_are_the_operators_own_to_the_quarter_of_an_hour(zone: str) -> None:
    tz = ZoneInfo(zone)
    midnight = datetime(2026, 11, 30, tzinfo=tz)
    before = datetime.fromtimestamp(midnight.timestamp() - 1, UTC)
    rows = [(quarter_of(moment.isoformat()), "voz", 1) for moment in (midnight.astimezone(UTC), before)]
    days = by_day(rows, datetime(2026, 11, 30, 12, tzinfo=tz), tz)
    assert [days[day]["voz"] for day in list(days)[-2:]] == [1, 1]


def test_a_proposal_accepted_by_two_at_once_is_set_once() -> None:
    house = House()
    house.publish("study", proposes=[{"title": "Medir", "body": "Sempre", "kind": "priority"}])
    (proposal,) = house.current().items()
    house.memory.interrupt(0, lambda: house.steering.accept(proposal["id"]))  # type: ignore[attr-defined]
    house.steering.accept(proposal["id"])
    assert len(house.events("direction.set")) == 1


def test_the_standing_read_models_are_not_brought_anywhere() -> None:
    house = House()
    house.current()
    at = house.reads().position()
    house.voz.comment("later")
    assert house.strip()["projection_lag"] == 1
    assert house.reads().position() == at
    house.current()
    assert house.strip()["projection_lag"] == 0
