"""The projects a Claude Code store holds sessions of, by the working directory its records name."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Final

_LINES_LOOKED_AT: Final = 50


def projects(root: Path) -> list[str]:
    """Every project with a session in the store, sorted; what cannot be read is passed over.

    The directory's own name does not tell (it is the path with its signs flattened), so the
    first records of its sessions are asked.
    """
    found: set[str] = set()
    for directory in sorted((root / "projects").glob("*/")):
        for transcript in sorted(directory.glob("*.jsonl")):
            project = _cwd(transcript)
            if project is not None:
                found.add(project)
                break
    return sorted(found)


def _cwd(transcript: Path) -> str | None:
    try:
        with transcript.open("rb") as lines:
            for line in islice(lines, _LINES_LOOKED_AT):
                cwd = _cwd_of(line)
                if cwd is not None:
                    return cwd
    except OSError:
        return None  # gone or unreadable: the sweep itself names such files
    return None


def _cwd_of(line: bytes) -> str | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None  # a torn line says nothing
    cwd = record.get("cwd") if isinstance(record, dict) else None
    return cwd if isinstance(cwd, str) and cwd else None
