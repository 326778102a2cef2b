"""A file of somebody else's, read and replaced: whole or not at all, and only if it is still as read."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from edge.domain.refusal import Failed, Refused


class Found(NamedTuple):
    """A file as it was read; ``data`` None: there is none. ``path`` is what a symbolic link leads to."""

    path: Path
    data: bytes | None
    mode: int | None


def read(path: Path) -> Found:
    """What stands at a path; refused where it is no plain file."""
    real = Path(os.path.realpath(path))
    try:
        found = real.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"{path} is no file", hint="move it away")
        return Found(real, real.read_bytes(), stat.S_IMODE(found.st_mode))
    except FileNotFoundError:
        return Found(real, None, None)
    except OSError as error:
        raise Failed(f"{path} cannot be read: {error.strerror}") from None


def replace(before: Found, data: bytes | None) -> None:
    """Put the data in its place, with its permissions; None takes the file away.

    Refused where somebody wrote there since it was read.
    """
    try:
        if data is None:
            _expect(before)
            before.path.unlink(missing_ok=True)
            return
        before.path.parent.mkdir(parents=True, exist_ok=True)
        beside = _written_beside(before, data)
        try:
            _expect(before)
            if before.data is None:
                os.link(beside, before.path)  # fails where a file has come to be, as a rename would not
            else:
                beside.replace(before.path)
        finally:
            beside.unlink(missing_ok=True)
    except FileExistsError:
        raise _changed(before) from None
    except OSError as error:
        raise Failed(f"{before.path} cannot be written: {error.strerror}") from None


def _written_beside(before: Found, data: bytes) -> Path:
    fd, name = tempfile.mkstemp(dir=before.path.parent, prefix=f".{before.path.name}.")
    beside = Path(name)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        if before.mode is not None:
            beside.chmod(before.mode)
            _keep_owner(before.path, beside)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _keep_owner(path: Path, beside: Path) -> None:
    found = path.stat()
    if (found.st_uid, found.st_gid) != (beside.stat().st_uid, beside.stat().st_gid):
        with suppress(PermissionError):  # only root may give a file away; its content is what matters
            os.chown(beside, found.st_uid, found.st_gid)


def _expect(before: Found) -> None:
    if read(before.path).data != before.data:
        raise _changed(before)


def _changed(before: Found) -> Refused:
    return Refused(f"{before.path} was changed in the meantime", hint="it is left as it is now; try again")
