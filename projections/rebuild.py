"""Folds read models anew beside the old ones, and swaps them in as one transaction."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from edge.domain.refusal import Failed, Misused
from edge.ports import EventLog, Report
from edge.ports_forget import NOTED
from projections.model import ReadModel
from projections.runner import Runner
from projections.store import ReadStore


def rebuild(
    log: EventLog, store: ReadStore, log_stream: str, names: Sequence[str], report: Report | None = None
) -> int:
    """Rebuild the named models, or all; returns the position they stand at.

    A poison append raises here, and the old tables stay. Named models are rebuilt to where
    the others stand, so that all remain at one position.
    """
    chosen = [m for m in store.models if not names or m.NAME in names]
    unknown = sorted(set(names) - {m.NAME for m in store.models})
    if unknown:
        known = ", ".join(m.NAME for m in store.models)
        raise Misused(f"no read model {', '.join(unknown)}", hint=f"one of {known}")
    everything = len(chosen) == len(store.models)
    place = store.path.parent if store.path else None
    with TemporaryDirectory(prefix=f"rebuild-{os.getpid()}-", dir=place) as beside:
        path = Path(beside) / "read.db"
        fresh = ReadStore(path, [type(m) for m in chosen], store.log_id)
        try:
            runner = Runner(log, fresh, log_stream, strict=True)
            live = Runner(log, store, log_stream)
            of_another = everything and not _stands_on(live)
            while True:
                goal = None if everything else live.catch_up()
                reached = runner.catch_up(goal, report)
                if _swapped(store, fresh, chosen, None if everything else reached, of_another):
                    return reached
        finally:
            fresh.close()


def _stands_on(live: Runner) -> bool:
    """Whether the log is the one the models were folded from so far."""
    try:
        live.check_same_log()
    except Failed:
        return False
    return True


def _swapped(
    store: ReadStore, fresh: ReadStore, models: Sequence[ReadModel], at: int | None, of_another: bool
) -> bool:
    """Put the fresh tables in place of the old; False where the others moved on meanwhile.

    What a host noted of forgetting in another log (``of_another``) says nothing of this one.
    """
    execute = store.connection.execute
    execute("ATTACH ? AS fresh", (str(fresh.path),))
    try:
        with store.transaction():
            if at is not None and any(store.checkpoint(m.NAME).position != at for m in store.models):
                return False
            for model in models:
                for table, ddl in model.TABLES.items():
                    execute(f"DROP TABLE IF EXISTS main.{table}")
                    execute(ddl)
                    if ddl.lstrip().startswith("CREATE VIRTUAL TABLE"):  # an index over another table
                        execute(f"INSERT INTO main.{table} ({table}) VALUES ('rebuild')")
                    else:
                        execute(f"INSERT INTO main.{table} SELECT * FROM fresh.{table}")
                for table, ddl in model.BESIDE.items():
                    execute(ddl)
                    execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM fresh.{table}")
                model.discard()
            marks = ", ".join("?" * len(models))
            execute(
                f"INSERT OR REPLACE INTO main.checkpoints SELECT * FROM fresh.checkpoints"
                f" WHERE model IN ({marks})",
                [m.NAME for m in models],
            )
            if at is None:
                execute("DELETE FROM main.quarantine")
                # what the sweep noted of files was noted beside the log these models had: where
                # the log lost something since, only reading the files again brings it back
                execute("DROP TABLE IF EXISTS main.sweep_files")
                if of_another:
                    execute("DELETE FROM main.measured WHERE name LIKE ?", (f"{NOTED}%",))
        return True
    finally:
        execute("DETACH fresh")
