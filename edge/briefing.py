"""The Briefing: what orients the agent at the open of a dispatch.

Apart from measured health it is a function of log position and clock (I20): the sections
are folded from the read models, each line names the events it came from, none its position.
One that is about to be presented may hold a line more: a model's words of the Recap.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from edge import briefing_recap as recap
from edge.briefing_knowledge import lines, one_line, quoted
from edge.domain import direction
from edge.domain.events import Data
from edge.domain.language import BYTES_A_TOKEN, Lang, first_line, size
from edge.domain.pendency import TEXT_SHOWN, Act
from edge.domain.remedies import NAMED
from edge.domain.sources import Ranked
from edge.ports import Presentation, Queries
from edge.recap import relations

if TYPE_CHECKING:  # what asks a model is no cost of those who ask none
    from edge.recap_prose import Prose, Write

ACTS_SHOWN: Final = 5
ACTS_NAMED: Final = 1_000
"""Pending acts of a kind that the line of counts names the events of, at most."""
BUDGET_TOKENS: Final = 2_500
SOURCES_SHOWN: Final = 8
SECTIONS: Final = ("health", "direction", "voz", "recap", "breadcrumb", "knowledge", "sources")

_RECAP: Final = SECTIONS.index("recap")
_WHOLE: Final = ("health", "voz")
"""Sections that are shown in full: counts, what is wrong, what waits."""
_SAID_OTHERWISE: Final = ("unfinished", "naked")
"""What is wanting that has a line of its own, or that the close of this very dispatch sees to."""
_VALUES: Final[dict[tuple[str, str | None], int]] = {
    ("direction", "set"): 8,
    ("knowledge", "curated"): 7,
    ("sources", "curated"): 6,
    ("recap", None): 5,
    ("direction", "proposed"): 4,
    ("breadcrumb", None): 4,
    ("recap", "hypothesis"): 3,
    ("knowledge", None): 3,
    ("sources", None): 2,
}

_T: Final[dict[str, dict[Lang, str]]] = {
    "title": {"en": "Briefing", "pt": "Briefing"},
    "health": {"en": "Health", "pt": "Saúde"},
    "direction": {"en": "Direction", "pt": "Direction"},
    "voz": {"en": "Pending Voz", "pt": "Voz pendente"},
    "recap": {"en": "Recap", "pt": "Recap"},
    "breadcrumb": {"en": "Last breadcrumb", "pt": "Último rasto"},
    "knowledge": {"en": "Knowledge", "pt": "Conhecimento"},
    "sources": {"en": "Sources", "pt": "Fontes"},
    "empty:sources": {
        "en": "No artefato has cited anything yet, and no opinion of a source is held.",
        "pt": "Nenhum artefato citou ainda nada, e não há opinião sobre fonte nenhuma.",
    },
    "score": {"en": "score {score:.2f}", "pt": "pontuação {score:.2f}"},
    "cited": {"en": "cited {n:g}", "pt": "citada {n:g}"},
    "used": {"en": "used {n:g}", "pt": "usada {n:g}"},
    "ignored": {"en": "ignored {n:g}", "pt": "ignorada {n:g}"},
    "credit": {"en": "credit {n:g}", "pt": "crédito {n:g}"},
    "empty:health": {"en": "Nothing to report.", "pt": "Nada a relatar."},
    "none:direction": {
        "en": "Nothing has moved Direction yet.",
        "pt": "Nada moveu a Direction ainda.",
    },
    "empty:direction": {"en": "No steer is set or proposed.", "pt": "Nenhum steer definido ou proposto."},
    "empty:voz": {"en": "Nothing is pending.", "pt": "Nada pendente."},
    "empty:recap": {"en": "No artefato is published yet.", "pt": "Nenhum artefato publicado ainda."},
    "empty:breadcrumb": {"en": "No dispatch left one yet.", "pt": "Nenhum dispatch deixou um ainda."},
    "empty:knowledge": {
        "en": "No cluster of facts has formed yet.",
        "pt": "Nenhum cluster de factos se formou ainda.",
    },
    "ok": {"en": "ok", "pt": "ok"},
    "degraded": {"en": "degraded", "pt": "degradada"},
    "strip": {
        "en": "open {open} · actionable {actionable} · awaiting {awaiting} · backlog {backlog}"
        " · overflow {overflow} · naked {naked}",
        "pt": "abertos {open} · acionáveis {actionable} · à espera {awaiting} · backlog {backlog}"
        " · excedente {overflow} · sem recibo {naked}",
    },
    "unfinished": {
        "en": "grill run {id} is unfinished: `edge grill show {id}`",
        "pt": "o grill {id} está por terminar: `edge grill show {id}`",
    },
    "swept": {"en": "last sweep {at}", "pt": "último sweep {at}"},
    "unswept": {"en": "never swept", "pt": "nunca varrido"},
    "swept once": {"en": "last sweep not on record", "pt": "último sweep sem registo"},
    "pending": {
        "en": "comments {comments} · votes {votes} · without a receipt {naked}",
        "pt": "comentários {comments} · votos {votes} · sem recibo {naked}",
    },
    "more": {"en": "and {n} more", "pt": "e mais {n}"},
    "general": {"en": "general", "pt": "geral"},
    "until": {"en": "until {date}", "pt": "até {date}"},
}


class Item(NamedTuple):
    """One line: its text, the tier it stands in, the ids of the events it came from, and the refs of
    the sources it offers."""

    text: str
    tier: str | None
    events: list[str]
    sources: Sequence[str] = ()

    def as_json(self) -> Data:
        return {**self._asdict(), "sources": list(self.sources)}


class Section(NamedTuple):
    name: str
    items: list[Item]
    empty: str
    """What the section says when it has no items."""


class Briefing(NamedTuple):
    """``position`` is the log position it was composed at; ``text`` is Markdown. ``prose`` is what came
    of having a model write; None where none was asked."""

    position: int
    text: str
    sections: list[Section]
    health: Data
    prose: Prose | None = None

    def as_json(self) -> Data:
        """The object ``open`` and ``briefing`` print."""
        sections = [{"name": s.name, "items": [i.as_json() for i in s.items]} for s in self.sections]
        return {"text": self.text, "sections": sections, "health": self.health}

    def items(self) -> list[Data]:
        """The lines as ``briefing.presented`` records them."""
        return [
            {"section": s.name, "text": i.text, "events": i.events}
            | ({"tier": i.tier} if i.tier else {})
            | ({"sources": list(i.sources)} if i.sources else {})
            for s in self.sections
            for i in s.items
        ]


def compose(
    queries: Queries,
    health: Data,
    now: datetime,
    zone: tzinfo,
    lang: Lang,
    budget: int = BUDGET_TOKENS,
    write: Write | None = None,
) -> Briefing:
    """The Briefing at the queries' position, of at most some ``budget`` tokens.

    With ``write``, which is asked once at most, the Recap ends in a model's prose of it.
    """
    with queries.snapshot():
        related = relations(queries, now)
        sections = [
            _health(health, queries, lang),
            _direction(queries, now, zone, lang),
            _voz(queries, lang),
            _section("recap", [Item(*line) for line in recap.lines(queries, related, lang)], lang),
            _breadcrumb(queries, lang),
            _section("knowledge", [Item(*line) for line in lines(queries.clusters(), lang)], lang),
            _sources(queries, now, lang),
        ]
        position = queries.position()
    prose = None
    if write and any(related.episodes.values()) and _has_room_for_prose(sections, budget, lang):
        prose = write([line.text for line in sections[_RECAP].items if line.events])
        sections = _with_prose(sections, prose, lang)
    sections = _within(sections, budget, lang)
    return Briefing(position, rendered(sections, lang), sections, health, prose)


def as_presented(presented: Presentation) -> Data:
    """A Briefing just as it was recorded when it was shown, in the shape ``briefing`` prints."""
    sections: dict[str, list[Data]] = {name: [] for name in SECTIONS}
    for n, item in enumerate(presented.items, 1):
        names: tuple[tuple[str, Any], ...] = (("text", None), ("tier", None), ("events", []), ("sources", []))
        line = {name: item.get(name) or nothing for name, nothing in names}
        line["line"] = f"{presented.dispatch_id}#{n}"  # what `why` explains it by
        sections.setdefault(str(item.get("section")), []).append(line)
    return {
        "text": presented.text,
        "sections": [{"name": name, "items": items} for name, items in sections.items()],
        "health": None,
        "position": presented.cursor,
        "recomputed": False,
    }


def rendered(sections: Sequence[Section], lang: Lang) -> str:
    """The sections as Markdown, one heading each."""
    parts = [f"# {_T['title'][lang]}"]
    for section in sections:
        lines = [f"- {item.text}" for item in section.items] or [section.empty]
        parts.append(f"## {_T[section.name][lang]}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _section(name: str, items: list[Item], lang: Lang, empty: str | None = None) -> Section:
    # whatever a stranger's event says, a line is one line: it begins no heading and ends no Briefing
    told = [item._replace(text=one_line(item.text)) for item in items]
    return Section(name, told, _T[empty or f"empty:{name}"][lang])


def _within(sections: list[Section], budget: int, lang: Lang) -> list[Section]:
    """The lines worth most that fit the budget; what is left out is counted in its section's last line.

    The first line of each section stays, and so does all of health and of pending Voz: a Briefing
    never hides what is wrong or what waits. Of the ways to leave out what is worth least, the one
    that leaves out the fewest lines and fits: a larger budget shows what a smaller one does, and more.
    """
    worth = sorted(
        (-_value(section.name, item), place, nth)
        for place, section in enumerate(sections)
        for nth, item in enumerate(section.items)
        if nth and section.name not in _WHOLE
    )
    long = size(rendered(sections, lang))
    left_out = [0] * len(sections)
    for _, place, _ in reversed(worth):
        if long <= budget * BYTES_A_TOKEN:
            break
        long -= _spared(sections[place], left_out[place], lang)
        left_out[place] += 1
    return [_without(section, left_out[place], lang) for place, section in enumerate(sections)]


def _without(section: Section, left_out: int, lang: Lang) -> Section:
    if not left_out:
        return section
    items = section.items[: len(section.items) - left_out]
    return section._replace(items=[*items, _more(left_out, lang)])


def _spared(section: Section, left_out: int, lang: Lang) -> int:
    """Bytes that one line more left out takes off; fewer than none where the count is longer than it."""
    goes = [section.items[-1 - left_out], *([_more(left_out, lang)] if left_out else [])]
    return sum(size(f"- {item.text}\n") for item in goes) - size(f"- {_more(left_out + 1, lang).text}\n")


def _value(section: str, item: Item) -> int:
    """What a line is worth beside others, the more the surer and the more the operator's own."""
    return _VALUES.get((section, item.tier), _VALUES.get((section, None), 0))


