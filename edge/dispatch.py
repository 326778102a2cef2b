"""A dispatch from open to close: swept, briefed, published, receipted, closed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from edge.briefing import Briefing
from edge.domain import corpus, dispatch, pendency
from edge.domain.dispatch import Dispatch
from edge.domain.events import NO_STREAM, Data, Draft, Event
from edge.domain.forgetting import FORGOTTEN
from edge.domain.pendency import ActKind
from edge.domain.refusal import Refused
from edge.domain.streams import check_slug
from edge.forget_streams import Ending
from edge.journal import Act, Journal
from edge.ports import Queries, ReadSide
from edge.voz import decide_act


class Opened(NamedTuple):
    dispatch_id: str
    kind: str
    sweep: Data | None
    extraction: Data | None
    briefing: Briefing


class Artefact(NamedTuple):
    """What a close publishes: the artefato's data but for its dispatch, and whether it may replace."""

    data: Data
    republish: bool


class Closed(NamedTuple):
    """``receipts`` and ``answered`` are the acts this dispatch disposed of; ``pending`` what stays open."""

    dispatch_id: str
    published: list[str]
    receipts: list[str]
    answered: list[str]
    pending: list[str]
    naked: list[str]


class VozUnreceivedError(Refused):
    """Acts are open without even a receipt: the dispatch does not close over them (I11)."""


