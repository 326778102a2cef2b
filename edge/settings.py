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
from edge.domain.refusal import EdgeError, Failed, Misused, Refused
from edge.domain.streams import check_group
from edge.services import (
    DAYS,
    DEFAULT_EMBEDDER,
    DEFAULT_SEARCH,
    EPISODES,
    SECONDS,
    TOKENS_PER_DAY,
    Search,
    check,
    same_server,
)

FILE: Final = "edge.toml"
DASHBOARD_PORT: Final = 8765
_STORE_LISTS: Final = ("only", "exclude")
_LISTS: Final = (*_STORE_LISTS, "dashboard_allow")
_EXTRACT: Final = ("days", "episodes", "seconds", "tokens_per_day")
_NUMBERS: Final = ("max_chats", "max_tokens", "dashboard_port", *(f"extract_{name}" for name in _EXTRACT))
_MODELS: Final = ("model", "model_url", "embedder", "embedder_url")
_GRAPH: Final = ("graph", "search")
_SECTIONS: Final[dict[str, dict[str, str]]] = {
    # section: {the name there: the setting}
    "": {name: name for name in ("group", "zone", "lang", "log", *_MODELS, *_GRAPH)},
    "store": {name: name for name in ("root", "only", "exclude", "since")},
    "grill": {name: name for name in ("max_chats", "max_tokens")},
    "extract": {name: f"extract_{name}" for name in _EXTRACT},
    "dashboard": {name: f"dashboard_{name}" for name in ("host", "port", "allow")},
}


@dataclass(frozen=True)
class Settings:
    """One install. ``root`` None means Claude Code's own store; ``since`` is an ISO date or time.

    ``log`` is the URI of an EventStoreDB that holds the log, None for the embedded one; ``graph``
    that of a Neo4j, None for none; ``model`` None means rules. ``dashboard_allow`` are names besides
    its own that the dashboard is reached under, like ``https://edge.example.org``. Passwords, tokens and
    keys come from the environment only: settings are no place for a secret.
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
    model: str | None = None
    model_url: str | None = None
    model_key: str | None = field(default=None, repr=False)
    embedder: str = DEFAULT_EMBEDDER
    embedder_url: str | None = None
    embedder_key: str | None = field(default=None, repr=False)
    graph: str | None = None
    graph_password: str | None = field(default=None, repr=False)
    search: Search = DEFAULT_SEARCH
    extract_days: int = DAYS
    extract_episodes: int = EPISODES
    extract_seconds: int = SECONDS
    extract_tokens_per_day: int = TOKENS_PER_DAY
    dashboard_host: str = "127.0.0.1"
    dashboard_port: int = DASHBOARD_PORT
    dashboard_allow: tuple[str, ...] = ()
    dashboard_password: str | None = field(default=None, repr=False)
    dashboard_metrics_token: str | None = field(default=None, repr=False)

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
    def embedder_at(self) -> tuple[str | None, str | None]:
        """Where an embedder of a service is, and its key; the model's key goes to no other server."""
        if self.embedder_url is None or self.model_url is None:
            return self.embedder_url or self.model_url, self.embedder_key or self.model_key
        shared = self.model_key if same_server(self.embedder_url, self.model_url) else None
        return self.embedder_url, self.embedder_key or shared

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


def require_operator(doing: str, instead: str = "") -> None:
    """Refuse what only the operator may do inside an agent's shell; the hint says where else to do it."""
    if acting() != "operator":
        raise Refused(
            f"{doing} is the operator's own act, and this is an agent's shell",
            hint=instead or f"do it in your own terminal, or on the dashboard: {_dashboard()}",
        )


