"""Where in a sentence something is named: by its shape, by capitals, by quotes, or because it is known."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from adapters.graph import shapes
from adapters.graph.lexicon import (
    ACKNOWLEDGEMENTS,
    ACRONYMS,
    CALENDAR,
    CASED_TECHNOLOGIES,
    COMMON,
    FIRST_NAMES,
    GENERIC_DIRECTORIES,
    KEYWORDS,
    PERSON_VERBS,
    SPEAKERS,
    TECHNOLOGIES,
    VERB_ENDINGS,
)
from adapters.graph.prose import Sentence
from edge.domain.knowledge import normalised
from edge.domain.language import fold

_TOKEN: Final = re.compile(
    r"`[^`\n]{1,100}`|https?://[^\s<>\"'`)\]]{1,400}|\[redacted:[a-z0-9\-]{1,40}\]"
    r"|\"[^\"\n]{2,60}\"|“[^”\n]{2,60}”|«[^»\n]{2,60}»|[^\s`\"“”«»()\[\]{}<>|,;*]+"
)
_MARKS: Final = ".,:;!?…'’‘*_~–—/"
_CONNECTORS: Final = frozenset("de da do dos das of &".split())
_FOLDERS: Final = frozenset("folder directory".split())
_OF_A_PROJECT: Final = frozenset("repo repository project projeto projecto repositorio".split())
_MAX_WORDS: Final = 4
_LEAD: Final = 12
"""Marks that may stand before the first word."""
_PAIRED: Final = frozenset(name.split()[0] for name in TECHNOLOGIES if " " in name)
_SILENT: Final = COMMON | ACKNOWLEDGEMENTS | ACRONYMS | CALENDAR | SPEAKERS | KEYWORDS


class Mention(NamedTuple):
    """One thing named at one place of a sentence."""

    start: int
    end: int
    key: str
    """What makes two mentions one thing."""
    name: str
    label: str
    kind: str
    """As :mod:`shapes` has it, or ``known``, ``project``, ``capital``, ``quote``."""
    opener: bool = False
    """It may be capitalised only because a sentence begins there."""
    path: str = ""
    code: bool = False
    """It stood in backticks or was called."""


class Known:
    """The gazetteer and the project of one reading; asks about each spelling once."""

    def __init__(self, known: Callable[[str], str | None], project: str | None) -> None:
        self._known = known
        self._asked: dict[str, str | None] = {}
        self.project = project_name(project)
        self._projects = _spellings(self.project) if self.project else frozenset()
        self.project_openers = frozenset(fold(name.split(" ")[0]) for name in self._projects)
        """The words a spelling of the project begins with."""

    def __call__(self, text: str) -> str | None:
        """The name this is known by, if it is."""
        if text not in self._asked:
            self._asked[text] = self._known(normalised(text)) if len(text) <= shapes.MAX_NAME else None
        return self._asked[text]

    def is_project(self, text: str) -> bool:
        return text.casefold() in self._projects


def project_name(cwd: str | None) -> str | None:
    """The name of the project a session works in; None where the directory is anybody's."""
    parts = [
        p
        for p in re.split(r"[\\/]", posixpath.normpath((cwd or "").replace("\\", "/")))
        if p not in ("", ".")
    ]
    if not parts or parts[-1][0] in "[<~" or parts[-1].casefold() in GENERIC_DIRECTORIES:
        return None
    if len(parts) < 3 and parts[0].casefold() in ("users", "home"):
        return None  # a home directory
    return parts[-1][: shapes.MAX_NAME]


def _spellings(name: str) -> frozenset[str]:
    plain = name.casefold()
    return frozenset({plain, re.sub(r"[-_. ]+", " ", plain), re.sub(r"[-_. ]+", "-", plain)})


class _Word(NamedTuple):
    start: int
    end: int
    text: str
    """Without the marks around it."""
    folded: str
    breaks: bool
    """Something ends behind it: no name goes on."""
    opener: bool
    """A capital letter here makes no name."""


