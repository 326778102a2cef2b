"""What an install stands on, looked at: nothing here changes anything."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from edge.domain.events import Data
from edge.domain.refusal import EdgeError, Failed
from edge.wiring import Edge
from edge.wiring_derived import TROUBLE
from edge.wiring_outside import sqlite_version
from edge.wiring_services import look_at_model
from edge.wiring_sweep import transcript_root

_WAL_RESET_FIXED = (3, 51, 3)


def examined(edge: Edge) -> Data:
    """Every check with what it found. A check that cannot be made says why, and is not ok."""
    home = edge.settings
    checks = [
        _sqlite(),
        *(_private(path) for path in (home.home, home.log_path, home.read_path) if path.exists()),
        _made("log", lambda: f"{edge.log_id} at head {edge.log.head()}"),
    ]
    if home.log is None:  # a server looks after its own
        checks.append(_made("log is whole", lambda: _whole(edge)))
    checks += [
        _made("read models", lambda: _lag(edge)),
        _made("forgetting", lambda: _forgotten(edge)),
        _store(edge),
        _made("model", lambda: look_at_model(edge)),
        _made("wiki", lambda: _derived(edge)),
    ]
    return {"ok": all(check["ok"] for check in checks), "checks": checks}


def _check(name: str, ok: bool, found: str) -> Data:
    return {"name": name, "ok": ok, "found": found}


def _made(name: str, look: Callable[[], str]) -> Data:
    try:
        return _check(name, True, look())
    except EdgeError as error:
        return _check(name, False, f"{error.message} — {error.hint}" if error.hint else error.message)


def _sqlite() -> Data:
    version = sqlite_version()
    numbers = tuple(int(part) for part in version.split("."))
    return _check("SQLite", numbers >= _WAL_RESET_FIXED, version)


def _private(path: Path) -> Data:
    """Whether only its owner can read it: it holds what the operator said."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        return _check(str(path), False, error.strerror or str(error))
    ok = not mode & (stat.S_IRWXG | stat.S_IRWXO)
    return _check(str(path), ok, f"mode {mode:04o}" + ("" if ok else f" — `chmod go= {path}`"))


def _whole(edge: Edge) -> str:
    problems = edge.embedded_log.verify()
    if problems:
        raise Failed("; ".join(problems[:3]), hint="`edge log restore BACKUP` brings a whole one back")
    return "revisions gapless, appends whole"


def _lag(edge: Edge) -> str:
    position = edge.current().position()
    quarantined = edge.store.quarantined()
    if quarantined:
        at, *_, error = quarantined[0]
        raise Failed(
            f"events are quarantined: {len(quarantined)}, the first at {at}: {error}",
            hint="`edge rebuild` tries them again, strictly",
        )
    return f"folded to {position}, lag 0"


def _forgotten(edge: Edge) -> str:
    left = edge.forgetting.pending()
    if left:
        raise Failed(
            f"what is forgotten is still held by: {', '.join(left)}",
            hint="`edge forget` of the same again says why",
        )
    return "nothing is held that was forgotten"


def _derived(edge: Edge) -> str:
    """How the last refresh of what is derived went."""
    trouble = edge.current().noted(TROUBLE)
    if trouble:
        raise Failed(trouble, hint="`edge wiki` tries again")
    return str(edge.derived.root)


def _store(edge: Edge) -> Data:
    root = transcript_root(edge.settings)
    found = str(root) if root.is_dir() else f"{root} is not there: the sweep finds nothing"
    return _check("transcript store", True, found)
