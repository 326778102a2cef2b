"""The words of a text: accents folded, whole words, the language it is in, its size in tokens."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

Lang = Literal["pt", "en"]

MAX_COMMENT_BYTES: Final = 8_192
"""A comment or an answer, in UTF-8 bytes after trimming."""
BYTES_A_TOKEN: Final = 4

_WORD: Final = re.compile(r"\w+(?:['’]\w+)?", re.UNICODE)

_PT: Final = frozenset(
    "a o as os um uma de do da dos das em no na nos nas que e ou nao sim por para com sem se isso"
    " isto este esta esse essa eu voce ele ela nos eles meu minha mais menos muito ja ainda agora"
    " quando como porque onde qual quais foi ser estar tem ter vai vamos pode deve quero obrigado"
    " obrigada relatorio favor tambem so ate sobre entre depois antes sempre nunca"
    # what a directive is made of tells where the small words do not stand
    " devemos deveria deveriamos devia precisa precisamos prioridade priorize foque evite prefiro prefira"
    " mantenha adote primeiro discordo concordo errado errada pare gostei valeu otimo otima perfeito".split()
)
_EN: Final = frozenset(
    "the a an of in on at to and or not yes is are was were be been this that these those i you he"
    " she it we they my your more less very already still now when how why where which what can"
    " should must want thanks thank please also only until about between after before always never"
    " with without for from do does did has have had will would"
    " need needs priority prioritise prioritize focus avoid prefer keep adopt first"
    " disagree agree wrong stop great perfect".split()
)


def fold(text: str) -> str:
    """Lower case with accents taken off, so that ``Não`` and ``nao`` are one word."""
    if text.isascii():
        return text.lower()  # the same, and most words are
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def words(text: str) -> list[str]:
    """The folded words of a text, in order, apostrophes straightened."""
    return [w.replace("’", "'") for w in _WORD.findall(fold(text))]


def is_common(word: str) -> bool:
    """Whether a folded word is one of those that stand in every text."""
    return word in _PT or word in _EN


def has_phrase(text_words: list[str], phrase: str) -> bool:
    """Whether the phrase stands in the words as whole words in a row."""
    wanted = phrase.split()
    span = len(wanted)
    return any(text_words[i : i + span] == wanted for i in range(len(text_words) - span + 1))


def language_of(text: str, default: Lang) -> Lang:
    """Portuguese or English by its common words; ``default`` where they do not tell."""
    found = words(text)
    pt = sum(w in _PT for w in found) + 2 * any(c in text.lower() for c in "ãõçáéíóúâêô")
    en = sum(w in _EN for w in found)
    if pt == en:
        return default
    return "pt" if pt > en else "en"


def size(text: str) -> int:
    """In UTF-8 bytes; that of two texts together is the sum of theirs."""
    return len(text.encode("utf-8", "replace"))


def tokens(text: str) -> int:
    """The one token estimate: UTF-8 bytes / :data:`BYTES_A_TOKEN`, rounded up."""
    return -(-size(text) // BYTES_A_TOKEN)


def clean(text: str) -> str:
    """The text with what UTF-8 cannot hold (lone surrogates) replaced, so that it can be stored."""
    return text.encode("utf-8", "replace").decode("utf-8") if not text.isprintable() else text


def first_line(text: str, limit: int) -> str:
    """The first line that says something, cut at ``limit`` characters with an ellipsis."""
    line = next((s for s in (raw.strip() for raw in text.splitlines()) if s), "")
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
