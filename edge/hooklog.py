"""What edge's hooks did, a line each, in a file of the home that does not grow.

A hook may neither fail nor speak, so this is where one finds out: ``status`` shows the last line,
and the last that says failed. Nothing of a session stands in it but its id.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final, Literal, NamedTuple

from edge.domain.events import Data

FILE: Final = "hook.log"
BEFORE: Final = "hook.log.1"
MAX_BYTES: Final = 64 * 1024
"""Some 400 lines; then the file becomes the one before, so that never more than two are kept."""
_TAIL: Final = 16 * 1024
_SAID: Final = 300

Outcome = Literal["shown", "nothing", "failed"]


class Line(NamedTuple):
    """One hook: when, which, how it ended, and the reason or the size of what was shown."""

    at: str
    event: str
    outcome: Outcome
    said: str
    seconds: float
    session: str | None = None

    def written(self) -> bytes:
        fields = self._asdict() | {"said": " ".join(self.said.split())[:_SAID]}
        return json.dumps(fields, ensure_ascii=True).encode() + b"\n"


def record(home: Path, line: Line) -> None:
    """Append the line, in one write; raises OSError where the home takes none."""
    path = home / FILE
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(fd, line.written())
        grown = os.fstat(fd)
    finally:
        os.close(fd)
    if grown.st_size > MAX_BYTES:
        _put_by(path, grown.st_ino)


def _put_by(path: Path, inode: int) -> None:
    """Make the full file the one before; another hook may have done so in the meantime."""
    try:
        if path.stat().st_ino == inode:
            path.replace(path.with_name(BEFORE))
    except FileNotFoundError:
        return


def standing(home: Path) -> Data | None:
    """``{last, failure}`` as ``status`` shows them; None where no hook has run yet."""
    lines = [line for name in (BEFORE, FILE) for line in _tail(home / name)]
    if not lines:
        return None
    failures = [line for line in lines if line.get("outcome") == "failed"]
    return {"last": lines[-1], "failure": failures[-1] if failures else None}


def _tail(path: Path) -> list[Data]:
    """The last lines of a file; what is torn or foreign is passed over."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            found = file.read(_TAIL).split(b"\n")
    except OSError:
        return []
    return [line for line in map(_read, found) if line is not None]


def _read(text: bytes) -> Data | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) and {"at", "event", "outcome", "said"} <= line.keys() else None
