"""A plan: what a run decides for every chat it loaded, and the events each close will append.

Checked whole before anything is written (I4, I5); the ids are made here once, so that a
retry of the same plan writes the same events (I6).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from pydantic import BaseModel, ConfigDict, ValidationError

from edge.domain import direction, grill, harm, questions
from edge.domain.catalogue import said_plainly
from edge.domain.chat import Chat, body_checked, has_answer
from edge.domain.events import Data, Draft
from edge.domain.language import has_phrase, words
from edge.domain.refusal import Refused

Decision = Literal["reply", "acknowledge", "fold", "retire", "park", "failed"]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class SteerPlan(_Shape):
    title: str = ""
    body: str = ""
    kind: str = "priority"
    expires_at: str | None = None
    supersedes: str | None = None
    relates_to: list[str] = []


class Asked(_Shape):
    """A question put to the operator in the terminal, and the answer given there."""

    question: str
    answer: str
    options: list[dict[str, Any]] = []


class ChatPlan(_Shape):
    comment_id: str
    decision: Decision
    ambiguous: bool = True
    """Unsaid, a chat is ambiguous: unattended it can then only be parked."""
    evidence: list[str] = []
    reason: str | None = None
    intent: harm.Intent | None = None
    reply: str | None = None
    steer: SteerPlan | None = None
    direction_id: str | None = None
    question: str | None = None
    options: list[dict[str, Any]] = []
    asked: list[Asked] = []


class CurationPlan(_Shape):
    """One act of curation. ``id`` is a direction id, a knowledge id, or a source's ref."""

    do: Literal["promote", "contest", "merge", "retire", "set", "drop", "source"]
    id: str
    evidence: list[str] = []
    title: str | None = None
    body: str | None = None
    kind: str | None = None
    expires_at: str | None = None
    supersedes: str | None = None
    reason: str | None = None
    opinion: str | None = None
    into: str | None = None
    statement: str | None = None


class Plan(_Shape):
    chats: list[ChatPlan] = []
    curate: list[CurationPlan] = []


class PlannedEvent(NamedTuple):
    """An event a close will append: exactly these, with these ids."""

    id: str
    type: str
    data: Data


def parsed(document: object) -> Plan:
    """The plan in a JSON document; refused with the first thing wrong where it is none."""
    try:
        return Plan.model_validate(document)
    except ValidationError as error:
        raise Refused(f"the plan is not one: {said_plainly(error)}") from None


