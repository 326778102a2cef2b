"""Read model of knowledge: the contributions of living episodes folded into entities and facts.

Each contribution is kept by what it is about and which episode made it. One more of them folds
onto its row; where one goes (forgotten, found to be no operator's, extracted again) what it was
about is folded anew from those that remain. So what is live equals what a rebuild gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final, Literal, NamedTuple, cast

import apsw

from edge.domain import curated
from edge.domain.chat import text_of
from edge.domain.episodes import CAPTURED, FORGOTTEN, RECLASSIFIED, Range, covers, said_at
from edge.domain.events import Data, Event
from edge.domain.knowledge import EXTRACTED, Entity, Fact, states, with_mention, with_statement, words_hash
from projections.documents import read, written
from projections.knowledge_rows import Kind, KnowledgeRows, entity_of, fact_of, hashes, subject_of
from projections.knowledge_tables import BESIDE, TABLES
from projections.model import ReadModel

EXTRACTION_FORGOTTEN: Final = "extraction.forgotten"
_KINDS: Final[tuple[tuple[Kind, str], ...]] = (("entity", "entities"), ("fact", "facts"))
_MOST: Final = 2**53
"""Of anything that is counted; thousands of them add up to less than a column holds."""
_Cost = tuple[str, str, int, int, int]


class _Episode(NamedTuple):
    id: str
    range: Range
    state: Literal["alive", "absent", "forgotten"]
    costs: list[_Cost]
    """(day, model, calls, tokens, ms) of each time it was extracted."""


class Knowledge(ReadModel):
    """Of a page's captured episodes the rows are held back; the rest is written as it comes."""

    NAME = "knowledge"
    VERSION = 3  # what was merged into what is gone stands for itself again; no hash of a name is kept
    TYPES = frozenset((CAPTURED, RECLASSIFIED, FORGOTTEN, EXTRACTED, EXTRACTION_FORGOTTEN, *curated.TYPES))
    TABLES: ClassVar[dict[str, str]] = TABLES
    BESIDE: ClassVar[dict[str, str]] = BESIDE

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._rows = KnowledgeRows(connection)
        self._captured: list[tuple[Any, ...]] = []

    def apply(self, event: Event) -> None:
        if event.type == CAPTURED:
            self._capture(event)
            return
        self._write_captured()
        if event.type == EXTRACTED:
            self._extract(event)
        elif event.type == RECLASSIFIED:
            self._reclassify(event)
        elif event.type == FORGOTTEN:
            for episode in self._episodes("stream = ?", event.stream):
                if episode.state != "forgotten":
                    self._forget(episode.id, event.position)
        elif event.type == EXTRACTION_FORGOTTEN:
            self._forget(event.stream.partition(".")[2], event.position)
        else:
            self._curate(event)

    def flush(self) -> None:
        self._write_captured()

    def discard(self) -> None:
        self._captured.clear()

    # -- episodes ---------------------------------------------------------------------------

    def _capture(self, event: Event) -> None:
        data = event.data
        said = said_at(data["turns"], event.recorded_at)
        self._captured.append(
            (
                *(event.id, event.stream, data["session"], data.get("project"), said),
                *(data["from"], data["to"], data["presence"], _state(data["presence"])),
                *("", 0, "", "[]", event.position),
            )
        )

    def _write_captured(self) -> None:
        if self._captured:
            marks = ", ".join("?" * len(self._captured[0]))
            self.connection.executemany(
                f"INSERT OR REPLACE INTO knowledge_episodes VALUES ({marks})", self._captured
            )
            self._captured.clear()

    def _episodes(self, where: str, binding: str) -> list[_Episode]:
        rows = self.connection.execute(
            f'SELECT id, "from", "to", presence, state, costs FROM knowledge_episodes WHERE {where}',
            (binding,),
        )
        return [
            _Episode(id_, Range(from_, to, presence), state, [cast("_Cost", tuple(c)) for c in read(costs)])
            for id_, from_, to, presence, state, costs in cast("list[tuple[Any, ...]]", list(rows))
        ]

    def _reclassify(self, event: Event) -> None:
        told = Range(event.data["from"], event.data["to"], event.data["presence"])
        for episode in self._episodes("stream = ?", event.stream):
            if episode.state == "forgotten" or not covers(told, episode.range):
                continue
            state = _state(told.presence)
            self.connection.execute(
                "UPDATE knowledge_episodes SET presence = ?, state = ?, changed = ? WHERE id = ?",
                (told.presence, state, event.position, episode.id),
            )
            if state != episode.state:
                self._refold(self._about(episode.id), event.position)

    def _forget(self, episode_id: str, position: int) -> None:
        """Nothing of the episode stays but its id, whether it was ever seen here or not."""
        for episode in self._episodes("id = ?", episode_id):
            self._tally(episode.costs, -1)
        about = self._about(episode_id)
        self.connection.execute("DELETE FROM knowledge_contributions WHERE episode = ?", (episode_id,))
        self.connection.execute("DELETE FROM knowledge_troubles WHERE episode = ?", (episode_id,))
        self.connection.execute(
            "INSERT OR REPLACE INTO knowledge_episodes VALUES"
            " (?, '', '', NULL, '', 0, 0, 'absent', 'forgotten', '', 0, '', '[]', ?)",
            (episode_id, position),
        )
        self._refold(about, position)
        self._rows.unsay_gone()

    # -- contributions ----------------------------------------------------------------------

    def _extract(self, event: Event) -> None:
        data = event.data
        id_ = str(data["episode"])
        episode = next(iter(self._episodes("id = ?", id_)), None)
        if episode is None:  # a foreign log may hold extractions alone
            self._captured.append(
                (id_, "", "", None, event.recorded_at, 0, 0, "unknown", "alive", "", 0, "", "[]", 0)
            )
            self._write_captured()
            episode = _Episode(id_, Range(0, 0, "unknown"), "alive", [])
        if episode.state == "forgotten":
            return
        before = self._about(id_)
        cost = _cost(event)
        self._tally([cost], +1)
        if before:
            self.connection.execute("DELETE FROM knowledge_contributions WHERE episode = ?", (id_,))
        self.connection.execute(
            "UPDATE knowledge_episodes SET extraction = ?, extracted = ?, gist = ?, costs = ?, changed = ?"
            " WHERE id = ?",
            (
                *(event.id, event.position, str(data.get("gist") or "")),
                *(written([*episode.costs, cost]), event.position, id_),
            ),
        )
        for kind, field in _KINDS:
            said = {str(one["id"]): one for one in data.get(field) or ()}
            if not said:
                continue
            self.connection.executemany(
                "INSERT OR REPLACE INTO knowledge_contributions VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (owner, id_, kind, event.position, kind == "entity" or states(one), written(one))
                    for owner, one in said.items()
                ],
            )
            if episode.state == "alive":
                for owner, one in said.items():
                    if (kind, owner) not in before:
                        self._one_more(kind, owner, one, id_, event.position)
        self._refold(before, event.position, forgetting=False)

    def _about(self, episode_id: str) -> list[tuple[Kind, str]]:
        """What the episode's contributions are about."""
        rows = self.connection.execute(
            "SELECT kind, owner FROM knowledge_contributions WHERE episode = ?", (episode_id,)
        )
        return cast("list[tuple[Kind, str]]", list(rows))

    def _one_more(self, kind: Kind, id_: str, said: Data, episode: str, position: int) -> None:
        """Fold one contribution, later than all others, onto the row there is."""
        table = "knowledge_entities" if kind == "entity" else "knowledge_facts"
        row = self.connection.execute(f"SELECT doc, episodes, first FROM {table} WHERE id = ?", (id_,)).get
        doc, episodes, first = cast("tuple[str, int, int]", row) if row else ("", 0, 0)
        if not episodes:  # what closed it may have come before
            self._refold([(kind, id_)], position)
        elif kind == "entity":
            entity = with_mention(entity_of(id_, doc), said, episode)
            self._rows.put_entity(entity, episodes + 1, first, position)
        else:
            fact = with_statement(fact_of(id_, doc), said, episode)
            following = self._rows.put_fact(fact, episodes + states(said), first, position)
            if following:  # a stranger's statement may change its words
                self._refold([("fact", fact_id) for fact_id in following], position, forgetting=False)

    def _refold(self, about: Iterable[tuple[Kind, str]], position: int, *, forgetting: bool = True) -> None:
        """Fold what remains about each of these. ``forgetting``: what is gone is to be forgotten."""
        following: dict[str, None] = {}
        for kind, id_ in about:
            rows = self.connection.execute(
                "SELECT c.episode, c.position, c.doc, c.supports FROM knowledge_contributions c"
                " JOIN knowledge_episodes e ON e.id = c.episode AND e.state = 'alive'"
                " WHERE c.owner = ? AND c.kind = ? ORDER BY c.position",
                (id_, kind),
            )
            remaining = cast("list[tuple[str, int, str, int]]", list(rows))
            supporting = [at for _, at, _, supports in remaining if supports]
            first = supporting[0] if supporting else 0
            if kind == "entity":
                entity = Entity(id_)
                for episode, _, doc, _ in remaining:
                    entity = with_mention(entity, read(doc), episode)
                self._rows.put_entity(entity, len(supporting), first, position)
            else:
                if forgetting and not supporting:
                    self._rows.unsay(id_)
                fact = Fact(id_)
                for episode, _, doc, _ in remaining:
                    fact = with_statement(fact, read(doc), episode)
                following |= dict.fromkeys(self._rows.put_fact(fact, len(supporting), first, position))
        if following:  # only now: of what is to be forgotten, all is
            self._refold([("fact", fact_id) for fact_id in following], position, forgetting=False)

    def _tally(self, costs: Iterable[_Cost], sign: int) -> None:
        for day, model, calls, tokens, ms in costs:
            self.connection.execute(
                "INSERT INTO knowledge_costs VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (day, model)"
                " DO UPDATE SET episodes = episodes + ?3, calls = calls + ?4, tokens = tokens + ?5,"
                " ms = ms + ?6",
                (day, model, sign, sign * calls, sign * tokens, sign * ms),
            )
            if sign < 0:
                self.connection.execute(
                    "DELETE FROM knowledge_costs WHERE day = ? AND model = ? AND episodes <= 0", (day, model)
                )

    # -- curation ---------------------------------------------------------------------------

    def _curate(self, event: Event) -> None:
        id_ = text_of(event.data, "id")
        if id_ is None:
            return
        before = self._rows.curation(id_)
        subject = subject_of(self.connection, id_)
        is_fact = subject is not None and subject.kind == "fact"
        after = curated.evolve(before, event, words_hash(subject.words) if subject and is_fact else None)
        self._rows.put_curation(after)
        told = {*hashes(before), *hashes(after)} - {""}
        rows = self.connection.execute(
            f"SELECT id FROM knowledge_facts WHERE words_hash IN ({', '.join('?' * len(told))})",
            tuple(told),
        )
        same = {cast("str", row[0]) for row in list(rows)} | set(self._rows.following(id_))
        if after["standing"] == "curated" or is_fact:
            same.add(id_)
        self._refold([("fact", fact_id) for fact_id in sorted(same)], event.position, forgetting=False)


def _state(presence: str) -> Literal["alive", "absent"]:
    return "absent" if presence == "absent" else "alive"


def _cost(event: Event) -> _Cost:
    cost, by = event.data.get("cost") or {}, event.data.get("by") or {}
    seconds = cost.get("seconds") or 0
    return (
        *(event.recorded_at[:10], str(by.get("model") or "")),
        *(_held(cost.get("calls") or 0), _held(cost.get("tokens") or 0), _held(round(seconds * 1000))),
    )


def _held(number: float) -> int:
    """A count as a column can hold it: one that nobody can have counted stands in no fold's way."""
    return max(-_MOST, min(int(number), _MOST))
