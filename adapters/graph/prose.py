"""From turns to sentences somebody said: no code blocks, logs, quotations, markup, or Briefings.

Every pass goes over the text once; what does not read as prose is passed over, not repaired.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from edge.domain.episodes import BRIEFING_BEGIN, BRIEFING_END
from edge.domain.events import Data
from edge.domain.language import fold

MAX_SENTENCE: Final = 600
"""Longer than this is no sentence: names may stand in it, relations are not read from it."""
_SHORT_LINE: Final = 60
"""A line shorter than this was not wrapped: its end ends a sentence."""
_LONGEST_WORD: Final = 120
_ABBREVIATIONS: Final = tuple("e.g.|i.e.|ex.|etc.|vs.|approx.|no.|nr.|dr.|sr.|cf.".split("|"))

_TAG_LINE: Final = re.compile(r"^[ \t]{0,8}<([A-Za-z][\w-]{0,40})(?: [^<>\n]{0,200})?>", re.MULTILINE)
_CLOSING: Final = re.compile(r"</([A-Za-z][\w-]{0,40})>")
_COMMENT: Final = re.compile(r"<!--|-->")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_LOG: Final = re.compile(
    r"""[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d | \[?\d\d:\d\d:\d\d
    | \[?(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE|FATAL|CRITICAL|NOTICE)\b
    | Traceback\b | File\ " | at\ \S{1,120}\ ?\( | \$\  | >>>\  | %\  | \#!\S
    | diff\ --git | @@\  | \+\+\+\  | ---\  | index\ [0-9a-f]{7} | commit\ [0-9a-f]{7,40}\b
    | [A-Za-z_.]{0,60}(?:Error|Exception|Warning):\  | npm\ ERR | panic: | goroutine\  | Caused\ by:
    | FAILED\  | PASSED\  | E\ {3} | \w{1,40}@[\w.-]{1,60}[:~].{0,80}[$#%]\  | [{}\[\]);<]
    | from\ [\w.]{1,60}\ import\  | import\ [\w.{*'"]{1,80}(?:\ as\ \w{1,40})?;?$ | \#include
    | (?:async\ )?(?:def|func|fn)\ \w{1,60}[(<] | class\ \w{1,60}[(:] | (?:const|let|var)\ \w{1,60}\ ?[=:]
    | function\ \w{0,60}\( | return\ [\w.]{1,60}[(;]
    """,
    re.VERBOSE,
)
_FENCE: Final = re.compile(r"`{3,}|~{3,}")
_INLINE_BLOCK: Final = re.compile(r"```[^`]*```")
_CODE_SIGNS: Final = re.compile(r"[{}();=<>|&$\\\[\]+]")
_LIST: Final = re.compile(r"^[ \t]*(?:[-*+•‣–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_LABEL: Final = re.compile(r"\W{0,4}\*\*([^*\n]{1,80})\*\*")
_END: Final = re.compile(r"[.!?…]+[\"'”»)\]`]*(?=\s|$)")
_CLAIM: Final = re.compile(
    r"""^\W{0,4}(?:system|sistema|human|assistant|user|operator|operador|developer|admin\w{0,12})
        (?:\ \w{1,12})?\s?:
    | \b(?:ignor[ea]|disregard|desconsider[ae]|forget|esquec[ea])\b.{0,30}
        \b(?:previous|prior|above|earlier|instruc\w{1,6}|instruct\w{1,6}|anterior\w{0,3}|acima)\b
    | \b(?:operator|user|owner|admin\w{0,12}|boss|operador|utilizador|usuario|dono|chefe)
        \ (?:(?:has|already|ja)\ )?
        (?:decide[ds]|approve[ds]|order(?:s|ed)|authori[sz]e[ds]|decidiu|aprovou|mandou|autorizou|ordenou)\b
    | \b(?:operator|operador)\ (?:(?:has|already|ja)\ )?
        (?:said|says|wants|confirmed|requires|agreed|told|disse|quer|confirmou|exige|pediu)\b
    | \b(?:new\ instructions|novas\ instrucoes|you\ are\ now|as\ the\ operator)\b
    """,
    re.VERBOSE,
)
_ASKING: Final = frozenset(
    "how why what which who where whose should can could would does do did is are was were will shall may"
    " has have como porque qual quais quem onde sera devemos deveriamos podemos podes pode consegues consegue"
    " sabes".split()
)


class Sentence(NamedTuple):
    """One sentence of one turn."""

    text: str
    """One line, without marks of emphasis; otherwise as it was said."""
    role: str
    ts: str | None
    turn: int
    title: int
    """Up to here it is a heading or a label, where capital letters mean nothing."""
    openers: frozenset[int]
    """Where a line or sentence begins: capital letters there mean nothing either."""
    asks: bool

    @property
    def by_operator(self) -> bool:
        return self.role in ("operator", "command")


def sentences(turns: Sequence[Data]) -> Iterator[Sentence]:
    """What was said, sentence by sentence, in order; what claims to speak for others is left out."""
    open_: tuple[str, bool, str] = ("", False, "")
    for number, turn in enumerate(turns):
        text, turn_id = str(turn.get("text") or ""), str(turn.get("id") or "")
        goes_on = (turn.get("part") or 1) != 1 and turn_id == open_[0]
        text, inside = _without_briefing(text, goes_on and open_[1])
        paragraphs, fence = _paragraphs(_without_blocks(text), open_[2] if goes_on else "")
        open_ = (turn_id, inside, fence)
        ts = turn.get("ts")
        for title, paragraph in paragraphs:
            yield from _split(
                paragraph, title, str(turn.get("role") or ""), ts if isinstance(ts, str) else None, number
            )


def _without_briefing(text: str, inside: bool) -> tuple[str, bool]:
    """The text outside the markers, and whether the last one is still open."""
    kept, at = [], 0
    while at < len(text):
        mark = BRIEFING_END if inside else BRIEFING_BEGIN
        found = text.find(mark, at)
        if not inside:
            kept.append(text[at : found if found >= 0 else len(text)])
        if found < 0:
            return "\n\n".join(kept), inside
        at, inside = found + len(mark), not inside
    return "\n\n".join(kept), inside


def _without_blocks(text: str) -> str:
    """The text without what stands between a tag that begins a line and the tag that closes it."""
    if "<" not in text:
        return text
    closing: dict[str, list[int]] = defaultdict(list)
    for tag in _CLOSING.finditer(text):
        closing[tag[1]].append(tag.end())
    kept, at = [], 0
    for tag in _TAG_LINE.finditer(text):
        ends = closing.get(tag[1])
        if tag.start() < at or not ends:
            continue
        nth = bisect_left(ends, tag.end())
        if nth < len(ends):
            kept.append(text[at : tag.start()])
            at = ends[nth]
    kept.append(text[at:])
    return _TAG.sub(" ", _COMMENT.sub(" ", "\n\n".join(kept)))


class _Paragraphs:
    """Gathers lines into paragraphs, each with how far it is a title."""

    def __init__(self) -> None:
        self.done: list[tuple[int, str]] = []
        self._lines: list[str] = []

    def flush(self) -> None:
        if self._lines:
            text = "\n".join(self._lines)
            label = _LABEL.match(text)
            self.done.append((label.end() - text.count("*", 0, label.end()) if label else 0, text))
            self._lines = []

    def title(self, text: str) -> None:
        self.flush()
        self.done.append((len(text), text))

    def line(self, text: str) -> None:
        self._lines.append(text)


def _paragraphs(text: str, fence: str) -> tuple[list[tuple[int, str]], str]:
    """The paragraphs of a text, and the mark of the block of code it ends in, if it does."""
    out = _Paragraphs()
    listed = False
    for raw in text.splitlines():
        line = _INLINE_BLOCK.sub(" ", raw).strip() if raw.count("```") > 1 else raw.strip()
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[0] == line and line.startswith(fence) else fence
            continue
        if mark:
            out.flush()
            fence = mark[0]
            continue
        if not line:
            out.flush()
            continue
        indented = raw.startswith(("    ", "\t"))
        item = _LIST.match(raw)
        if item:
            out.flush()
            line, listed = _LIST.sub("", line, count=1).strip(), True
        elif not indented:
            listed = False
        if not line or line[0] in ">|" or (indented and not listed) or _is_noise(line):
            out.flush()
        elif line.startswith("#"):
            out.title(line.lstrip("#").strip())
        else:
            out.line(line)
    out.flush()
    return out.done, fence


def _is_noise(line: str) -> bool:
    """Whether a line is of a program or to one: a log, a trace, a command, code, an encoding."""
    if _LOG.match(line) or line[-1] in "{;\\" or line.endswith(("=>", "->", "):")):
        return True
    size = len(line)
    if size > _LONGEST_WORD and max(map(len, line.split())) > _LONGEST_WORD:
        return True
    return size > 20 and len(_CODE_SIGNS.findall(line)) * 8 > size


def _split(paragraph: str, title: int, role: str, ts: str | None, turn: int) -> Iterator[Sentence]:
    paragraph = paragraph.replace("**", "").replace("\t", " ")
    begin = 0
    for end in (*_ends(paragraph), len(paragraph)):
        piece = paragraph[begin:end]
        text = piece.strip()
        if text:
            skipped = begin + len(piece) - len(piece.lstrip())
            folded = fold(text[:MAX_SENTENCE])
            if _CLAIM.search(folded):
                return  # and what follows it in the paragraph belongs to it
            first = next(iter(folded.split(None, 1)), "").strip(",.;:!?\"'`")
            lines = text.split("\n")
            openers = frozenset(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
            yield Sentence(
                text.replace("\n", " "),
                role,
                ts,
                turn,
                max(0, title - skipped),
                openers,
                text.endswith("?") or "? " in text or first in _ASKING,
            )
        begin = end


def _ends(text: str) -> Iterator[int]:
    """Where sentences end: at their marks, and with a line too short to have been wrapped."""
    at = 0
    ends = {m.end() for m in _END.finditer(text) if _ends_here(text, m.start(), m.end())}
    for line in text.split("\n"):
        at += len(line) + 1
        if len(line) < _SHORT_LINE and at < len(text):
            ends.add(at)
    yield from sorted(ends)


def _ends_here(text: str, start: int, end: int) -> bool:
    if text[start] != ".":
        return True
    return not text[max(0, start - 7) : end].casefold().endswith(_ABBREVIATIONS)
