"""Closed questions: options fixed when asked, and which of them an answer chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from edge.domain.events import Data
from edge.domain.language import Lang, fold, words

_YES: Final = frozenset("yes y yeah yep sure ok okay sim s claro pode isso confirmo confirmado".split())
_NO: Final = frozenset("no n nope nao negativo".split())
_NONE: Final = frozenset("none neither nenhum nenhuma nenhumas nenhuns zero 0 no nao".split())
_ORDINALS: Final = {
    "1": frozenset("1 um uma one first primeiro primeira 1o 1a".split()),
    "2": frozenset("2 dois duas two second segundo segunda 2o 2a".split()),
    "3": frozenset("3 tres three third terceiro terceira 3o 3a".split()),
    "4": frozenset("4 quatro four fourth quarto quarta".split()),
    "5": frozenset("5 cinco five fifth quinto quinta".split()),
}  # fmt: skip

_ADDS_NOTHING: Final = frozenset(
    "por favor please obrigado obrigada thanks thank you it that this the a o as os that's do deles delas"
    " destes dessas of them these option opcao numero number inclui inclua incluir include fold retire retira"
    " retirar retire-o steer and e go ahead com certeza of course".split()
)

LABELS: Final[dict[str, dict[Lang, str]]] = {
    "yes": {"en": "yes", "pt": "sim"},
    "no": {"en": "no", "pt": "não"},
    "none": {"en": "none", "pt": "nenhum"},
}


def spoken(key: str) -> frozenset[str]:
    """The words, folded, Portuguese and English, that say an option's key."""
    table = {"yes": _YES, "no": _NO, "none": _NONE, **_ORDINALS}
    return table.get(key, frozenset()) | {fold(key)}


def chosen(answer: str, options: Sequence[Data]) -> Data | None:
    """The one option an answer chooses; None where it chooses none, or says more than that.

    An answer chooses by an option's key or whole label, alone or among words that add nothing
    ("sim, por favor", "the first one"). A condition, a doubt or a question back is no choice.
    """
    said = words(answer)
    if not said or any(mark in answer for mark in "?？؟"):
        return None
    for option in options:
        if said in (words(str(option.get("label", ""))), words(str(option.get("key", "")))):
            return option
    telling = [w for w in said if w not in _ADDS_NOTHING]
    meant = [o for o in options if telling and set(telling) <= spoken(str(o.get("key", "")))]
    return meant[0] if len(meant) == 1 else None
