"""Pages as files: written whole or not at all, and only where they changed.

A page begins with a line that names it. A file without that line is somebody else's, wherever it
stands and whatever it is called, and so is a link: neither is written through, replaced or removed.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from edge.domain.refusal import Failed
from edge.ports_wiki import Kept

_STATE: Final = ".edge-wiki"
_HALF: Final = ".edge-half"
"""What a page is called while it is written."""
_DIRECTORIES: Final = ("", "clusters", "artefatos")


class PageFiles:
    """See :class:`edge.ports_wiki.Pages`. ``mark`` gives the first line of the page of a name."""

    def __init__(self, root: Path, mark: Callable[[str], str]) -> None:
        self._root = root
        self._mark = mark

    @contextmanager
    def locked(self) -> Iterator[None]:
        with self._told():
            self._made(self._root)
            file = os.open(self._root / _STATE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)

    def key(self) -> str | None:
        try:
            state = json.loads((self._root / _STATE).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return state.get("key") if isinstance(state, dict) else None

    def keep(self, pages: Mapping[str, str], key: str) -> Kept:
        changed, left = [], []
        with self._told():
            self._note(None)  # until all pages stand there
            for directory in _DIRECTORIES:
                self._made(self._root / directory)
                self._sweep_up(directory)
            for name, text in sorted(pages.items()):
                standing = self._read(name)
                if standing == text.encode():
                    continue
                if standing is None or self._is_ours(name, standing):
                    self._write(name, text)
                    changed.append(name)
                else:
                    left.append(name)
            removed = [name for name in self._own() if name not in pages]
            for name in removed:
                (self._root / name).unlink(missing_ok=True)
            self._note(key)
        return Kept(len(pages), changed, removed, left)

    def _own(self) -> list[str]:
        """The names of edge's own pages that stand there."""
        found = []
        for directory in _DIRECTORIES:
            for path in sorted((self._root / directory).glob("*.md")):
                name = path.relative_to(self._root).as_posix()
                standing = self._read(name)
                if standing and self._is_ours(name, standing):
                    found.append(name)
        return found

    def _is_ours(self, name: str, standing: bytes) -> bool:
        return standing.startswith(f"{self._mark(name)}\n".encode())

    def _read(self, name: str) -> bytes | None:
        """The file's bytes; None where there is none, nothing where it is no plain file of one name."""
        path = self._root / name
        try:
            found = path.lstat()
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            return b""
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return file.read()

    def _write(self, name: str, text: str) -> None:
        path = self._root / name
        half = path.with_name(f".{path.name}.{os.getpid()}{_HALF}")
        file = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(file, "wb") as out:
                out.write(text.encode())
            half.replace(path)
        except OSError:
            half.unlink(missing_ok=True)
            raise

    def _sweep_up(self, directory: str) -> None:
        """Take away what a kill left half written."""
        for path in (self._root / directory).glob(f".*{_HALF}"):
            with suppress(IsADirectoryError):
                path.unlink(missing_ok=True)

    def _note(self, key: str | None) -> None:
        """Written in place: the lock is on this file."""
        text = json.dumps({"key": key})
        with os.fdopen(os.open(self._root / _STATE, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW), "w") as file:
            file.write(text)

    def _made(self, directory: Path) -> None:
        with suppress(FileExistsError):
            directory.mkdir(mode=0o700)
        if not stat.S_ISDIR(directory.lstat().st_mode):
            raise Failed(
                f"{directory} is not a directory of edge's own",
                hint="move it away: nothing is written through it",
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Failed(
                f"the wiki {error.filename or self._root} cannot be kept: {error.strerror or error}",
                hint="check the directory's permissions and disk; nothing else is affected",
            ) from None
