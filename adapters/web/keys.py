"""Who is let in: one-time tokens that this home's key signs, and the sessions they open.

The key and the sessions stand in the home, readable by its owner only, so that a dashboard that
was started again still knows its operator, and `edge dashboard --url` can ask nobody for a token.
"""

from __future__ import annotations

import base64
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from edge.domain.refusal import Failed

KEY_FILE: Final = "dashboard.key"
SESSIONS_FILE: Final = "dashboard.sessions"
TOKEN_SECONDS: Final = 15 * 60
SESSION_SECONDS: Final = 30 * 86_400
MOST_SESSIONS: Final = 64

_NONCE: Final = 16
_UNTIL: Final = 8

Now = Callable[[], float]


class Session(NamedTuple):
    """``id`` names it in logs and here, and opens nothing; ``csrf`` goes into its forms."""

    id: str
    csrf: str


def same(given: str, known: str) -> bool:
    """Compare in constant time, whatever bytes were given."""
    return hmac.compare_digest(_digest(given), _digest(known))


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def home_key(home: Path) -> bytes:
    """The home's signing key, made when it is first needed."""
    path = home / KEY_FILE
    try:
        with suppress(FileExistsError):
            made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(made, "wb") as file:
                file.write(secrets.token_bytes(32))
        key = path.read_bytes()
    except OSError as error:
        raise Failed(
            f"{path} cannot be written: {error.strerror}", hint="check the home's permissions"
        ) from None
    if len(key) < 32:
        raise Failed(f"{path} is damaged", hint="delete it: a new one is made, and you log in again")
    return key


class Door:
    """Gives out tokens, takes each once, and keeps the sessions."""

    def __init__(self, home: Path, now: Now = time.time) -> None:
        self._key = home_key(home)
        self._path = home / SESSIONS_FILE
        self._now = now
        self._lock = threading.Lock()
        self._sessions, self._used = self._read()

    # -- tokens -----------------------------------------------------------------------------

    def token(self) -> str:
        """A new one-time token."""
        body = secrets.token_bytes(_NONCE) + int(self._now() + TOKEN_SECONDS).to_bytes(_UNTIL, "big")
        return base64.urlsafe_b64encode(body + self._signed(b"token", body)).decode().rstrip("=")

    def take(self, token: str) -> bool:
        """Whether it is one of ours, still good and never used; from now on it is used."""
        try:
            raw = base64.urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
        except (ValueError, UnicodeEncodeError):
            return False
        body, signature = raw[: _NONCE + _UNTIL], raw[_NONCE + _UNTIL :]
        if not hmac.compare_digest(signature, self._signed(b"token", body)):
            return False
        until, nonce = int.from_bytes(body[_NONCE:], "big"), body[:_NONCE].hex()
        with self._lock:
            if until < self._now() or nonce in self._used:
                return False
            self._used[nonce] = until
            self._write()
        return True

    # -- sessions ---------------------------------------------------------------------------

    def open(self) -> str:
        """A new session; what its cookie holds."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._sessions[_name(secret)] = self._now() + SESSION_SECONDS
            while len(self._sessions) > MOST_SESSIONS:
                del self._sessions[min(self._sessions, key=lambda id_: self._sessions[id_])]
            self._write()
        return secret

    def session(self, secret: str | None) -> Session | None:
        """The session of a cookie; None where there is none any more."""
        if not secret:
            return None
        id_ = _name(secret)
        with self._lock:
            until = self._sessions.get(id_)
        if until is None or until < self._now():
            return None
        return Session(id_, self._signed(b"csrf", id_.encode()).hex())

    def is_open(self, id_: str) -> bool:
        with self._lock:
            return self._sessions.get(id_, 0) >= self._now()

    def close(self, id_: str) -> None:
        """End a session for good."""
        with self._lock:
            if self._sessions.pop(id_, None) is not None:
                self._write()

    # -- what stands in the home ------------------------------------------------------------

    def _signed(self, purpose: bytes, body: bytes) -> bytes:
        return hmac.new(self._key, purpose + b"\0" + body, sha256).digest()

    def _read(self) -> tuple[dict[str, float], dict[str, int]]:
        try:
            kept = json.loads(self._path.read_text("utf-8"))
            sessions = {str(id_): float(until) for id_, until in kept["sessions"].items()}
            used = {str(nonce): int(until) for nonce, until in kept["used"].items()}
        except FileNotFoundError:
            return {}, {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}, {}  # whoever was logged in logs in again
        return sessions, used

    def _write(self) -> None:
        now = self._now()
        self._sessions = {id_: until for id_, until in self._sessions.items() if until >= now}
        self._used = {nonce: until for nonce, until in self._used.items() if until >= now}
        beside = self._path.with_name(self._path.name + ".new")
        try:
            file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                json.dump({"sessions": self._sessions, "used": self._used}, out)
            beside.replace(self._path)
        except OSError as error:
            raise Failed(
                f"{self._path} cannot be written: {error.strerror}",
                hint="check the home's disk and permissions",
            ) from None


def _name(secret: str) -> str:
    return _digest(secret).hex()[:32]
