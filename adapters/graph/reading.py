"""Reads an episode by rules alone: what it names, how those things relate, and what it came to.

For machines without a model. It names little and means to be right: what only a program printed,
what somebody merely considered, and what text claims to be said by others makes no relation; all
of it is a hypothesis anyway. Pure: the same turns and the same known names give the same reading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

from adapters.graph.gist import gist_of
from adapters.graph.mentions import Known, Mention, mentions
from adapters.graph.names import MAX_NAMES, Things
from adapters.graph.prose import Sentence, sentences
from adapters.graph.relations import found_in
from edge.domain.events import Data
from edge.domain.knowledge import normalised

LABELS: Final = ("Project", "Tool", "File", "Code", "Person", "Concept")
"""A project; a technology, program, package, command or the host of a URL; a file or directory; a
name in code, a branch or a repository; a person; anything else with a name. Of a name that is known
already it is a guess by its shape."""

MAX_RELATIONS: Final = 15
MAX_STATEMENT: Final = 200

_DATE: Final = re.compile(r"(?<![\w./-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![\w/-]|\.\w)")


class Named(NamedTuple):
    """One thing an episode is about; ``label`` is one of :data:`LABELS`."""

    name: str
    label: str


class Related(NamedTuple):
    """One statement about two of the names."""

    source: str
    relation: str
    """In capitals, like ``USES``."""
    target: str
    statement: str
    """The sentence it stands in, on one line, at most :data:`MAX_STATEMENT` characters."""
    valid_at: str | None
    contradicts: bool
    """It says in so many words that something ended: of ``REPLACES`` whatever held of the target,
    of any other relation that very relation."""


class Read(NamedTuple):
    """What one episode says."""

    names: tuple[Named, ...]
    relations: tuple[Related, ...]
    gist: str


class _Stated(NamedTuple):
    """A relation before it is known which names are kept."""

    source: str | None
    relation: str
    target: str
    contradicts: bool
    sentence: Sentence
    span: tuple[int, int]


def read(turns: Sequence[Data], known: Callable[[str], str | None], project: str | None = None) -> Read:
    """What the turns of one episode name and state, and its gist.

    ``known`` gives the name under which a :func:`~edge.domain.knowledge.normalised` one is known
    already; ``project`` is the directory the session worked in. What the operator says of "we" is
    said of that project.
    """
    gazetteer = Known(known, project)
    said = [(sentence, mentions(sentence, gazetteer)) for sentence in sentences(turns)]
    things = Things(said, gazetteer)
    stated = _stated(said, things, has_project=bool(gazetteer.project))
    related = Counter(key for each in stated for key in (each.source, each.target) if key)
    ours = gazetteer.project if any(each.source is None for each in stated) else None
    names = _names(things, related, ours)
    relations = _relations(stated, things, {key: named.name for key, named in names.items()}, ours)
    if ours and not things.may_be_named(normalised(ours)) and not any(ours == r.source for r in relations):
        del names[normalised(ours)]
    shown = dict.fromkeys(names.values())
    return Read(tuple(shown), relations, gist_of([sentence for sentence, _ in said]))


def _stated(
    said: Sequence[tuple[Sentence, list[Mention]]], things: Things, *, has_project: bool
) -> list[_Stated]:
    out: list[_Stated] = []
    for sentence, mentioned in said:
        kept = [m for m in mentioned if things.may_be_named(things.key(m))]
        for found in found_in(sentence, kept, has_project=has_project):
            source = things.key(found.source) if found.source else None
            target = things.key(found.target)
            begin = min(found.target.start, found.source.start if found.source else found.target.start)
            end = max(found.target.end, found.source.end if found.source else 0)
            out.append(_Stated(source, found.relation, target, found.contradicts, sentence, (begin, end)))
    return out


def _names(things: Things, related: Counter[str], ours: str | None) -> dict[str, Named]:
    """The names by key; ``ours`` is kept a place among them."""
    chosen = things.chosen(related)
    own = normalised(ours) if ours else ""
    if ours and own not in chosen:
        chosen = [own, *chosen[: MAX_NAMES - 1]]
    out: dict[str, Named] = {}
    by_name: dict[str, Named] = {}
    for key in chosen:
        named = Named(ours, "Project") if key == own and ours else Named(things.name(key), things.label(key))
        out[key] = by_name.setdefault(normalised(named.name), named)
    return out


def _relations(
    stated: Sequence[_Stated], things: Things, shown: dict[str, str], ours: str | None
) -> tuple[Related, ...]:
    """Each relation once, in its best words: the operator's before the assistant's, then the latest."""
    best: dict[tuple[str, str, str, bool], tuple[bool, int, Related]] = {}
    for at, each in enumerate(stated):
        source = shown.get(each.source) if each.source is not None else ours
        target = shown.get(each.target)
        if source is None or target is None or source == target:
            continue
        sentence = each.sentence
        related = Related(
            source,
            each.relation,
            target,
            _statement(sentence.text, each.span),
            _valid_at(sentence),
            each.contradicts,
        )
        key = (source, each.relation, target, each.contradicts)
        rank = (sentence.by_operator, at)
        if key not in best or rank > best[key][:2]:
            best[key] = (*rank, related)
    ranked = sorted(best.values(), key=lambda b: (not b[0], not b[2].contradicts, b[1]))[:MAX_RELATIONS]
    return tuple(related for _, _, related in sorted(ranked, key=lambda b: b[1]))


def _statement(text: str, span: tuple[int, int]) -> str:
    """The sentence on one line; of a long one the part around both names."""
    line = " ".join(text.split())
    if len(line) <= MAX_STATEMENT:
        return line
    begin = len(" ".join(text[: span[0]].split()))
    end = len(" ".join(text[: span[1]].split()))
    start = 0 if end < MAX_STATEMENT - 1 else max(0, min(begin, end - MAX_STATEMENT // 2))
    if start:
        start = line.rfind(" ", 0, start + 1) + 1
    room = MAX_STATEMENT - 1 - bool(start)
    piece = line[start : start + room]
    if start + room < len(line):
        piece = piece.rsplit(" ", 1)[0] if " " in piece else piece
        piece += "…"
    return ("…" if start else "") + piece


def _valid_at(sentence: Sentence) -> str | None:
    """The one date the sentence names, else when it was said."""
    dates: list[str] = _DATE.findall(sentence.text)
    if len(dates) == 1 and _parses(date.fromisoformat, dates[0]):
        return dates[0]
    return sentence.ts if sentence.ts and _parses(datetime.fromisoformat, sentence.ts) else None


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True
