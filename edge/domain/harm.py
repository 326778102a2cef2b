"""What the operator means by a comment, and how much harm leaving it would do.

Both are deterministic tables over the words; a model may refine the intent when it plans.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal, NamedTuple

from edge.domain.language import fold, has_phrase, words

Intent = Literal["endorse", "steer", "contradict", "ask"]

CONTRADICT: Final = (
    # Portuguese
    "nao e isso", "nao era isso", "isso nao", "nao e verdade", "nao concordo", "discordo", "errado",
    "errada", "errou", "incorreto", "incorreta", "ao contrario", "pelo contrario", "contradiz", "esta mal",
    "para de", "pare de", "pare", "deixe de", "nao faca", "nao use", "nao quero", "nao faz sentido",
    "ja nao", "reverta", "desfaca", "falso", "engano", "nao deve", "nao devia", "nao deveria",
    "nao esta certo", "nao esta certa", "nao esta bom", "nao esta correto", "nao ficou bom",
    # English
    "not right", "isn't right", "not good", "no good",
    "that's wrong", "that is wrong", "this is wrong", "you're wrong", "you are wrong", "wrong", "incorrect",
    "not true", "untrue", "false", "disagree", "don't agree", "do not agree", "i don't think so",
    "on the contrary", "contradicts", "mistaken", "stop", "stop doing", "don't do", "do not do", "don't use",
    "do not use", "don't want", "do not want", "no longer", "makes no sense", "revert", "undo",
    "should not", "shouldn't", "must not", "mustn't", "not what i",
)  # fmt: skip

STEER: Final = (
    # Portuguese
    "deve", "devemos", "deveria", "deveriamos", "devia", "precisa", "precisamos", "prioridade", "priorize",
    "prioriza", "priorizar", "foque", "foca", "focar", "foco em", "a partir de agora", "de agora em diante",
    "daqui em diante", "daqui para a frente", "sempre", "nunca", "evite", "evita", "evitar", "prefiro",
    "prefira", "quero que", "quero", "use", "usa", "vamos", "em vez de", "primeiro", "antes de tudo",
    "passe a", "passa a", "mantenha", "mantem", "adote", "adota", "concentre", "concentra",
    # English
    "should", "must", "need to", "needs to", "have to", "has to", "priority", "prioritise", "prioritize",
    "focus", "focus on", "from now on", "going forward", "always", "never", "avoid", "prefer", "i want",
    "we want", "want you to", "let's", "use", "instead of", "rather than", "first of all", "keep",
    "make sure", "switch to", "adopt", "concentrate on",
)  # fmt: skip

ENDORSE: Final = (
    # Portuguese
    "obrigado", "obrigada", "muito obrigado", "muito obrigada", "valeu", "otimo", "otima", "perfeito",
    "perfeita", "excelente", "concordo", "gostei", "adorei", "muito bom", "muito bem", "bom trabalho", "boa",
    "bacana", "legal", "show", "parabens", "isso mesmo", "exato", "exatamente", "certo",
    # English
    "thanks", "thank you", "thx", "great", "perfect", "excellent", "agree", "agreed", "i agree", "love it",
    "like it", "very good", "well done", "good work", "good job", "nice", "awesome", "exactly", "brilliant",
    "spot on", "cheers",
)  # fmt: skip

_ASK_WORDS: Final = frozenset(
    "qual quais quando onde porque quem quanto quantos como why what when where who which how".split()
)
_PLEASANTRIES: Final = frozenset(
    # what may stand beside thanks without adding anything to answer
    "muito mesmo por tudo pelo pela o a os as um uma e ai sim edge relatorio ficou esta foi isso de do da"
    " ajuda trabalho artefato so very so much for the a this that it it's is was and you your edge report"
    " help work all really again yes good bom boa bem looks look read".split()
)

_DENIALS: Final = frozenset("nao not no but mas porem however".split())
"""Praise beside one of these is not praise alone."""
_OWN, _CONTRADICT, _STEER, _ANSWERED, _NEWEST, _MAX_AGE = "own", 30, 10, 20, 15, 14


class Harm(NamedTuple):
    value: int
    reasons: list[str]


def intent_of(text: str) -> Intent | None:
    """What the words direct: contradict before steer before ask before endorse; None if nothing."""
    found = words(text)
    if _any(found, CONTRADICT):
        return "contradict"
    if _any(found, STEER):
        return "steer"
    if "?" in text or "؟" in text or "？" in text or (found and found[0] in _ASK_WORDS):
        return "ask"
    if _any(found, ENDORSE) and not _DENIALS & set(found):
        return "endorse"
    return None


def thanks_in(text: str) -> str | None:
    """The endorsing phrase of a comment that is thanks and nothing else; None where it says more."""
    found = words(text)
    if not found or intent_of(text) != "endorse":
        return None
    praise = next(p for p in sorted(ENDORSE, key=lambda p: -len(p)) if has_phrase(found, p))
    endorsing = {w for phrase in ENDORSE for w in phrase.split()}
    rest = [w for w in found if w not in endorsing and w not in _PLEASANTRIES]
    return None if rest else praise


def harm_of(
    *,
    own: int,
    body: str,
    answered: bool,
    targets_newest: bool,
    at: datetime,
    now: datetime,
) -> Harm:
    """The integer rank of one open chat, with a reason for every point of it.

    ``answered``: an answered clarify is waiting; ``at`` and ``now`` are aware.
    """
    intent = intent_of(body)
    age = min(max((now - at).days, 0), _MAX_AGE)
    parts = (
        (own, f"operator's urgency +{own}"),
        (_CONTRADICT if intent == "contradict" else 0, f"contradicts +{_CONTRADICT}"),
        (_STEER if intent == "steer" else 0, f"steers +{_STEER}"),
        (_ANSWERED if answered else 0, f"an answer is waiting +{_ANSWERED}"),
        (_NEWEST if targets_newest else 0, f"on the newest artefato +{_NEWEST}"),
        (age, f"{age} full day{'s' if age != 1 else ''} old +{age}"),
    )
    return Harm(sum(n for n, _ in parts), [reason for n, reason in parts if n])


def _any(found: list[str], phrases: Iterable[str]) -> bool:
    return any(has_phrase(found, fold(phrase)) for phrase in phrases)
