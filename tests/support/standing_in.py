"""A stand-in for a language model: it reads the prompts it is given, and can be made to misbehave."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from edge.domain.knowledge import normalised
from edge.ports_knowledge import Answer
from tests.support.episodes import statements

Answered = dict[str, Any]
HOSTED = "hosted_on"
"""The relation of which a source has one target at a time: another one contradicts."""


class StandIn:
    """Answers every purpose as a good model would, by the notation of :mod:`tests.support.episodes`."""

    name = "stand-in"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.prompts: list[str] = []
        self.instead: dict[str, Callable[[Answered], Any]] = {}
        """By purpose: what is said in place of the good answer, made of it; may raise."""

    async def ask(self, system: str, prompt: str, schema: dict[str, Any], *, purpose: str) -> Answer:
        self.asked.append(purpose)
        self.prompts.append(prompt)
        assert schema["type"] == "object"
        answers: dict[str, Callable[[str], Answered]] = {
            "entities": entities,
            "same entities": same_entities,
            "facts": facts,
            "same facts": same_facts,
        }
        good = answers[purpose](prompt)
        data = self.instead[purpose](good) if purpose in self.instead else good
        return Answer(data, len(prompt) // 4)


def entities(prompt: str) -> Answered:
    found = statements(_part(prompt, "CURRENT MESSAGE"))
    names = dict.fromkeys(name for related in found for name in (related.source, related.target))
    return {
        "extracted_entities": [{"name": name, "entity_type_id": 3} for name in names],
        "gist": f"They spoke of {', '.join(names)}",
    }


def same_entities(prompt: str) -> Answered:
    known = json.loads(_part(prompt, "EXISTING ENTITIES"))
    by_name = {normalised(each["name"]): each["candidate_id"] for each in reversed(known)}
    return {
        "entity_resolutions": [
            {
                "id": each["id"],
                "name": each["name"],
                "duplicate_candidate_id": by_name.get(normalised(each["name"]), -1),
            }
            for each in json.loads(_part(prompt, "ENTITIES"))
        ]
    }


def facts(prompt: str) -> Answered:
    return {
        "edges": [
            {
                "source_entity_name": said.source,
                "target_entity_name": said.target,
                "relation_type": said.relation,
                "fact": said.statement,
                "valid_at": said.valid_at,
            }
            for said in statements(_part(prompt, "CURRENT_MESSAGE"))
        ]
    }


def same_facts(prompt: str) -> Answered:
    asked = [json.loads(line) for line in _part(prompt, "QUESTIONS").split("\n")]
    return {"answers": [{"id": each["id"], **judged(each)} for each in asked]}


def judged(question: Answered) -> Answered:
    """One question of which facts a new one repeats and contradicts."""
    both = [*question["same_ends"], *question["others"]]
    return {
        "duplicate_facts": [
            each["idx"]
            for each in question["same_ends"]
            if normalised(each["fact"]) == normalised(question["new"])
        ],
        "contradicted_facts": [each["idx"] for each in both if contradicts(question["new"], each["fact"])],
    }


def contradicts(new: str, old: str) -> bool:
    """Whether two statements say of one thing that it is hosted in two places."""
    source, hosted, target = new.partition(f" {HOSTED} ")
    before, _, other = old.partition(f" {HOSTED} ")
    return bool(hosted) and normalised(source) == normalised(before) and other != target


def _part(prompt: str, tag: str) -> str:
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", prompt, re.DOTALL)
    assert found, f"the prompt has no {tag}"
    return found[1]
