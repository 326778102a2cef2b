"""The embedded log among real processes: many at once, killed anywhere, out of space, without rights."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from adapters.eventlog.sqlite import SqliteEventLog, restore
from edge.domain.events import NO_STREAM, NewEvent
from edge.domain.refusal import Failed
from tests.crash import log_writers
from tests.crash.log_writers import acknowledged, batch
from tests.support.soak import counted, more

PATIENCE = 60.0
PROCESSES = multiprocessing.get_context("forkserver")  # clean processes, whatever threads the tests have


def start(work: Callable[..., None], *args: Any) -> BaseProcess:
    process = PROCESSES.Process(target=work, args=args)
    process.start()
    return process


def wait_for_receipts(receipts: Path, writer: BaseProcess) -> None:
    while not acknowledged(receipts):
        writer.join(0.001)
        assert writer.exitcode is None


def end(writer: BaseProcess) -> None:
    writer.kill()
    writer.join(PATIENCE)


def heard(work: Callable[..., None], *args: Any) -> list[Any]:
    """All that a process sends before it ends."""
    hears, says = PROCESSES.Pipe(duplex=False)
    process = start(work, *args, says)
    says.close()
    found = []
    try:
        while hears.poll(PATIENCE):
            found.append(hears.recv())
    except EOFError:
        pass
    process.join(PATIENCE)
    hears.close()
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "log.db"
    log = SqliteEventLog.create(path)
    log.append("log-g", [NewEvent("00", "log.created", {}, {"batch": [0, 1]})], NO_STREAM)
    log.close()
    return path


@pytest.fixture
def opened(path: Path) -> Iterator[SqliteEventLog]:
    log = SqliteEventLog(path)
    yield log
    log.close()


def test_eight_processes_on_the_same_streams_lose_and_double_nothing(path: Path, tmp_path: Path) -> None:
    receipts, streams = tmp_path / "receipts", ["voz-g.a", "voz-g.b", "direction-g.a"]
    writers = [start(log_writers.write, path, streams, receipts, 60) for _ in range(8)]
    for writer in writers:
        writer.join(PATIENCE)
        assert writer.exitcode == 0
    log = SqliteEventLog(path)
    assert log.verify() == []
    found = Counter(e.id for e in log.read_all(types=["probe.noted"]))
    assert set(found.values()) == {1}
    noted = acknowledged(receipts)
    assert len(noted) == 8 * 60
    assert set(found) == {id_ for _, ids in noted for id_ in ids}
    for stream in streams:
        revisions = [e.revision for e in log.read(stream)]
        assert revisions == list(range(len(revisions)))
    log.close()


@pytest.mark.parametrize("log_number", range(more(4)))
def test_writers_killed_anywhere_leave_whole_appends_and_every_receipt(
    path: Path, tmp_path: Path, log_number: int
) -> None:
    rounds = 25
    assert heard(log_writers.kill_writers, path, tmp_path / "receipts", rounds) == [[]] * rounds
    assert len(acknowledged(tmp_path / "receipts")) > rounds  # they did get to write
    counted("rounds of writers of the log killed at any moment", rounds)


def test_a_backup_taken_while_others_write_restores_to_a_prefix(path: Path, tmp_path: Path) -> None:
    receipts, streams = tmp_path / "receipts", ["voz-g.a", "voz-g.b"]
    writers = [start(log_writers.write, path, streams, receipts, 0) for _ in range(2)]
    wait_for_receipts(receipts, writers[0])
    log = SqliteEventLog(path)
    restored = []
    for n in range(6):
        seen = log.head()
        log.backup(tmp_path / f"backup{n}.db")
        restore(tmp_path / f"backup{n}.db", tmp_path / f"restored{n}.db")
        restored.append((seen, SqliteEventLog(tmp_path / f"restored{n}.db")))
    for writer in writers:
        end(writer)
    for seen, copy in restored:
        assert copy.verify() == []
        assert copy.head() >= seen
        assert list(copy.read_all()) == list(log.read_all(before=copy.head() + 1))
        copy.close()
    assert len({seen for seen, _ in restored}) > 1
    log.close()


def test_nothing_is_restored_beside_what_a_killed_writer_left(path: Path, tmp_path: Path) -> None:
    receipts, backup = tmp_path / "receipts", tmp_path / "backup.db"
    log = SqliteEventLog(path)
    log.backup(backup)
    log.close()
    writer = start(log_writers.write, path, ["voz-g.a"], receipts, 0)
    wait_for_receipts(receipts, writer)
    end(writer)
    with pytest.raises(Failed, match=r"log\.db-wal lies beside log\.db") as told:
        restore(backup, path)
    assert "aside together" in told.value.hint
    log = SqliteEventLog(path)
    assert log.verify() == []
    assert {id_ for _, ids in acknowledged(receipts) for id_ in ids} <= {e.id for e in log.read_all()}
    log.close()
    restore(backup, path)


def test_without_rights_to_write_one_line_says_so() -> None:
    with tempfile.TemporaryDirectory() as home:
        log = SqliteEventLog.create(Path(home) / "log.db")
        log.append("voz-g.a", batch(2), NO_STREAM)
        log.close()
        log.path.chmod(0o444)
        Path(home).chmod(0o555)
        try:
            opening, making = heard(log_writers.use_without_rights, log.path)
        finally:
            Path(home).chmod(0o700)
        assert opening == f"log {log.path}: it cannot be written here"
        assert making == f"{home}/new.db cannot be written: Permission denied"


def test_a_log_that_turned_read_only_says_so(opened: SqliteEventLog) -> None:
    opened.append("voz-g.a", batch(1), NO_STREAM)
    assert opened._writer is not None
    opened._writer.pragma("query_only", True)
    with pytest.raises(Failed, match="cannot be written here"):
        opened.append("voz-g.a", batch(1), 0)
    assert len(list(opened.read("voz-g.a"))) == 1


@pytest.mark.parametrize("content", [b"", b"my diary, 1998", b"SQLite format 3\x00" + b"\x07" * 5000])
def test_another_file_is_not_taken_for_a_log(tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "other"
    other.write_bytes(content)
    with pytest.raises(Failed, match="not an edge log") as told:
        SqliteEventLog(other)
    assert "\n" not in told.value.message
    assert other.read_bytes() == content


def test_a_damaged_log_is_told_and_its_damage_named(opened: SqliteEventLog) -> None:
    for n in range(40):
        opened.append(f"voz-g.{n}", batch(2, "x" * 900), NO_STREAM)
    opened.close()
    raw = bytearray(opened.path.read_bytes())
    raw[4096 * 3 : 4096 * 8] = b"\x5a" * (4096 * 5)
    opened.path.write_bytes(raw)
    log = SqliteEventLog(opened.path)
    with pytest.raises(Failed, match="the file is damaged"):
        list(log.read_all())
    assert any(line.startswith("file: ") for line in log.verify())
    log.close()


def test_a_full_disk_loses_nothing_acknowledged(opened: SqliteEventLog) -> None:
    done = opened.append("voz-g.a", batch(1), NO_STREAM).revision
    assert opened._writer is not None
    opened._writer.pragma("max_page_count", 40)
    with pytest.raises(Failed, match="the disk is full; nothing was written"):
        while True:
            done = opened.append("voz-g.a", batch(3, "x" * 5000), done).revision
    assert [e.revision for e in opened.read("voz-g.a")] == list(range(done + 1))
    assert opened.verify() == []
    opened._writer.pragma("max_page_count", 4000)
    assert opened.append("voz-g.a", batch(3, "x" * 5000), done).revision == done + 3


def test_files_that_may_not_grow_lose_nothing_acknowledged(path: Path) -> None:
    *ids, error = heard(log_writers.fill, path, 300_000)
    assert error.startswith(f"log {path}: ")
    assert ids
    log = SqliteEventLog(path)
    assert log.verify() == []
    assert [e.id for e in log.read("voz-g.full")] == [id_ for batch_ in ids for id_ in batch_]
    assert log.append("voz-g.after", batch(3), NO_STREAM).written
    log.close()
