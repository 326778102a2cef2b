"""What is known, as it is listed, looked up and searched: hypotheses, contested and curated alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, cast

import apsw

from edge.domain import curated
from edge.domain.clusters import resolved
from edge.domain.events import Data
from edge.domain.knowledge import Tier, normalised
from edge.extraction import ATTEMPTS
from edge.ports_knowledge import Embedder, Knowing, VectorStore
from projections.documents import read
from projections.knowledge_rows import SHOWN, entity_of, fact_of, subject_of

if TYPE_CHECKING:
    from edge.ports_knowledge import Vectors

CANDIDATES: Final = 100
"""How many of each way of searching are taken before the two are put together."""
_RANK: Final = 60
"""Of reciprocal rank fusion: how much less the first place counts than all."""
_RANKED: Final = 1_000
"""Words are looked for, the rarest first, until so many statements have one of them."""
_LEAST_ALIKE: Final = 0.25
"""Cosine below which a statement is not taken to be about what was asked."""
_SHOWN: Final = ", ".join(f"'{tier}'" for tier in SHOWN)
_ITEM: Final = "SELECT id, source, target, words_hash, tier, words, first, doc FROM knowledge_facts"

_Row = tuple[str, str, str, str, Tier, str, int, str]


class KnowledgeQueries:
    """Over one store. The vectors of what is shown are held in memory until something changes."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._of: int | None = None
        self._ids: list[str] = []
        self._matrix: Vectors | None = None

    # -- lists ------------------------------------------------------------------------------

    def items(self, tier: Tier | None = None) -> list[Knowing]:
        """All that is shown, in log order, or one tier of it."""
        only = _SHOWN if tier is None else f"'{tier}'"
        rows = self._connection.execute(f"{_ITEM} WHERE tier IN ({only}) ORDER BY first, id")
        return self._knowing(cast("Iterable[_Row]", rows))

    def item(self, id_: str) -> Knowing | None:
        """One fact or curated item, retired and merged ones too."""
        rows = self._connection.execute(f"{_ITEM} WHERE id = ?", (id_,))
        return next(iter(self._knowing(cast("Iterable[_Row]", rows))), None)

    def contested_or_much_cited(self, cited: int, limit: int) -> list[Knowing]:
        """Hypotheses that ask for the operator's word: contested first, then those cited most."""
        rows = self._connection.execute(
            f"{_ITEM} WHERE tier = 'contested' OR (tier = 'hypothesis' AND episodes >= ?)"
            " ORDER BY tier = 'contested' DESC, episodes DESC, first, id LIMIT ?",
            (cited, limit),
        )
        return self._knowing(cast("Iterable[_Row]", rows))

    def set_aside(self) -> list[str]:
        """Episodes that could not be extracted, tried as often as one is."""
        rows = self._connection.execute(
            # CROSS: from the few that were in trouble, not from all episodes there are
            "SELECT t.episode FROM knowledge_troubles t CROSS JOIN knowledge_episodes e ON e.id = t.episode"
            " WHERE t.attempts >= ? AND e.extracted = 0 AND e.state = 'alive' ORDER BY t.episode",
            (ATTEMPTS,),
        )
        return [cast("str", row[0]) for row in list(rows)]

    def failing(self) -> Data | None:
        """How many waiting episodes failed and rest, until when, and why the last of them did."""
        rows = self._connection.execute(
            "SELECT t.until, t.error FROM knowledge_troubles t"
            " CROSS JOIN knowledge_episodes e ON e.id = t.episode"  # as above
            " WHERE t.attempts < ? AND e.extracted = 0 AND e.state = 'alive' ORDER BY t.until, t.episode",
            (ATTEMPTS,),
        )
        found = cast("list[tuple[str, str]]", list(rows))
        return {"episodes": len(found), "until": found[0][0], "said": found[-1][1]} if found else None

    def extracted_after(self, position: int) -> int:
        """How many episodes' results stand after a position."""
        return cast(
            "int",
            self._connection.execute(
                "SELECT count(*) FROM knowledge_episodes WHERE changed > ?1 AND extracted > ?1", (position,)
            ).get,
        )

    def contested(self) -> int:
        return cast(
            "int",
            self._connection.execute("SELECT count(*) FROM knowledge_facts WHERE tier = 'contested'").get,
        )

    def cost(self) -> Data:
        """What all extractions in the log cost."""
        row = self._connection.execute(
            "SELECT total(episodes), total(calls), total(tokens), total(ms) FROM knowledge_costs"
        ).fetchone()
        episodes, calls, tokens, ms = cast("tuple[float, ...]", row)
        return {
            "episodes": int(episodes),
            "calls": int(calls),
            "tokens": int(tokens),
            "seconds": round(ms / 1000, 3),
        }

    def subject(self, id_: str) -> curated.Subject | None:
        """What extraction has under an id."""
        return subject_of(self._connection, id_)

    def _knowing(self, rows: Iterable[_Row]) -> list[Knowing]:
        names: dict[str, str] = {}
        ends = self._ends()
        found = []
        for id_, source, target, said, tier, words, first, doc in list(rows):
            episodes, extractions = self._support(self._same(id_, said))
            fact, curation = fact_of(id_, doc), self.curation(id_)
            found.append(
                Knowing(
                    id=id_,
                    statement=words,
                    tier=tier,
                    entities=self._names([ends.get(end, end) for end in (source, target)], names),
                    episodes=episodes,
                    valid_from=fact.valid_from,
                    position=first,
                    events=[*extractions, *(curation["events"] if curation else ())],
                )
            )
        return found

    def _same(self, id_: str, said: str) -> list[str]:
        """The id, what says the same under another, and what was merged into these, however many times."""
        rows = self._connection.execute(
            "WITH RECURSIVE same (id) AS (SELECT ?1"
            " UNION SELECT id FROM knowledge_facts WHERE words_hash = ?2 AND tier = 'said'"
            ' UNION SELECT c.id FROM same JOIN knowledge_curations c ON c."into" = same.id'
            " AND c.doc ->> 'standing' = 'merged') SELECT id FROM same ORDER BY id",
            (id_, said),
        )
        return [id_, *(cast("str", row[0]) for row in list(rows) if row[0] != id_)]

    def _support(self, owners: Sequence[str]) -> tuple[list[str], list[str]]:
        """The living episodes that state any of these, and the extractions that say anything of them."""
        marks = ", ".join("?" * len(owners))
        rows = self._connection.execute(
            "SELECT c.episode, e.extraction, c.supports FROM knowledge_contributions c"
            " JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
            f" WHERE c.owner IN ({marks}) ORDER BY c.position",
            tuple(owners),
        )
        found = cast("list[tuple[str, str, int]]", list(rows))
        episodes = dict.fromkeys(episode for episode, _, supports in found if supports)
        return list(episodes), list(dict.fromkeys(extraction for _, extraction, _ in found))

    def curation(self, id_: str) -> curated.Curation | None:
        row = self._connection.execute("SELECT doc FROM knowledge_curations WHERE id = ?", (id_,)).get
        return cast("curated.Curation", read(cast("str", row))) if row else None

    def _ends(self) -> dict[str, str]:
        """What each merged id counts as, through any number of merges."""
        rows = self._connection.execute(
            "SELECT id, \"into\" FROM knowledge_curations WHERE doc ->> 'standing' = 'merged'"
        )
        merged = dict(cast("Iterable[tuple[str, str]]", rows))
        if not merged:
            return {}
        living = self._connection.execute(
            "SELECT id FROM knowledge_entities WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted({*merged, *merged.values()})),),
        )
        alive = {cast("str", row[0]) for row in living}
        return {id_: resolved(id_, merged, alive) for id_ in merged}

    def _names(self, ends: Sequence[str], known: dict[str, str]) -> list[str]:
        return list(dict.fromkeys(name for end in ends if (name := self._name(end, known))))

    def _name(self, entity: str, known: dict[str, str]) -> str:
        if entity not in known:
            row = self._connection.execute("SELECT doc FROM knowledge_entities WHERE id = ?", (entity,)).get
            known[entity] = entity_of(entity, cast("str", row)).name if row else ""
        return known[entity]

    # -- search -----------------------------------------------------------------------------

    def search(
        self, text: str, embedder: Embedder, vectors: VectorStore, limit: int
    ) -> list[tuple[Knowing, float]]:
        """What is known of a text, best first: by its words and by likeness, the two ranks put together."""
        scores: dict[str, float] = {}
        for ranked in (self._by_words(text), self._by_likeness(text, embedder, vectors)):
            for rank, id_ in enumerate(ranked):
                scores[id_] = scores.get(id_, 0.0) + 1 / (_RANK + rank + 1)
        best = sorted(scores, key=lambda id_: (-scores[id_], id_))[:limit]
        return self.found([(id_, round(scores[id_], 6)) for id_ in best])

    def found(self, ranked: Sequence[tuple[str, float]]) -> list[tuple[Knowing, float]]:
        """What a search found, as it is shown now; what is shown no more is left out."""
        ids = json.dumps([id_ for id_, _ in ranked])
        rows = self._connection.execute(
            f"{_ITEM} WHERE +tier IN ({_SHOWN}) AND id IN (SELECT value FROM json_each(?))", (ids,)
        )
        items = {item.id: item for item in self._knowing(cast("Iterable[_Row]", rows))}
        return [(items[id_], score) for id_, score in ranked if id_ in items]

    def _by_words(self, text: str) -> list[str]:
        """Those with the rarest of the words, best first. A word that nearly all have tells nothing,
        and ranking all that have it is what would cost."""
        words = list(dict.fromkeys(re.findall(r"\w+", normalised(text))))[:32]
        known = self._documents(words)
        chosen: list[str] = []
        ranked = 0
        for count, word in sorted((known[word], word) for word in words if word in known):
            ranked += count
            if chosen and ranked > _RANKED:
                break
            chosen.append(word)
        if not chosen:
            return []
        rows = self._connection.execute(
            "SELECT f.id FROM (SELECT rowid AS num, rank AS place FROM knowledge_fts"
            " WHERE knowledge_fts MATCH ? ORDER BY rank LIMIT ?) s JOIN knowledge_facts f USING (num)"
            " ORDER BY s.place, f.id",
            (" OR ".join(f'"{word}"' for word in chosen), CANDIDATES),
        )
        return [cast("str", row[0]) for row in list(rows)]

    def _documents(self, words: list[str]) -> dict[str, int]:
        """How many statements have each of the words; those that none has are left out."""
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.knowledge_vocabulary"
            " USING fts5vocab (main, knowledge_fts, row)"
        )
        rows = self._connection.execute(
            "SELECT term, doc FROM knowledge_vocabulary WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps(words),),
        )
        return dict(cast("Iterable[tuple[str, int]]", rows))

    def _by_likeness(self, text: str, embedder: Embedder, vectors: VectorStore) -> list[str]:
        import numpy as np

        self._load(embedder, vectors)
        if self._matrix is None or not len(self._ids):
            return []
        alike = self._matrix @ embedder.embed([text])[0]
        most = min(CANDIDATES, len(self._ids))
        best = np.argpartition(-alike, most - 1)[:most]
        ranked = sorted(best, key=lambda at: (-round(float(alike[at]), 6), self._ids[at]))
        return [self._ids[at] for at in ranked if alike[at] >= _LEAST_ALIKE]

    def _load(self, embedder: Embedder, vectors: VectorStore) -> None:
        """Bring the vectors in memory up to date; what has none yet is embedded."""
        import numpy as np

        changed = cast(
            "int", self._connection.execute("SELECT coalesce(max(changed), 0) FROM knowledge_changes").get
        )
        if changed == self._of:
            return
        shown = cast(
            "list[tuple[str, str]]",
            list(self._connection.execute(f"SELECT id, words FROM knowledge_facts WHERE tier IN ({_SHOWN})")),
        )
        stored = vectors.vectors(embedder.name, [id_ for id_, _ in shown])
        missing = [(id_, words) for id_, words in shown if id_ not in stored]
        if missing:
            made = embedder.embed([words for _, words in missing])
            new = {id_: row.astype("float32").tobytes() for (id_, _), row in zip(missing, made, strict=True)}
            vectors.put_vectors(embedder.name, new)
            stored |= new
        self._ids = [id_ for id_, _ in shown]
        packed = b"".join(stored[id_] for id_ in self._ids)
        self._matrix = np.frombuffer(packed, np.float32).reshape(len(self._ids), embedder.dimension)
        self._of = changed
