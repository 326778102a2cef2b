"""What of this host's files still holds what was forgotten, once nothing reads it there any more."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from edge.domain.refusal import Failed

_REBUILD: Final = "rebuild-"
"""Begins the name of a directory in which models are folded anew, followed by the process's number."""


class Scrub:
    """A :class:`~edge.ports_forget.FollowUp` that writes a file anew, without what was deleted in it."""

    def __init__(self, name: str, wipe: Callable[[], object]) -> None:
        self.name = name
        self._wipe = wipe

    def follow(self, after: int) -> None:
        """However much was forgotten, the file is written anew once."""
        self._wipe()


def remove_leftovers(home: Path) -> None:
    """Read stores set aside as damaged, and those of rebuilds that were killed: nobody needs them."""
    try:
        (home / "read.damaged").unlink(missing_ok=True)
        for place in home.glob(f"{_REBUILD}*"):
            if not _is_running(place.name.removeprefix(_REBUILD).partition("-")[0]):
                shutil.rmtree(place)
    except OSError as error:
        raise Failed(
            f"{error.filename} cannot be removed, and may hold what was forgotten: {error.strerror}",
            hint="remove it yourself",
        ) from None


def _is_running(number: str) -> bool:
    if not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