def mentions(sentence: Sentence, known: Known) -> list[Mention]:
    """Everything the sentence may name, left to right, none over another."""
    text = sentence.text
    found: list[Mention] = []
    words: list[_Word] = []
    shouted = text.isupper()
    for token in _TOKEN.finditer(text):
        raw, start = token[0], token.start()
        if raw[0] == "`":
            found.extend(
                _shaped(s, start, token.end(), known, code=True) for s in shapes.in_backticks(raw[1:-1])
            )
        elif raw[0] in '"“«':
            found.extend(_quoted(raw[1:-1].strip(), start, token.end(), known))
        elif raw.startswith("http"):
            is_link = text[max(0, start - 2) : start] == "]("  # its text names what it goes to
            host = shapes.url(raw) if "://" in raw and not is_link else None
            found.extend([_shaped(host, start, token.end(), known)] if host else [])
        elif raw[0] == "[":
            continue
        else:
            word = _word(raw, start, sentence)
            if not word:
                continue
            words.append(word)
            behind = text[word.end : word.end + 1]
            shaped = None if shouted or behind == "*" else shapes.bare(word.text)
            if shaped:
                found.append(_shaped(shaped, word.start, word.end, known, code=behind == "("))
    taken = {m.start for m in found}
    found += _of_words(words, taken, sentence, known, shouted)
    return _apart(found)


class _Trimmed(NamedTuple):
    lead: int
    text: str
    folded: str
    breaks: bool


@lru_cache(maxsize=8192)
def _trimmed(raw: str) -> _Trimmed:
    """A token without the marks around it: how many stood before, whether any stood behind."""
    left = raw.lstrip("'’‘_~–—:!?…" if len(raw) > 1 and raw[0] != "." else _MARKS)
    right = left.rstrip(_MARKS)
    tail = left[len(right) :]
    for possessive in ("'s", "’s"):
        right = right.removesuffix(possessive)
    if right and tail[:1] == "/":
        right += "/"
    return _Trimmed(len(raw) - len(left), right, fold(right), bool(tail))


def _word(raw: str, start: int, sentence: Sentence) -> _Word | None:
    lead, word, folded, breaks = _trimmed(raw)
    if not word:
        return None
    start += lead
    end = start + len(word)
    opener = False
    if word[0].isupper():
        opener = start < sentence.title or start in sentence.openers
        opener = opener or (start < _LEAD and not sentence.text[:start].strip(" \"'“«([-–—•✅*_"))
        opener = opener or sentence.text[max(0, start - 2) : start].strip()[-1:] in tuple(":—–→.!?✅")
    return _Word(start, end, word, folded, breaks, opener)


def _shaped(shaped: shapes.Shaped, start: int, end: int, known: Known, *, code: bool = False) -> Mention:
    if known.is_project(shaped.name):
        return Mention(start, end, normalised(known.project or ""), known.project or "", "Project", "project")
    name = (known(shaped.name) if shaped.kind != "plain" else None) or shaped.name
    return Mention(start, end, normalised(name), name, shaped.label, shaped.kind, False, shaped.path, code)


def _quoted(text: str, start: int, end: int, known: Known) -> list[Mention]:
    """A term in quotation marks: few words that are no sentence."""
    words = text.split()
    if not 1 <= len(words) <= _MAX_WORDS or not text[0].isalpha() or text[-1] in ".,:;!?…":
        return []
    if len(words) == 1 and (shaped := shapes.bare(text)):
        return [_shaped(shaped, start, end, known)]
    if not all(w.replace("-", "").isalpha() for w in words) or all(_says_nothing(fold(w)) for w in words):
        return []
    name = known(text) or text
    return [Mention(start, end, normalised(name), name, "Concept", "quote")]


def _of_words(
    words: list[_Word], taken: set[int], sentence: Sentence, known: Known, shouted: bool
) -> list[Mention]:
    found: list[Mention] = []
    titled = shouted or _is_titled(words)
    at = 0
    while at < len(words):
        longer = _known_run(words, at, sentence, known)
        if longer:
            found.append(longer[0])
            at += longer[1]
            continue
        if titled or words[at].start in taken or not words[at].text[0].isupper():
            at += 1
            continue
        run = _capital_run(words, at, taken, sentence)
        if run:
            named = _named(run, words[at + len(run) :][:1], words[max(0, at - 1) : at], sentence, known)
            found.extend([named] if named else [])
        at += max(1, len(run))
    return found


