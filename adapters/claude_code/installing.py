"""edge wired into Claude Code, and out of it again: a hook in its settings, skills beside them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from adapters.claude_code import files, settings, skills
from adapters.claude_code.files import Found
from edge.domain.events import Data
from edge.domain.refusal import EdgeError, Refused
from edge.hook import SESSION_START

MATCHER: Final = "startup|resume|clear|compact|fork"
TIMEOUT: Final = 5
"""Seconds Claude Code waits; the hook itself ends within two."""


class Change(NamedTuple):
    """What was done with one file: written, changed, removed, unchanged, absent, or kept (and why)."""

    path: str
    done: str
    why: str = ""


class Wiring(NamedTuple):
    """Where Claude Code looks, and which edge it is to start.

    ``place`` is its directory (the user's or a project's), ``edge`` the words that start edge,
    ``home`` its home, ``typed`` the command as the skills name it.
    """

    place: Path
    edge: Sequence[str]
    home: Path
    typed: str

    # -- in and out -------------------------------------------------------------------------

    def install(self) -> list[Change]:
        """Write what is not there yet; all of it is checked before anything is written."""
        before, text = self._settings()
        after = self._wired(text)
        shipped = {name: skills.text_of(name, self.typed) for name in skills.NAMES}
        found = {name: files.read(self._skill(name)) for name in skills.NAMES}
        changes = [self._write_skill(found[name], shipped[name]) for name in skills.NAMES]
        return [self._write_settings(before, text, after), *changes]

    def uninstall(self) -> list[Change]:
        """Take out exactly what `install` put there."""
        before, text = self._settings()
        after = self._unwired(text)
        found = [files.read(self._skill(name)) for name in skills.NAMES]
        changes = [self._write_settings(before, text, after), *map(self._remove_skill, found)]
        for directory in (self.place / "skills", self.place):
            _remove_if_empty(directory)
        return changes

    # -- settings ---------------------------------------------------------------------------

    @property
    def _settings_file(self) -> Path:
        return self.place / "settings.json"

    def _settings(self) -> tuple[Found, str | None]:
        path = self._settings_file
        found = files.read(path)
        try:
            return found, None if found.data is None else found.data.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(
                f"{path} is left as it is: it is not UTF-8", hint="mend it, then try again"
            ) from None

    def _wired(self, text: str | None) -> str:
        """The settings with the hook, once; an entry of this home that runs another edge is renewed."""
        with _left_alone(self._settings_file):
            if text is not None and settings.hooks(text, self._is_ours) == [self._command()]:
                return text
            bare = None if text is None else settings.removed(text, self._is_ours)
            return settings.inserted(bare, self._entry())

    def _unwired(self, text: str | None) -> str | None:
        with _left_alone(self._settings_file):
            return None if text is None else settings.removed(text, self._is_ours)

    def _entry(self) -> Data:
        hook: Data = {"type": "command", "command": self._command(), "timeout": TIMEOUT}
        return {"matcher": MATCHER, "hooks": [hook]}

    def _command(self) -> str:
        return shlex.join([*self.edge, "hook", SESSION_START, "--home", str(self.home)])

    def _is_ours(self, hook: object) -> bool:
        """Whether a hook is that of this home, whichever edge it starts."""
        command = hook.get("command") if isinstance(hook, dict) else None
        if not isinstance(command, str):
            return False
        try:
            words = shlex.split(command)
        except ValueError:
            return False
        return words[-4:] == ["hook", SESSION_START, "--home", str(self.home)]

    def _write_settings(self, before: Found, text: str | None, after: str | None) -> Change:
        path = str(self._settings_file)
        if after == text:
            return Change(path, "absent" if text is None else "unchanged")
        files.replace(before, None if after is None else after.encode("utf-8"))
        return Change(path, "written" if text is None else "removed" if after is None else "changed")

    # -- skills -----------------------------------------------------------------------------

    def _skill(self, name: str) -> Path:
        return self.place / "skills" / name / "SKILL.md"

    def _write_skill(self, found: Found, text: str) -> Change:
        path, data = str(found.path), text.encode("utf-8")
        if found.data == data:
            return Change(path, "unchanged")
        if found.data is not None and not _as_written(found.data):
            return Change(path, "kept", "it is not as edge wrote it")
        files.replace(found, data)
        return Change(path, "written" if found.data is None else "changed")

    def _remove_skill(self, found: Found) -> Change:
        path = str(found.path)
        if found.data is None:
            return Change(path, "absent")
        if not _as_written(found.data):
            return Change(path, "kept", "it is not as edge wrote it")
        files.replace(found, None)
        _remove_if_empty(found.path.parent)
        return Change(path, "removed")


@contextmanager
def _left_alone(path: Path) -> Iterator[None]:
    """Say of which file a refusal is, and that it was left alone."""
    try:
        yield
    except EdgeError as error:
        raise Refused(f"{path} is left as it is: {error.message}", hint="mend it, then try again") from None


def _as_written(data: bytes) -> bool:
    return skills.is_as_written(data.decode("utf-8", "replace"))


def _remove_if_empty(directory: Path) -> None:
    try:
        directory.rmdir()
    except OSError:
        return  # something else stands in it, or it is not there
