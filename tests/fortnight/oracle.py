"""What the fortnight comes to, worked out from the script alone: nothing of edge is asked or imported.

A world is lived from its first day up to a moment, act by act; what it comes to then is read off it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from tests.fortnight.acts import (
    OFFSET,
    SPELLINGS,
    Accept,
    Answer,
    Artefato,
    Close,
    Comment,
    Curate,
    Day,
    Decision,
    Drop,
    Forget,
    Grill,
    Happening,
    Imported,
    Open,
    Propose,
    Retire,
    Rules,
    Session,
    Set,
    Steer,
    Vote,
    Withdraw,
)

WINDOW = timedelta(days=7)
RECAP, NAMED_AT_MOST, OFFERED = 5, 3, 8
VALUES = {"up": 1, "down": -1, "clear": 0}


class Chat:
    def __init__(self, key: str, text: str, on: str | None) -> None:
        self.key, self.text, self.on = key, text, on
        self.state = "open"
        self.received = False
        self.outcome: str | None = None
        self.closed_by: str | None = None
        self.reply: str | None = None
        self.steer: str | None = None


class Ballot:
    def __init__(self, slug: str, value: int) -> None:
        self.slug, self.value = slug, value
        self.open = True


class Held:
    """A steer: ``place`` is where this life of it began."""

    def __init__(self, steer: Steer, tier: str, place: int, slug: str | None) -> None:
        self.steer, self.tier, self.place, self.slug = steer, tier, place, slug
        self.superseded = self.credited = False


class Published:
    def __init__(self) -> None:
        self.revision = 0
        self.intent = ""
        self.latest: Artefato
        self.cited: dict[str, tuple[float, datetime]] = {}
        self.vote = 0
        self.voted: list[Weight] = []


class Weight(NamedTuple):
    ref: str
    signal: str
    weight: float
    at: datetime


class Said(NamedTuple):
    session: Session
    at: datetime


class World:
    """The state of everything just after the last act at or before ``until``."""

    def __init__(self, days: Sequence[Day], until: datetime) -> None:
        self.now = until
        self.chats: dict[str, Chat] = {}
        self.acts: list[Chat | Ballot] = []
        self.steers: dict[str, Held] = {}
        self.published: dict[str, Published] = {}
        self.weights: list[Weight] = []
        self.kinds: dict[str, str] = {}
        self.opinions: dict[str, str] = {}
        self.told: list[Said] = []
        self.taken_in: list[Said] = []
        self.new: list[Said] = []
        """What the last open took in that somebody was there for."""
        self.offered: list[str] = []
        self.breadcrumb: str | None = None
        self.overflow = 0
        self.forgotten: set[str] = set()
        self._places = 0
        for day in days:
            for happening in day.happens:
                if day.when(happening.at) <= until:
                    self._lives(happening, day.when(happening.at))

    def _lives(self, happening: Happening, at: datetime) -> None:
        match happening:
            case Session():
                self.told.append(Said(happening, at))
            case Open():
                self.new = [s for s in self.told if not s.session.program]
                self.taken_in += self.new
                self.told = []
                self.offered = [s["ref"] for s in self.sources(at)[:OFFERED]]
            case Close():
                self._closes(happening, at)
            case Comment():
                self._speaks(happening.key, happening.text, happening.on)
            case Imported():
                for key, text, on in happening.comments:
                    self._speaks(key, text, on)
            case Vote():
                self._votes(happening.slug, VALUES[happening.value], at)
            case Answer():
                self.chats[happening.key].state = "open"
            case Withdraw():
                self._ends(happening.key, "dead_lettered")
                self.chats[happening.key].received = True
            case Grill() | Rules():
                self._grills(happening, at)
            case Propose():
                self._steers(happening.steer, "proposed")
            case Set():
                self._steers(happening.steer, "set")
            case Accept():
                self._accepts(happening.title, at)
            case Drop():
                self.steers[happening.title].tier = "gone"
            case Curate():
                self.opinions[SPELLINGS[happening.source][0]] = happening.opinion
            case Retire():
                del self.opinions[SPELLINGS[happening.source][0]]
            case Forget():
                self.forgotten.add(happening.label)

    # -- Voz ----------------------------------------------------------------------------------

    def _speaks(self, key: str, text: str, on: str | None) -> None:
        self.chats[key] = Chat(key, text, on)
        self.acts.append(self.chats[key])

    def _ends(self, key: str, closed_by: str, outcome: str | None = None) -> None:
        chat = self.chats[key]
        chat.state, chat.closed_by, chat.outcome = "closed", closed_by, outcome

    def _grills(self, grill: Grill | Rules, at: datetime) -> None:
        actionable = sum(chat.state == "open" for chat in self.chats.values())
        self.overflow = actionable - len(grill.decides)
        for decision in grill.decides:
            self._decides(decision, at)
        for curation in grill.curates if isinstance(grill, Grill) else ():
            match curation.do:
                case "set":
                    self._accepts(curation.what, at)
                case "drop":
                    self.steers[curation.what].tier = "gone"
                case "source":
                    self.opinions[SPELLINGS[curation.what][0]] = curation.says

    def _decides(self, decision: Decision, at: datetime) -> None:
        chat = self.chats[decision.key]
        match decision.do:
            case "park":
                chat.state = "parked"
            case "reply":
                self._ends(chat.key, "resolved", "replied")
                chat.reply = decision.says
            case "acknowledge":
                self._ends(chat.key, "resolved", "acknowledged")
            case "retire":
                self._ends(chat.key, "resolved", "retired-direction")
                chat.steer = decision.says
                self.steers[decision.says].tier = "gone"
            case "fold":
                assert decision.steer
                self._ends(chat.key, "resolved", "folded-to-direction")
                chat.steer = decision.steer.title
                self._steers(decision.steer, "set")
                if chat.on:
                    self.weights += self._spread(chat.on, 1.0, at)

    def pending(self) -> dict[str, int]:
        comments = [chat for chat in self.chats.values() if chat.state != "closed"]
        votes = [act for act in self.acts if isinstance(act, Ballot) and act.open]
        naked = sum(not chat.received for chat in comments) + len(votes)
        return {"comments": len(comments), "votes": len(votes), "naked": naked}

    def waiting(self) -> list[Chat | Ballot]:
        """Acts still owed something, in the order they were done."""
        return [a for a in self.acts if (a.open if isinstance(a, Ballot) else a.state != "closed")]

    # -- dispatches ---------------------------------------------------------------------------

    def _closes(self, close: Close, at: datetime) -> None:
        self.breadcrumb = close.intent
        if close.artefato:
            self._publishes(close.artefato, close.intent, at)
            cited = {SPELLINGS[cite.source][0] for cite in close.artefato.cites}
            for ref in self.offered:
                used = ref in cited
                self.weights.append(Weight(ref, *(("used", 0.25) if used else ("ignored", -0.05)), at))
        for key in close.answered:
            self._ends(key, "semantic_answered")
        for act in self.acts:
            if isinstance(act, Ballot):
                act.open = False
            elif act.state != "closed":
                act.received = True

    def _publishes(self, artefato: Artefato, intent: str, at: datetime) -> None:
        known = self.published.setdefault(artefato.slug, Published())
        known.revision += 1
        known.latest, known.intent = artefato, intent
        for cite in artefato.cites:
            ref = SPELLINGS[cite.source][0]
            relevant = any(c.relevant for c in artefato.cites if c.source == cite.source)
            weight = 1.5 if relevant else 1.0
            self.kinds[ref] = cite.kind
            if weight > known.cited.get(ref, (0.0, at))[0]:
                known.cited[ref] = (weight, at)
        for steer in artefato.proposes:
            self._steers(steer, "proposed", artefato.slug)

    def _spread(self, slug: str, whole: float, at: datetime) -> list[Weight]:
        refs = dict.fromkeys(SPELLINGS[c.source][0] for c in self.published[slug].latest.cites)
        return [Weight(ref, "credit", whole / len(refs), at) for ref in refs]

    def _votes(self, slug: str, value: int, at: datetime) -> None:
        known = self.published[slug]
        known.vote = value
        known.voted = self._spread(slug, 0.5 * value, at) if value else []
        self.acts.append(Ballot(slug, value))

    # -- Direction ----------------------------------------------------------------------------

    def _steers(self, steer: Steer, tier: str, slug: str | None = None) -> None:
        held = self.steers.get(steer.title)
        if held is None or (held.tier == "gone" and not held.superseded):
            self._places += 1
            self.steers[steer.title] = Held(steer, tier, self._places, slug)
        if steer.supersedes:
            gone = self.steers[steer.supersedes]
            gone.tier, gone.superseded = "gone", True

    def _accepts(self, title: str, at: datetime) -> None:
        held = self.steers[title]
        held.tier = "set"
        if held.slug and not held.credited:
            self.weights += self._spread(held.slug, 2.0, at)
        held.credited = True

    def direction(self) -> dict[str, list[str]]:
        """Titles by list, in the order they were first seen."""
        lists: dict[str, list[str]] = {"set": [], "proposed": [], "expired": []}
        today = self.now.astimezone(OFFSET).date().isoformat()
        for held in sorted(self.steers.values(), key=lambda h: h.place):
            if held.tier != "gone":
                over = held.steer.expires is not None and held.steer.expires < today
                lists["expired" if over else held.tier].append(held.steer.title)
        return lists

    def impact(self, slug: str) -> dict[str, int]:
        proposes = self.published[slug].latest.proposes
        tiers = [self.steers[steer.title].tier for steer in proposes]
        return {
            "proposes": len(tiers),
            "open": tiers.count("proposed"),
            "accepted": tiers.count("set"),
            "rejected": tiers.count("gone"),
        }

    # -- sources ------------------------------------------------------------------------------

    def _all_weights(self) -> list[Weight]:
        cited = [
            Weight(ref, "cited", *told) for p in self.published.values() for ref, told in p.cited.items()
        ]
        return [*cited, *self.weights, *(w for p in self.published.values() for w in p.voted)]

    def sources(self, now: datetime) -> list[dict[str, Any]]:
        """Every source, best first, as ``sources list`` has to print it."""
        weights = self._all_weights()
        found = []
        for ref in {*self.opinions, *(w.ref for w in weights)}:
            mine = [w for w in weights if w.ref == ref]
            score = sum(w.weight * 2 ** (-((now - w.at) / timedelta(days=30))) for w in mine)
            curated = ref in self.opinions
            signals = {
                name: round(sum(w.weight for w in mine if w.signal == name), 4) + 0.0
                for name in ("cited", "used", "ignored", "credit")
            }
            told = {
                "ref": ref,
                "kind": self.kinds.get(ref, "mundo"),
                "tier": "curated" if curated else "hypothesis",
                "score": round(score, 4),
                "signals": signals,
                "opinion": self.opinions.get(ref),
            }
            found.append(((not curated, -round(score, 9), ref), told))
        return [told for _, told in sorted(found, key=lambda f: f[0])]

    # -- Recap --------------------------------------------------------------------------------

    def recent(self) -> list[str]:
        """Labels of the sessions of the window that count."""
        return [
            said.session.label
            for said in self.taken_in
            if said.session.label not in self.forgotten and self.now - said.at <= WINDOW
        ]

    def recap(self) -> list[tuple[str, set[str]]]:
        """The last artefatos, newest first, each with the sessions of the window it is about."""
        recent = set(self.recent())
        last = list(self.published.values())[-RECAP:][::-1]
        return [(p.latest.slug, recent & set(p.latest.about)) for p in last]