def _known_run(words: list[_Word], at: int, sentence: Sentence, known: Known) -> tuple[Mention, int] | None:
    """The longest known name or technology that begins here."""
    word = words[at]
    pair = sentence.text[word.start : words[at + 1].end] if at + 1 < len(words) and not word.breaks else ""
    if word.folded in _PAIRED and (tool := shapes.technology(pair)):
        return Mention(word.start, words[at + 1].end, normalised(tool.name), tool.name, "Tool", "tech"), 2
    if word.folded in _SILENT and word.folded not in known.project_openers:
        return None
    for size in (3, 2, 1):
        run = words[at : at + size]
        if len(run) < size or (size > 1 and (run[-1].folded in _SILENT or any(w.breaks for w in run[:-1]))):
            continue
        text = sentence.text[run[0].start : run[-1].end] if size > 1 else word.text
        project = known.is_project(text)
        if size == 1 and not project and (word.folded in _SILENT or len(word.text) < 3):
            continue
        shown = known.project if project else known(text)
        kind = "project" if project else "known"
        if not shown and size == 1 and word.text in CASED_TECHNOLOGIES and not word.opener:
            shown, kind = word.text, "tech"
        if shown:
            label = "Project" if project else _label_of(shown, kind)
            return Mention(run[0].start, run[-1].end, normalised(shown), shown, label, kind), size
    return None


def _label_of(name: str, kind: str) -> str:
    """What a name that is already known looks like."""
    shaped = shapes.bare(name) if " " not in name else shapes.technology(name)
    if shaped:
        return shaped.label
    if fold(name.split(maxsplit=1)[0]) in FIRST_NAMES and name[0].isupper():
        return "Person"
    return "Tool" if kind == "tech" else "Concept"


def _is_titled(words: list[_Word]) -> bool:
    """Whether capitals are the style of the sentence: they tell nothing then."""
    lettered = [w for w in words[1:] if w.text[0].isalpha()]
    capital = sum(w.text[0].isupper() for w in lettered)
    return len(lettered) >= _MAX_WORDS and capital * 3 > len(lettered) * 2


def _is_capital(word: _Word) -> bool:
    text = word.text
    return text[0].isupper() and len(text) > 1 and all(c.isalnum() or c in "-'’&+" for c in text)


def _capital_run(words: list[_Word], at: int, taken: set[int], sentence: Sentence) -> list[_Word]:
    run: list[_Word] = []
    for word in words[at:]:
        if run and (run[-1].breaks or sentence.text[run[-1].end : word.start].strip()):
            break
        if word.start in taken or len(run) > _MAX_WORDS or shapes.is_noise(word.text):
            break
        if not _is_capital(word) and not (run and word.folded in _CONNECTORS):
            break
        if run and word.opener and word.start >= sentence.title:
            break
        run.append(word)
    while run and not _is_capital(run[-1]):
        run.pop()
    return run


def _says_nothing(folded: str) -> bool:
    return (
        folded in _SILENT
        or folded.removesuffix("s") in ACRONYMS
        or folded.replace("’", "'").partition("'")[0] in SPEAKERS
    )


def _named(
    run: list[_Word], after: list[_Word], before: list[_Word], sentence: Sentence, known: Known
) -> Mention | None:
    """The name a run of capitalised words is, without what only opens the sentence."""
    nextword = after[0].folded if after else ""
    if len(run) == 1 and nextword.isdigit():
        return None  # one of a numbered kind
    if len(run) == 1 and nextword in _FOLDERS and not run[0].opener:
        return _mention(run, sentence, known, "File", opener=False)
    opener = run[0].opener
    if opener and (_says_nothing(run[0].folded) or (len(run) > 1 and run[0].folded.endswith(VERB_ENDINGS))):
        run, opener = run[1:], False
    while run and (_says_nothing(run[0].folded) or run[0].folded in _CONNECTORS):
        run = run[1:]
    while run and run[-1].folded in SPEAKERS | CALENDAR:
        run = run[:-1]
    if not run or len(run) > _MAX_WORDS:
        return None
    if len(run) == 1 and len(run[0].text) < 3:
        return None
    if opener and run[0].folded in FIRST_NAMES and nextword in PERSON_VERBS:
        opener = False
    near = {nextword, before[0].folded if before else ""}
    label = "Project" if near & _OF_A_PROJECT else "Person" if run[0].folded in FIRST_NAMES else "Concept"
    return _mention(run, sentence, known, label, opener=opener and len(run) == 1)


def _mention(run: list[_Word], sentence: Sentence, known: Known, label: str, *, opener: bool) -> Mention:
    start, end = run[0].start, run[-1].end
    text = " ".join(sentence.text[start:end].split())
    name = known(text) or text
    opener = opener or start < sentence.title
    return Mention(start, end, normalised(name), name, label, "capital", opener)


def _apart(found: list[Mention]) -> list[Mention]:
    """Left to right; of two at one place the one that reaches farther."""
    out: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m.start, -m.end)):
        same_span = out and (out[-1].start, out[-1].end) == (mention.start, mention.end)
        if not out or mention.start >= out[-1].end or same_span:
            out.append(mention)
    return out
