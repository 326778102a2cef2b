"""Why of Direction and Voz: steers, chats, votes and questions, and the plan that closed a chat."""

from __future__ import annotations

from edge.domain.chat import Chat, text_of
from edge.domain.events import Event
from edge.why_nodes import Node, cut, event_node
from edge.why_telling import Telling, stream_of


def of_steer(telling: Telling, id_: str) -> Node | None:
    item = telling.queries.item(id_)
    if item is None:
        return None
    stood = [
        event_node(event)
        for event in telling.read(stream_of(telling.streams.direction, id_))
        if event.type.startswith("direction.")
    ]
    came = telling.nodes(("comment", item["origin_comment_id"]), ("artefato", item["from_artefato"]))
    text = f"[{item['tier']}] {item['title']}: {item['body']}"
    gone = f" — {item['reason']}" if item["reason"] else ""
    return Node(
        "direction",
        id_,
        cut(text) + gone,
        event=item["event"],
        position=item["position"],
        at=item["at"],
        because=[*stood, *came],
    )


def of_chat(telling: Telling, comment_id: str) -> Node | None:
    chat = telling.queries.chat(comment_id)
    if chat is None:
        return None
    stream = stream_of(telling.streams.chat, comment_id)
    steps = [_step(telling, chat, event) for event in telling.read(stream) if event.type != "voz.comment"]
    text = "(forgotten)" if chat["forgotten"] else chat["body"]
    about = telling.nodes(("artefato", chat["target_ref"]))
    return Node(
        *("comment", comment_id, cut(text), chat["event"], stream),
        *(chat["position"], chat["at"], [*steps, *about]),
    )


def _step(telling: Telling, chat: Chat, event: Event) -> Node:
    """One event of a chat; what closed it stands with its plan."""
    node = event_node(event)
    run_id = text_of(event.metadata, "grill_run_id") or text_of(event.data, "grill_run_id")
    run = telling.queries.run(run_id) if run_id and event.type in ("voz.resolved", "voz.clarify") else None
    planned = run["planned"].get(chat["comment_id"]) if run else None
    if run is None or planned is None:
        return node
    told = [
        f"decided to {planned.get('decision')}",
        "ambiguous" if planned.get("ambiguous") else "unambiguous",
        *([f"intent {planned['intent']}"] if planned.get("intent") else []),
        *([str(planned["reason"])] if planned.get("reason") else []),
        *(f"evidence: {one}" for one in planned.get("evidence") or ()),
    ]
    stream = stream_of(telling.streams.grill, run_id)
    plan = Node("plan", run_id, cut("; ".join(told)), stream=stream, at=run["at"])
    return node._replace(because=[plan])


def of_question(telling: Telling, clarify_id: str) -> Node | None:
    comment_id = telling.queries.chat_of_question(clarify_id)
    return telling.node("comment", comment_id) if comment_id else None


def of_vote(telling: Telling, vote_id: str) -> Node | None:
    act = telling.queries.act("vote", vote_id)
    if act is None:
        return None
    said = [
        event_node(event)
        for event in telling.read(act["stream"])
        if event.type == "voz.disposition" and event.data.get("vote_id") == vote_id
    ]
    about = telling.nodes(("artefato", act["target"]))
    text = f"{act['value'] or 0:+d} on {act['target']}"
    return Node(
        "vote", vote_id, text, act["event"], act["stream"], act["position"], act["at"], [*said, *about]
    )
