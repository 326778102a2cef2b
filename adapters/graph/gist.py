"""An episode in a line: what was asked for first, and what was decided or came of it last."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from adapters.graph.lexicon import ACKNOWLEDGEMENTS
from adapters.graph.prose import Sentence
from edge.domain.language import fold

MAX_GIST: Final = 280
_HALF: Final = 138
_ARROW: Final = " → "

_DECIDES: Final = re.compile(
    r"\b(?:let's|lets|we(?:'ll| will)? use|decid\w*|from now on|instead of|prefer|always|never"
    r"|go with|keep|switch to"
    r"|the rule|nobody|vamos|decidimos|prefiro|prefira|a partir de agora|em vez de|sempre|nunca"
    r"|fica (?:decidido|a regra|assim)|ficamos com|passa(?:mos)? a|regra|ninguem"
    r"|usa|use|mantem|trocamos|ja nao|no longer)\b"
)
_OUTCOME: Final = re.compile(
    r"^\W{0,4}(?:done|created|added|fixed|updated|removed|moved|renamed|replaced|implemented"
    r"|published|deployed|merged|all \w+ (?:tests )?pass"
    r"|all tests|it works|now|i(?:'ve| have)? (?:\w+ ){0,2}(?:added|fixed|made|created|updated"
    r"|removed|moved|changed|wrote|found|successfully)"
    r"|feito|pronto|criei|adicionei|corrigi|mudei|movi|removi|actualizei|atualizei|troquei|substitui"
    r"|publiquei|anotado|agora|passei|escrevi"
    r"|ja (?:esta|corrigi)|os \w+ testes|the (?:\w+ ){1,3}(?:now|is|are)|perfect|no |yes|sim|nao"
    r"|already|only)\b"
    r"|\b(?:has been|have been|was|were|foi|foram|ficou) (?:\w+ )?(?:created|added|fixed|updated"
    r"|removed|published|merged|complete\w*"
    r"|criad\w|adicionad\w|corrigid\w|atualizad\w|removid\w|publicad\w)\b|\b(?:tests pass"
    r"|testes passam|passam)\b"
)
_ANNOUNCES: Final = re.compile(
    r"^\W{0,4}(?:let me|i'll|i will|now i|now let|i need to|looking at|first|vou|deixa-me|agora vou"
    r"|preciso de|i see|i'm going|let us)\b"
)


def gist_of(said: Sequence[Sentence]) -> str:
    """At most :data:`MAX_GIST` characters on one line, in the words that were said; "" of nothing."""
    asked = next((at for at, s in enumerate(said) if s.by_operator and _says_something(s)), None)
    if asked is None:
        asked = next((at for at, s in enumerate(said) if s.by_operator), None)
    first = said[asked].turn if asked is not None else -1
    came = _first_of_last(said, first, _is_outcome)
    if came is None:
        came = _first_of_last(said, first, _is_plain)
    if asked is None and came is None:
        return _cut(said[0].text, MAX_GIST) if said else ""
    if asked is None or came is None:
        return _from(said, asked if asked is not None else came or 0, MAX_GIST)
    room = MAX_GIST - len(_ARROW)
    outcome = _from(said, came, room - _HALF)
    request = _from(said, asked, room - len(outcome))
    return request + _ARROW + _from(said, came, room - len(request))


def _first_of_last(said: Sequence[Sentence], after: int, holds: Callable[[Sentence], bool]) -> int | None:
    """Of the last turn that has such a sentence, the first."""
    found: int | None = None
    for at in range(len(said) - 1, -1, -1):
        if said[at].turn <= after or (found is not None and said[at].turn != said[found].turn):
            break
        if holds(said[at]):
            found = at
    return found


def _from(said: Sequence[Sentence], at: int, limit: int) -> str:
    """That sentence, and what the same turn goes on to say as far as it fits whole."""
    text = _cut(said[at].text, limit)
    for sentence in said[at + 1 :]:
        if sentence.turn != said[at].turn or sentence.title or text[-1] not in ".!?:;)":
            break
        longer = f"{text} {_line(sentence.text)}" if len(sentence.text) < limit else ""
        if not longer or len(longer) > limit:
            break
        text = longer
    return text


def _says_something(sentence: Sentence) -> bool:
    words = fold(sentence.text).split()
    meant = [w for w in words if w.strip(".,!?;:") not in ACKNOWLEDGEMENTS]
    return len(meant) >= 3


def _is_outcome(sentence: Sentence) -> bool:
    if sentence.asks or sentence.title >= len(sentence.text):
        return False
    told = fold(sentence.text[:400]).replace("’", "'")
    if sentence.by_operator:
        return bool(_DECIDES.search(told)) and _says_something(sentence)
    return bool(_OUTCOME.search(told)) and not _ANNOUNCES.match(told) and _says_something(sentence)


def _is_plain(sentence: Sentence) -> bool:
    told = fold(sentence.text[:60]).replace("’", "'")
    return not sentence.asks and not _ANNOUNCES.match(told) and _says_something(sentence)


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, limit: int) -> str:
    """One line, cut between words where it is too long."""
    line = _line(text[: 4 * MAX_GIST])
    if len(line) <= limit and len(text) <= 4 * MAX_GIST:
        return line
    kept = line[: limit - 1]
    return (kept.rsplit(" ", 1)[0] if " " in kept[limit // 2 :] else kept).rstrip(" ,;:") + "…"