def _dashboard() -> str:
    """Where this install's dashboard is, if it runs."""
    try:
        settings = load(home_of(None))
    except EdgeError:  # a home named for this command alone, or none: the usual place
        return f"http://127.0.0.1:{DASHBOARD_PORT}"
    return f"http://{settings.dashboard_host}:{settings.dashboard_port}"


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
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        moment.astimezone(UTC)
    except (ValueError, OverflowError):  # no date, or one that has none in UTC
        raise Misused(f"{text!r} is not a date", hint="write it as 2026-12-31 or 2026-12-31T08:00Z") from None
    return moment


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
        raise Failed(
            f"{path} cannot be read: {error.strerror}", hint="check its path and permissions"
        ) from None
    values = _flat(document, path) | _from(environ)
    if not values.get("group"):
        raise Misused(f"no identity: {path} names no group", hint='add a line like group = "me"')
    settings = replace(Settings(home, ""), **values)
    check_group(settings.group)
    zone_named(settings.zone)
    if settings.lang not in ("pt", "en"):
        raise Misused(f"{path}: lang is {settings.lang!r}", hint='"pt" or "en"')
    if settings.dashboard_port > 65_535:
        raise Misused(f"{path}: [dashboard] port is {settings.dashboard_port}", hint="a port is below 65536")
    check_services(settings)
    return settings


def check_services(settings: Settings) -> None:
    """Refuse models, embedders and graphs that could never work; nothing connects."""
    check(**{name: getattr(settings, name) for name in (*_MODELS, *_GRAPH)})


def _flat(document: dict[str, Any], path: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in document.items():
        inside = value if isinstance(value, dict) else {key: value}
        section = key if isinstance(value, dict) else ""
        for name, setting in inside.items():
            where = f"[{section}] {name}" if section else name
            known = _SECTIONS.get(section, {}).get(name)
            if known is None:
                raise Misused(f"{path}: no setting {where}", hint="take the line out")
            values[known] = _typed(known, setting, f"{path}: {where}")
    return values


def _from(environ: Mapping[str, str]) -> dict[str, Any]:
    """``EDGE_<SETTING>``; a list is split at the path separator."""
    values: dict[str, Any] = {}
    for name in (setting.name for setting in fields(Settings)):
        text = environ.get(f"EDGE_{name.upper()}")
        if name == "home" or text is None or not text.strip():
            continue
        if name in _LISTS:
            between = os.pathsep if name in _STORE_LISTS else ","  # a host's port stands after a colon
            values[name] = tuple(part.strip() for part in text.split(between) if part.strip())
        elif name in _NUMBERS and text.isdecimal():
            values[name] = _typed(name, int(text), f"EDGE_{name.upper()}")
        else:
            values[name] = _typed(name, text, f"EDGE_{name.upper()}")
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
    wanted = "a list of texts" if name in _LISTS else "a whole number from 1 on"
    raise Misused(f"{where} cannot be {value!r}", hint=wanted if name in (*_LISTS, *_NUMBERS) else "a text")


def written(settings: Settings) -> str:
    """The settings as the text of an ``edge.toml``."""
    lines = [f"group = {json.dumps(settings.group)}", f"zone = {json.dumps(settings.zone)}"]
    lines += [f"lang = {json.dumps(settings.lang)}"]
    usual = {"embedder": DEFAULT_EMBEDDER, "search": DEFAULT_SEARCH}
    for name in ("log", *_MODELS, *_GRAPH):
        value = getattr(settings, name)
        if value and value != usual.get(name):
            lines.append(f"{name} = {json.dumps(value, ensure_ascii=False)}")
    lines += ["", "[store]"]
    if settings.root:
        lines.append(f"root = {json.dumps(settings.root, ensure_ascii=False)}")
    for name in _STORE_LISTS:
        lines.append(f"{name} = {json.dumps(list(getattr(settings, name)), ensure_ascii=False)}")
    if settings.since:
        lines.append(f"since = {json.dumps(settings.since)}")
    for section in ("grill", "extract"):
        lines += ["", f"[{section}]"]
        lines += [f"{name} = {getattr(settings, known)}" for name, known in _SECTIONS[section].items()]
    return "\n".join(lines) + "\n"
