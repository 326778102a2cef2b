"""Random days on which something is forgotten now and then: what is left is as sound as any log."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from edge.domain import forgetting
from tests.properties import witness
from tests.properties.operators_days import ACTS, Days
from tests.properties.test_invariants import BOUNDED
from tests.support.house import dump, folded
from tests.support.soak import more

WEIGHTED = [name for name, often in (ACTS | {"forget": 7}).items() for _ in range(often)]
DAYS = st.lists(st.tuples(st.sampled_from(WEIGHTED), st.integers(0, 9999)), min_size=20, max_size=45)


class Forgetful(Days):
    """What Direction said before forgetting it says after; of what was forgotten no word is left."""

    def __init__(self) -> None:
        super().__init__()
        self.gone: list[str] = []

    def forget(self, random: Random) -> None:
        chats = [c["comment_id"] for c in self.house.current().chats()]
        slugs = [a["slug"] for a in self.house.current().artefatos()]
        whats = [("comment", id_) for id_ in chats] + [("artefato", slug) for slug in slugs]
        if not whats:
            return
        kind, name = random.choice(whats)
        before = self.set_steers()
        if random.random() < 0.3:  # something else happens while it is being forgotten
            self.log.interrupt(random.randrange(4), lambda: self.receipts_elsewhere(random))
        target = getattr(self.house.forgetting, kind)(name)
        assert self.house.forgetting.forget(target).pending == []
        self.log.be_left_alone()
        assert self.set_steers() == before
        self.gone += target.roots
        alive = {e.stream.partition(".")[2] for e in self.house.events("grill.started")}
        self.runs = [run for run in self.runs if run in alive]

    def set_steers(self) -> list[tuple[str, str, str]]:
        """Every steer that is set, by what it says."""
        items = self.house.current().items()
        return sorted((i["id"], i["title"], i["body"]) for i in items if i["tier"] == "set")

    def check(self) -> None:
        super().check()
        for stream in self.gone:
            first = next(self.log.read(stream))
            assert forgetting.is_forgotten(first), stream
        slugs = {a["slug"] for a in self.house.current().artefatos()}
        ids = {c["comment_id"] for c in self.house.current().chats()}
        assert not {stream.partition(".")[2] for stream in self.gone} & (slugs | ids)

    def look_back(self) -> None:
        self.house.current()
        assert dump(self.house.store.connection) == dump(folded(self.log).connection)
        witness.check_publications(self.house.events())


@given(DAYS)
@settings(BOUNDED, max_examples=more(40, 4))
def test_whatever_is_forgotten_in_whatever_order_every_rule_still_holds(acts: list[tuple[str, int]]) -> None:
    days = Forgetful()
    days.live(acts)
    days.look_back()
