"""What of this host's files still holds what was forgotten, once nothing reads it there any more."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from edge.domain.refusal import Failed

_LEFT: Final = re.compile(r"(?:rebuild-|\.restore-|\.log\.db\.)(\d+)-")
"""Begins the name of what a process keeps only while it rebuilds models or puts a log in its place, with
the process's number."""


class Scrub:
    """A :class:`~edge.ports_forget.FollowUp` that writes a file anew, without what was deleted in it."""

    def __init__(self, name: str, wipe: Callable[[], object]) -> None:
        self.name = name
        self._wipe = wipe

    def follow(self, after: int) -> None:
        """However much was forgotten, the file is written anew once."""
        self._wipe()


def remove_leftovers(home: Path) -> None:
    """Read stores set aside as damaged, and what rebuilds and restores that were killed left: copies of the
    words that nobody needs."""
    try:
        (home / "read.damaged").unlink(missing_ok=True)
        for place in home.iterdir():
            left = _LEFT.match(place.name)
            if left and not _is_running(int(left[1])):
                if place.is_dir():
                    shutil.rmtree(place)
                else:
                    place.unlink()
    except OSError as error:
        raise Failed(
            f"{error.filename} cannot be removed, and may hold what was forgotten: {error.strerror}",
            hint="remove it yourself",
        ) from None


def _is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
