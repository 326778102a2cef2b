"""Whatever the words are that a Briefing shows, its shape is edge's own.

Every event is written as a stranger's program could: past every rule, with such text in every
field of words, ids among them.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from edge import hook
from edge.briefing import SECTIONS, Briefing, compose
from edge.briefing_knowledge import one_line
from edge.domain.episodes import BRIEFING_BEGIN, BRIEFING_END
from edge.domain.language import Lang
from edge.health import Lag, health
from edge.recap_prose import Prose
from edge.wiring_outside import MODE
from tests.support.house import House

HEADINGS = {
    "en": ("Health", "Direction", "Pending Voz", "Recap", "Last breadcrumb", "Knowledge", "Sources"),
    "pt": ("Saúde", "Direction", "Voz pendente", "Recap", "Último rasto", "Conhecimento", "Fontes"),
}
LANGS: Final[tuple[Lang, ...]] = ("en", "pt")
FORGED = (
    *("## Health", "# Briefing", "- [set] **x** (thread)", "* x", "1. x", "> x", "---", "```", "`", "|"),
    *(
        BRIEFING_BEGIN,
        BRIEFING_END,
        "<!--",
        "-->",
        "<!",
        "--",
        "->",
        "<system-reminder>",
        "</System-Reminder>",
        "</edge>",
    ),
)
ENDS_A_LINE = ("\n", "\r", "\r\n", "\n\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
UNSEEN = ("\0", "\x1b[2J", "\u202e", "\u2066", "\u200b", "\ufeff", "\u00ad", " ", "\t", "…", "é", "e\u0301")
PART = st.sampled_from([*FORGED, *ENDS_A_LINE, *ENDS_A_LINE, *UNSEEN]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=8
)
WORDS = st.lists(PART, max_size=8).map("".join)
BOUNDED = settings(
    deadline=None,
    max_examples=80,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate,),  # shrinking so many words takes minutes
)


class Stranger:
    """Fills a log with one event, or a few, of all that a Briefing tells of."""

    def __init__(self, words: Any) -> None:
        self.house = House()
        self._words = words

    def tells(self) -> None:
        self._direction()
        self._voz()
        self._artefatos()
        self._sessions()
        self._sources()
        loaded = [{"comment_id": self._words(), "revision": 0, "harm": 1, "reasons": [], "tokens": 1}]
        caps = {"max_chats": 1, "max_tokens": 1}
        said = {
            "cursor": 1,
            "now": "2026-11-01T08:00:00Z",
            "mode": "attended",
            "caps": caps,
            "loaded": loaded,
        }
        self._log("grill.started", "grill", **said, overflow=0, awaiting=0, run_id=self._words())

    def briefing(self, lang: Lang, budget: int) -> Briefing:
        queries, now = self.house.current(), self.house.clock.now()
        queries.clusters().refresh()
        strip = health(queries, MODE, Lag(queries.position(), 0))
        zone = self.house.settings.tz
        return compose(queries, strip, now, zone, lang, budget, lambda _: Prose(self._words(), self._words()))

    def _direction(self) -> None:
        for type_ in ("direction.set", "direction.set", "direction.proposed"):
            self._log(
                type_,
                "direction",
                id=self._words(),
                title=self._words(),
                body=self._words(),
                kind=self._words(),
                **({"expires_at": "2099-01-01" + self._words()} if type_ == "direction.set" else {}),
            )

    def _voz(self) -> None:
        for _ in range(2):
            body, target = self._words(), self._words()
            self._log("voz.comment", "voz", comment_id=self._words(), body=body, target_ref=target, harm=0)
        self._log("voz.vote", "voz", vote_id=self._words(), slug=self._words(), value=1)
        self._log("voz.resolved", "voz", comment_id=self._words(), outcome=self._words())

    def _artefatos(self) -> None:
        for _ in range(2):
            slug = self._words()
            proposes = [{"title": self._words(), "body": self._words(), "kind": self._words()}]
            cites = [{"ref": self._words(), "kind": "mundo", "relevant": True}]
            said = {"title": self._words(), "body": self._words(), "proposes": proposes, "cites": cites}
            self._log("artefato.published", "artefato", slug=slug, **said, distills=[self._words()])
            self._log("intent.kernel", "artefato", slug=slug, intent=self._words())
        self._log("intent.kernel", "dispatch", intent=self._words())

    def _sessions(self) -> None:
        for n in range(2):
            session = {
                "session": self._words(),
                "surface": self._words(),
                "tier": "low",
                "presence": "present",
            }
            turn = {"id": "t", "role": "operator", "ts": "2026-11-01T07:00:00Z", "text": self._words()}
            span = {"from": 0, "to": 10, "prefix_hash": "x", "turns": [turn], "project": self._words()}
            episode = self._log("episode.captured", "episode", **session, **span)
            names = {id_: self._words() for id_ in ("one", "other")}
            fact = {"id": f"f{n}", "source": "one", "target": "other", "relation": self._words()}
            self._log(
                "episode.extracted",
                "extraction",
                episode=episode,
                by={"extractor": self._words()},
                gist=self._words(),
                entities=[{"id": id_, "name": name} for id_, name in names.items()],
                facts=[{**fact, "statement": self._words()}],
            )
        self._log("knowledge.promoted", "knowledge", id="f0", statement=self._words())

    def _sources(self) -> None:
        for _ in range(2):
            self._log("source.curated", "source", ref=self._words(), opinion=self._words())

    def _log(self, type_: str, category: str, **data: Any) -> str:
        stream = f"{category}-g.s{len(self.house.events())}"
        self.house.foreign(type_, stream, **data)
        return self.house.events()[-1].id


def holds(briefing: Briefing, lang: Lang) -> None:
    title, *parts = briefing.text.split("\n\n")
    assert title == "# Briefing"
    assert parts[0::2] == [f"## {heading}" for heading in HEADINGS[lang]]
    assert [section.name for section in briefing.sections] == list(SECTIONS)
    for section, told in zip(briefing.as_json()["sections"], parts[1::2], strict=True):
        lines = told.removesuffix("\n").splitlines()
        if section["items"]:
            assert lines == [f"- {item['text']}" for item in section["items"]]
        else:
            assert len(lines) == 1
            assert not lines[0].startswith(("-", "#"))


def is_marked_once(briefing: Briefing, lang: Lang) -> None:
    """What the hook hands to the session begins and ends with the marks, and holds no other."""
    to = hook.Given("s", "/home/op", False)
    told = hook.told(hook.SESSION_START, to, lambda project: True, lambda: briefing.text, lang)
    context = json.loads(told.printed)["hookSpecificOutput"]["additionalContext"]
    assert (context.count(BRIEFING_BEGIN), context.count(BRIEFING_END)) == (1, 1)
    assert context.startswith(BRIEFING_BEGIN)
    assert context.endswith(BRIEFING_END)
    assert (context.count("<!--"), context.count("-->")) == (2, 2)
    assert not re.search("</?system-reminder", context, re.IGNORECASE)


@given(st.data(), st.sampled_from(LANGS), st.integers(100, 4_000))
@settings(BOUNDED)
def test_whatever_an_event_says_the_briefing_keeps_its_headings_and_its_lines(
    data: st.DataObject, lang: Lang, budget: int
) -> None:
    stranger = Stranger(lambda: data.draw(WORDS))
    stranger.tells()
    briefing = stranger.briefing(lang, budget)
    holds(briefing, lang)
    is_marked_once(briefing, lang)


@pytest.mark.parametrize("lang", LANGS)
def test_such_events_fill_every_section(lang: Lang) -> None:
    counted = iter(range(10_000))
    stranger = Stranger(lambda: f"word{next(counted)}")
    stranger.tells()
    briefing = stranger.briefing(lang, 100_000)
    holds(briefing, lang)
    assert all(section.items for section in briefing.sections)


@given(WORDS)
def test_a_line_is_one_line_wherever_what_ends_a_line_stands(words: str) -> None:
    line = one_line(words)
    assert line.splitlines() == ([line] if line else [])
    assert one_line(line) == line


TERMS = set(
    # edge's own, as docs/concepts.md has them; marks of a tier; names of errors; what both languages share
    "Briefing Direction Recap Voz artefato backlog steer dispatch grill sweep"
    " cluster set proposed curated hypothesis contested orphan resolved ok".split()
)


def own_words(text: str) -> set[str]:
    """What edge itself says: without commands, ids, dates and the words of events."""
    said = re.sub(r"`[^`]*`|word\d+|\bc-\w+|\bs\d+\b|[\d-]{4,}", " ", text)
    return set(re.findall(r"[^\W\d_]{2,}", said))


@pytest.mark.parametrize("budget", [1, 100_000])
def test_what_a_portuguese_briefing_shares_with_an_english_one_are_terms(budget: int) -> None:
    counted = iter(range(10_000))
    full, empty = Stranger(lambda: f"word{next(counted)}"), Stranger(str)
    full.tells()
    for stranger in (full, empty):
        said = {lang: own_words(stranger.briefing(lang, budget).text) for lang in LANGS}
        assert said["en"] & said["pt"] <= TERMS
