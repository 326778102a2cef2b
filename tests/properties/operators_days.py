"""Random days with edge: what the operator, runs, dispatches and strangers do, in any order."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from random import Random
from typing import Any

from edge.domain.events import Data
from edge.domain.pendency import ActKind
from edge.domain.refusal import Refused
from edge.grill import Closed
from tests.properties import witness
from tests.properties.witness import BODIES, FOREIGN
from tests.support.house import House, WatchedLog

ACTS = {
    "time_passes": 3,
    "comment": 14,
    "vote": 2,
    "answer": 6,
    "withdraw": 1,
    "steer_by_hand": 2,
    "publish": 2,
    "close_a_dispatch": 3,
    "start_a_run": 6,
    "close_a_run": 7,
    "resume_a_run": 3,
    "abandon_a_run": 1,
    "grill_by_rules": 1,
    "a_stranger_writes": 3,
}
"""What may happen, and how often beside the rest."""


class Days:
    """Every act goes through the use cases; what may be refused may be refused, and then writes nothing.

    An act is named; all else that is random in it is settled by its moment and its number.
    """

    def __init__(self) -> None:
        self.house = House()
        self.log: WatchedLog = self.house.memory  # type: ignore[assignment]
        self.slugs: list[str] = []
        self.runs: list[str] = []
        self.plans: dict[str, Data] = {}
        self.broken = False

    def live(self, acts: list[tuple[str, int]]) -> None:
        for moment, (name, number) in enumerate(acts):
            getattr(self, name)(Random(f"{moment} {number}"))
            self.check()

    def check(self) -> None:
        """What must hold at any moment."""
        self.what_the_log_holds_is_sound()
        self.health_says_what_is_broken_and_only_that()

    # -- the operator ---------------------------------------------------------------------------

    def time_passes(self, random: Random) -> None:
        self.house.hand_clock.move(random.choice([0.01, 5, 30, 24 * 9]))

    def comment(self, random: Random) -> None:
        on = random.choice([None, *self.slugs[-2:]])
        body, harm = random.choice(list(BODIES)), random.choice([0, 5, 20, 40])
        key = random.choice([None, None, "k"])
        self.act(lambda: self.house.voz.comment(body, on, harm, key))

    def vote(self, random: Random) -> None:
        slug, value = random.choice([*self.slugs, "unknown"]), random.choice([1, -1, 0])
        self.act(lambda: self.house.voz.vote(slug, value))

    def answer(self, random: Random) -> None:
        chats = self.house.current().chats(random.choice(["parked", "parked", "all"]))
        asked = [q["clarify_id"] for c in chats for q in c["questions"]]
        text = random.choice(["sim", "no", "1", "none", "talvez"])
        if asked:
            self.act(lambda: self.house.voz.answer(random.choice(asked), text))

    def withdraw(self, random: Random) -> None:
        chats = [c["comment_id"] for c in self.house.current().chats("open")]
        if chats:
            self.house.voz.withdraw(random.choice(chats))

    def steer_by_hand(self, random: Random) -> None:
        live = [i["id"] for i in self.house.current().items()]
        if live and random.random() < 0.3:
            self.house.steering.drop(random.choice(live), "done")
        else:
            title = random.choice(["Escrever os testes", "Isso"])
            fields = {"title": title, "body": title, "kind": "priority"}
            self.house.steering.set_(fields, random.choice([None, *live[:1]]), None)

    # -- dispatches -----------------------------------------------------------------------------

    def publish(self, random: Random) -> None:
        slug = f"study-{len(self.slugs)}"
        idea: Data = {"title": f"Idea {slug}", "body": "x", "kind": "thread"}
        head = self.log.head()
        self.house.publish(slug, proposes=[idea] if random.random() < 0.5 else [])
        self.slugs.append(slug)
        self.check_gate(head)

    def close_a_dispatch(self, random: Random) -> None:
        opened = self.house.open("beat")
        chats = [c["comment_id"] for c in self.house.current().chats("open")]
        answers: dict[tuple[ActKind, str], str] = {}
        if chats and random.random() < 0.5:
            answers["comment", random.choice(chats)] = "study-0"
        if random.random() < 0.5:  # another closer gives the same receipts meanwhile
            self.log.interrupt(random.randrange(4), lambda: self.receipts_elsewhere(random))
        head = self.log.head()
        with contextlib.suppress(Refused):  # parked, or closed meanwhile
            self.house.dispatches.close(opened.dispatch_id, None, None, answers)
            self.check_gate(head)
        self.log.be_left_alone()

    def receipts_elsewhere(self, _random: Random) -> None:
        opened = self.house.open("load")
        self.house.dispatches.close(opened.dispatch_id, "a breadcrumb", None, {})

    def check_gate(self, cursor: int) -> None:
        """I11: whatever stood when the close began has a disposition now, or is closed."""
        events = self.house.events()
        voices, acts = witness.voices(events), witness.acts(events)
        for event in events:
            act = event.data.get("comment_id") or event.data.get("vote_id") or ""
            if event.type in ("voz.comment", "voz.vote") and event.position <= cursor:
                assert acts[act] or voices[act].terminals, f"naked: {event}"

    # -- the grill ------------------------------------------------------------------------------

    def start_a_run(self, random: Random) -> None:
        mode: Any = random.choice(["attended", "unattended"])
        chats, tokens = random.randint(1, 5), random.choice([1, 60, 60, 12_000])
        before, head = self.house.events(), self.log.head()
        started = self.house.grill.start(mode, chats, tokens)
        loaded, overflow, awaiting = witness.batch(before, self.house.clock.now(), chats, tokens)
        said = [(c["comment_id"], c["harm"], c["tokens"]) for c in started.run["loaded"]]
        assert said == [tuple(ranked) for ranked in loaded]
        assert (len(started.overflow), len(started.awaiting)) == (overflow, awaiting)
        assert started.run["cursor"] == head
        if started.run["state"] == "open":
            self.runs.append(started.run["run_id"])

    def close_a_run(self, random: Random) -> None:
        if not self.runs:
            return
        run_id, other = random.choice(self.runs[-4:]), random.choice(self.runs[-4:])
        happens: list[Callable[[], object]] = [
            lambda: self.close(other, self.plan_for(other, random)),
            lambda: self.close(other, self.plan_for(other, random)),
            lambda: self.receipts_elsewhere(random),
            lambda: self.withdraw(random),
            lambda: self.close(run_id, None),
        ]
        alone = random.random() < 0.4
        plan = self.plan_for(run_id, random)
        if not alone:
            self.log.interrupt(random.randrange(4), random.choice(happens))
        head = self.log.head()
        closed = self.close(run_id, plan)
        if self.log.be_left_alone() or alone:
            assert closed is not None or self.log.head() == head, "a refused plan wrote something"

    def resume_a_run(self, random: Random) -> None:
        """The stored plan, or the identical one again: what ended stays as it ended."""
        if not self.runs:
            return
        run_id = random.choice(self.runs)
        first = self.close(run_id, None)
        head = self.log.head()
        again = self.close(run_id, self.plans.get(run_id))
        if first is not None and first.finished:
            assert self.log.head() == head
            if again is not None:
                assert again.results == first.results

    def abandon_a_run(self, random: Random) -> None:
        if self.runs:
            self.act(lambda: self.house.grill.abandon(random.choice(self.runs), "model down", "operator"))

    def grill_by_rules(self, _random: Random) -> None:
        house = self.house
        house.grill.run(house.cognition, "unattended", (8, 12_000), "pt", "dispatch")

    def close(self, run_id: str, plan: Data | None) -> Closed | None:
        try:
            return self.house.grill.close(run_id, plan, "operator")
        except Refused:
            return None

    def plan_for(self, run_id: str, random: Random) -> Data:
        """A plan for what the run still owes, most of which may be taken."""
        run, _ = self.house.grill.load(run_id)
        live = [i["id"] for i in self.house.current().items()]
        owed = [
            c["comment_id"]
            for c in run["loaded"]
            if run["planned"].get(c["comment_id"], {"decision": "failed"})["decision"] == "failed"
        ]
        plan: Data = {"chats": [_entry(id_, run["mode"], live, random) for id_ in owed]}
        self.plans[run_id] = plan
        return plan

    # -- strangers ------------------------------------------------------------------------------

    def a_stranger_writes(self, random: Random) -> None:
        chats = [c["comment_id"] for c in self.house.current().chats()]
        said: list[tuple[str, Data]] = [
            ("voz.reply", {"body": "late"}),
            ("voz.reply", {"body": "late"}),
            ("voz.disposition", {"state": "receipt_sent"}),
            ("voz.disposition", {"state": "semantic_answered"}),  # without a ref: closes nothing
            ("voz.clarify_answer", {"clarify_id": "nothing", "body": "x"}),
            ("voz.whispered", {"body": "?"}),
            ("voz.resolved", {"outcome": "folded-to-direction", "grill_run_id": "r", "direction_id": "x"}),
            ("voz.disposition", {"state": "dead_lettered", "reason": "elsewhere"}),
        ]
        type_, data = random.choice(said)
        if chats:
            id_ = random.choice(chats)
            self.broken = self.broken or type_ == "voz.resolved"
            self.house.foreign(type_, self.house.streams.chat(id_), FOREIGN, comment_id=id_, **data)

    # -- always ---------------------------------------------------------------------------------

    def act(self, act: Callable[[], object]) -> None:
        """An act; refused it leaves the log as it was."""
        head = self.log.head()
        try:
            act()
        except Refused:
            assert self.log.head() == head

    def what_the_log_holds_is_sound(self) -> None:
        events = self.house.events()
        witness.check_chats(events)
        witness.check_receipts(events)
        witness.check_closes(events)
        witness.check_coverage(events)

    def health_says_what_is_broken_and_only_that(self) -> None:
        strip = self.house.health()
        kinds = {error["kind"] for error in strip["errors"]}
        if not self.broken:
            assert kinds <= {"direction-conflict"}
        chats = witness.voices(self.house.events()).values()
        assert strip["open"] == sum(1 for v in chats if not v.terminals)
        assert strip["actionable"] == sum(1 for v in chats if v.actionable())
        assert strip["awaiting"] == strip["open"] - strip["actionable"]


def _entry(comment_id: str, mode: str, live: list[str], random: Random) -> Data:
    attended = mode == "attended"
    said: Data = {
        "comment_id": comment_id,
        "ambiguous": attended or random.random() < 0.05,
        "evidence": ["it says so"],
    }
    asked = [{"question": "Qual?", "answer": "o primeiro"}]
    choices: list[Data] = [
        {"decision": "reply", "reply": "visto"},
        {"decision": "acknowledge"},
        {"decision": "park", "question": "Qual?", "ambiguous": True},
        {"decision": "park", "question": "Qual?", "ambiguous": True},
        {"decision": "failed", "reason": "model down"},
    ]
    if attended:
        choices += [
            {"decision": "fold", "steer": {"title": "Testes primeiro", "body": "sempre"}},
            {"decision": "fold", "steer": {"title": "Testes"}, "reply": "feito"},
            {"decision": "reply", "reply": "feito", "asked": asked},
            *({"decision": "retire", "direction_id": id_} for id_ in live[:2]),
        ]
    elif random.random() < 0.3:  # its words are only in some of the comments
        choices = [{"decision": "fold", "steer": {"title": "escrever os testes primeiro"}}]
    return said | random.choice(choices)
