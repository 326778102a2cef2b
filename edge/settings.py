"""What one install is set to: ``edge.toml`` in its home, overlaid by ``EDGE_*`` variables.

Plain tomllib and a dataclass: every command reads this, and the settings libraries cost
more start-up time than the whole of ``voz list`` may take.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from edge.domain.events import Actor
from edge.domain.grill import MAX_CHATS, MAX_TOKENS
from edge.domain.language import Lang
from edge.domain.refusal import Failed, Misused, Refused
from edge.domain.streams import check_group

FILE: Final = "edge.toml"
_LISTS: Final = ("only", "exclude")
_NUMBERS: Final = ("max_chats", "max_tokens")
_SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "": ("group", "zone", "lang", "log"),
    "store": ("root", "only", "exclude", "since"),
    "grill": ("max_chats", "max_tokens"),
}


@dataclass(frozen=True)
class Settings:
    """One install. ``root`` None means Claude Code's own store; ``since`` is an ISO date or time.

    ``log`` is the URI of an EventStoreDB that holds the log, None for the embedded one. Its
    password comes from the environment only: settings are no place for a secret.
    """

    home: Path
    group: str
    zone: str = "UTC"
    lang: Lang = "en"
    root: str | None = None
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    since: str | None = None
    max_chats: int = MAX_CHATS
    max_tokens: int = MAX_TOKENS
    log: str | None = None
    log_password: str | None = field(default=None, repr=False)

    @property
    def log_path(self) -> Path:
        return self.home / "log.db"

    @property
    def log_name(self) -> str:
        """What the log is called where something is said of it."""
        if self.log is None:
            return str(self.log_path)
        scheme, _, rest = self.log.partition("://")
        authority, *_ = rest.partition("?")
        return f"{scheme}://{authority.rpartition('@')[2]}"

    @property
    def read_path(self) -> Path:
        return self.home / "read.db"

    @property
    def tz(self) -> tzinfo:
        return zone_named(self.zone)

    @property
    def since_moment(self) -> datetime | None:
        return None if self.since is None else moment_named(self.since, self.tz)


def home_of(given: Path | None) -> Path:
    """The home directory: as given, else ``EDGE_HOME``, else the platform's data directory."""
    if given is not None:
        return given.expanduser()
    named = os.environ.get("EDGE_HOME")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("edge")


def acting() -> Actor:
    """Whose shell this is: ``dispatch`` inside an agent's, else ``operator``.

    ``EDGE_ACTOR`` says it outright; else ``CLAUDECODE``, which Claude Code sets in every shell
    it opens, means an agent.
    """
    named = os.environ.get("EDGE_ACTOR", "")
    if named not in ("", "agent", "operator"):
        raise Misused(f"EDGE_ACTOR is {named!r}", hint="set it to operator or agent, or unset it")
    if named:
        return "operator" if named == "operator" else "dispatch"
    return "dispatch" if os.environ.get("CLAUDECODE") else "operator"


def require_operator(doing: str, instead: str = "do it in your own terminal") -> None:
    """Refuse what only the operator may do inside an agent's shell."""
    if acting() != "operator":
        raise Refused(
            f"{doing} is the operator's own act, and this is an agent's shell",
            hint=instead,
        )


def zone_named(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Misused(f"no time zone {name!r}", hint="name one like America/Sao_Paulo") from None


def moment_named(text: str, zone: tzinfo) -> datetime:
    """An ISO date or time; one without an offset is in the operator's zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Misused(f"{text!r} is not a date", hint="write it as 2026-12-31 or 2026-12-31T08:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def load(home: Path, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of a home; without an identity nothing runs (exit 2)."""
    path = home / FILE
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise Misused(
            f"no identity: {path} does not exist", hint="`edge init --group NAME` makes one"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misused(f"{path} cannot be read: {error}", hint="mend it, or move it away") from None
    except OSError as error:
        raise Failed(f"{path} cannot be read: {error.strerror}") from None
    values = _flat(document, path) | _from(environ)
    if not values.get("group"):
        raise Misused(f"no identity: {path} names no group", hint='add a line like group = "me"')
    settings = replace(Settings(home, ""), **values)
    check_group(settings.group)
    zone_named(settings.zone)
    if settings.lang not in ("pt", "en"):
        raise Misused(f"{path}: lang is {settings.lang!r}", hint='"pt" or "en"')
    return settings


def _flat(document: dict[str, Any], path: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in document.items():
        inside = value if isinstance(value, dict) else {key: value}
        section = key if isinstance(value, dict) else ""
        for name, setting in inside.items():
            if name not in _SECTIONS.get(section, ()):
                where = f"[{section}] {name}" if section else name
                raise Misused(f"{path}: no setting {where}", hint="take the line out")
            values[name] = _typed(name, setting, str(path))
    return values


def _from(environ: Mapping[str, str]) -> dict[str, Any]:
    """``EDGE_<SETTING>``; a list is split at the path separator."""
    values: dict[str, Any] = {}
    for name in (setting.name for setting in fields(Settings)):
        text = environ.get(f"EDGE_{name.upper()}")
        if name == "home" or text is None or not text.strip():
            continue
        if name in _LISTS:
            values[name] = tuple(part for part in text.split(os.pathsep) if part)
        elif name in _NUMBERS and text.isdecimal():
            values[name] = _typed(name, int(text), "EDGE_" + name.upper())
        else:
            values[name] = _typed(name, text, "EDGE_" + name.upper())
    return values


def _typed(name: str, value: object, where: str) -> object:
    if name in _LISTS and isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
        return tuple(value)
    if name in _NUMBERS and isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    if name not in _LISTS and name not in _NUMBERS and isinstance(value, str):
        return value
    if name == "since" and hasattr(value, "isoformat"):  # TOML's own dates
        return value.isoformat()
    raise Misused(f"{where}: {name} cannot be {value!r}")


def written(settings: Settings) -> str:
    """The settings as the text of an ``edge.toml``."""
    lines = [f"group = {json.dumps(settings.group)}", f"zone = {json.dumps(settings.zone)}"]
    lines += [f"lang = {json.dumps(settings.lang)}"]
    if settings.log:
        lines.append(f"log = {json.dumps(settings.log, ensure_ascii=False)}")
    lines += ["", "[store]"]
    if settings.root:
        lines.append(f"root = {json.dumps(settings.root, ensure_ascii=False)}")
    lines += [f"{name} = {json.dumps(list(getattr(settings, name)), ensure_ascii=False)}" for name in _LISTS]
    if settings.since:
        lines.append(f"since = {json.dumps(settings.since)}")
    lines += ["", "[grill]", f"max_chats = {settings.max_chats}", f"max_tokens = {settings.max_tokens}"]
    return "\n".join(lines) + "\n"
