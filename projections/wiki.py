"""What the wiki's pages follow from, told without making them."""

from __future__ import annotations

import hashlib
import json
from typing import Final

from projections.clusters import Clusters
from projections.store import ReadStore

_TOLD: Final = (
    "SELECT doc FROM direction WHERE tier != 'gone' ORDER BY first, place",
    "SELECT doc FROM artefatos WHERE first > 0 ORDER BY first",
    "SELECT slug, value FROM artefato_votes ORDER BY slug",
    "SELECT doc FROM sources ORDER BY ref",
    "SELECT content, summary FROM knowledge_summaries ORDER BY content",
)


def wiki_key(store: ReadStore, *more: str) -> str:
    """Another text whenever a page may be another; ``more`` is what they follow from besides."""
    with store.snapshot():
        told = [list(store.connection.execute(select)) for select in _TOLD]
        clusters = Clusters(store).key()
    text = json.dumps([more, clusters, told], ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
