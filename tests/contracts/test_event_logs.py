"""The logs in this process pass the contract; and what the embedded one promises beyond it."""

from __future__ import annotations

import itertools
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.eventlog.memory import MemoryEventLog
from adapters.eventlog.sqlite import _EVENT, SqliteEventLog, restore
from edge.domain.events import NO_STREAM, NewEvent
from edge.domain.refusal import Failed
from edge.ports import EventLog
from tests.contracts.event_log import EventLogContract
from tests.contracts.probes import event, events, fresh_stream


class TestMemoryEventLog(EventLogContract):
    @pytest.fixture
    def log(self) -> Iterator[EventLog]:
        log = MemoryEventLog()
        yield log
        log.close()

    def test_positions_have_uneven_gaps(self, log: EventLog) -> None:
        log.append(fresh_stream(), events(10), NO_STREAM)
        positions = [e.position for e in log.read_all()]
        assert len({b - a for a, b in itertools.pairwise(positions)}) > 1


class TestSqliteEventLog(EventLogContract):
    @pytest.fixture
    def log(self, tmp_path: Path) -> Iterator[EventLog]:
        log = SqliteEventLog.create(tmp_path / "log.db")
        yield log
        log.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


@pytest.fixture
def sqlite(path: Path) -> Iterator[SqliteEventLog]:
    log = SqliteEventLog.create(path)
    log.append("log-g", [event("log.created", log_id="l")], NO_STREAM)
    yield log
    log.close()


def test_the_file_is_its_owners_only(sqlite: SqliteEventLog) -> None:
    sqlite.append("voz-g.a", events(1), NO_STREAM)
    for file in sqlite.path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_a_log_is_not_made_over_another(sqlite: SqliteEventLog) -> None:
    with pytest.raises(Failed, match="is there already"):
        SqliteEventLog.create(sqlite.path)
    assert len(list(sqlite.read_all())) == 1


def test_a_missing_log_is_not_made_by_opening_it(path: Path) -> None:
    with pytest.raises(Failed, match="there is no log at"):
        SqliteEventLog(path)
    assert not path.exists()


def test_closing_leaves_one_file(sqlite: SqliteEventLog) -> None:
    assert list(sqlite.read_all())
    sqlite.close()
    assert list(sqlite.path.parent.iterdir()) == [sqlite.path]


def test_a_closed_log_says_so(sqlite: SqliteEventLog) -> None:
    sqlite.close()
    for use in (
        lambda: sqlite.append("voz-g.a", events(1), NO_STREAM),
        lambda: sqlite.read("voz-g.a"),
        sqlite.head,
        sqlite.verify,
    ):
        with pytest.raises(Failed, match="closed"):
            use()


def test_a_write_that_waits_too_long_says_so(path: Path, sqlite: SqliteEventLog) -> None:
    sqlite.append("voz-g.a", events(1), NO_STREAM)
    hurried = SqliteEventLog(path, wait=0.01)
    assert sqlite._writer is not None
    sqlite._writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(Failed, match="busy"):
        hurried.append("voz-g.b", events(1), NO_STREAM)
    sqlite._writer.execute("ROLLBACK")
    assert hurried.append("voz-g.b", events(1), NO_STREAM).written
    hurried.close()


def test_forgotten_text_is_nowhere_in_the_files(sqlite: SqliteEventLog) -> None:
    """Also where the events of many streams lie mixed, and pages are merged as they empty."""
    streams = [f"episode-g.{n}" for n in range(40)]
    for revision in range(12):
        for n, stream in enumerate(streams):
            text = f"<secret {n}/{revision}>" + "x" * (37 * n * revision % 6000)
            sqlite.append(stream, [event(text=text)], revision - 1)
    for stream in streams[:30]:
        sqlite.truncate_before(stream, 11)
    raw = b"".join(f.read_bytes() for f in sqlite.path.parent.iterdir())
    for n in range(40):
        for revision in range(12):
            gone = n < 30 and revision < 11
            assert (f"<secret {n}/{revision}>".encode() in raw) is not gone
    assert sqlite.verify() == []


