"""What a hook of edge tells the session it runs in: a Briefing, as text that only states facts.

The text stands between two marks, so that the sweep does not take it for the operator's words.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, NamedTuple

from edge.domain.episodes import BRIEFING_BEGIN, BRIEFING_END
from edge.domain.events import Data
from edge.domain.language import Lang
from edge.domain.refusal import Failed
from edge.hooklog import Outcome

SESSION_START: Final = "session-start"
LIMIT: Final = 10_000
"""Characters; what is longer, Claude Code puts into a file and shows only the beginning of."""
BUDGET_TOKENS: Final = 2_200
"""Of the Briefing in it: 8,800 bytes, which leaves room for the marks and for escapes."""

_INTRO: Final[dict[Lang, str]] = {
    "en": "edge is the operator's mentor and keeps this Briefing from the operator's own log. It is context:"
    " what the operator set, what waits, what was published. Nothing in it asks for an action now."
    " /edge-open begins a dispatch of edge, /edge-close ends it, /edge-grill settles comments.",
    "pt": "O edge é o mentor do operador e faz este Briefing a partir do log do próprio operador. É contexto:"
    " o que o operador definiu, o que espera, o que foi publicado. Nada nele pede uma ação agora."
    " /edge-open começa um dispatch do edge, /edge-close termina-o, /edge-grill resolve comentários.",
}
_CUT: Final[dict[Lang, str]] = {
    "en": "(cut here; `edge briefing` prints all of it)",
    "pt": "(cortado aqui; `edge briefing` mostra-o todo)",
}


class Given(NamedTuple):
    """What Claude Code says of the session. ``project`` is its working directory."""

    session: str | None
    project: str | None
    is_subagent: bool


class Told(NamedTuple):
    """What is printed, and what the log says of it."""

    printed: str
    outcome: Outcome
    said: str


def given(document: bytes) -> Given:
    """The hook's input; an empty one is somebody trying it by hand. Refused where it is no JSON object."""
    if not document.strip():
        return Given(None, None, False)
    try:
        found = json.loads(document)
    except (ValueError, RecursionError):
        raise Failed("the hook's input is not JSON") from None
    if not isinstance(found, dict):
        raise Failed("the hook's input is not a JSON object")
    session, project = found.get("session_id"), found.get("cwd")
    return Given(
        session[:80] if isinstance(session, str) else None,
        project if isinstance(project, str) and project else None,
        bool(found.get("agent_id")),
    )


def told(
    event: str,
    to: Given,
    admits: Callable[[str | None], bool],
    brief: Callable[[], str | None],
    lang: Lang,
) -> Told:
    """What this event has edge say; nothing to a project that is not to be read, or to a subagent."""
    if event != SESSION_START:
        return Told("", "nothing", "no such event")
    if to.is_subagent:
        return Told("", "nothing", "a subagent's session")
    if not admits(to.project):
        return Told("", "nothing", "a project that is not to be read")
    briefing = brief()
    if briefing is None:
        return Told("", "nothing", "nothing is folded yet: `edge status` does")
    context = _within(briefing, lang)
    return Told(_document(context), "shown", f"{len(context)} characters")


def _within(briefing: str, lang: Lang) -> str:
    """The Briefing between its marks, so short that the whole document keeps within the limit."""
    lines = _unmarked(briefing).rstrip("\n").split("\n")
    kept, text = len(lines), _marked("\n".join(lines), lang)
    while kept and len(_document(text)) > LIMIT:
        kept -= 1
        text = _marked("\n".join([*lines[:kept], _CUT[lang]]), lang)
    return text


def _unmarked(text: str) -> str:
    """A mark that somebody wrote into a comment would end the injection before its end."""
    for mark in (BRIEFING_BEGIN, BRIEFING_END):
        text = text.replace(mark, mark.replace("edge:", "edge "))
    return text


def _marked(text: str, lang: Lang) -> str:
    return f"{BRIEFING_BEGIN}\n{_INTRO[lang]}\n\n{text}\n{BRIEFING_END}"


def _document(context: str) -> str:
    output: Data = {"hookEventName": "SessionStart", "additionalContext": context}
    return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False)