def _more(n: int, lang: Lang) -> Item:
    return Item(_T["more"][lang].format(n=n), None, [])


def _health(health: Data, queries: Queries, lang: Lang) -> Section:
    swept = health["last_sweep"]
    # when a sweep was is measured, not folded: a past position knows only that there was one
    unswept = "swept once" if queries.episodes().captured else "unswept"
    measured = _T["swept"][lang].format(at=swept) if swept else _T[unswept][lang]
    strip = _T["degraded" if health["degraded"] else "ok"][lang]
    items = [Item(f"{strip}: {_T['strip'][lang].format(**health)} · {measured}", None, [])]
    for run_id in health["unfinished_runs"]:
        run = queries.run(run_id)
        items.append(Item(_T["unfinished"][lang].format(id=run_id), None, [run["event"]] if run else []))
    helps = {remedy["item"]: f"`{remedy['run']}`" for remedy in health["remedies"]}
    for error in health["errors"]:
        said = f"{error['kind']}: {', '.join(error['ids'][:ACTS_SHOWN])}".rstrip(": ")
        command = helps.pop(error["kind"], None)
        items.append(Item(f"{said} — {command}" if command else said, None, []))
    items += [
        Item(f"{NAMED[remedy['item']][lang == 'pt']} ({remedy['n']}): {helps[remedy['item']]}", None, [])
        for remedy in health["remedies"]
        if remedy["item"] in helps and remedy["item"] not in _SAID_OTHERWISE
    ]
    return _section("health", items, lang)