def test_truncation_that_a_reader_holds_up_is_told_and_finished_later(path: Path) -> None:
    log = SqliteEventLog.create(path)
    log.append("log-g", [event("log.created")], NO_STREAM)
    log.append("voz-g.a", [event(text="<secret>"), event()], NO_STREAM)
    log.close()
    log = SqliteEventLog(path, wait=0.01)
    reading = log.read_all()
    next(reading)
    with pytest.raises(Failed, match="still in its -wal file"):
        log.truncate_before("voz-g.a", 1)
    assert len(list(reading)) == 2
    log.truncate_before("voz-g.a", 1)
    assert b"<secret>" not in b"".join(f.read_bytes() for f in path.parent.iterdir())
    log.close()


def test_a_log_written_anew_is_the_same_log_without_what_was_truncated(sqlite: SqliteEventLog) -> None:
    for revision in range(30):
        sqlite.append("voz-g.a", [event(text=f"<secret {revision}>" + "x" * 900)], revision - 1)
    sqlite.truncate_before("voz-g.a", 29)
    before, size = list(sqlite.read_all()), sqlite.path.stat().st_size
    sqlite.scrub()
    assert list(sqlite.read_all()) == before
    assert sqlite.path.stat().st_size < size
    assert b"<secret 3>" not in b"".join(f.read_bytes() for f in sqlite.path.parent.iterdir())
    assert sqlite.verify() == []
    assert sqlite.append("voz-g.a", [event()], 29).position > before[-1].position


def test_a_sound_log_has_no_problems(sqlite: SqliteEventLog) -> None:
    sqlite.append("voz-g.a", events(3), NO_STREAM)
    sqlite.append("voz-g.b", events(2), NO_STREAM)
    sqlite.append("voz-g.a", events(2), 2)
    assert sqlite.verify() == []
    sqlite.truncate_before("voz-g.a", 1)
    sqlite.truncate_before("voz-g.b", 1)
    assert sqlite.verify() == []


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM event WHERE stream = 'voz-g.a' AND revision = 1", "stream voz-g.a: 2 events"),
        ("DELETE FROM event WHERE stream = 'voz-g.b' AND revision = 1", "the append ends at event 1 of 2"),
        ("DELETE FROM event WHERE stream = 'voz-g.a' AND revision = 2", "the append ends at event 2 of 3"),
        ("DELETE FROM event WHERE stream = 'log-g'", "the log begins with probe.noted"),
        ("UPDATE event SET data = '{' WHERE stream = 'voz-g.b'", "the data is no JSON"),
        ("UPDATE event SET metadata = '{' WHERE stream = 'voz-g.b'", "the metadata is no JSON"),
        ("DELETE FROM event", "the log is empty"),
    ],
)
def test_verify_names_what_is_wrong(sqlite: SqliteEventLog, damage: str, told: str) -> None:
    sqlite.append("voz-g.a", events(3), NO_STREAM)
    sqlite.append("voz-g.b", events(2), NO_STREAM)
    assert sqlite._writer is not None
    sqlite._writer.execute(damage)
    assert any(told in line for line in sqlite.verify())


@pytest.mark.parametrize("damage", ["'{'", "CAST(x'80' AS TEXT)"])
def test_an_event_that_cannot_be_read_is_one_clear_error(sqlite: SqliteEventLog, damage: str) -> None:
    sqlite.append("voz-g.a", events(1), NO_STREAM)
    assert sqlite._writer is not None
    sqlite._writer.execute(f"UPDATE event SET metadata = {damage} WHERE stream = 'voz-g.a'")
    with pytest.raises(Failed, match="an event is damaged"):
        list(sqlite.read_all())
    assert sqlite.verify() != []


