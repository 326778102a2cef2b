"""Forgetting beside everything else that writes: whoever is first, the words are gone in the end.

Each case lets one thing happen just before the n-th append of the other, for every n there is.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from edge.dispatch import Artefact
from edge.domain.events import NO_STREAM, Draft
from edge.domain.refusal import EdgeError, Refused
from edge.forget import Target
from edge.journal import Act
from tests.support.house import House, WatchedLog, dump, folded
from tests.support.sweeping import Session

CANARY = "canary"


class Scene(NamedTuple):
    house: House
    log: WatchedLog
    comment: str
    parked: str
    question: str
    run: str
    plan: dict[str, Any]
    dispatch: str


def scene() -> Scene:
    """A chat loaded by an open run, one parked, an artefato, a dispatch open to publish it anew."""
    house = House()
    log = house.memory
    assert isinstance(log, WatchedLog)
    house.publish("study", body=f"# {CANARY}", proposes=[_idea()])
    house.voz.vote("study", 1)
    parked = house.voz.comment(f"{CANARY} parked").id
    asking = house.grill.start("attended", 8, 12_000).run["run_id"]
    entry = {"comment_id": parked, "decision": "park", "question": f"{CANARY}?", "ambiguous": True}
    house.grill.close(asking, {"chats": [entry]}, "operator")
    question = next(q["clarify_id"] for c in house.current().chats("parked") for q in c["questions"])
    comment = house.voz.comment(f"{CANARY} open", on="study").id
    house.voz.comment("another")
    run = house.grill.start("attended", 8, 12_000).run
    decisions = [
        {"comment_id": loaded["comment_id"], "decision": "fold", "reply": f"{CANARY} reply",
         "steer": {"title": "stays", "body": "stays"}, "ambiguous": False, "evidence": [CANARY]}
        for loaded in run["loaded"]
    ]  # fmt: skip
    plan = {"chats": decisions}
    return Scene(house, log, comment, parked, question, run["run_id"], plan, house.open().dispatch_id)


def _idea() -> dict[str, str]:
    return {"title": f"{CANARY} idea", "body": CANARY, "kind": "thread"}


Happens = Callable[[Scene], object]


def forget(kind: str, *names: str) -> Happens:
    """Forget some of a scene."""

    def act(given: Scene) -> None:
        for name in names:
            what = getattr(given, name, name)
            target: Target = getattr(given.house.forgetting, kind)(what)
            given.house.forgetting.forget(target)

    return act


FORGETS: dict[str, Happens] = {
    "comment": forget("comment", "comment"),
    "parked": forget("comment", "parked"),
    "artefato": forget("artefato", "study"),
}


def close_the_run(given: Scene) -> None:
    given.house.grill.close(given.run, given.plan, "operator")


def publish_anew(given: Scene) -> None:
    said = {"slug": "study", "title": CANARY, "body": f"# {CANARY} again"}
    given.house.dispatches.close(given.dispatch, f"{CANARY} why", Artefact(said, republish=True), {})


BESIDE: dict[str, Happens] = {
    "close the run": close_the_run,
    "answer": lambda given: given.house.voz.answer(given.question, CANARY),
    "withdraw": lambda given: given.house.voz.withdraw(given.comment),
    "start a run": lambda given: given.house.grill.start("attended", 8, 12_000),
    "open a dispatch": lambda given: given.house.open(),
    "close a dispatch": lambda given: given.house.dispatches.close(given.dispatch, None, None, {}),
    "publish anew": publish_anew,
    "vote": lambda given: given.house.voz.vote("study", -1),
    "comment on it": lambda given: given.house.voz.comment("stays", on="study"),
    "abandon the run": lambda given: given.house.grill.abandon(given.run, "model down", "operator"),
}


def tried(act: Happens, given: Scene) -> None:
    """Done, or refused: what was forgotten cannot be acted on any more."""
    try:
        act(given)
    except EdgeError as refusal:
        assert isinstance(refusal, Refused), refusal


def interrupted(one: Happens, other: Happens) -> Iterator[Scene]:
    """Scenes in which the other happens before each append of the one; the last, before none."""
    for n in count():
        given = scene()
        given.log.interrupt(n, lambda given=given: tried(other, given))  # type: ignore[misc]
        tried(one, given)
        left_alone = given.log.be_left_alone()
        yield given
        if left_alone:
            return


def words(given: Scene) -> str:
    return json.dumps([e.data for e in given.house.events()])


def assert_nothing_left(given: Scene, kind: str) -> None:
    """Of what was forgotten not a word stands, and what is derived can be derived again."""
    house = given.house
    assert house.finish_forgetting() == []
    stream = {
        "comment": house.streams.chat(given.comment),
        "parked": house.streams.chat(given.parked),
        "artefato": house.streams.artefato("study"),
    }[kind]
    first = next(house.log.read(stream))
    assert first.type.endswith(".forgotten")
    gone = {"comment": f"{CANARY} open", "parked": f"{CANARY} parked", "artefato": f"# {CANARY}"}[kind]
    assert gone not in words(given)
    if kind == "comment":
        assert f"{CANARY} reply" not in json.dumps([e.data for e in house.log.read(stream)])
        assert given.comment not in [e.data.get("comment_id") for e in house.events("grill.planned")]
    if kind == "artefato":
        assert f"{CANARY} idea" not in words(given)
    house.current()
    assert dump(house.store.connection) == dump(folded(house.log).connection)
    assert house.health()["errors"] == []


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("kind", FORGETS)
def test_forgotten_while_something_else_is_under_way(kind: str, beside: str) -> None:
    scenes = 0
    for given in interrupted(BESIDE[beside], FORGETS[kind]):
        tried(FORGETS[kind], given)
        assert_nothing_left(given, kind)
        scenes += 1
    assert scenes > 1


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("kind", FORGETS)
def test_something_else_happens_while_it_is_being_forgotten(kind: str, beside: str) -> None:
    for given in interrupted(FORGETS[kind], BESIDE[beside]):
        assert_nothing_left(given, kind)


@pytest.mark.parametrize("other", FORGETS)
@pytest.mark.parametrize("kind", FORGETS)
def test_two_forget_at_once(kind: str, other: str) -> None:
    for given in interrupted(FORGETS[kind], FORGETS[other]):
        tried(FORGETS[other], given)
        assert_nothing_left(given, kind)
        assert_nothing_left(given, other)


def test_a_run_whose_chat_was_forgotten_says_so_and_the_rest_is_loaded_again() -> None:
    given = scene()
    FORGETS["comment"](given)
    with pytest.raises(Refused, match="was forgotten, with a chat it had loaded"):
        close_the_run(given)
    loaded = given.house.grill.start("attended", 8, 12_000).loaded
    assert [c.chat["body"] for c in loaded] == ["another"]


def test_a_run_that_loaded_a_chat_just_before_it_was_forgotten_owes_it_nothing() -> None:
    """Started from a view of before, and recorded after: the run stands, the chat does not."""
    given = scene()
    given.log.interrupt(0, lambda: FORGETS["comment"](given))
    run = given.house.grill.start("attended", 8, 12_000).run
    assert given.comment in [c["comment_id"] for c in run["loaded"]]
    others = [c["comment_id"] for c in run["loaded"] if c["comment_id"] != given.comment]
    named = {"chats": [{"comment_id": given.comment, "decision": "reply", "reply": CANARY}]}
    with pytest.raises(Refused):
        given.house.grill.close(run["run_id"], named, "operator")
    plan = {"chats": [{"comment_id": id_, "decision": "acknowledge", "ambiguous": False, "evidence": ["x"]}
                      for id_ in others]}  # fmt: skip
    closed = given.house.grill.close(run["run_id"], plan, "operator")
    assert closed.finished
    assert_nothing_left(given, "comment")


# -- beside a sweep ------------------------------------------------------------------------------


def sweeping_house(root: Path) -> House:
    house = House()
    house.settings = replace(house.settings, root=str(root))
    return house


def sessions(root: Path, prompts: int, forked_at: int = 3) -> None:
    """A session of several episodes, a fork of it that goes on by itself, and another."""
    session = Session("s1")
    for n in range(prompts):
        session.user(f"{CANARY} prompt {n}", uuid=f"u{n}")
        session.agent(f"{CANARY} answer {n} " + "z" * 90_000, uuid=f"a{n}")
    session.write(root)
    fork = Session("s2")
    fork.records = [{**record, "sessionId": "s2"} for record in session.records[: 2 * forked_at]]
    fork.user("the fork's own", uuid="f1")
    fork.write(root)
    other = Session("s3")
    other.user("another's")
    other.write(root)


def forget_s1(house: House) -> None:
    with contextlib.suppress(Refused):  # nothing of it was taken in yet
        house.forgetting.forget(house.forgetting.session("s1"))


def assert_s1_is_gone(house: House) -> None:
    assert house.finish_forgetting() == []
    house.sweep()
    assert CANARY not in json.dumps([e.data for e in house.events()])
    assert "the fork's own" in json.dumps([e.data for e in house.events()])
    house.current()
    assert dump(house.store.connection) == dump(folded(house.log).connection)


@pytest.mark.parametrize("sweeps_first", [True, False])
def test_a_session_forgotten_while_it_is_swept(tmp_path: Path, sweeps_first: bool) -> None:
    for n in count():
        root = tmp_path / str(n)
        house = sweeping_house(root)
        log = house.memory
        assert isinstance(log, WatchedLog)
        sessions(root, 3)
        if sweeps_first:
            log.interrupt(n, partial(forget_s1, house))
            house.sweep()
        else:
            house.sweep()
            sessions(root, 6)
            log.interrupt(n, house.sweep)
            forget_s1(house)
        left_alone = log.be_left_alone()
        forget_s1(house)
        assert_s1_is_gone(house)
        if left_alone:
            break
    assert n > 2


def test_a_copy_that_another_sweep_took_in_at_the_same_time_is_named(tmp_path: Path) -> None:
    """Both streams hold it then. It counts where it stood first, and no more once that is forgotten."""
    sessions(tmp_path, 2)
    house = sweeping_house(tmp_path)
    house.sweep()
    taken = [e for e in house.events("episode.captured") if e.stream == "episode-g.s1"]
    for event in taken:
        house.journal.append(
            "episode-g.s9", [Draft(event.type, {**event.data, "session": "s9"})], _end(house), Act("sweep")
        )
    told = house.forgetting.forget(house.forgetting.session("s1"))
    assert told.copies == {"episode-g.s9": 4}
    house.current()
    assert dump(house.store.connection) == dump(folded(house.log).connection)
    assert house.current().episodes().captured == 2  # the fork's own and another's
    house.forgetting.forget(house.forgetting.session("s9"))
    assert_s1_is_gone(house)


def test_what_a_staying_session_had_first_stays_its_own(tmp_path: Path) -> None:
    sessions(tmp_path, 2)
    house = sweeping_house(tmp_path)
    house.sweep()
    taken = [e for e in house.events("episode.captured") if e.stream == "episode-g.s1"]
    for event in taken:
        house.journal.append(
            "episode-g.s9", [Draft(event.type, {**event.data, "session": "s9"})], _end(house), Act("sweep")
        )
    before = house.current().episodes()
    house.forgetting.forget(house.forgetting.session("s9"))
    house.current()
    assert dump(house.store.connection) == dump(folded(house.log).connection)
    assert house.current().episodes() == before
    assert house.sweep()["turns"] == 0


def _end(house: House) -> int:
    last = next(house.log.read("episode-g.s9", backwards=True, limit=1), None)
    return last.revision if last else NO_STREAM


def test_the_keys_of_a_long_session_take_several_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.domain.forgetting.KEYS_AN_EVENT", 5)
    sessions(tmp_path, 4)
    for stop in range(6):
        house = sweeping_house(tmp_path)
        house.sweep()
        assert isinstance(house.memory, WatchedLog)

        def dies() -> None:
            raise KeyboardInterrupt

        house.memory.interrupt(stop, dies)
        with contextlib.suppress(KeyboardInterrupt):
            forget_s1(house)
        house.memory.be_left_alone()
        forget_s1(house)
        ended = list(house.log.read("episode-g.s1"))
        assert [e.type for e in ended] == ["episode.forgotten"] * len(ended)
        assert [e.data["part"] for e in ended] == list(range(len(ended)))
        assert len(ended) == 4
        assert_s1_is_gone(house)
