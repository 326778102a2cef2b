"""Importing Graphiti as a library: no telemetry, no settings of its own, no words on stderr.

The import takes some 1.2 s of CPU and 90 MB, so it happens when an extraction first runs.
Graphiti reads a ``.env`` file up the directory tree as it is imported (``load_dotenv``); that is
shut off, and the only variable left behind is the one that keeps its telemetry quiet.
"""

from __future__ import annotations

import gc
import logging
import os
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Final

TELEMETRY: Final = "GRAPHITI_TELEMETRY_ENABLED"
_NO_DOTENV: Final = "PYTHON_DOTENV_DISABLED"
_DIMENSION: Final = "EMBEDDING_DIM"
_SIGNATURES: Final = 4_096
"""Names whose MinHash signature is kept: some 1.5 KB each."""


@cache
def load_graphiti(dimension: int) -> None:
    """Import Graphiti for vectors of a dimension. To be called before any module that imports it."""
    os.environ[TELEMETRY] = "false"
    before = dict(os.environ)
    os.environ[_NO_DOTENV], os.environ[_DIMENSION] = "true", str(dimension)
    try:
        with warnings.catch_warnings(action="ignore"):  # pydantic's on its old-style settings
            import graphiti_core.graphiti
    finally:
        for name in set(os.environ) - set(before):  # older releases of dotenv cannot be shut off
            del os.environ[name]
        os.environ.update(before)
    # what it logs quotes episodes and answers; what matters of it is raised or counted here
    logger = logging.getLogger(graphiti_core.__name__)
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    _remember_signatures()
    gc.collect()
    gc.freeze()  # thousands of classes that stay: no collection need look at them again


def _remember_signatures() -> None:
    """Have Graphiti work out the MinHash signature of a name once: half of what rules cost without.

    It makes hundreds of hashes for every candidate of every name, each time. The values stay what
    they are; ``tests/contracts`` compares them.
    """
    from graphiti_core.utils.maintenance import dedup_helpers

    kept = lru_cache(_SIGNATURES)(dedup_helpers._minhash_signature)

    def signature(shingles: Iterable[str]) -> tuple[int, ...]:
        return kept(frozenset(shingles))

    dedup_helpers._minhash_signature = signature


@cache
def graphiti_version() -> str:
    """The installed release, found without importing it."""
    return version("graphiti-core")
