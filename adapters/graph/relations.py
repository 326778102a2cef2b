"""What a sentence says outright of two things it names.

A sentence is turned into folded words with ``#n`` where its n-th mention stands and ``~`` where
something unnamed stood in quotes; the patterns of the grammar go over that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from adapters.graph.grammar import PATTERNS, Pattern, suggested_by
from adapters.graph.mentions import Mention
from adapters.graph.prose import MAX_SENTENCE, Sentence
from edge.domain.language import fold

_MORE: Final = re.compile(
    r"(?:(?:,|and|e|as well as|bem como) ){1,2}(?:(?:o|a|os|as|the|do|da|dos|das|de|on|no|na) )?#(\d+) "
    r"(?=[,;.:–—]|$|(?:and|e|for|in|to|as|with|on|from|by|para|em|no|na|como|com|por|de|do|da) )"
)
"""Further members of a list; what a verb follows is the subject of another clause instead."""


class Found(NamedTuple):
    """One relation between two mentions of one sentence; no source is the project."""

    source: Mention | None
    relation: str
    target: Mention
    contradicts: bool


_NO: Final = re.compile(
    r" (?:not|nao|nem|never|nunca|without|sem|cannot|can't|won't|don't|doesn't|didn't|isn't|aren't"
    r"|wasn't|wouldn't"
    r"|shouldn't|no|nenhum|nenhuma|nothing|nada|neither|none|jamais|hardly) "
)
_MAYBE: Final = re.compile(
    r" (?:if|would|could|might|may|maybe|perhaps|should|ought|whether|suppose|imagine|unless|probably"
    r"|possibly|seems?"
    r"|appears?|consider(?:ing)?|considera(?:r|mos)?|propose|suggest|sugiro|proponho|talvez|se"
    r"|(?<!nesse )(?<!neste )(?<! no )caso|poderia(?:mos)?|podia(?:mos)?"
    r"|deveria(?:mos)?|devia(?:mos)?|devemos|podemos|seria|provavelmente|parece|acho|think|guess"
    r"|wonder(?:ing)?|e\.g\.|p\. ex\."
    r"|fosse|tivesse|usasse|trocasse|mudasse|migrasse|\w{2,12}ssemos|can|example|exemplo|was going to"
    r"|ia|iamos|planned"
    r"|apparently|supposedly|alegadamente|rumou?r) "
)
_PLANS: Final = re.compile(
    r" (?:i'll|i will|let me|i'm going to|i am going to|i need to|i could|we could|we can|you can"
    r"|you could|to use|you'll|you should|you need"
    r"|you may|you might|vou|deixa-me|preciso de|posso|podes|pode|vamos|next|now to|would you|queres"
    r"|want me|going to|will) "
)
_PROVIDED: Final = re.compile(r"^(?:[\w'~#-]+ ){0,8}(?:if|unless|se|caso|a menos que) ")
_BREAKS: Final = re.compile(
    r" (?:;|:|–|—|-|\.|,(?= (?:we|i|now|agora|usamos|usa|use) )|but|mas|porem|however|although|embora"
    r"|though) "
)
_UNNAMED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»")
_WORDS: Final = re.compile(r"[\w']+(?:-[\w']+)*|[,;:–—.~-]")
_TOOLS: Final = ("Tool", "Concept", "Project")


def in_words(sentence: Sentence, mentioned: Sequence[Mention]) -> str:
    """The sentence as patterns see it."""
    pieces: list[str] = [" "]
    at = 0
    for number, mention in enumerate(mentioned):
        if mention.start < at:
            continue
        pieces += [_words(sentence.text[at : mention.start]), f"#{number} "]
        at = mention.end
    pieces.append(_words(sentence.text[at:]))
    return "".join(pieces)


def _words(text: str) -> str:
    unquoted = _UNNAMED.sub(" ~ ", text) if any(c in text for c in '`"“«') else text
    found = _WORDS.findall(fold(unquoted).replace("’", "'"))
    return " ".join(found) + " " if found else ""


def found_in(sentence: Sentence, mentioned: Sequence[Mention], *, has_project: bool) -> Iterator[Found]:
    """The relations one sentence states; none of a question, a plan, a guess, or a denial."""
    least = 1 if has_project and sentence.by_operator else 2
    if len(mentioned) < least or sentence.asks or len(sentence.text) > MAX_SENTENCE:
        return
    words = in_words(sentence, mentioned)
    if not sentence.by_operator and _PLANS.search(words):
        return
    taken: list[tuple[int, int]] = []
    for number in sorted(frozenset().union(*map(suggested_by, words.split()))):
        pattern = PATTERNS[number]
        if pattern.implied and not (has_project and sentence.by_operator):
            continue
        for match in pattern.regex.finditer(words):
            if any(match.start() < end and begin < match.end() for begin, end in taken):
                continue
            if not _is_stated(words, match, pattern):
                continue
            pairs = list(_pairs(pattern, match, words, mentioned))
            if pairs:
                taken.append((match.start() + 1, match.end() - 1))
                yield from pairs


def _is_stated(words: str, match: re.Match[str], pattern: Pattern) -> bool:
    """Whether the clause says so outright."""
    if _MAYBE.search(words[: match.end()]) or _PROVIDED.match(words[match.end() :]):
        return False
    begins = match.start() + 1
    breaks = [found.end() - 1 for found in _BREAKS.finditer(words) if found.end() <= begins]
    # a pattern that contradicts has its own denial in it
    clause = words[breaks[-1] if breaks else 0 : begins if pattern.contradicts else match.end()]
    return not _NO.search(clause)


def _pairs(
    pattern: Pattern, match: re.Match[str], words: str, mentioned: Sequence[Mention]
) -> Iterator[Found]:
    target = mentioned[int(match["b"])]
    if pattern.implied:
        if target.label in _TOOLS and target.kind != "plain":
            yield Found(None, pattern.relation, target, pattern.contradicts)
        return
    source = mentioned[int(match["a"])]
    if pattern.turned:
        source, target = target, source
    if not _fits(pattern, source, target):
        return
    yield Found(source, pattern.relation, target, pattern.contradicts)
    if pattern.turned or pattern.contradicts:
        return
    at = match.end()
    while more := _MORE.match(words, at):
        yield Found(source, pattern.relation, mentioned[int(more[1])], pattern.contradicts)
        at = more.end()


def _fits(pattern: Pattern, source: Mention, target: Mention) -> bool:
    return pattern.source in ("", source.label) and pattern.target in ("", target.label)
