"""Vectors of a service behind an OpenAI-shaped API; see :class:`edge.ports_knowledge.Embedder`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import numpy as np

from adapters.openai_api import Api, BlockingApi

if TYPE_CHECKING:
    from numpy.typing import NDArray

TIMEOUT: Final = 60.0
BATCH: Final = 64
"""Texts of one request: what the smallest servers take."""
_BATCH_CHARS: Final = 100_000
_LONGEST: Final = 8_000
"""Characters of a text that count: some 2,000 tokens, the context of small embedding models."""


class OpenAIEmbedder:
    """Asks in batches. What it costs is not in the day's tally of tokens: vectors cost next to nothing.

    The name holds the server: the same name of a model elsewhere may give other vectors.
    """

    def __init__(
        self,
        model: str,
        url: str,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        self.name = f"openai:{model}@{parts.netloc}{parts.path.rstrip('/')}"
        self._model = model
        self._api = BlockingApi(Api(f"openai:{model}", url, key, "embedder_url"), timeout, pause)
        self._dimension: int | None = None

    @property
    def dimension(self) -> int:
        """How long its vectors are: the first time it is asked for one. Raises ModelAway."""
        if self._dimension is None:
            self._asked(["dimension"])
        if self._dimension is None:
            raise AssertionError("an answer sets it")
        return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        filled = [n for n, text in enumerate(texts) if text.strip()]
        found = [self._asked([_plain(texts[n]) for n in some]) for some in _batches(texts, filled)]
        rows = np.zeros((len(texts), self.dimension), np.float32)
        if found:
            rows[filled] = np.concatenate(found)
        return rows

    def _asked(self, texts: list[str]) -> NDArray[np.float32]:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        listed = self._api.post("embeddings", body).get("data")
        try:
            if not isinstance(listed, list) or len(listed) != len(texts):
                raise ValueError(f"{len(texts)} were asked for")
            rows = np.array([one["embedding"] for one in _in_order(listed)], np.float64)
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            if rows.ndim != 2 or not rows.size or not np.isfinite(lengths).all() or not lengths.all():
                raise ValueError("they are not all vectors")
            if self._dimension not in (None, rows.shape[1]):
                raise ValueError(f"they have {rows.shape[1]} numbers now, and had {self._dimension}")
        except (ValueError, TypeError, KeyError, np.exceptions.AxisError) as error:
            why = str(error) if type(error) is ValueError and len(str(error)) < 60 else "they are no vectors"
            raise self._api.api.away(
                f"it sends no usable vectors: {why}", "check embedder and embedder_url in edge.toml"
            ) from None
        self._dimension = int(rows.shape[1])
        made: NDArray[np.float32] = (rows / lengths).astype(np.float32)
        return made


def _in_order(listed: list[Any]) -> list[Any]:
    """The vectors as they say they stand; as they come where they do not say it."""
    places: list[Any] = [one.get("index") if isinstance(one, dict) else None for one in listed]
    if set(places) != set(range(len(listed))):
        return listed
    return [one for _, one in sorted(zip(places, listed, strict=True), key=lambda placed: placed[0])]


def _plain(text: str) -> str:
    return text[:_LONGEST].encode("utf-8", "replace").decode()


def _batches(texts: Sequence[str], filled: Sequence[int]) -> Iterator[list[int]]:
    batch: list[int] = []
    chars = 0
    for n in filled:
        size = min(len(texts[n]), _LONGEST)
        if batch and (len(batch) >= BATCH or chars + size > _BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(n)
        chars += size
    if batch:
        yield batch
