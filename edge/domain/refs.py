"""One source, one ref: a page, a commit or a session however its ref was typed."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from urllib.parse import SplitResult

Kind = Literal["mundo", "atividade"]

_UUID: Final = re.compile(r"(?:session[:\s]\s*)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE)
_SHA: Final = re.compile(r"commit[:\s]\s*([0-9a-f]{7,40})|([0-9a-f]{40})", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"%[0-9a-fA-F]{2}")
_TRACKING: Final = re.compile(r"(?:utm_[^=]*|gclid|fbclid)(?:=.*)?", re.IGNORECASE)
_PORTS: Final = {"http": 80, "https": 443}


@lru_cache(maxsize=4_096)  # a ref is met again: cited, offered, weighed
def normal(ref: str) -> str:
    """The normal form of a ref: what a stranger typed otherwise stays as it stands, but for white space."""
    ref = " ".join(ref.split())
    if session := _UUID.fullmatch(ref):
        return f"session:{session[1].lower()}"
    if commit := _SHA.fullmatch(ref):
        return f"commit:{(commit[1] or commit[2]).lower()}"
    if ref[:8].lower().startswith(("http://", "https://")):
        return _page(ref)
    return ref


def _page(ref: str) -> str:
    from urllib.parse import urlsplit, urlunsplit  # late: who only reads the list of chats does without

    try:
        url = urlsplit(ref)
        where = _host(url)
    except ValueError:  # no URL after all, like one with half an IPv6 address
        return ref
    if not where:  # no page either: what would go from its path could make a host of the rest
        return ref
    fields = [f for f in url.query.split("&") if f.strip() and not _TRACKING.fullmatch(f)]
    path = _ESCAPE.sub(lambda found: found[0].upper(), url.path).rstrip("/ ")
    # a fragment that goes may leave the space before it
    return urlunsplit((url.scheme.lower(), where, path, "&".join(fields), "")).rstrip()


def _host(url: SplitResult) -> str:
    """Host and port, in lower case, without the port its scheme has anyway; a login as it stands."""
    login, at, _ = url.netloc.rpartition("@")
    host = url.netloc[len(login) + len(at) :].lower()
    port = f":{_PORTS[url.scheme.lower()]}"
    return login + at + (host.removesuffix(port) if url.port else host.removesuffix(":"))


def ref_hash(ref: str) -> str:
    """The id of a source's stream: of the ref's normal form."""
    return sha256(normal(ref).encode("utf-8", "replace")).hexdigest()[:32]


def kind_of(ref: str) -> Kind:
    """What a ref is of that nobody cited yet, by its form."""
    return "atividade" if ref.startswith(("session:", "commit:")) else "mundo"
