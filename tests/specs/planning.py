"""Plans as specs say them: an entry with what its decision needs, and the close it makes."""

from __future__ import annotations

from typing import Any

from edge.domain import plan as plans
from edge.domain.events import Data
from edge.domain.plan import ChatPlan, Plan, planned_close
from tests.specs.given import chat, run, steers
from tests.support.facts import Fact, commented, started

HASH = "a" * 64
COMMENT = commented(body="Testes primeiro, sempre")
SETTLED: Data = {"ambiguous": False, "evidence": ["the comment says so"]}
STEER: Data = {"title": "Testes primeiro", "body": "Testes primeiro, sempre", "kind": "priority"}


def entry(decision: str = "reply", comment_id: str = "c1", **said: Any) -> Data:
    words: Data = {"reply": {"reply": "Visto"}, "fold": {"steer": STEER}, "park": {"question": "Qual?"}}
    return {"comment_id": comment_id, "decision": decision, **SETTLED, **words.get(decision, {}), **said}


def plan(*entries: Data, curate: tuple[Data, ...] = ()) -> Plan:
    return plans.parsed({"chats": list(entries), "curate": list(curate)})


def close(said: Data, *facts: Fact, mode: str = "unattended", of: tuple[Fact, ...] = ()) -> Data:
    """The planned close of c1; ``of`` are the facts of Direction."""
    live = {id_: item for id_, item in steers(*of).items() if item["tier"] != "gone"}
    state = chat(*(facts or (COMMENT,))).state
    return planned_close(run([started("c1", mode=mode)]), ChatPlan(**said), state, live, HASH)


def outcome(data: Data) -> list[tuple[str, Any]]:
    """Type, and what tells most, of each planned event."""
    telling = {
        "voz.reply": "body",
        "voz.clarify": "question",
        "voz.clarify_answer": "body",
        "voz.resolved": "outcome",
    }
    return [(e["type"], e["data"][telling.get(e["type"], "origin_comment_id")]) for e in data["events"]]
