"""The OpenAI-shaped API that Ollama, vLLM and hosted models speak: one request, answered or told why not.

What an answer means is decided here once, for the models' client that waits without blocking and
for the embedders' that blocks. Nothing said of a failure holds the key or more of the server's
words than one short line.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import random
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpx

from edge.domain.language import first_line
from edge.ports_knowledge import ModelAway, ModelFailed

MAX_BODY: Final = 8 * 1024 * 1024
"""Bytes of one answer: 64 vectors of 4,096 numbers as text are 6 MB."""
ATTEMPTS: Final = 4
TIMEOUT: Final = 120.0
"""Seconds for one attempt, all of it: a local model may well take a minute."""
CONNECT: Final = 10.0
_FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 30.0
"""Seconds a server may ask us to wait; one that asks for more is away."""

_AGAIN: Final = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_FORMAT_WORDS: Final = ("response_format", "json_schema", "json_object", "guided", "structured output")
_NO_SUCH_MODEL: Final = ("not found", "does not exist", "unknown model", "no such model", "invalid model")
_SAID: Final = 160


_OF_THE_LINE: Final = (httpx.HTTPError, httpx.InvalidURL, UnicodeError)
"""What goes wrong between us and a server; a host's name that cannot be one is a UnicodeError."""


class Api(NamedTuple):
    """One API as settings name it: ``name`` like ``openai:qwen3``, ``setting`` the one that says where."""

    name: str
    url: str
    key: str | None
    setting: str = "model_url"

    @property
    def at(self) -> str:
        """Where it is, for messages."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    @property
    def is_here(self) -> bool:
        """Whether it is on this host, so that no proxy stands between."""
        return urlsplit(self.url).hostname in ("localhost", "127.0.0.1", "::1")

    @property
    def key_name(self) -> str:
        return "EDGE_MODEL_KEY" if self.setting == "model_url" else "EDGE_EMBEDDER_KEY"

    def headers(self) -> dict[str, str]:
        # without compression a bound on bytes is a bound on memory
        sent = {"Accept-Encoding": "identity", "Accept": "application/json", "User-Agent": "edge"}
        key = (self.key or "").strip()
        if key:
            if not (key.isascii() and key.isprintable()):
                raise self.away("its key holds what no key can", f"set {self.key_name} again")
            sent["Authorization"] = f"Bearer {key}"
        return sent

    def away(self, why: str, hint: str = "") -> ModelAway:
        return ModelAway(
            f"{self.name} at {self.at} is away: {why}", hint=hint or "try again later; `edge doctor` looks"
        )


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Again(Exception):
    """It may go well another time. ``after``: the seconds the server asks to wait."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.after = after


class FormatRefused(Exception):
    """The server does not take this ``response_format``; another may do."""


