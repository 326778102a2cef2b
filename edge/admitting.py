"""Which projects are read, and told anything: what ``only`` and ``exclude`` mean."""

from __future__ import annotations

import posixpath

from edge.ports_transcripts import Admits, StoreSettings


def admitting(settings: StoreSettings) -> Admits:
    """Whether a turn is to be read, by the directory it was said in.

    A pattern with a separator is a path and all below it; a plain one is the name of a
    directory anywhere on the way. Where nothing is known of a turn's directory, ``only`` refuses it.
    """
    only = [_pattern(p) for p in settings.only]
    exclude = [_pattern(p) for p in settings.exclude]
    decided: dict[str | None, bool] = {}

    def admits(cwd: str | None) -> bool:
        known = decided.get(cwd)
        if known is None:
            path = _normal(cwd) if cwd else ""
            known = not any(_matches(p, path) for p in exclude)
            if only and known:
                known = any(_matches(p, path) for p in only)
            if len(decided) > 1_000:
                decided.clear()
            decided[cwd] = known
        return known

    return admits


def in_project(project: str, cwd: str | None) -> bool:
    """Whether a directory is of a project, named as ``only`` and ``exclude`` name one."""
    return _matches(_pattern(project), _normal(cwd) if cwd else "")


def _pattern(text: str) -> str:
    from pathlib import Path

    return _normal(str(Path(text).expanduser()) if text.startswith("~") else text)


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/")) if path else ""


def _matches(pattern: str, path: str) -> bool:
    if not path or not pattern:
        return False
    if "/" in pattern:
        return path == pattern or path.startswith(pattern.rstrip("/") + "/")
    return pattern in path.split("/")
