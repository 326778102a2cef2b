"""Why of what is known: statements, the episodes and turns they were heard in, and sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from edge.domain.chat import text_of
from edge.domain.curated import Curation
from edge.domain.language import words
from edge.domain.refs import ref_hash
from edge.why_nodes import EVENTS_NAMED, Node, cut, event_node, more, speaking, turn_node
from edge.why_telling import Telling, stream_of

_ABOUT: Final = {"cited": "artefato", "used": "dispatch", "ignored": "dispatch", "credit": "direction"}


def of_known(telling: Telling, id_: str) -> Node | None:
    known = telling.queries.knowledge
    item, curation, subject = known.item(id_), known.curation(id_), known.subject(id_)
    if item is None and curation is None and subject is None:
        return None
    if item:
        episodes, there = item.episodes[-EVENTS_NAMED:], len(item.episodes)
    else:
        episodes, there = telling.queries.episodes_naming(id_, EVENTS_NAMED)
    text = f"[{item.tier}] {item.statement}" if item else (subject.words if subject else "(forgotten)")
    about = words(" ".join([item.statement, *item.entities] if item else [text]))
    said = [node for one in episodes if (node := of_episode(telling, one, about))]
    earlier = more(id_, there, len(episodes), "earlier")
    return Node("knowledge", id_, cut(text), because=[*_curated(telling, id_, curation), *earlier, *said])


def _curated(telling: Telling, id_: str, curation: Curation | None) -> list[Node]:
    if curation is None:
        return []
    stood = [event_node(event) for event in telling.read(stream_of(telling.streams.knowledge, id_))]
    return [*stood, *telling.nodes(("comment", curation["origin_comment_id"]))]


def of_episode(telling: Telling, episode: str, about: Sequence[str] = ()) -> Node | None:
    """What was extracted of an episode, and the turns of it that speak of what is asked."""
    if not telling.first("episode", episode):
        return Node("episode", episode, "(told above)")
    place = telling.queries.episode_place(episode)
    captured = telling.at(place, episode) if place else None
    if captured is None:
        return Node("episode", episode, "(forgotten)")
    given = captured.data.get("turns")
    turns = [turn for turn in given if isinstance(turn, dict)] if isinstance(given, list) else []
    session = text_of(captured.data, "session")
    heard = [turn_node(turn, captured) for turn in speaking(turns, about)]
    project = text_of(captured.data, "project")
    told = event_node(captured)._replace(
        kind="episode",
        id=episode,
        text=f"session {session}" + (f" in {project}" if project else ""),
        because=heard,
    )
    results = list(telling.read(telling.streams.extraction(episode)))
    if not results:
        return told
    by = results[-1].data.get("by")
    said = ", ".join(f"{k} {v}" for k, v in by.items()) if isinstance(by, dict) else ""
    return event_node(results[-1])._replace(text=cut(f"extracted by {said}"), because=[told])


def of_source(telling: Telling, ref: str) -> Node | None:
    source = telling.queries.source(ref, telling.now)
    if source is None:
        return None
    stream = telling.streams.source(ref_hash(ref))
    held = [event_node(event) for event in telling.read(stream)]
    weights = []
    for weight in source.why[:EVENTS_NAMED]:
        kind = _ABOUT[str(weight["signal"])]
        about = str(weight["about"]).removeprefix("vote:")
        if weight["signal"] == "credit":
            kind = "artefato" if about != weight["about"] else _credited(telling, about)
        text = f"{weight['weight']:+g} {weight['signal']}, now {weight['aged']:+g}"
        came = telling.nodes((kind, about))
        weights.append(Node("weight", about, text, weight["event"], at=weight["at"], because=came))
    older = more(ref, source.why_left + len(source.why), len(weights), "older")
    text = f"[{source.tier}] {ref}: score {source.score:g}" + (
        f"; {source.opinion}" if source.opinion else ""
    )
    return Node("source", ref, cut(text), because=[*held, *weights, *older])


def _credited(telling: Telling, about: str) -> str:
    return "comment" if telling.queries.chat(about) else "direction"
