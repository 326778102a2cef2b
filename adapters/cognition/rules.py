"""The grill without a model: settles only what a rule truly settles, and asks about the rest.

Thanks are acknowledged; an answer is acted on by the option it chooses; everything else is
parked with a closed question in the comment's language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from edge.domain import harm, questions
from edge.domain.chat import Chat, Question
from edge.domain.direction import Item, title_from
from edge.domain.events import Data
from edge.domain.language import Lang, words
from edge.domain.plan import ChatPlan, SteerPlan

MAX_STEERS: Final = 5
_SHARED: Final = 4
"""Letters a word must have to relate a comment to a steer."""

_FOLD: Final[dict[Lang, str]] = {
    "en": "Fold into Direction as «{title}»? yes/no",
    "pt": "Incluir na Direction como «{title}»? sim/não",
}
_RETIRE: Final[dict[Lang, str]] = {
    "en": "Which of these steers does it retire? {numbers}/none",
    "pt": "Qual destes steers isto retira? {numbers}/nenhum",
}
_AGAIN: Final[dict[Lang, str]] = {
    "en": "«{answer}» chooses none of the options.",
    "pt": "«{answer}» não escolhe nenhuma das opções.",
}


class RuleCognition:
    """Decides a chat by rules alone; see :class:`edge.ports.Cognition`."""

    def settle(self, chat: Chat, items: Sequence[Item], lang: Lang) -> ChatPlan:
        """One plan entry for the chat; anything a rule cannot settle is parked, marked ambiguous."""
        asked = [q for q in chat["questions"] if q["answer"] is not None]
        if asked:
            return _by_answer(chat, asked[-1], items, lang)
        thanks = harm.thanks_in(chat["body"])
        if thanks:
            return ChatPlan(
                comment_id=chat["comment_id"],
                decision="acknowledge",
                ambiguous=False,
                evidence=[f"says only «{thanks}»"],
            )
        return _parked(chat, items, lang)


def _by_answer(chat: Chat, question: Question, items: Sequence[Item], lang: Lang) -> ChatPlan:
    answer = question["answer"] or ""
    option = questions.chosen(answer, question["options"])
    gone = option and option.get("direction_id") and all(i["id"] != option["direction_id"] for i in items)
    if option is None or gone:
        again = _parked(chat, items, lang)
        said = _AGAIN[lang].format(answer=title_from(answer))
        return again.model_copy(update={"question": f"{said} {again.question}"})
    steer = option.get("steer")
    return ChatPlan(
        comment_id=chat["comment_id"],
        decision=option["decision"],
        ambiguous=True,
        evidence=[f"asked «{question['question']}», answered «{title_from(answer)}»"],
        steer=SteerPlan(**steer) if steer else None,
        direction_id=option.get("direction_id"),
        reason=answer if option["decision"] == "retire" else None,
    )


def _parked(chat: Chat, items: Sequence[Item], lang: Lang) -> ChatPlan:
    intent = harm.intent_of(chat["body"])
    touched = _touched(chat, items) if intent == "contradict" else []
    question, options = _which_retires(touched, lang) if touched else _folds(chat, intent, lang)
    return ChatPlan(
        comment_id=chat["comment_id"],
        decision="park",
        ambiguous=True,
        evidence=[f"no rule settles it (intent: {intent or 'none'})"],
        question=question,
        options=options,
    )


def _touched(chat: Chat, items: Sequence[Item]) -> list[Item]:
    """Set steers a contradiction may mean: those that share a word with it, or else the latest."""
    steers = [item for item in items if item["tier"] == "set"]
    said = {w for w in words(chat["body"]) if len(w) >= _SHARED}
    related = [s for s in steers if said & {*words(s["title"]), *words(s["body"])}]
    return (related or steers)[-MAX_STEERS:]


def _which_retires(steers: Sequence[Item], lang: Lang) -> tuple[str, list[Data]]:
    options: list[Data] = [
        {"key": str(n), "label": steer["title"], "decision": "retire", "direction_id": steer["id"]}
        for n, steer in enumerate(steers, 1)
    ]
    listed = "\n".join(f"{option['key']}. {option['label']}" for option in options)
    numbers = "/".join(option["key"] for option in options)
    options.append({"key": "none", "label": questions.LABELS["none"][lang], "decision": "acknowledge"})
    return f"{_RETIRE[lang].format(numbers=numbers)}\n{listed}", options


def _folds(chat: Chat, intent: harm.Intent | None, lang: Lang) -> tuple[str, list[Data]]:
    title = title_from(chat["body"])
    steer = {"title": title, "body": chat["body"], "kind": "thread" if intent == "ask" else "priority"}
    options: list[Data] = [
        {"key": "yes", "label": questions.LABELS["yes"][lang], "decision": "fold", "steer": steer},
        {"key": "no", "label": questions.LABELS["no"][lang], "decision": "acknowledge"},
    ]
    return _FOLD[lang].format(title=title), options