def _direction(queries: Queries, now: datetime, zone: tzinfo, lang: Lang) -> Section:
    lists = direction.listed(queries.items(), now, zone)
    items = [_steer(steer, tier, lang) for tier in ("set", "proposed") for steer in lists[tier]]
    touched = queries.direction_touched()
    return _section("direction", items, lang, "empty:direction" if touched else "none:direction")


def _steer(steer: Data, tier: str, lang: Lang) -> Item:
    until = f", {_T['until'][lang].format(date=steer['expires_at'])}" if steer["expires_at"] else ""
    body = first_line(steer["body"], 200)
    said = f": {body}" if body and body != steer["title"] else ""
    return Item(f"[{tier}] **{steer['title']}** ({steer['kind']}{until}){said}", tier, steer["events"])


def _voz(queries: Queries, lang: Lang) -> Section:
    counts = queries.counts()
    total = counts.open + counts.votes
    if not total:
        return _section("voz", [], lang)
    said = _T["pending"][lang].format(comments=counts.open, votes=counts.votes, naked=counts.naked)
    acts = queries.open_acts("comment", limit=ACTS_NAMED) + queries.open_acts("vote", limit=ACTS_NAMED)
    acts.sort(key=lambda act: act["position"])
    events = [act["event"] for act in acts]
    items = [Item(said, None, events), *(_act(act, lang) for act in acts[:ACTS_SHOWN])]
    if total > ACTS_SHOWN:
        items.append(_more(total - ACTS_SHOWN, lang)._replace(events=events[ACTS_SHOWN:]))
    return _section("voz", items, lang)


