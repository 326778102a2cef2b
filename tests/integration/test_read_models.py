"""The read store beside a log that changes under it, and models that change or break."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from adapters.eventlog.sqlite import restore
from edge.domain.events import Event
from edge.domain.refusal import Failed, Misused
from edge.init import initialise
from edge.settings import Settings
from edge.wiring import Edge
from projections.chats import Chats
from projections.direction import Direction
from projections.models import MODELS
from projections.rebuild import rebuild
from projections.runner import ATTEMPTS, LogChangedError, Runner
from projections.store import ReadStore
from tests.support.house import LOG_ID, House, dump, folded


@contextmanager
def opened(home: Path) -> Iterator[Edge]:
    with closing(Edge.at_home(home)) as edge:
        yield edge


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, "2026-11-20T12:00:00Z")


def at(monkeypatch: pytest.MonkeyPatch, now: str) -> None:
    monkeypatch.setenv("EDGE_NOW", now)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    initialise(Settings(tmp_path / "home", "g"))
    return tmp_path / "home"


def bodies(edge: Edge) -> list[str]:
    return [chat["body"] for chat in edge.current().chats()]


def kinds(edge: Edge) -> list[str]:
    return [error["kind"] for error in edge.health()["errors"]]


def assert_as_if_fresh(edge: Edge) -> None:
    assert dump(edge.store.connection) == dump(folded(edge.log, edge.log_id).connection)


# -- quarantine --------------------------------------------------------------------------------


class Poison:
    """A model's ``apply`` that fails on every event with one body."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
        self.tries = 0
        apply = Chats.apply

        def poisoned(model: Chats, event: Event) -> None:
            if event.data.get("body") == body:
                self.tries += 1
                raise ValueError("cannot take this")
            apply(model, event)

        monkeypatch.setattr(Chats, "apply", poisoned)