def hash_of(plan: Plan) -> str:
    """What makes two plans the same one: their content, not its spelling."""
    canonical = json.dumps(plan.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
    return sha256(canonical.encode("utf-8", "replace")).hexdigest()


def check_coverage(run: grill.Run, plan: Plan) -> None:
    """Every chat still undecided is named exactly once, and none other (I4); so is a curation."""
    named = [entry.comment_id for entry in plan.chats]
    for ids in (named, [f"{entry.do} {entry.id}" for entry in plan.curate]):
        twice = sorted({id_ for id_ in ids if ids.count(id_) > 1})
        if twice:
            raise Refused(f"the plan decides {', '.join(twice)} twice", hint="one entry each")
    loaded, owed = grill.loaded_ids(run), grill.undecided(run)
    strangers = [id_ for id_ in named if id_ not in loaded]
    if strangers:
        raise Refused(
            f"the plan names {', '.join(strangers)}, which run {run['run_id']} did not load",
            hint=f"`edge grill show {run['run_id']}` lists what it loaded",
        )
    again = [id_ for id_ in named if id_ not in owed]
    if again:
        raise Refused(
            f"{', '.join(again)} stands in a stored plan of run {run['run_id']} already",
            hint="`edge grill close` without a plan resumes the stored one",
        )
    missed = [id_ for id_ in owed if id_ not in named]
    if missed:
        raise Refused(
            f"the plan misses {', '.join(missed)}",
            hint="decide every loaded chat; one that cannot be decided is `failed` with its reason",
        )


def check_mode(run: grill.Run, plan: Plan) -> None:
    """What an unattended run may not do at all (I5)."""
    if run["mode"] == "attended":
        return
    if plan.curate:
        raise Refused("an unattended run curates nothing", hint="curate in an attended grill")
    if any(entry.asked for entry in plan.chats):
        raise Refused("an unattended run has nobody to ask", hint="park the chat with its question")


def planned_close(
    run: grill.Run, entry: ChatPlan, chat: Chat, items: Mapping[str, direction.Item], plan_hash: str
) -> Data:
    """The data of ``grill.planned`` for one chat: its decision and the events of its close.

    ``items`` are Direction's live items by id. Refused where the decision breaks a rule.
    """
    _check_settles(run, entry, chat)
    drafts = _events_of(run, entry, chat, items, plan_hash)
    basis = next(c["revision"] for c in run["loaded"] if c.get("comment_id") == entry.comment_id)
    data: Data = {
        "comment_id": entry.comment_id,
        "decision": entry.decision,
        "ambiguous": entry.ambiguous,
        "evidence": entry.evidence,
        "basis": basis,
        "events": identified(drafts, f"{run['run_id']}:{entry.comment_id}", plan_hash),
        "plan_hash": plan_hash,
    }
    data["intent"] = entry.intent or harm.intent_of(chat["body"]) or "ask"
    if entry.reason and entry.reason.strip():
        data["reason"] = entry.reason.strip()
    return data


def identified(drafts: Sequence[Draft], owner: str, plan_hash: str) -> list[Data]:
    """The drafts as planned events, each with an id that a retry makes again."""
    return [
        {
            "id": str(uuid5(NAMESPACE_URL, f"edge:plan:{owner}:{plan_hash}:{n}")),
            "type": d.type,
            "data": d.data,
        }
        for n, d in enumerate(drafts)
    ]


def _check_settles(run: grill.Run, entry: ChatPlan, chat: Chat) -> None:
    id_ = entry.comment_id
    if entry.decision == "failed":
        if not (entry.reason or "").strip():
            raise Refused(f"{id_}: failed needs its reason")
        return
    if run["mode"] == "attended" or entry.decision == "park":
        return
    if entry.ambiguous and not has_answer(chat):
        raise Refused(
            f"{id_} is ambiguous and unanswered: an unattended run may only park it, not {entry.decision}",
            hint="park it with a question, or settle it in an attended grill",
        )
    if not any(e.strip() for e in entry.evidence):
        raise Refused(f"{id_}: an unattended run settles a chat only on evidence", hint="cite it")


def _events_of(
    run: grill.Run, entry: ChatPlan, chat: Chat, items: Mapping[str, direction.Item], plan_hash: str
) -> list[Draft]:
    id_ = entry.comment_id
    if entry.decision == "failed":
        return []
    drafts, answers = _asked(run, entry, plan_hash)
    if entry.reply is not None and (entry.reply.strip() or entry.decision == "reply"):
        drafts.append(_reply(run, id_, entry.reply))
    elif entry.decision == "reply":
        raise Refused(f"{id_}: a reply says something")
    if entry.decision == "park":
        return [*drafts, _clarify(run, entry, len(entry.asked), plan_hash)]
    answers = [q["clarify_id"] for q in chat["questions"] if q["answer"] is not None] + answers
    resolved: Data = {"comment_id": id_, "grill_run_id": run["run_id"]}
    if answers:
        resolved["answers"] = answers
    match entry.decision:
        case "reply":
            resolved["outcome"] = "replied"
        case "acknowledge":
            resolved["outcome"] = "acknowledged"
        case "fold":
            steer = _folded(run, entry, chat, items, plan_hash)
            drafts.append(steer)
            resolved |= {"outcome": "folded-to-direction", "direction_id": steer.data["id"]}
        case "retire":
            dropped = _retired(run, entry, chat, items)
            drafts.append(dropped)
            resolved |= {"outcome": "retired-direction", "direction_id": dropped.data["id"]}
    return [*drafts, Draft("voz.resolved", resolved)]


def _asked(run: grill.Run, entry: ChatPlan, plan_hash: str) -> tuple[list[Draft], list[str]]:
    """Questions asked and answered in the terminal: they land in the close's own append."""
    drafts: list[Draft] = []
    ids: list[str] = []
    for n, asked in enumerate(entry.asked):
        clarify_id = _clarify_id(run, entry.comment_id, n, plan_hash)
        clarify: Data = {
            "comment_id": entry.comment_id,
            "clarify_id": clarify_id,
            "question": body_checked(asked.question, "question"),
            "grill_run_id": run["run_id"],
        }
        if asked.options:
            clarify["options"] = asked.options
        drafts.append(Draft("voz.clarify", clarify))
        drafts.append(
            Draft(
                "voz.clarify_answer",
                {
                    "comment_id": entry.comment_id,
                    "clarify_id": clarify_id,
                    "body": body_checked(asked.answer, "answer"),
                },
            )
        )
        ids.append(clarify_id)
    return drafts, ids


def _clarify_id(run: grill.Run, comment_id: str, n: int, plan_hash: str) -> str:
    return uuid5(NAMESPACE_URL, f"edge:clarify:{run['run_id']}:{comment_id}:{plan_hash}:{n}").hex


def _reply(run: grill.Run, comment_id: str, text: str) -> Draft:
    if not text.strip():
        raise Refused(f"{comment_id}: a reply says something")
    return Draft("voz.reply", {"comment_id": comment_id, "body": text.strip(), "by": run["run_id"]})


def _clarify(run: grill.Run, entry: ChatPlan, n: int, plan_hash: str) -> Draft:
    if not (entry.question or "").strip():
        raise Refused(f"{entry.comment_id}: parking a chat needs the question it waits on")
    data: Data = {
        "comment_id": entry.comment_id,
        "clarify_id": _clarify_id(run, entry.comment_id, n, plan_hash),
        "question": (entry.question or "").strip(),
        "grill_run_id": run["run_id"],
    }
    if entry.options:
        data["options"] = entry.options
    return Draft("voz.clarify", data)


def _folded(
    run: grill.Run, entry: ChatPlan, chat: Chat, items: Mapping[str, direction.Item], plan_hash: str
) -> Draft:
    steer = entry.steer
    if steer is None:
        raise Refused(f"{entry.comment_id}: a fold needs the steer it sets")
    try:
        fields = direction.steer_fields(
            steer.title, steer.body or chat["body"], steer.kind, steer.expires_at, steer.relates_to
        )
    except Refused as refusal:
        raise Refused(f"{entry.comment_id}: {refusal.message}", hint=refusal.hint) from None
    if steer.supersedes and steer.supersedes not in items:
        raise Refused(f"{entry.comment_id}: no live steer {steer.supersedes} to supersede")
    if run["mode"] == "unattended":
        superseded = items[steer.supersedes] if steer.supersedes else None
        _check_says(entry, chat, (fields["title"], fields["body"]), "fold", superseded)
    id_ = direction.new_id(fields["title"], f"{run['run_id']}:{entry.comment_id}:{plan_hash}")
    (draft,) = direction.set_(None, id_, fields, steer.supersedes)
    return Draft(draft.type, {**draft.data, "origin_comment_id": entry.comment_id})


def _retired(run: grill.Run, entry: ChatPlan, chat: Chat, items: Mapping[str, direction.Item]) -> Draft:
    if not entry.direction_id:
        raise Refused(f"{entry.comment_id}: retiring needs the direction_id of the steer")
    item = items.get(entry.direction_id)
    if item is None:
        raise Refused(
            f"{entry.comment_id}: no live steer {entry.direction_id}",
            hint="`edge direction list` shows them",
        )
    if run["mode"] == "unattended":
        _check_says(entry, chat, (), "retire", item)
    reason = (entry.reason or "").strip() or chat["body"]
    (draft,) = direction.drop(item, entry.direction_id, reason)
    return Draft(draft.type, {**draft.data, "origin_comment_id": entry.comment_id})


def _check_says(
    entry: ChatPlan,
    chat: Chat,
    texts: Sequence[str],
    decision: Literal["fold", "retire"],
    item: direction.Item | None,
) -> None:
    """Unattended, Direction moves only as the comment or its answer itself says (I5).

    Either the operator chose an option that says so, or the new steer's title and body are quotes
    of the operator's own words that leave no denial out, and any steer taken out is named there.
    """
    answered = [q for q in chat["questions"] if q["answer"] is not None]
    if answered:  # the last answer counts: it may have taken an earlier one back
        option = questions.chosen(answered[-1]["answer"] or "", answered[-1]["options"])
        if option and option.get("decision") == decision and _is_option(option, entry, texts):
            return
    for part in texts:
        if not quotes(part, chat):
            raise Refused(
                f"{entry.comment_id}: the comment does not say {part!r}: an unattended run {decision}s"
                " only what the comment or its answer says, in its own words",
                hint="quote the operator, or park it with a question",
            )
    steer = entry.steer
    if decision == "fold" and steer and (steer.expires_at or steer.relates_to):
        raise Refused(
            f"{entry.comment_id}: an unattended run sets no date and no relation of its own",
            hint="leave expires_at and relates_to out, or fold it in an attended grill",
        )
    denied = _DENIALS & set(_operator_words(chat))
    if item is None and decision == "fold" and denied - set(words(" ".join(texts))):
        raise Refused(
            f"{entry.comment_id}: the comment denies something, and the steer leaves the denial out",
            hint="use the operator's own words, or park it with a question",
        )
    if decision == "retire" and any(has_phrase(_operator_words(chat), keep) for keep in _KEEP):
        raise Refused(
            f"{entry.comment_id}: the comment says to keep a steer, not to retire it",
            hint="park it with a question",
        )
    if item and not _is_named(item, chat):
        raise Refused(
            f"{entry.comment_id}: the comment does not name {item['id']}: an unattended run takes out"
            " only a steer the comment or its answer names",
            hint="park it with a question that offers the steer",
        )


def _is_named(item: direction.Item, chat: Chat) -> bool:
    """Whether the operator named a steer: by its id, or by every longer word of its title."""
    if any(item["id"] in s["body"] for s in chat["said"] if s["type"] in _OPERATORS):
        return True
    title, said = (
        [w for w in words(item["title"]) if len(w) >= _LONG],
        {w[:_STEM] for w in _operator_words(chat)},
    )
    return bool(title) and all(w[:_STEM] in said for w in title)


_LONG, _STEM = 4, 5
_DENIALS = frozenset("nao nem nunca not nor never don't can't".split())
"""Words of a comment that its steer may not leave out, unless it takes another steer's place."""
_KEEP = (
    *("nao retire", "nao retira", "nao remova", "nao tire", "nao apague", "nao larguem", "nao largue"),
    *("do not retire", "don't retire", "do not drop", "don't drop", "do not remove", "don't remove"),
    *("mantenha", "mantem", "keep"),
)
"""What asks for a steer to stay."""
_OPERATORS = ("voz.comment", "voz.clarify_answer")


def quotes(text: str, chat: Chat) -> bool:
    """Whether the text is a run of whole words of one thing the operator said."""
    wanted = " ".join(words(text))
    said = (" ".join(words(s["body"])) for s in chat["said"] if s["type"] in _OPERATORS)
    return bool(wanted) and any(f" {wanted} " in f" {one} " for one in said)


def _operator_words(chat: Chat) -> list[str]:
    return [w for s in chat["said"] if s["type"] in _OPERATORS for w in words(s["body"])]


def _is_option(option: Data, entry: ChatPlan, texts: Sequence[str]) -> bool:
    if option.get("decision") == "retire":
        return bool(option.get("direction_id") == entry.direction_id)
    steer = option.get("steer")
    return isinstance(steer, dict) and [words(str(steer.get(name))) for name in ("title", "body")] == [
        words(text) for text in texts
    ]