def _act(act: Act, lang: Lang) -> Item:
    target = act["target"] or _T["general"][lang]
    said = f"{act['value']:+d}" if act["value"] is not None else first_line(act["text"] or "", TEXT_SHOWN)
    return Item(f"{act['act']} ({target}): {said}", None, [act["event"]])


def _with_prose(sections: Sequence[Section], prose: Prose, lang: Lang) -> list[Section]:
    """The sections with a model's words as the Recap's last line; as they are where it found none."""
    if prose.text is None:
        return list(sections)
    told = sections[_RECAP].items
    line = Item(*recap.in_words(told, prose.by, prose.text, lang))
    with_it = _section("recap", [*told, line], lang)
    return [*sections[:_RECAP], with_it, *sections[_RECAP + 1 :]]


def _has_room_for_prose(sections: Sequence[Section], budget: int, lang: Lang) -> bool:
    """Whether the longest paragraph would be shown: what is not shown need not be paid for."""
    from edge.recap_prose import LONGEST, Prose

    longest = _with_prose(sections, Prose("", "ã" * LONGEST), lang)
    return longest[_RECAP].items[-1] in _within(longest, budget, lang)[_RECAP].items


def _sources(queries: Queries, now: datetime, lang: Lang) -> Section:
    return _section("sources", [_source(one, lang) for one in queries.sources(now, SOURCES_SHOWN)], lang)


def _source(source: Ranked, lang: Lang) -> Item:
    said = [_T["score"][lang].format(score=source.score)]
    if source.opinion:
        said = [quoted(source.opinion)]
    else:
        said += [_T[kind][lang].format(n=weight) for kind, weight in source.signals.items() if weight]
    text = f"[{source.tier}] {quoted(source.ref)}: {', '.join(said)}"
    return Item(text, source.tier, source.events, (source.ref,))


def _breadcrumb(queries: Queries, lang: Lang) -> Section:
    crumb = queries.breadcrumb()
    if crumb is None:
        return _section("breadcrumb", [], lang)
    said = f"{crumb['at'][:10]}: {first_line(crumb['intent'], 300)}"
    return _section("breadcrumb", [Item(said, None, [crumb["event"]])], lang)
