"""Why: the chain of events behind what edge says, down to the turn of a transcript.

An answer is a tree. What stands behind a thing is read from the streams that hold it, which the
read models name; nothing is worked out that the log does not say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Final, get_args

from edge.domain import corpus
from edge.domain.chat import Chat, text_of
from edge.domain.curated import Curation
from edge.domain.events import LINK_TYPE, Data, Event
from edge.domain.language import words
from edge.domain.refs import normal, ref_hash
from edge.domain.refusal import Misused, Refused
from edge.domain.streams import Streams
from edge.ports import EventLog, IdKind, Place, Queries
from edge.why_nodes import (
    Node,
    cut,
    event_node,
    line_of,
    more,
    speaking,
    strings,
    subject_of,
    turn_node,
    within,
)

EVENTS_NAMED: Final = 8
"""Events of a Briefing's line, episodes of a fact, weights of a source: each the latest."""
DEPTH: Final = 12
"""Things told one inside the other: a foreign log may name causes without end."""

KINDS: Final = ("line", "source", "event", *get_args(IdKind))


_ABOUT: Final = {"cited": "artefato", "used": "dispatch", "ignored": "dispatch", "credit": "direction"}


class Why:
    """Answers from one log and the read models at its head; inside one snapshot of them.

    With ``until`` from read models as of a position, and of the log what stood up to there.
    """

    def __init__(
        self,
        log: EventLog,
        streams: Streams,
        queries: Queries,
        now: datetime,
        found: Callable[[str], Event | None],
        until: int | None = None,
    ) -> None:
        self._log = log
        self._streams = streams
        self._queries = queries
        self._now = now
        self._found = found
        self._until = until
        self._told: set[tuple[str, str]] = set()
        self._depth = 0
        self._by_kind: dict[str, Callable[[str], Node | None]] = {
            "line": self._line,
            "direction": self._steer,
            "knowledge": self._known,
            "artefato": self._artefato,
            "comment": self._chat,
            "vote": self._vote,
            "clarify": self._question,
            "run": self._run,
            "dispatch": self._dispatch,
            "source": self._source,
            "event": self._event,
        }

    def explain(self, id_: str, kind: str | None = None) -> Node:
        """What stands behind an id, or a prefix of one; exit 2 where there is none, or more than one."""
        if kind is not None and kind not in KINDS:
            raise Misused(f"no kind {kind!r}", hint=", ".join(KINDS))
        candidates = [c for c in self._candidates(id_.strip()) if kind in (None, c[0])]
        if len(candidates) > 1:
            named = ", ".join(f"{full} ({of})" for of, full in candidates)
            raise Misused(f"{id_!r} is more than one thing: {named}", hint="give more of it, or --kind")
        node = self._node(*candidates[0]) if candidates else None
        if node is None:
            raise Misused(
                f"there is nothing {id_!r} to explain",
                hint="an id as lists print it, a source's ref, or DISPATCH#N for a line of its Briefing",
            )
        return node

    def _candidates(self, id_: str) -> list[tuple[str, str]]:
        dispatch, n = line_of(id_)
        if n:
            lines = [("line", f"{full}#{n}") for full in self._queries.matching("dispatch", dispatch)]
            if lines:
                return lines
        kinds: tuple[IdKind, ...] = get_args(IdKind)
        found: list[tuple[str, str]] = [
            (kind, full) for kind in kinds for full in self._queries.matching(kind, id_)
        ]
        exact = [one for one in found if one[1] == id_]
        if self._queries.source(id_, self._now):
            exact.append(("source", normal(id_)))
        return exact or found or [("event", id_)]

    def _node(self, kind: str, id_: str) -> Node | None:
        """A thing with what it came from; where it was told already, by its name alone."""
        if (kind, id_) in self._told:
            return Node(kind, id_, "(told above)")
        if self._depth >= DEPTH:
            return Node(kind, id_, f"(`edge why {id_}` goes on)")
        self._told.add((kind, id_))
        self._depth += 1
        try:
            node = self._by_kind[kind](id_)
        finally:
            self._depth -= 1
        return node and within(node)

    def _nodes(self, *named: tuple[str, object]) -> list[Node]:
        """The things there are; a stranger's event may name anything, or hold no id at all."""
        given = [(kind, id_) for kind, id_ in named if id_ and isinstance(id_, str)]
        return [node for kind, id_ in given if (node := self._node(kind, id_))]

    # -- Direction and Voz ------------------------------------------------------------------

    def _steer(self, id_: str) -> Node | None:
        item = self._queries.item(id_)
        if item is None:
            return None
        stood = [
            event_node(event)
            for event in self._read(self._named(self._streams.direction, id_))
            if event.type.startswith("direction.")
        ]
        came = self._nodes(("comment", item["origin_comment_id"]), ("artefato", item["from_artefato"]))
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

    def _chat(self, comment_id: str) -> Node | None:
        chat = self._queries.chat(comment_id)
        if chat is None:
            return None
        stream = self._named(self._streams.chat, comment_id)
        steps = [self._step(chat, event) for event in self._read(stream) if event.type != "voz.comment"]
        text = "(forgotten)" if chat["forgotten"] else chat["body"]
        about = self._nodes(("artefato", chat["target_ref"]))
        return Node(
            *("comment", comment_id, cut(text), chat["event"], stream),
            *(chat["position"], chat["at"], [*steps, *about]),
        )

    def _step(self, chat: Chat, event: Event) -> Node:
        """One event of a chat; what closed it stands with its plan."""
        node = event_node(event)
        run_id = text_of(event.metadata, "grill_run_id") or text_of(event.data, "grill_run_id")
        run = self._queries.run(run_id) if run_id and event.type in ("voz.resolved", "voz.clarify") else None
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
        stream = self._named(self._streams.grill, run_id)
        plan = Node("plan", run_id, cut("; ".join(told)), stream=stream, at=run["at"])
        return node._replace(because=[plan])

    def _question(self, clarify_id: str) -> Node | None:
        comment_id = self._queries.chat_of_question(clarify_id)
        return self._node("comment", comment_id) if comment_id else None

    def _vote(self, vote_id: str) -> Node | None:
        act = self._queries.act("vote", vote_id)
        if act is None:
            return None
        said = [
            event_node(event)
            for event in self._read(act["stream"])
            if event.type == "voz.disposition" and event.data.get("vote_id") == vote_id
        ]
        about = self._nodes(("artefato", act["target"]))
        text = f"{act['value'] or 0:+d} on {act['target']}"
        return Node(
            "vote", vote_id, text, act["event"], act["stream"], act["position"], act["at"], [*said, *about]
        )

    # -- the work ---------------------------------------------------------------------------

    def _run(self, run_id: str) -> Node | None:
        run = self._queries.run(run_id)
        if run is None:
            return None
        chats = self._nodes(*(("comment", str(one["comment_id"])) for one in run["loaded"]))
        text = f"{run['mode']} grill, {run['state']}"
        stream = self._named(self._streams.grill, run_id)
        return Node("run", run_id, text, run["event"], stream, run["position"], run["at"], chats)

    def _dispatch(self, dispatch_id: str) -> Node | None:
        state = self._queries.dispatch(dispatch_id)
        if state is None:
            return None
        stream = self._named(self._streams.dispatch, dispatch_id)
        steps = [event_node(event) for event in self._read(stream) if event.type != "dispatch.opened"]
        text = f"{state['kind']} dispatch, {state['state']}" + (
            f": {state['theme']}" if state["theme"] else ""
        )
        return Node(
            *("dispatch", dispatch_id, text, state["event"], stream, state["position"], state["at"], steps)
        )

    def _artefato(self, slug: str) -> Node | None:
        artefato = self._queries.artefato(slug)
        if artefato is None:
            return None
        stream = self._named(self._streams.artefato, slug)
        why = []
        if artefato["intent"]:
            why.append(Node("why", slug, cut(artefato["intent"]), artefato["kernel_event"], stream))
        cites = [Node("cites", ref, ref) for ref in dict.fromkeys(map(_ref, artefato["cites"])) if ref]
        proposed = corpus.proposal_ids(artefato)
        told = [
            Node("proposes", id_, text_of(p, "title"))
            for id_, p in zip(proposed, artefato["proposes"], strict=True)
        ]
        work = self._nodes(("dispatch", artefato["dispatch_id"]))
        return Node(
            *("artefato", slug, cut(artefato["title"]), artefato["event"], stream),
            *(artefato["position"], artefato["at"], [*why, *cites, *told, *work]),
        )

    def _line(self, id_: str) -> Node | None:
        dispatch_id, n = line_of(id_)
        for event in self._read(self._named(self._streams.dispatch, dispatch_id)):
            items = event.data.get("items")
            if event.type != "briefing.presented" or not isinstance(items, list):
                continue
            if not n or n > len(items):
                raise Misused(f"that Briefing has {len(items)} lines", hint=f"{dispatch_id}#1 is the first")
            item = items[n - 1] if isinstance(items[n - 1], dict) else {}
            named = strings(item.get("events"))
            behind = [self._event(one) for one in named[:EVENTS_NAMED]]
            offered = self._nodes(*(("source", ref) for ref in strings(item.get("sources"))))
            return event_node(event)._replace(
                kind="line",
                id=id_,
                text=cut(text_of(item, "text")),
                because=[*(node for node in behind if node), *more(id_, len(named), EVENTS_NAMED), *offered],
            )
        return None

    # -- knowledge and sources --------------------------------------------------------------

    def _known(self, id_: str) -> Node | None:
        known = self._queries.knowledge
        item, curation, subject = known.item(id_), known.curation(id_), known.subject(id_)
        if item is None and curation is None and subject is None:
            return None
        episodes = item.episodes if item else self._queries.episodes_naming(id_, EVENTS_NAMED)
        text = f"[{item.tier}] {item.statement}" if item else (subject.words if subject else "(forgotten)")
        about = words(" ".join([item.statement, *item.entities] if item else [text]))
        said = [node for one in episodes[-EVENTS_NAMED:] if (node := self._episode(one, about))]
        earlier = more(id_, len(episodes), EVENTS_NAMED, "earlier")
        return Node("knowledge", id_, cut(text), because=[*self._curated(id_, curation), *earlier, *said])

    def _curated(self, id_: str, curation: Curation | None) -> list[Node]:
        if curation is None:
            return []
        stood = [event_node(event) for event in self._read(self._named(self._streams.knowledge, id_))]
        return [*stood, *self._nodes(("comment", curation["origin_comment_id"]))]

    def _episode(self, episode: str, about: Sequence[str] = ()) -> Node | None:
        """What was extracted of an episode, and the turns of it that speak of what is asked."""
        if ("episode", episode) in self._told:
            return Node("episode", episode, "(told above)")
        self._told.add(("episode", episode))
        place = self._queries.episode_place(episode)
        captured = self._at(place, episode) if place else None
        if captured is None:
            return Node("episode", episode, "(forgotten)")
        given = captured.data.get("turns")
        turns = [turn for turn in given if isinstance(turn, dict)] if isinstance(given, list) else []
        session = text_of(captured.data, "session")
        heard = [turn_node(turn, session) for turn in speaking(turns, about)]
        project = text_of(captured.data, "project")
        told = event_node(captured)._replace(
            kind="episode",
            id=episode,
            text=f"session {session}" + (f" in {project}" if project else ""),
            because=heard,
        )
        results = list(self._read(self._streams.extraction(episode)))
        if not results:
            return told
        by = results[-1].data.get("by")
        said = ", ".join(f"{k} {v}" for k, v in by.items()) if isinstance(by, dict) else ""
        return event_node(results[-1])._replace(text=cut(f"extracted by {said}"), because=[told])

    def _source(self, ref: str) -> Node | None:
        source = self._queries.source(ref, self._now)
        if source is None:
            return None
        stream = self._streams.source(ref_hash(ref))
        held = [event_node(event) for event in self._read(stream)]
        weights = []
        for weight in source.why[:EVENTS_NAMED]:
            kind = _ABOUT[str(weight["signal"])]
            about = str(weight["about"]).removeprefix("vote:")
            if weight["signal"] == "credit":
                kind = "artefato" if about != weight["about"] else self._credited(about)
            text = f"{weight['weight']:+g} {weight['signal']}, now {weight['aged']:+g}"
            came = self._nodes((kind, about))
            weights.append(Node("weight", about, text, weight["event"], at=weight["at"], because=came))
        older = more(ref, source.why_left + len(source.why), len(weights), "older")
        text = f"[{source.tier}] {ref}: score {source.score:g}" + (
            f"; {source.opinion}" if source.opinion else ""
        )
        return Node("source", ref, cut(text), because=[*held, *weights, *older])

    def _credited(self, about: str) -> str:
        return "comment" if self._queries.chat(about) else "direction"

    # -- events -----------------------------------------------------------------------------

    def _event(self, id_: str) -> Node | None:
        """Any event: as the thing it tells of, else as it stands, with what led to it."""
        if self._queries.episode_place(id_):
            return self._episode(id_)
        event = self._found(id_)
        if event is None or not self._stood(event):
            return None
        named = subject_of(event)
        if named and (node := self._node(*named)):
            return event_node(event)._replace(because=[node])
        cause = text_of(event.metadata, "$causationId")
        led = self._node("event", cause) if cause and cause != id_ else None
        return event_node(event)._replace(because=[led] if led else [])

    @staticmethod
    def _named(stream: Callable[[str], str], id_: str) -> str | None:
        """The stream of an id; None where it is a stranger's id, which no stream of edge's can have."""
        try:
            return stream(id_)
        except Refused:
            return None

    def _read(self, stream: str | None) -> Iterator[Event]:
        found = self._log.read(stream) if stream else iter(())
        return (event for event in found if event.type != LINK_TYPE and self._stood(event))

    def _stood(self, event: Event) -> bool:
        return self._until is None or event.position <= self._until

    def _at(self, place: Place, id_: str) -> Event | None:
        """The event of a stream with an id; the stream of one session is short."""
        return next((event for event in self._log.read(place.stream) if event.id == id_), None)


def _ref(cite: Data) -> str:
    return normal(text_of(cite, "ref"))