def test_a_poison_append_is_tried_again_then_left_out_whole_and_the_others_stand(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(home) as edge:
        for body in ("one", "poison", "two"):
            edge.voz.comment(body)
        chat = edge.voz.comment("Testes primeiro, sempre").id
        run = edge.grill.start("attended", 8, 12_000).run["run_id"]
        entries = [
            {
                "comment_id": c["comment_id"],
                "decision": "fold" if c["comment_id"] == chat else "reply",
                "reply": "poisoned reply" if c["comment_id"] == chat else "ok",
                "steer": {"title": "Testes"},
            }
            for c in edge.grill.load(run)[0]["loaded"]
        ]
        for entry in entries:
            entry |= {"ambiguous": False, "evidence": ["x"]}
        edge.grill.close(run, {"chats": entries}, "operator")
        events = {e.data.get("body"): e for e in edge.log.read_all()}
    for file in home.glob("read.db*"):
        file.unlink()
    poison = Poison(monkeypatch, "poisoned reply")
    with opened(home) as edge:
        states = {c["body"]: c["closed_by"] for c in edge.current().chats()}
        assert states == {
            "one": "resolved",
            "poison": "resolved",
            "two": "resolved",
            "Testes primeiro, sempre": None,  # its close was left out, its comment was not
        }
        assert poison.tries == 1 + ATTEMPTS  # once in its page, then alone
        close = [(e.position, e.type) for e in edge.log.read(edge.streams.chat(chat))][1:]
        found = edge.store.quarantined()
        assert [(position, type_) for position, _, _, type_, _ in found] == close
        assert {error for *_, error in found} == {"ValueError: cannot take this"}
        assert edge.current().items() == []  # the steer of that append was left out with it
        strip = edge.health()
        (quarantined,) = [e for e in strip["errors"] if e["kind"] == "quarantined-event"]
        assert events["poisoned reply"].id in quarantined["ids"]
        assert strip["degraded"]
        assert strip["projection_lag"] == 0


def test_a_quarantined_append_is_not_tried_again_by_every_reader(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison = Poison(monkeypatch, "poison")
    with opened(home) as edge:
        edge.voz.comment("poison")
        edge.voz.comment("one")
        assert bodies(edge) == ["one"]
    tries = poison.tries
    with opened(home) as edge:
        assert bodies(edge) == ["one"]
        assert poison.tries == tries


def test_a_rebuild_is_strict_about_it_and_leaves_the_old_tables(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as poisoned, opened(home) as edge:
        Poison(poisoned, "poison")
        edge.voz.comment("poison")
        edge.voz.comment("one")
        before = bodies(edge)
        with pytest.raises(Failed, match=r"position \d+ .*cannot be folded: ValueError: cannot take this"):
            edge.rebuild()
        assert bodies(edge) == before == ["one"]
        assert kinds(edge) == ["quarantined-event"]
    with opened(home) as edge:  # mended
        edge.rebuild()
        assert bodies(edge) == ["poison", "one"]
        assert kinds(edge) == []
        assert_as_if_fresh(edge)


# -- versions ----------------------------------------------------------------------------------


def test_a_model_of_a_new_version_is_rebuilt_and_swapped_in(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(home) as edge:
        edge.voz.comment("one")
        edge.steering.set_({"title": "x", "body": "x", "kind": "phase"}, None, None)
        edge.current()
    tables = {name: ddl.replace("doc TEXT", "newer TEXT, doc TEXT") for name, ddl in Direction.TABLES.items()}
    monkeypatch.setattr(Direction, "TABLES", tables)
    monkeypatch.setattr(Direction, "VERSION", Direction.VERSION + 1)
    folds: list[str] = []
    evolve = Direction.apply

    def counted(model: Direction, event: Event) -> None:
        folds.append(event.type)
        evolve(model, event)

    monkeypatch.setattr(Direction, "apply", counted)
    with opened(home) as edge:
        assert [m.NAME for m in edge.store.outdated()] == ["direction"]
        assert [i["title"] for i in edge.current().items()] == ["x"]
        assert edge.store.outdated() == []
        assert "direction.set" in folds
        assert edge.store.connection.execute("SELECT newer FROM direction").fetchall() == [(None,)]
        assert_as_if_fresh(edge)
    folds.clear()
    with opened(home) as edge:
        edge.current()
        assert folds == []  # rebuilt once, for good


def test_a_rebuild_of_one_model_gives_the_same_tables_and_position(home: Path) -> None:
    with opened(home) as edge:
        edge.voz.comment("one")
        edge.current()
        before = dump(edge.store.connection)
        assert edge.rebuild(("chats",)) == edge.log.head()
        assert dump(edge.store.connection) == before
        edge.rebuild()
        assert dump(edge.store.connection) == before


# -- a log that is not the one -----------------------------------------------------------------


def assert_noticed(home: Path, now: list[str]) -> None:
    """Status says so and is degraded; lists refuse; a rebuild settles it."""
    with opened(home) as edge:
        assert kinds(edge) == ["log-changed"]
        assert edge.health()["degraded"]
        with pytest.raises(LogChangedError) as told:
            edge.current()
        assert "edge rebuild" in told.value.hint
        with pytest.raises(LogChangedError):
            edge.voz.answer("q1", "yes")
        edge.rebuild()
        assert bodies(edge) == now
        assert kinds(edge) == []
        assert_as_if_fresh(edge)


@pytest.fixture
def restored(home: Path, tmp_path: Path) -> Path:
    """A home whose log was put back to where only its first comment stood; the read store was not."""
    with opened(home) as edge:
        edge.voz.comment("one")
        edge.embedded_log.backup(tmp_path / "backup.db")
        edge.voz.comment("two")
        edge.voz.comment("three")
        assert bodies(edge) == ["one", "two", "three"]
    restore(tmp_path / "backup.db", home / "log.db")
    return home


def test_a_log_restored_behind_the_read_models_is_noticed(restored: Path) -> None:
    assert_noticed(restored, ["one"])


def test_a_log_restored_and_grown_again_is_noticed(restored: Path) -> None:
    with opened(restored) as edge:
        for body in ("other", "others", "more", "most"):
            edge.voz.comment(body)  # a comment on nothing needs no read model
        assert edge.log.head() > edge.store.position()
    assert_noticed(restored, ["one", "other", "others", "more", "most"])


def test_another_log_in_its_place_is_noticed(home: Path, tmp_path: Path) -> None:
    initialise(Settings(tmp_path / "other", "g"))
    for place, body in ((home, "one"), (tmp_path / "other", "theirs")):
        with opened(place) as edge:
            edge.voz.comment(body)
            assert bodies(edge) == [body]
    for file in home.glob("log.db*"):
        file.unlink()
    shutil.copy(tmp_path / "other" / "log.db", home / "log.db")
    assert_noticed(home, ["theirs"])


def test_a_log_that_is_gone_is_said_and_nothing_is_made_in_its_place(home: Path) -> None:
    (home / "log.db").unlink()
    with opened(home) as edge, pytest.raises(Failed, match="is gone"):
        edge.current()
    assert not (home / "log.db").exists()


# -- a read store that is not there ------------------------------------------------------------


def test_a_deleted_read_store_is_folded_again(home: Path) -> None:
    with opened(home) as edge:
        edge.voz.comment("one")
        edge.current()
        before = dump(edge.store.connection)
    for file in home.glob("read.db*"):
        file.unlink()
    with opened(home) as edge:
        assert bodies(edge) == ["one"]
        assert dump(edge.store.connection) == before


@pytest.mark.parametrize("rubbish", [b"not a database", b"SQLite format 3\x00" + b"\x07" * 5000])
def test_a_damaged_read_store_is_set_aside_and_folded_anew(home: Path, rubbish: bytes) -> None:
    with opened(home) as edge:
        edge.voz.comment("one")
    (home / "read.db").write_bytes(rubbish)
    with opened(home) as edge:
        assert bodies(edge) == ["one"]
        assert_as_if_fresh(edge)
    assert (home / "read.damaged").read_bytes() == rubbish


def test_a_log_opened_by_the_wrong_group_is_not_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_GROUP", "other")
    with opened(home) as edge, pytest.raises(Misused, match="not of group 'other'"):
        edge.current()


def test_a_store_of_before_a_model_was_there_is_folded_anew_with_it(tmp_path: Path) -> None:
    house = House()
    house.publish("study")
    path = tmp_path / "read.db"
    older = ReadStore(path, MODELS[:-1], LOG_ID)
    Runner(house.memory, older, house.streams.log).catch_up()
    older.close()

    newer = ReadStore(path, MODELS, LOG_ID)
    assert [model.NAME for model in newer.outdated()] == [MODELS[-1].NAME]
    rebuild(house.memory, newer, house.streams.log, ())
    assert dump(newer.connection) == dump(folded(house.memory).connection)
