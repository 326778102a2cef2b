"""The read store: one disposable SQLite file a host, its tables and the checkpoints of each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, cast

import apsw

from edge.domain.refusal import Failed
from edge.ports_forget import NOTED, READ_MODELS
from projections.model import ReadModel

BUSY_MS: Final = 30_000
STANDING_BUSY_MS: Final = 300
"""A reader in WAL mode waits for no writer; only a file being moved or checkpointed can hold it up."""

_CORE: Final = """
    CREATE TABLE IF NOT EXISTS checkpoints (
        model TEXT PRIMARY KEY, version INTEGER NOT NULL, log_id TEXT NOT NULL,
        position INTEGER NOT NULL, event_id TEXT NOT NULL, stream TEXT NOT NULL, revision INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS quarantine (
        position INTEGER PRIMARY KEY, event_id TEXT NOT NULL, stream TEXT NOT NULL, type TEXT NOT NULL,
        error TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS measured (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


_TO_REFOLD: Final = 0
"""The version of tables that hold what was forgotten since: no code writes it."""

UNWRITABLE: Final = (
    apsw.FullError,
    apsw.IOError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.NoMemError,
)
"""Trouble of the file or the disk, which no event is to blame for."""


class DamagedError(Failed):
    """The read store's file is no read store any more; nothing is lost with it."""


class Checkpoint(NamedTuple):
    """How far a model is: the last event applied, and the log it stands in. Position 0: nothing yet."""

    log_id: str
    position: int
    event_id: str
    stream: str
    revision: int


class ReadStore:
    """A connection to the read store, and the read models over it.

    ``path`` None keeps it in memory: a replay ``at`` some position is such a store.
    """

    def __init__(self, path: Path | None, models: Sequence[type[ReadModel]], log_id: str) -> None:
        self.path = path
        self.log_id = log_id
        try:
            if path is not None and not path.exists():
                path.touch(mode=0o600)  # what the operator said is nobody else's to read
            self.connection = apsw.Connection(str(path) if path else ":memory:")
            self.connection.set_busy_timeout(BUSY_MS)
            # else each bound value has SQLite plan its statement anew, which costs more than running it
            self.connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            self.connection.execute(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON"
            )
            if not self._is_ready(models):
                with self.transaction():
                    self._create(models)
        except (apsw.NotADBError, apsw.CorruptError) as error:
            raise DamagedError(
                f"the read store {path} is damaged ({error})",
                hint="delete it: everything in it is rebuilt from the log",
            ) from error
        except (*UNWRITABLE, apsw.PermissionsError, OSError) as error:
            raise Failed(
                f"the read store {path} cannot be written ({error})",
                hint="check the directory's permissions, or choose another with --home",
            ) from error
        self.models = [model(self.connection) for model in models]

    def _is_ready(self, models: Sequence[type[ReadModel]]) -> bool:
        tables = {row[0] for row in self.connection.execute("SELECT name FROM sqlite_schema")}
        if not tables.issuperset(("checkpoints", *(name for model in models for name in model.BESIDE))):
            return False
        known = {cast("str", row[0]) for row in self.connection.execute("SELECT model FROM checkpoints")}
        return known >= {model.NAME for model in models}

    def _create(self, models: Sequence[type[ReadModel]]) -> None:
        self.connection.execute(_CORE)
        known = {cast("str", row[0]) for row in self.connection.execute("SELECT model FROM checkpoints")}
        for model in models:
            for ddl in model.BESIDE.values():  # made where they are missing, also by newer code
                self.connection.execute(ddl)
            if model.NAME not in known:
                # beside models that have folded already it is outdated from the start: a rebuild fills it
                version = model.VERSION if not known else 0
                for ddl in model.TABLES.values():
                    self.connection.execute(ddl)
                self.connection.execute(
                    "INSERT INTO checkpoints VALUES (?, ?, ?, 0, '', '', -1)",
                    (model.NAME, version, self.log_id),
                )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """BEGIN IMMEDIATE, so that the wait for another writer comes first, never a refusal midway."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield
            self.connection.execute("COMMIT")
        except UNWRITABLE as error:
            raise Failed(
                f"the read store {self.path} cannot be written ({error})",
                hint="check its disk and permissions; the log itself is untouched",
            ) from error
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One consistent view for several reads; a no-op inside another."""
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("COMMIT")

    def checkpoint(self, model: str) -> Checkpoint:
        row = self.connection.execute(
            "SELECT log_id, position, event_id, stream, revision FROM checkpoints WHERE model = ?", (model,)
        ).fetchone()
        if row is None:
            raise Failed(f"the read store has no model {model!r}", hint="`edge rebuild` makes it anew")
        return Checkpoint(*row)

    def checkpoints(self) -> set[Checkpoint]:
        """The different checkpoints of the store's models, seen at one moment: a worker beside may
        move them between two looks."""
        rows = self.connection.execute(
            "SELECT model, log_id, position, event_id, stream, revision FROM checkpoints"
        ).fetchall()
        names = {model.NAME for model in self.models}
        found = cast("list[tuple[str, str, int, str, str, int]]", rows)
        return {
            Checkpoint(log_id, position, event_id, stream, revision)
            for name, log_id, position, event_id, stream, revision in found
            if name in names
        }

    def position(self) -> int:
        """The position all models have reached."""
        row = self.connection.execute("SELECT min(position) FROM checkpoints").fetchone()
        return cast("int", row[0]) or 0 if row else 0

    def outdated(self) -> list[ReadModel]:
        """Models whose tables an older version of their code wrote."""
        versions = dict(self.connection.execute("SELECT model, version FROM checkpoints"))
        return [m for m in self.models if versions.get(m.NAME) != m.VERSION]

    def mark_to_refold(self, models: Sequence[str]) -> None:
        """Their tables hold what was forgotten; part of the transaction that says so. The file is to
        be written anew after, also where it had been already: another rebuild may have come between."""
        self.connection.executemany(
            "UPDATE checkpoints SET version = ? WHERE model = ?", [(_TO_REFOLD, name) for name in models]
        )
        self.connection.execute("DELETE FROM measured WHERE name = ?", (NOTED + READ_MODELS,))

    def to_refold(self) -> list[str]:
        """Models marked to be folded anew."""
        rows = self.connection.execute("SELECT model FROM checkpoints WHERE version = ?", (_TO_REFOLD,))
        marked = {cast("str", row[0]) for row in rows}
        return [m.NAME for m in self.models if m.NAME in marked]

    def drop_quarantined(self, before: Sequence[tuple[str, int]]) -> None:
        """Let go of what was said of events of a stream before a position: it may quote them."""
        self.connection.executemany("DELETE FROM quarantine WHERE stream = ? AND position < ?", before)

    def scrub(self) -> None:
        """Write the file anew, so that no page of it holds what was deleted, and empty its -wal."""
        if self.path is None:
            return
        try:
            self.connection.execute("VACUUM")
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except (apsw.BusyError, apsw.LockedError) as error:
            raise Failed(
                f"the read store {self.path} is kept busy, and still holds what was forgotten",
                hint="it is tried again by the next `edge open`, `doctor` or `forget`",
            ) from error
        except UNWRITABLE as error:
            raise Failed(
                f"the read store {self.path} cannot be written anew ({error})",
                hint="check its disk: writing it anew takes its size once more",
            ) from error

    def note(self, name: str, value: str) -> None:
        """Keep something measured on this host (it is no fold of the log)."""
        with self.transaction():
            self.connection.execute("INSERT OR REPLACE INTO measured VALUES (?, ?)", (name, value))

    def noted(self, name: str) -> str | None:
        row = self.connection.execute("SELECT value FROM measured WHERE name = ?", (name,)).fetchone()
        return cast("str", row[0]) if row else None

    def quarantined(self) -> list[tuple[int, str, str, str, str]]:
        """Appends passed over: position, event id, stream, type, error."""
        return cast(
            "list[tuple[int, str, str, str, str]]",
            list(self.connection.execute("SELECT * FROM quarantine ORDER BY position")),
        )

    def close(self) -> None:
        self.connection.close()


class StandingStore(ReadStore):
    """A read store opened only to read what others folded: nothing is made, caught up or noted.

    For whoever may neither wait nor write; where the tables are not this code's, it refuses.
    """

    def __init__(self, path: Path, models: Sequence[type[ReadModel]]) -> None:
        self.path = path
        try:
            self.connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            self.connection.set_busy_timeout(STANDING_BUSY_MS)
            self.models = [model(self.connection) for model in models]
            ready = self._is_ready(models) and not self.outdated()
            self.log_id = self._log_id() if ready else ""
        except apsw.Error as error:
            raise Failed(
                f"the read store {path} cannot be read ({error})", hint="`edge doctor` looks at it"
            ) from error
        if not ready:
            self.close()
            raise Failed("the read models are not of this edge's code", hint="`edge status` folds them anew")

    def _log_id(self) -> str:
        row = self.connection.execute("SELECT log_id FROM checkpoints LIMIT 1").fetchone()
        return cast("str", row[0]) if row else ""


def set_aside(path: Path) -> Path:
    """Move a damaged read store out of the way, for whoever wants to look; returns where to."""
    aside = path.with_suffix(".damaged")
    for beside in ("-wal", "-shm"):
        path.with_name(path.name + beside).unlink(missing_ok=True)
    return path.replace(aside)
