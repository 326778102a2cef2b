"""The file an embedded log is: made, opened, backed up, restored, and what its errors mean."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from edge.domain.refusal import Failed

APPLICATION_ID: Final = 0x65646765  # "edge", in the file's header
FORMAT: Final = 1
WAIT_SECONDS: Final = 30.0
"""How long a write waits for another process's write."""

# The small columns come first: a filter on them never touches the pages a long text spills to.
_SCHEMA: Final = f"""
PRAGMA journal_mode = WAL;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
CREATE TABLE event (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    stream   TEXT NOT NULL,
    revision INTEGER NOT NULL,
    type     TEXT NOT NULL,
    id       TEXT NOT NULL,
    metadata TEXT NOT NULL,
    data     TEXT NOT NULL,
    UNIQUE (stream, revision)
);
"""


def connect(path: Path, wait: float = WAIT_SECONDS) -> apsw.Connection:
    """A connection to an existing edge log. Raises Failed where there is none at ``path``."""
    if not path.is_file():
        raise Failed(f"there is no log at {path}", hint="`edge init` makes one")
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(round(wait * 1000))
            # else each bound value has SQLite plan its statement anew, which costs more than running it
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            _check_kind(connection, path)
            connection.pragma("synchronous", "FULL")
            connection.pragma("secure_delete", "ON")
        except BaseException:
            connection.close()
            raise
    except apsw.Error as error:
        raise explained(path, error) from error
    return connection


def _check_kind(connection: apsw.Connection, path: Path) -> None:
    if connection.pragma("application_id") != APPLICATION_ID:
        raise Failed(f"{path} is not an edge log", hint="name the log's file, or move this one aside")
    if connection.pragma("user_version") > FORMAT:
        raise Failed(f"{path} was written by a newer edge", hint="update edge")


def explained(path: Path, error: apsw.Error) -> Failed:
    """What an error of SQLite means for the log, and what to do about it."""
    match error:
        case apsw.FullError():
            what, hint = "the disk is full; nothing was written", "free some space, then try again"
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            what, hint = "it cannot be written here", f"check the rights on {path.parent} and the files in it"
        case apsw.NotADBError():
            what, hint = "the file is not an edge log", "name the log's file, or move this one aside"
        case apsw.CorruptError():
            what, hint = "the file is damaged", "`edge log restore` puts a backup in its place"
        case apsw.BusyError() | apsw.LockedError():
            what, hint = "another process keeps it busy", "try again; `edge doctor` shows who is writing"
        case apsw.IOError():
            what, hint = f"the disk failed ({error})", "check the disk, and the space left on it"
        case apsw.ConnectionClosedError():
            what, hint = "it was closed", ""
        case _:
            what, hint = str(error), "`edge log verify` checks the file"
    return Failed(f"log {path}: {what}", hint=hint)


def unreadable(path: Path, error: ValueError) -> Failed:
    return Failed(f"log {path}: an event is damaged ({error})", hint="`edge log verify` names it")


def empty_wal(connection: apsw.Connection, path: Path) -> None:
    """Move all that was committed into the file: what was deleted there leaves the ``-wal`` too."""
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError as error:
        raise Failed(
            f"log {path}: what was taken out is still in its -wal file, which a reader keeps busy",
            hint="try again when nothing reads the log",
        ) from error


def create(path: Path) -> None:
    """Make an empty log, readable by its owner only. Raises Failed where something is there."""
    with _placed(path) as fresh:
        connection = apsw.Connection(str(fresh), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.execute(_SCHEMA).fetchall()  # to the end: each statement waits for the one before
        finally:
            connection.close()


def copy(source: apsw.Connection, target: Path) -> None:
    """Copy the log as it stands now, while others may write to it. Refuses to overwrite."""
    with _placed(target) as fresh:
        connection = apsw.Connection(str(fresh), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            # In one step: what is written meanwhile would make a copy in several begin anew.
            with connection.backup("main", source, "main") as backup:
                backup.step()
        finally:
            connection.close()


def restore(backup_path: Path, log_path: Path) -> None:
    """Put a backup in the log's place, atomically; the log that stood there is gone.

    Raises Failed, with the log untouched, where the backup is no sound edge log, or where a
    ``-wal`` or ``-shm`` file lies beside either: SQLite would replay it into the wrong file.
    """
    if not backup_path.is_file():
        raise Failed(f"there is no backup at {backup_path}")
    _refuse_companions(
        backup_path, "the backup is in use, or was copied from a log in use; make one with `edge log backup`"
    )
    _refuse_companions(
        log_path,
        "stop what uses the log; if the file stays, move the log and its -wal and -shm aside together",
    )
    with _temporary(log_path) as fresh:
        try:
            shutil.copyfile(backup_path, fresh)
            _check_sound(fresh, backup_path)
            _sync(fresh)
            _refuse_companions(log_path, "the log came into use meanwhile: stop what uses it")
            fresh.replace(log_path)
            _sync(log_path.parent)
        except OSError as error:
            raise _said(log_path, error) from error


def _check_sound(copied: Path, backup_path: Path) -> None:
    """The copy is checked, not the original: so what is checked is what is put in place."""
    try:
        connection = connect(copied)
    except Failed as error:
        raise Failed(
            error.message.replace(str(copied), str(backup_path)), hint="name another backup"
        ) from error
    try:
        found = connection.execute("PRAGMA integrity_check(1)").get
        connection.pragma("journal_mode", "WAL")  # a copy made by other means may have lost it
    except apsw.Error as error:
        found = str(error)
    finally:
        connection.close()
    if found != "ok":
        raise Failed(f"the backup {backup_path} is damaged: {found}", hint="name another backup")


def _refuse_companions(path: Path, hint: str) -> None:
    for suffix in ("-wal", "-shm"):
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            raise Failed(f"{companion} lies beside {path.name}", hint=hint)


@contextmanager
def _placed(path: Path) -> Iterator[Path]:
    """An empty file to fill, which then appears at ``path`` whole, and only if nothing is there."""
    if path.exists():
        raise Failed(f"{path} is there already", hint="name another file, or move it aside")
    with _temporary(path) as fresh:
        try:
            yield fresh
            _sync(fresh)
            os.link(fresh, path)
            _sync(path.parent)
        except FileExistsError as error:
            raise Failed(f"{path} is there already", hint="another process made it meanwhile") from error
        except OSError as error:
            raise _said(path, error) from error
        except apsw.Error as error:
            raise explained(path, error) from error


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    """A file of its owner's only, beside ``path``; gone afterwards where it was not moved.

    Its name has the process's number, so that what a killed one left can be told and removed."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.{os.getpid()}-", dir=path.parent)
    except OSError as error:
        raise _said(path, error) from error
    os.close(handle)
    fresh = Path(name)
    try:
        yield fresh
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)


def _said(path: Path, error: OSError) -> Failed:
    return Failed(f"{path} cannot be written: {error.strerror}", hint=f"check {path.parent}")


def _sync(path: Path) -> None:
    """To the disk, so that a power cut takes neither the file nor its name."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
