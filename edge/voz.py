"""The operator's voice: comments, votes, answers, withdrawals, and dispositions of acts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from edge.domain import channel, pendency
from edge.domain import chat as chats
from edge.domain.channel import NATIVE, Signal
from edge.domain.chat import Chat
from edge.domain.events import Actor, Draft, Event
from edge.domain.pendency import Act, ActKind
from edge.domain.refusal import Refused
from edge.domain.streams import check_slug
from edge.journal import Act as Writer
from edge.journal import Journal, Recorded
from edge.ports import ReadSide
from edge.ports_channel import Channel, Control


class Spoken(NamedTuple):
    """An act that stands in the log: its id, where, and whether it stood there before."""

    id: str
    position: int
    duplicate: bool


class Voz:
    """Writes the acts of the Voz rail.

    ``native`` is the channel of terminal and dashboard; ``others`` names those the operator set up
    besides. What comes over any of them is the operator's voice, so nothing else is heard.
    """

    def __init__(
        self, journal: Journal, reads: ReadSide, native: Channel[Control], others: Collection[str] = ()
    ) -> None:
        self._journal = journal
        self._reads = reads
        self._native = native
        self._others = others

    # -- what terminal and dashboard have controls for ---------------------------------------

    def comment(self, body: str, on: str | None = None, harm: int = 0, key: str | None = None) -> Spoken:
        """Open a chat, on a published artefato or on nothing. ``key`` makes a retry land once."""
        return self._used(Control("comment", on, text=body, harm=harm, key=key))

    def vote(self, slug: str, value: int, key: str | None = None) -> Spoken:
        """Vote on a published artefato: +1, -1, or 0 to take the vote back."""
        return self._used(Control("vote", slug, value=value, key=key))

    def answer(self, clarify_id: str, body: str) -> Spoken:
        """Answer edge's question on a parked chat; the first answer wins."""
        return self._used(Control("answer", clarify_id, text=body))

    def _used(self, control: Control) -> Spoken:
        return self.receive(self._native.signal(control))

    # -- what any channel brings ---------------------------------------------------------------

    def receive(self, signal: Signal) -> Spoken:
        """Take in one act, whatever channel it came over; one that is delivered again adds nothing.

        Refused where the channel is none the operator set up, or the signal breaks the contract.
        """
        signal = channel.checked(signal)
        if signal.reply.channel != NATIVE and signal.reply.channel not in self._others:
            raise Refused(
                f"the channel {signal.reply.channel!r} is not set up",
                hint="only a channel the operator set up speaks for them; speak with `edge voz comment`",
            )
        match signal.act:
            case "comment":
                return self._commented(signal)
            case "vote":
                return self._voted(signal)
            case "answer":
                return self._answered(signal)

    def _commented(self, signal: Signal) -> Spoken:
        if signal.target is not None:
            self._check_published(signal.target)
        comment_id = self._id(signal)
        body = self._journal.redacted(signal.text)
        reply = None if signal.reply.channel == NATIVE else signal.reply.as_data()
        stream = self._journal.streams.chat(comment_id)
        recorded = self._journal.decide(
            stream,
            lambda: chats.initial(comment_id),
            chats.evolve,
            lambda chat: chats.comment(chat, body, signal.target, signal.harm, signal.reply.channel, reply),
            Writer("operator"),
        )
        return self._spoken(comment_id, stream, "voz.comment", recorded)

    def _voted(self, signal: Signal) -> Spoken:
        slug = signal.target or ""
        self._check_published(slug)
        vote_id = self._id(signal)
        stream = self._journal.streams.votes(slug)
        recorded = self._journal.decide(
            stream,
            lambda: pendency.initial_vote(vote_id),
            _vote_fold(vote_id),
            lambda act: pendency.vote(act, slug, signal.value),
            Writer("operator"),
        )
        return self._spoken(vote_id, stream, "voz.vote", recorded)

    def _answered(self, signal: Signal) -> Spoken:
        clarify_id = signal.target or ""
        comment_id = self._reads.current().chat_of_question(clarify_id)
        if comment_id is None or signal.comment_id not in (None, comment_id):
            raise Refused(f"no question {clarify_id!r}", hint="`edge voz list --parked` shows the open ones")
        body = self._journal.redacted(signal.text)
        stream = self._journal.streams.chat(comment_id)
        question = chats.question_of(self._chat(comment_id), clarify_id)
        recorded = self._journal.decide(
            stream,
            lambda: chats.initial(comment_id),
            chats.evolve,
            lambda chat: chats.answer(chat, clarify_id, body),
            Writer("operator", causation=question["event"] if question else None),
        )
        return self._spoken(clarify_id, stream, "voz.clarify_answer", recorded)

    # -- what is done about acts ---------------------------------------------------------------

    def withdraw(self, comment_id: str) -> Spoken:
        """Take a comment back; a chat closed already stays as it closed."""
        return self.dispose("comment", comment_id, "dead_lettered", chats.WITHDRAWN, None, "operator")

    def dispose(
        self, kind: ActKind, act: str, state: str, reason: str | None, ref: str | None, actor: Actor
    ) -> Spoken:
        """Write one disposition of an act; where it stands, or the act is closed, nothing."""
        known = self._reads.current().act(kind, act)
        if known is None:
            raise Refused(f"no act {act!r}", hint="`edge voz pending` lists the open ones")
        recorded = decide_act(
            self._journal,
            known,
            lambda found: pendency.dispose(found, state, reason, ref),
            Writer(actor, causation=known["event"]),
        )
        position = recorded.at.position if recorded else self._settled_at(known)
        return Spoken(act, position, recorded is None)

    def _settled_at(self, act: Act) -> int:
        """Where what settled an act stands, or its last disposition; else the act itself."""
        stream = act["stream"] or self._journal.streams.chat(act["act"])
        position = act["position"]
        for event in self._journal.log.read(stream):
            about = (event.data.get("comment_id"), event.data.get("vote_id"))
            if act["act"] in about and pendency.closes(act["kind"], event.type, event.data):
                return event.position
            if act["act"] in about and event.type == "voz.disposition":
                position = event.position
        return position

    def _check_published(self, slug: str) -> None:
        check_slug(slug)
        if self._reads.current().artefato(slug) is None:
            raise Refused(f"no artefato {slug!r} is published", hint="`edge artefato list` shows them")

    def _id(self, signal: Signal) -> str:
        known = channel.act_id(self._journal.streams.group, signal.act, signal.reply)
        return known or self._journal.new_id()

    def _chat(self, comment_id: str) -> Chat:
        stream = self._journal.streams.chat(comment_id)
        return self._journal.load(stream, chats.initial(comment_id), chats.evolve)[0]

    def _spoken(self, id_: str, stream: str, type_: str, recorded: Recorded | None) -> Spoken:
        if recorded is not None:
            return Spoken(id_, recorded.at.position, False)
        standing = next(
            e for e in self._journal.log.read(stream) if e.type == type_ and id_ in e.data.values()
        )
        return Spoken(id_, standing.position, True)


def _vote_fold(vote_id: str) -> Callable[[Act, Event], Act]:
    """The fold of one vote out of the stream that holds all votes on its artefato."""

    def evolve(act: Act, event: Event) -> Act:
        return pendency.evolve_vote(act, event) if pendency.vote_of(event) == vote_id else act

    return evolve


def decide_act(
    journal: Journal, act: Act, decide: Callable[[Act], Sequence[Draft]], writer: Writer
) -> Recorded | None:
    """Decide on an act as its stream has it now; None where nothing is to be written.

    Of a stream of votes only what follows the vote itself is read.
    """
    if act["kind"] == "comment":
        return journal.decide(
            journal.streams.chat(act["act"]),
            lambda: chats.initial(act["act"]),
            chats.evolve,
            lambda chat: decide(pendency.of_comment(chat)),
            writer,
        )
    return journal.decide(
        act["stream"],
        lambda: pendency.initial_vote(act["act"]),
        _vote_fold(act["act"]),
        decide,
        writer,
        from_revision=act["revision"],
    )