def test_no_read_sorts(sqlite: SqliteEventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every read goes along the table or the index on streams, so that it streams."""
    monkeypatch.setattr("adapters.eventlog.sqlite._EVENT", "EXPLAIN QUERY PLAN " + _EVENT)
    plans: list[str] = []
    monkeypatch.setattr(sqlite, "_decoded", lambda _, rows: plans.append(str(list(rows))))
    for backwards in (False, True):
        sqlite.read("voz-g.a", from_revision=1, backwards=backwards)
        sqlite.read_all(after=1, before=9, categories=["a", "b"], types=["c"], backwards=backwards, limit=3)
        sqlite.read_all(categories=["voz"], backwards=backwards)
        sqlite.read_all(types=["a", "b"], backwards=backwards)
    assert len(plans) == 8
    assert not [plan for plan in plans if "B-TREE" in plan or "MULTI-INDEX" in plan]


def test_a_backup_is_the_log_as_it_stood(sqlite: SqliteEventLog, tmp_path: Path) -> None:
    sqlite.append("voz-g.a", events(3), NO_STREAM)
    target = tmp_path / "backup.db"
    before = list(sqlite.read_all())
    sqlite.backup(target)
    sqlite.append("voz-g.b", events(1), NO_STREAM)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(Failed, match="is there already"):
        sqlite.backup(target)
    copy = SqliteEventLog(target)
    assert list(copy.read_all()) == before
    copy.close()


def test_a_restored_log_is_the_backup(sqlite: SqliteEventLog, tmp_path: Path) -> None:
    target = tmp_path / "backup.db"
    sqlite.backup(target)
    sqlite.append("voz-g.a", events(1), NO_STREAM)
    sqlite.close()
    restore(target, sqlite.path)
    assert stat.S_IMODE(sqlite.path.stat().st_mode) == 0o600
    log = SqliteEventLog(sqlite.path)
    assert [e.type for e in log.read_all()] == ["log.created"]
    assert log.append("voz-g.a", events(1), NO_STREAM).written
    log.close()
    assert sorted(tmp_path.iterdir()) == [target, sqlite.path]


def test_a_log_in_use_is_not_replaced(sqlite: SqliteEventLog, tmp_path: Path) -> None:
    target = tmp_path / "backup.db"
    sqlite.backup(target)
    with pytest.raises(Failed, match=r"log\.db-wal lies beside"):
        restore(target, sqlite.path)
    with pytest.raises(Failed, match=r"log\.db-wal lies beside"):
        restore(sqlite.path, tmp_path / "new.db")
    assert len(list(sqlite.read_all())) == 1
    assert not (tmp_path / "new.db").exists()


def test_only_a_sound_log_is_restored(sqlite: SqliteEventLog, tmp_path: Path) -> None:
    for n in range(50):
        sqlite.append(f"voz-g.{n}", [event(text="x" * 3000)], NO_STREAM)
    good = tmp_path / "good.db"
    sqlite.backup(good)
    sqlite.close()
    as_it_was = sqlite.path.read_bytes()
    torn, cut, other = (tmp_path / name for name in ("torn.db", "cut.db", "other.db"))
    raw = bytearray(good.read_bytes())
    cut.write_bytes(raw[: len(raw) // 2])
    raw[8192:16384] = bytes(8192)
    torn.write_bytes(raw)
    other.write_text("my diary")
    for bad in (torn, cut, other, tmp_path / "missing.db"):
        with pytest.raises(Failed) as told:
            restore(bad, sqlite.path)
        assert str(bad) in told.value.message
    assert sqlite.path.read_bytes() == as_it_was


def test_json_is_kept_readable(sqlite: SqliteEventLog) -> None:
    sqlite.append("voz-g.a", [NewEvent("i", "probe.noted", {"a": "olá", "b": [1, 2]}, {})], NO_STREAM)
    assert sqlite._writer is not None
    query = "SELECT typeof(data), data FROM event WHERE id = 'i'"
    assert sqlite._writer.execute(query).fetchall() == [("text", '{"a":"olá","b":[1,2]}')]
