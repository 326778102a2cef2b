"""Claude Code's transcript store: ``<root>/projects/<slug>/<session>.jsonl``, read only.

A directory of loose transcripts is a store too. Subagents' files hold no words of the operator
and are not opened; the project of a turn is what its record says, never the directory's name.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from adapters.transcripts.reading import ClaudeReading, prefix_hash
from edge.ports_transcripts import Admits, Bookmark, Presence, StoreFile

_SUFFIX: Final = ".jsonl"
_MACHINE_DIRS: Final = frozenset({"subagents", "tool-results"})
_MACHINE_FILES: Final = ("agent-", "journal.jsonl")
_FIRST_LINE: Final = 64 * 1024


def default_root() -> Path:
    """Where Claude Code keeps its files: ``CLAUDE_CONFIG_DIR``, else ``~/.claude``."""
    configured = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(configured) if configured else Path.home() / ".claude"


class ClaudeCodeStore:
    """See :class:`edge.ports_transcripts.TranscriptStore`."""

    surface = "claude-code"

    def __init__(self, root: Path) -> None:
        self._root = root

    def files(self, trouble: Callable[[str, str], None]) -> Iterator[StoreFile]:
        projects = self._root / "projects"
        yield from _walk(str(projects if projects.is_dir() else self._root), trouble)

    def first_line(self, file: StoreFile) -> str | None:
        with Path(file.path).open("rb") as opened:
            head = opened.read(_FIRST_LINE)
        line, found, _ = head.partition(b"\n")
        if not found and len(head) < _FIRST_LINE:
            return None
        return hashlib.blake2b(line, digest_size=6).hexdigest()

    def fingerprint(self, file: StoreFile, to: int) -> str | None:
        with Path(file.path).open("rb") as opened:
            if os.fstat(opened.fileno()).st_size < to:
                return None
            return prefix_hash(opened, to)

    def read(
        self,
        file: StoreFile,
        admits: Admits,
        bookmark: Bookmark | None = None,
        verdict: Presence = "unknown",
    ) -> ClaudeReading:
        return ClaudeReading(file.path, file.session, admits, bookmark, verdict)


def _walk(top: str, trouble: Callable[[str, str], None]) -> Iterator[StoreFile]:
    """Every session's file below ``top``, each directory once wherever links lead."""
    directories, linked = [top], {os.path.realpath(top)}
    while directories:
        directory = directories.pop()
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if entry.name.endswith(_SUFFIX):
                        file = _file(entry, trouble)
                        if file:
                            yield file
                    elif entry.name not in _MACHINE_DIRS and _leads_on(entry, linked):
                        directories.append(entry.path)
        except FileNotFoundError:
            if directory == top:
                trouble(top, "no such directory")
            continue  # else it went while we walked, and what it held with it
        except OSError as error:
            trouble(directory, f"not readable: {error.strerror or error}")


def _leads_on(entry: os.DirEntry[str], linked: set[str]) -> bool:
    """Whether it is a directory to walk: not one that a link leads back to."""
    if not entry.is_symlink():
        return entry.is_dir(follow_symlinks=False)
    target = os.path.realpath(entry.path)
    if not entry.is_dir() or any(target == seen or target.startswith(seen + os.sep) for seen in linked):
        return False
    if any(seen.startswith(target + os.sep) for seen in linked):
        return False  # a link above where the walk began would walk it all again
    linked.add(target)
    return True


def _file(entry: os.DirEntry[str], trouble: Callable[[str, str], None]) -> StoreFile | None:
    if entry.name.startswith(_MACHINE_FILES):
        return None
    session = entry.name.removesuffix(_SUFFIX)
    try:
        if not entry.is_file():
            return None
        stat = entry.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        trouble(session, f"not readable: {error.strerror or error}")
        return None
    return StoreFile(entry.path, session, stat.st_ino, stat.st_size, stat.st_mtime_ns)
