"""What an older log's history means, computed anew from the design's words by plain dict code.

It shares nothing with edge's own folds: one pass over the records for what they refer to,
then one function a question, each reading all of them.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Any

Record = dict[str, Any]
Events = list[tuple[str, Record]]


def understood(records: list[Record]) -> Events:
    """(type, payload) of each record, with what it refers to filled in from the records before it."""
    acts: dict[int, tuple[str, str]] = {}
    votes: set[str] = set()
    asked: dict[str, str] = {}
    events: Events = []
    for number, record in enumerate(records):
        type_, data = record["type"], dict(record["payload"])
        if type_ == "voz.comment":
            acts[record.get("seq")] = ("comment_id", data["comment_id"])  # type: ignore[index]
        elif type_ == "voz.vote":
            data.setdefault("vote_id", f"vote of record {number}")
            acts[record.get("seq")] = ("vote_id", data["vote_id"])  # type: ignore[index]
            votes.add(data["vote_id"])
        elif type_ == "voz.clarify":
            asked.setdefault(data["clarify_id"], data["comment_id"])
        elif type_ == "voz.clarify_answer" and "comment_id" not in data:
            data["comment_id"] = asked.get(data["clarify_id"])
        elif type_ == "voz.disposition" and "of" in data:
            of = data["of"]
            if isinstance(of, int):
                if of in acts:
                    field, id_ = acts[of]
                    data[field] = id_
            else:
                data["vote_id" if of in votes else "comment_id"] = of
        events.append((type_, data))
        acts.pop(None, None)  # type: ignore[call-overload]  # a record without a number has none
    return events


def _settles(type_: str, data: Record) -> str | None:
    if type_ == "voz.resolved":
        return "resolved"
    if type_ == "voz.disposition" and data.get("state") == "semantic_answered" and data.get("ref"):
        return "semantic_answered"
    if type_ == "voz.disposition" and data.get("state") == "dead_lettered" and data.get("reason"):
        return "dead_lettered"
    return None


def chats(events: Events) -> list[Record]:
    """Every comment with the state its chat is in, in log order."""
    opened: dict[str, Record] = {}
    for type_, data in events:
        if type_ == "voz.comment":
            opened.setdefault(data["comment_id"], data)
    return [_chat(id_, data, events) for id_, data in opened.items()]


def _chat(comment_id: str, comment: Record, events: Events) -> Record:
    mine = [(t, d) for t, d in events if t.startswith("voz.") and d.get("comment_id") == comment_id]
    closings = [how for t, d in mine if (how := _settles(t, d))]
    resolved = [d for t, d in mine if t == "voz.resolved"]
    questions: dict[str, str | None] = {}
    for type_, data in mine:
        if type_ == "voz.clarify":
            questions.setdefault(data["clarify_id"], None)
        if type_ == "voz.clarify_answer" and questions.get(data["clarify_id"], "") is None:
            questions[data["clarify_id"]] = data["body"]
    waits = None in questions.values()
    state = "closed" if closings else "parked" if waits else "open"
    replies = [d["body"] for t, d in mine if t == "voz.reply"]
    return {
        "comment_id": comment_id,
        "body": comment.get("body", comment.get("text")),
        "target_ref": comment.get("target_ref"),
        "harm": comment.get("harm", 0),
        "channel": comment.get("channel", "native"),
        "state": state,
        "actionable": state == "open",
        "outcome": resolved[0]["outcome"] if resolved else None,
        "direction_id": resolved[0].get("direction_id") if resolved else None,
        "closed_by": closings[0] if closings else None,
        "receipt": any(t == "voz.disposition" and d["state"] == "receipt_sent" for t, d in mine),
        "reply": replies[-1] if replies else None,
        "questions": list(questions.items()),
    }


def pending(events: Events) -> Record:
    """How many comments and votes are still owed something, and how many got nothing at all."""
    dispositions = [d for t, d in events if t == "voz.disposition"]
    comments = [c["comment_id"] for c in chats(events) if c["state"] != "closed"]
    votes = []
    for vote_id in dict.fromkeys(d["vote_id"] for t, d in events if t == "voz.vote"):
        got = [d for d in dispositions if d.get("vote_id") == vote_id and not d.get("comment_id")]
        if not any(_settles("voz.disposition", d) or d["state"] == "receipt_sent" for d in got):
            votes.append(vote_id)
    comments_named = {d["comment_id"] for d in dispositions if d.get("comment_id")}
    votes_named = {d["vote_id"] for d in dispositions if d.get("vote_id") and not d.get("comment_id")}
    naked = len(set(comments) - comments_named) + len(set(votes) - votes_named)
    return {"comments": len(comments), "votes": len(votes), "naked": naked}


def direction(events: Events, today: str) -> Record:
    """The live steers by tier in first-seen order; a life ends when the item is dropped or superseded."""
    live: dict[str, Record] = {}
    superseded: set[str] = set()
    for type_, data in events:
        for id_ in superseded & live.keys():
            del live[id_]
        if type_ == "artefato.published":
            for p in data.get("proposes", ()):
                hashed = sha256((p["title"] + p["body"]).encode()).hexdigest()[:8]
                _put(live, f"{data['slug']}.{hashed}", "proposed", p)
        elif type_ == "direction.proposed":
            _put(live, data["id"], "proposed", data)
        elif type_ == "direction.set":
            _put(live, data["id"], "set", data)
            if data.get("supersedes") not in (None, data["id"]):
                superseded.add(data["supersedes"])
        elif type_ == "direction.dropped":
            live.pop(data["id"], None)
    lists: Record = {"set": [], "proposed": [], "expired": []}
    for id_, item in ((id_, item) for id_, item in live.items() if id_ not in superseded):
        expired = item["expires_at"] is not None and item["expires_at"] < today
        lists["expired" if expired else item["tier"]].append((id_, item["title"], item["body"]))
    return lists


def _put(live: dict[str, Record], id_: str, tier: str, data: Record) -> None:
    if tier == "proposed" and id_ in live and live[id_]["tier"] == "set":
        return
    title = data.get("title") or data["body"].split("\n")[0]
    new = {"tier": tier, "title": title, "body": data["body"], "expires_at": data.get("expires_at")}
    live[id_] = new  # a dict keeps a key's first place when its value changes


def corpus(events: Events) -> list[tuple[str, str, str | None, int]]:
    """(slug, title, why, latest vote) of each published slug at its first place."""
    out: dict[str, tuple[str, str, str | None, int]] = {}
    for type_, data in events:
        slug = data.get("slug")
        if type_ == "artefato.published":
            out[data["slug"]] = (data["slug"], data["title"], None, 0)
        elif type_ == "intent.kernel" and slug in out and data["intent"].strip():
            out[data["slug"]] = (*out[data["slug"]][:2], data["intent"], 0)
    votes = {d["slug"]: d["value"] for t, d in events if t == "voz.vote"}
    return [(slug, title, why, votes.get(slug, 0)) for slug, title, why, _ in out.values()]


def errors(events: Events) -> dict[str, set[str]]:
    """What is broken, by kind."""
    commented = {d["comment_id"] for t, d in events if t == "voz.comment"}
    resolved: dict[str, list[tuple[str, str | None]]] = {}
    made: set[tuple[str, str, str | None]] = set()
    for type_, data in events:
        if type_ == "voz.resolved":
            claim = (data["outcome"], data.get("direction_id"))
            resolved.setdefault(data["comment_id"], []).append(claim)
        if type_ in ("direction.set", "direction.dropped"):
            made.add((type_, data["id"], data.get("origin_comment_id")))
    found: dict[str, set[str]] = {}
    for id_, claims in resolved.items():
        if len(claims) > 1:
            kind = "conflicting-resolved" if len(set(claims)) > 1 else "duplicate-resolved"
            found.setdefault(kind, set()).add(id_)
        if id_ not in commented:
            found.setdefault("orphan-resolved", set()).add(id_)
        for outcome, item in claims:
            type_ = {"folded-to-direction": "direction.set", "retired-direction": "direction.dropped"}.get(
                outcome, ""
            )
            origins = {o for t, i, o in made if (t, i) == (type_, item)}
            if type_ and not origins:
                found.setdefault("dangling-direction", set()).add(id_)
            elif type_ and id_ not in origins:
                found.setdefault("provenance-mismatch", set()).add(id_)
    for _, item, origin in made:
        moved = {
            i for o, i in resolved.get(origin or "", ()) if o in ("folded-to-direction", "retired-direction")
        }
        if origin and item not in moved:
            torn = origin in commented and origin not in resolved
            found.setdefault("half-close" if torn else "provenance-mismatch", set()).add(origin)
    debt = {slug for slug, _, why, _ in corpus(events) if not why}
    return found | ({"kernel-debt": debt} if debt else {})


def sources(records: list[Record], now: datetime) -> list[Record]:
    """Every source with its weights, best first; read from the records anew for each question."""
    events = [
        (type_, data, _moment(record))
        for (type_, data), record in zip(understood(records), records, strict=True)
    ]
    weights: list[tuple[str, str, float, datetime]] = []
    for n, (type_, data, at) in enumerate(events):
        before = events[:n]
        if type_ == "direction.set" and not any(
            t == type_ and d["id"] == data["id"] and _proposer(d["id"], before[:m])
            for m, (t, d, _) in enumerate(before)
        ):
            weights += _spread(2.0, _proposer(data["id"], before), before, at)
        if type_ == "voz.resolved" and data["outcome"] == "folded-to-direction":
            earlier = [
                m
                for m, (t, d, _) in enumerate(before)
                if t == type_
                and d["comment_id"] == data["comment_id"]
                and d["outcome"] == data["outcome"]
                and _target(d["comment_id"], before[:m])
            ]
            if not earlier:
                weights += _spread(1.0, _target(data["comment_id"], before), before, at)
    for slug in dict.fromkeys(d["slug"] for t, d, _ in events if t == "voz.vote"):
        last = max(n for n, (t, d, _) in enumerate(events) if t == "voz.vote" and d["slug"] == slug)
        _, data, at = events[last]
        weights += _spread(0.5 * data["value"], slug, events[:last], at) if data["value"] else []
    cited: dict[tuple[str, str], tuple[float, datetime]] = {}
    for type_, data, at in events:
        for cite in data.get("cites", ()) if type_ == "artefato.published" else ():
            weight = 1.5 if cite.get("relevant") else 1.0
            if weight > cited.get((data["slug"], cite["ref"].strip()), (0.0, at))[0]:
                cited[data["slug"], cite["ref"].strip()] = (weight, at)
    weights += [(ref, "cited", weight, at) for (_, ref), (weight, at) in cited.items()]
    held: dict[str, str] = {}
    for type_, data, _ in events:
        if type_ == "source.curated":
            held[data["ref"]] = data["opinion"]
        elif type_ == "source.retired":
            held.pop(data["ref"], None)
    found = []
    for ref in {*held, *(w[0] for w in weights)}:
        mine = [w for w in weights if w[0] == ref]
        found.append(
            {
                "ref": ref,
                "opinion": held.get(ref),
                "cited": round(sum(w for _, kind, w, _ in mine if kind == "cited"), 4),
                "credit": round(sum(w for _, kind, w, _ in mine if kind == "credit"), 4),
                "score": round(
                    sum(w * 0.5 ** ((now - at).total_seconds() / 86_400 / 30) for _, _, w, at in mine), 3
                ),
            }
        )
    return sorted(found, key=lambda s: (s["opinion"] is None, -s["score"], s["ref"]))


def _moment(record: Record) -> datetime:
    return datetime.fromisoformat(record["ts"])


def _spread(
    whole: float, slug: str | None, before: list[tuple[str, Record, datetime]], at: datetime
) -> list[tuple[str, str, float, datetime]]:
    """A credit over what the latest publication of a slug cites then."""
    revisions = [d for t, d, _ in before if t == "artefato.published" and d["slug"] == slug]
    refs = list(dict.fromkeys(c["ref"].strip() for c in revisions[-1].get("cites", ()))) if revisions else []
    return [(ref, "credit", whole / len(refs), at) for ref in refs]


def _proposer(id_: str, before: list[tuple[str, Record, datetime]]) -> str | None:
    """The artefato that proposed a steer, since it was last dropped."""
    drops = [n for n, (t, d, _) in enumerate(before) if t == "direction.dropped" and d["id"] == id_]
    for type_, data, _ in before[drops[-1] :] if drops else before:
        for p in data.get("proposes", ()) if type_ == "artefato.published" else ():
            if f"{data['slug']}.{sha256((p['title'] + p['body']).encode()).hexdigest()[:8]}" == id_:
                return str(data["slug"])
    return None


def _target(comment_id: str, before: list[tuple[str, Record, datetime]]) -> str | None:
    """What a comment is about that says so; one record may say what an earlier did not."""
    about = (
        d.get("target_ref") for t, d, _ in before if t == "voz.comment" and d["comment_id"] == comment_id
    )
    return next((str(slug) for slug in about if slug), None)