def document_of(api: Api, reply: Reply) -> dict[str, Any]:
    """The JSON document of a good answer; else raises what the answer means."""
    if not 200 <= reply.status < 300:
        raise _trouble(api, reply.status, _their_words(api, reply.body), reply.headers)
    try:
        document = json.loads(reply.body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise api.away(
            "what answers there speaks no OpenAI-shaped API",
            f"check {api.setting} in edge.toml; it ends in /v1",
        )
    error = document.get("error")
    if error and "choices" not in document and "data" not in document:  # gateways say so under 200
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 400
        raise _trouble(api, status, _their_words(api, reply.body), reply.headers)
    return document


def _trouble(api: Api, status: int, words: str, headers: Mapping[str, str]) -> Exception:
    said = f": {words}" if words else ""
    folded = words.casefold()
    if status in (401, 403):  # their words may repeat part of the key
        why = f"it refuses the key ({status})" if api.key else f"it wants a key ({status})"
        return api.away(why, f"set {api.key_name} to a key of that server")
    if status == 402:
        return api.away("its account has nothing left to spend (402)", "top it up, or name another model")
    if status == 404 or (status in (400, 422) and "model" in folded and _any(folded, _NO_SUCH_MODEL)):
        return api.away(
            f"it has no such model, or its API is elsewhere ({status}){said}",
            f"check the model's name and {api.setting} in edge.toml",
        )
    if status in _AGAIN or status >= 500:
        return Again(f"it answered {status}", _asked_to_wait(headers))
    if status < 400:
        return api.away(f"it leads elsewhere ({status})", f"give the final address as {api.setting}")
    if status in (405, 410, 415):
        return api.away(f"its API is elsewhere ({status})", f"check {api.setting} in edge.toml")
    if _any(folded, _FORMAT_WORDS):
        return FormatRefused(words)
    return ModelFailed(f"{api.name} at {api.at} refuses the question ({status}){said}")


def _any(text: str, phrases: tuple[str, ...]) -> bool:
    return any(phrase in text for phrase in phrases)


def _their_words(api: Api, body: bytes) -> str:
    """The server's own message in one short line, without the key."""
    try:
        found = json.loads(body)
        while isinstance(found, dict):
            found = next((found[name] for name in ("error", "message", "detail") if name in found), "")
        text = found if isinstance(found, str) else json.dumps(found)
    except (ValueError, RecursionError):
        text = ""  # a page for people says nothing here
    text = text.encode("utf-8", "replace").decode()
    if api.key and api.key.strip():
        text = text.replace(api.key.strip(), "…")
    return first_line(text, _SAID)


def _asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds of ``Retry-After``, as a number or as a date; None where there is none one can read."""
    asked = headers.get("retry-after", "").strip()
    try:
        seconds = float(asked)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(asked)
        except (ValueError, TypeError):
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (moment - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if seconds < float("inf") else None


def pause_before(api: Api, attempt: int, again: Again) -> float:
    """Seconds to wait after attempt number ``attempt`` went badly; raises where it was the last."""
    if again.after is not None and again.after > LONGEST_PAUSE:
        raise api.away(f"{again.why}, and asks to wait {again.after:.0f} s") from None
    if attempt >= ATTEMPTS:
        raise api.away(f"{again.why}, tried {attempt} times") from None
    spread = random.uniform(0.5, 1.0)  # noqa: S311  # so that many who were refused do not return at once
    return max(again.after or 0.0, _FIRST_PAUSE * float(2 ** (attempt - 1)) * spread)


def _not_reached(api: Api, error: Exception) -> Exception:
    """What an error of the line means."""
    if isinstance(error, httpx.TimeoutException):
        return api.away("it did not answer in time")
    if isinstance(error, httpx.ConnectError):
        if "SSL" in str(error):
            hint = f"check {api.setting} in edge.toml; SSL_CERT_FILE may name a CA of your own"
            return api.away("no safe connection to it: TLS fails, or its certificate is not trusted", hint)
        return Again("nothing answers there")
    if isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol):
        return Again("the connection broke")
    return api.away(f"it cannot be asked ({type(error).__name__})", f"check {api.setting} in edge.toml")


def _too_large(api: Api) -> ModelFailed:
    return ModelFailed(f"{api.name} at {api.at} sent more than {MAX_BODY:,} bytes in one answer")


def _encoded(api: Api, response: httpx.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise api.away("it compresses what was asked for plain", "ask it, or its proxy, not to")


class AsyncApi:
    """Asks without blocking; a connection lives as long as one question, whatever loop that runs in."""

    def __init__(
        self, api: Api, timeout: float = TIMEOUT, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self.api = api
        self._timeout = timeout
        self._pause = pause

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return httpx.create_ssl_context()  # reads all certificates: once, not for every question

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The document answered; tried again where that may help.

        Raises ModelAway, ModelFailed, or FormatRefused.
        """
        limits = httpx.Timeout(self._timeout, connect=min(CONNECT, self._timeout))
        proxies = not self.api.is_here
        async with httpx.AsyncClient(
            verify=self._trust, timeout=limits, headers=self.api.headers(), trust_env=proxies
        ) as client:
            attempt = 1
            while True:
                try:
                    return document_of(self.api, await self._once(client, path, body))
                except Again as again:
                    await self._pause(pause_before(self.api, attempt, again))
                    attempt += 1

    async def _once(self, client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Reply:
        try:
            async with asyncio.timeout(self._timeout):
                url = f"{self.api.url.rstrip('/')}/{path}"
                async with client.stream("POST", url, json=body) as response:
                    _encoded(self.api, response)
                    return Reply(
                        response.status_code, response.headers, await self._bounded(response.aiter_raw())
                    )
        except TimeoutError:
            raise self.api.away(f"it did not answer within {self._timeout:g} s") from None
        except _OF_THE_LINE as error:
            raise _not_reached(self.api, error) from None

    async def _bounded(self, chunks: AsyncIterator[bytes]) -> bytes:
        held = bytearray()
        async for chunk in chunks:
            held += chunk
            if len(held) > MAX_BODY:
                raise _too_large(self.api)
        return bytes(held)


class BlockingApi:
    """Asks and waits for the answer; a connection lives as long as one question."""

    def __init__(
        self, api: Api, timeout: float = TIMEOUT, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.api = api
        self._timeout = timeout
        self._pause = pause

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return httpx.create_ssl_context()

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The document answered; tried again where that may help. Raises ModelAway, ModelFailed."""
        return self._asked("POST", path, body)

    def get(self, path: str) -> dict[str, Any]:
        return self._asked("GET", path, None)

    def _asked(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        limits = httpx.Timeout(self._timeout, connect=min(CONNECT, self._timeout))
        proxies = not self.api.is_here
        with httpx.Client(
            verify=self._trust, timeout=limits, headers=self.api.headers(), trust_env=proxies
        ) as client:
            attempt = 1
            while True:
                try:
                    return document_of(self.api, self._once(client, method, path, body))
                except Again as again:
                    self._pause(pause_before(self.api, attempt, again))
                    attempt += 1
                except FormatRefused as refused:
                    raise ModelFailed(
                        f"{self.api.name} at {self.api.at} refuses the question: {refused}"
                    ) from None

    def _once(self, client: httpx.Client, method: str, path: str, body: dict[str, Any] | None) -> Reply:
        url = f"{self.api.url.rstrip('/')}/{path}"
        try:
            with client.stream(method, url, json=body) as response:
                _encoded(self.api, response)
                return Reply(response.status_code, response.headers, self._bounded(response.iter_raw()))
        except _OF_THE_LINE as error:
            raise _not_reached(self.api, error) from None

    def _bounded(self, chunks: Iterator[bytes]) -> bytes:
        held, until = bytearray(), time.monotonic() + self._timeout
        for chunk in chunks:
            held += chunk
            if len(held) > MAX_BODY:
                raise _too_large(self.api)
            if time.monotonic() > until:  # each byte came in time, and all of them never will
                raise self.api.away(f"it did not answer within {self._timeout:g} s")
        return bytes(held)
