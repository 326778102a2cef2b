"""What an answer to "why" is made of: steps, each with what stands behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from edge.domain.chat import text_of
from edge.domain.events import Data, Event
from edge.domain.language import first_line, is_common, words
from edge.domain.refs import normal
from edge.domain.streams import category

TEXT_SHOWN: Final = 300
"""Characters of what a node says."""
EVENTS_NAMED: Final = 8
"""Events of a Briefing's line, episodes of a fact, weights of a source: each the latest."""
TURNS_SHOWN: Final = 2
STEPS_SHOWN: Final = 40
"""Steps of one thing that are told, the latest."""


class Node(NamedTuple):
    """One step: what it is, what it says, the event that holds it and where that stands in the log, when
    it happened, and what it came from."""

    kind: str
    id: str
    text: str
    event: str | None = None
    stream: str | None = None
    position: int | None = None
    at: str | None = None
    because: Sequence[Node] = ()

    def as_json(self) -> Data:
        return {**self._asdict(), "because": [node.as_json() for node in self.because]}


_SUBJECTS: Final = {
    "direction": ("direction", "id"),
    "artefato": ("artefato", "slug"),
    "knowledge": ("knowledge", "id"),
    "source": ("source", "ref"),
}


def within(node: Node) -> Node:
    """The node with no more steps than are told, and how many more there were."""
    left = len(node.because) - STEPS_SHOWN
    if left <= 0:
        return node
    earlier = more(node.id, len(node.because), STEPS_SHOWN, "earlier")
    return node._replace(because=[*earlier, *node.because[left:]])


def more(id_: str, there: int, told: int, which: str = "more") -> list[Node]:
    """How many there are beside those that are told; nothing where that is all."""
    return [Node("more", id_, f"and {there - told} {which}")] if there > told else []


def line_of(id_: str) -> tuple[str, int]:
    """The dispatch and the number, from 1, in ``DISPATCH#N``; 0 where it is no line's id."""
    dispatch, mark, n = id_.rpartition("#")
    return (dispatch, int(n)) if mark and n.isascii() and n.isdigit() and len(n) < 10 else (id_, 0)


def strings(value: object) -> list[str]:
    """The strings of a list; none where a stranger wrote something else there."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def subject_of(event: Event) -> tuple[str, str] | None:
    """What an event tells of, by kind and id."""
    family = event.type.partition(".")[0]
    if family == "direction" or (family in _SUBJECTS and category(event.stream) == family):
        kind, field = _SUBJECTS[family]
        id_ = text_of(event.data, field)
        return (kind, normal(id_) if kind == "source" else id_) if id_ else None
    if event.type == "episode.extracted":
        return "event", text_of(event.data, "episode")
    if event.type == "intent.kernel" and category(event.stream) == "artefato":
        return "artefato", text_of(event.data, "slug")
    for field, kind in (("comment_id", "comment"), ("vote_id", "vote")):
        if family == "voz" and text_of(event.data, field):
            return kind, text_of(event.data, field)
    if category(event.stream) in ("dispatch", "grill"):
        return ("run" if category(event.stream) == "grill" else "dispatch"), event.stream.partition(".")[2]
    return None


def event_node(event: Event) -> Node:
    """An event as it stands, by the words it has."""
    fields = (
        "body",
        "question",
        "title",
        "intent",
        "statement",
        "opinion",
        "reason",
        "outcome",
        "state",
        "text",
        "into",
    )
    said = next((text for field in fields if (text := text_of(event.data, field))), "")
    text = f"{event.type} by {event.actor}" + (f": {said}" if said else "")
    return Node(event.type, event.id, cut(text), event.id, event.stream, event.position, event.recorded_at)


def turn_node(turn: Data, captured: Event) -> Node:
    """A turn of a session, held by the event that captured its episode."""
    text = f"{text_of(turn, 'role')}: {text_of(turn, 'text')}"
    said = text_of(turn, "ts") or None
    return Node("turn", text_of(turn, "id"), cut(text), captured.id, captured.stream, captured.position, said)


def speaking(turns: Iterable[Data], about: Sequence[str]) -> list[Data]:
    """The turns that have most of the words asked for; where none has any, the operator's first."""
    asked = {word for word in about if not is_common(word)}
    all_turns = list(turns)
    scores = [len(asked & set(words(text_of(turn, "text")))) for turn in all_turns]
    best = sorted((n for n, score in enumerate(scores) if score), key=lambda n: (-scores[n], n))[:TURNS_SHOWN]
    if best:
        return [all_turns[n] for n in sorted(best)]
    operator = [turn for turn in all_turns if text_of(turn, "role") != "assistant"]
    return (operator or all_turns)[:1]


def cut(text: str) -> str:
    line = " ".join(text.split())
    return first_line(line, TEXT_SHOWN)


def lines(node: Node, depth: int = 0) -> Iterator[str]:
    """The tree as lines for a person, each step below what it led to."""
    mark = "  " * depth + ("← " if depth else "")
    when = f" ({node.at[:16].replace('T', ' ')})" if node.at else ""
    yield f"{mark}{node.kind} {node.id}: {node.text}{when}"
    for behind in node.because:
        yield from lines(behind, depth + 1)
