"""Why of the work: grill runs, dispatches, artefatos, and the lines of a Briefing."""

from __future__ import annotations

from edge.domain import corpus
from edge.domain.chat import text_of
from edge.domain.events import Data
from edge.domain.refs import normal
from edge.domain.refusal import Misused
from edge.why_events import of_event
from edge.why_nodes import EVENTS_NAMED, Node, cut, event_node, line_of, more, strings
from edge.why_telling import Telling, stream_of


def of_run(telling: Telling, run_id: str) -> Node | None:
    run = telling.queries.run(run_id)
    if run is None:
        return None
    chats = telling.nodes(*(("comment", str(one["comment_id"])) for one in run["loaded"]))
    text = f"{run['mode']} grill, {run['state']}"
    stream = stream_of(telling.streams.grill, run_id)
    return Node("run", run_id, text, run["event"], stream, run["position"], run["at"], chats)


def of_dispatch(telling: Telling, dispatch_id: str) -> Node | None:
    state = telling.queries.dispatch(dispatch_id)
    if state is None:
        return None
    stream = stream_of(telling.streams.dispatch, dispatch_id)
    steps = [event_node(event) for event in telling.read(stream) if event.type != "dispatch.opened"]
    text = f"{state['kind']} dispatch, {state['state']}" + (f": {state['theme']}" if state["theme"] else "")
    if state["state"] == "none" and any(step.kind == "dispatch.forgotten" for step in steps):
        text = "(forgotten)"
    return Node(
        *("dispatch", dispatch_id, text, state["event"], stream, state["position"], state["at"], steps)
    )


def of_artefato(telling: Telling, slug: str) -> Node | None:
    artefato = telling.queries.artefato(slug)
    if artefato is None:
        return None
    stream = stream_of(telling.streams.artefato, slug)
    why = []
    if artefato["intent"]:
        why.append(Node("why", slug, cut(artefato["intent"]), artefato["kernel_event"], stream))
    cites = [Node("cites", ref, ref) for ref in dict.fromkeys(map(_ref, artefato["cites"])) if ref]
    proposed = corpus.proposal_ids(artefato)
    told = [
        Node("proposes", id_, text_of(p, "title"))
        for id_, p in zip(proposed, artefato["proposes"], strict=True)
    ]
    work = telling.nodes(("dispatch", artefato["dispatch_id"]))
    return Node(
        *("artefato", slug, cut(artefato["title"]), artefato["event"], stream),
        *(artefato["position"], artefato["at"], [*why, *cites, *told, *work]),
    )


def of_line(telling: Telling, id_: str) -> Node | None:
    dispatch_id, n = line_of(id_)
    forgotten = None
    for event in telling.read(stream_of(telling.streams.dispatch, dispatch_id)):
        if event.type == "dispatch.forgotten":
            forgotten = event
        items = event.data.get("items")
        if event.type != "briefing.presented" or not isinstance(items, list):
            continue
        if not n or n > len(items):
            raise Misused(f"that Briefing has {len(items)} lines", hint=f"{dispatch_id}#1 is the first")
        item = items[n - 1] if isinstance(items[n - 1], dict) else {}
        named = strings(item.get("events"))
        behind = [of_event(telling, one) for one in named[:EVENTS_NAMED]]
        offered = telling.nodes(*(("source", ref) for ref in strings(item.get("sources"))))
        return event_node(event)._replace(
            kind="line",
            id=id_,
            text=cut(text_of(item, "text")),
            because=[*(node for node in behind if node), *more(id_, len(named), EVENTS_NAMED), *offered],
        )
    return Node("line", id_, "(forgotten)", because=[event_node(forgotten)]) if forgotten else None


def _ref(cite: Data) -> str:
    return normal(text_of(cite, "ref"))
