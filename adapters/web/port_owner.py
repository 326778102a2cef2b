"""Who listens on a port: looked up where the system tells, never taken from a file that may be old."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_LISTENS: Final = "0A"
_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")


def owner_of(port: int) -> str:
    """The process that listens there, by number and command; "another program" where nobody tells."""
    inodes = _inodes(port)
    for entry in Path("/proc").iterdir() if inodes else ():
        if entry.name.isdecimal() and _holds(entry, inodes):
            return f"process {entry.name} ({_command(entry)})"
    return "another program"


def _inodes(port: int) -> set[str]:
    found = set()
    for table in _TABLES:
        with suppress(OSError):
            for line in Path(table).read_text("ascii").splitlines()[1:]:
                columns = line.split()
                if columns[3] == _LISTENS and int(columns[1].rpartition(":")[2], 16) == port:
                    found.add(f"socket:[{columns[9]}]")
    return found


def _holds(process: Path, inodes: set[str]) -> bool:
    with suppress(OSError):
        for descriptor in (process / "fd").iterdir():
            with suppress(OSError):
                if os.readlink(descriptor) in inodes:  # noqa: PTH115  # it is no path, but a name
                    return True
    return False


def _command(process: Path) -> str:
    """The command without what follows a `=` or looks like a URL: a command line may hold secrets."""
    with suppress(OSError):
        words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        shown = [Path(words[0]).name, *(w for w in words[1:4] if w and "=" not in w and "://" not in w)]
        return " ".join(Path(word).name if word.startswith("/") else word for word in shown)[:80]
    return "its command cannot be read"