class Dispatches:
    """Opens and closes dispatches."""

    def __init__(self, journal: Journal, reads: ReadSide) -> None:
        self._journal = journal
        self._reads = reads

    def open(
        self,
        kind: str,
        theme: str | None,
        origin: str,
        sweep: Callable[[str], Data | None],
        extract: Callable[[str], Data | None],
        brief: Callable[[], Briefing],
    ) -> Opened:
        """Sweep to currency, extract, compose the Briefing, and record the opening with what was shown.

        Both events are one append, last: whatever stops before it leaves no open dispatch,
        and what was swept and extracted is kept.
        """
        dispatch_id = self._journal.new_id()
        swept = sweep(dispatch_id)
        extracted = extract(dispatch_id)
        briefing = brief()
        opened: Data = {"kind": kind, "origin": origin}
        if theme and theme.strip():
            opened["theme"] = theme.strip()
        presented: Data = {
            "position": briefing.position,
            "text": briefing.text,
            "items": briefing.items(),
        }
        self._journal.append(
            self._journal.streams.dispatch(dispatch_id),
            [Draft("dispatch.opened", opened), Draft("briefing.presented", presented)],
            NO_STREAM,
            Act("dispatch", dispatch_id=dispatch_id),
        )
        self._let_go_of_what_was_forgotten(dispatch_id, briefing.position)
        return Opened(dispatch_id, kind, swept, extracted, briefing)

    def _let_go_of_what_was_forgotten(self, dispatch_id: str, composed_at: int) -> None:
        """A Briefing composed before something was forgotten, and recorded after, may quote it, and
        whoever forgot it could not find it yet."""
        log = self._journal.log
        if next(log.read_all(after=composed_at or None, types=FORGOTTEN, limit=1), None) is not None:
            ending = Ending(self._journal)
            stream = self._journal.streams.dispatch(dispatch_id)
            ending.dispatch(stream)
            ending.truncate(stream)

    # -- close ------------------------------------------------------------------------------

    def close(
        self,
        dispatch_id: str,
        intent: str | None,
        artefato: Artefact | None,
        answered: Mapping[tuple[ActKind, str], str],
    ) -> Closed:
        """Publish or leave a breadcrumb, dispose of all Voz, pass the gate, close. Safe to repeat.

        Everything is checked before anything is written.
        """
        state = self._reads.current().dispatch(dispatch_id)
        if state is None or not state["position"]:
            raise Refused(f"no dispatch {dispatch_id!r}", hint="`edge open KIND` opens one")
        act = Act("dispatch", dispatch_id=dispatch_id, causation=state["event"])
        publication = self._publication(artefato, dispatch_id, intent) if artefato else None
        self._check_answers(answered)
        if state["state"] == "open":
            if publication is not None and artefato is not None:
                self._publish(publication, intent or "", artefato.republish, act)
            elif intent and intent.strip():
                self._leave_breadcrumb(dispatch_id, intent, act)
            self._close_cycle(answered, act)
            self._record_close(dispatch_id, act)
        else:
            self._check_done(dispatch_id, publication, intent, answered)
        return self._closed(dispatch_id)

    def _check_done(
        self,
        dispatch_id: str,
        publication: Data | None,
        intent: str | None,
        answered: Mapping[tuple[ActKind, str], str],
    ) -> None:
        """Of a closed dispatch nothing may be asked but what it did: more would be lost in silence."""
        if publication is not None:
            done = self._is_published(publication)
        else:
            done = not (intent or "").strip() or self._is_left(dispatch_id, intent or "")
        acts = [self._reads.current().act(kind, id_) for kind, id_ in answered]
        if not done or any(act is not None and act["open"] for act in acts):
            raise Refused(f"dispatch {dispatch_id} is closed: it takes nothing more", hint="open another one")

    def _is_left(self, dispatch_id: str, intent: str) -> bool:
        left = _no_breadcrumbs()
        for event in self._journal.log.read(self._journal.streams.dispatch(dispatch_id)):
            left = _breadcrumbs(left, event)
        return self._journal.redacted(intent.strip()) in left

    def _publication(self, artefato: Artefact, dispatch_id: str, intent: str | None) -> Data:
        """The publication as it will stand in the log; refused where it may not be published."""
        data = {**artefato.data, "dispatch_id": dispatch_id}
        check_slug(data.get("slug"))
        if not (intent or "").strip():
            raise Refused("an artefato needs its why", hint="say it with --intent")
        stored = self._journal.as_stored("artefato.published", data, "dispatch")
        stream = self._journal.streams.artefato(stored["slug"])
        standing, _ = self._journal.load(stream, corpus.initial(stored["slug"]), corpus.evolve)
        corpus.publish(standing, stored, intent or "", artefato.republish)
        return stored

    def _is_published(self, publication: Data) -> bool:
        standing = self._reads.current().artefato(publication["slug"])
        return standing is not None and (standing["dispatch_id"], standing["content"]) == (
            publication["dispatch_id"],
            corpus.content_of(publication),
        )

    def _check_answers(self, answered: Mapping[tuple[ActKind, str], str]) -> None:
        queries = self._reads.current()
        for (kind, id_), ref in answered.items():
            known = queries.act(kind, id_)
            if known is None:
                raise Refused(f"no act {id_!r}", hint="`edge voz pending` lists the open ones")
            pendency.dispose(known, "semantic_answered", None, ref)

    def _publish(self, publication: Data, intent: str, republish: bool, act: Act) -> None:
        slug = publication["slug"]
        self._journal.decide(
            self._journal.streams.artefato(slug),
            lambda: corpus.initial(slug),
            corpus.evolve,
            lambda standing: corpus.publish(standing, publication, intent, republish),
            act,
        )

    def _leave_breadcrumb(self, dispatch_id: str, intent: str, act: Act) -> None:
        kernel = Draft("intent.kernel", {"intent": intent.strip(), "dispatch_id": dispatch_id})
        said = self._journal.redacted(intent.strip())
        self._journal.decide(
            self._journal.streams.dispatch(dispatch_id),
            _no_breadcrumbs,
            _breadcrumbs,
            lambda left: [] if said in left else [kernel],
            act,
        )

    def _close_cycle(self, answered: Mapping[tuple[ActKind, str], str], act: Act) -> None:
        """Answer what was answered, receipt the rest once each, and refuse to close over a naked act.

        Idempotent and safe beside other closers: each act is decided on as its stream has it.
        """
        queries = self._reads.current()
        cursor = queries.position()
        for (kind, id_), ref in answered.items():
            known = queries.act(kind, id_)
            if known is not None:
                self._dispose(known, act, _answering(ref))
        for known in _owed(self._reads.current(), cursor):
            if "receipt_sent" not in known["states"]:
                self._dispose(known, act, pendency.receipt)
        self._assert_all_received(cursor)

    def _dispose(
        self, known: pendency.Act, act: Act, decide: Callable[[pendency.Act], Sequence[Draft]]
    ) -> None:
        decide_act(self._journal, known, decide, act._replace(causation=known["event"]))

    def _assert_all_received(self, cursor: int) -> None:
        queries = self._reads.current()
        naked = [
            act["act"]
            for kind in _KINDS
            for act in queries.open_acts(kind, naked=True)
            if act["position"] <= cursor
        ]
        if naked:
            raise VozUnreceivedError(
                f"the dispatch stays open: no receipt on {', '.join(naked)}",
                hint="`edge voz dispose ACT receipt_sent` gives one; then close again",
            )

    def _record_close(self, dispatch_id: str, act: Act) -> None:
        done = self._reads.current().dispatch(dispatch_id) or dispatch.initial(dispatch_id)
        closed = Draft("dispatch.closed", {"published": done["published"], "receipts": done["receipts"]})
        self._journal.decide(
            self._journal.streams.dispatch(dispatch_id),
            lambda: dispatch.initial(dispatch_id),
            dispatch.evolve,
            lambda state: [closed] if state["state"] == "open" else [],
            act,
        )

    def _closed(self, dispatch_id: str) -> Closed:
        queries = self._reads.current()
        done: Dispatch = queries.dispatch(dispatch_id) or dispatch.initial(dispatch_id)
        acts = sorted((a for kind in _KINDS for a in queries.open_acts(kind)), key=lambda a: a["position"])
        return Closed(
            dispatch_id,
            done["published"],
            done["receipts"],
            done["answered"],
            [a["act"] for a in acts],
            [a["act"] for a in acts if pendency.is_naked(a)],
        )


def _no_breadcrumbs() -> tuple[str, ...]:
    return ()


def _breadcrumbs(left: tuple[str, ...], event: Event) -> tuple[str, ...]:
    return (*left, event.data["intent"]) if event.type == "intent.kernel" else left


_KINDS: tuple[ActKind, ...] = ("comment", "vote")


def _answering(ref: str) -> Callable[[pendency.Act], Sequence[Draft]]:
    return lambda act: pendency.dispose(act, "semantic_answered", None, ref)


def _owed(queries: Queries, cursor: int) -> list[pendency.Act]:
    return [act for kind in _KINDS for act in queries.open_acts(kind) if act["position"] <= cursor]
