"""Forgetting: a session, a project, a comment or an artefato, in every stream that holds or quotes it.

The order is what makes it safe to stop anywhere. The first append says what is to go (``also``
names the other streams of the act). Then whatever quotes it is marked and truncated, and what
was marked first is truncated last: as long as it stands, the rest can be found in it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from edge.admitting import in_project
from edge.domain import forgetting
from edge.domain.events import Data
from edge.domain.refusal import EdgeError, Misused, Refused
from edge.domain.streams import category
from edge.forget_reach import Reach, keep_steer, reach, steers_at_stake
from edge.forget_streams import Ending
from edge.journal import ATTEMPTS, Journal
from edge.ports import IdKind, ReadSide
from edge.ports_forget import NOTED, STREAMS, FollowUp, ForgetIndex, let_go_up_to, still_holding
from edge.sweep import stream_key

Kind = Literal["session", "project", "comment", "artefato"]


class Target(NamedTuple):
    """What is to be forgotten: the streams that hold it, the first of them marked first."""

    kind: Kind
    name: str
    roots: tuple[str, ...]
    """Empty where it was forgotten before."""
    sessions: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    """Of a project's sessions those that were in others too; they go whole."""


class Pending(NamedTuple):
    """Something that could not let go of it yet, and why; it is tried again."""

    name: str
    why: str
    hint: str
    code: int


class Told(NamedTuple):
    """What goes, or went."""

    target: Target
    streams: list[tuple[str, int]]
    """Each with its number of events."""
    steers: list[str]
    cited_by: list[str]
    copies: dict[str, int]
    pending: list[Pending]

    def as_json(self) -> Data:
        return {
            "kind": self.target.kind,
            "name": self.target.name,
            "already": not self.target.roots,
            "sessions": list(self.target.sessions),
            "beside": list(self.target.beside),
            "streams": [{"stream": stream, "events": n} for stream, n in self.streams],
            "steers": self.steers,
            "cited_by": self.cited_by,
            "copies": [{"stream": stream, "turns": n} for stream, n in self.copies.items()],
            "pending": [{"name": p.name, "why": p.why} for p in self.pending],
        }


class Forgetting:
    """Forgets, and finishes what was cut off."""

    def __init__(
        self, journal: Journal, reads: ReadSide, index: ForgetIndex, follow_ups: Sequence[FollowUp]
    ) -> None:
        self._journal = journal
        self._reads = reads
        self._index = index
        self._follow_ups = follow_ups
        self._ending = Ending(journal)
        self._votes = f"voz-{journal.streams.group}.votes."

    # -- what is meant ----------------------------------------------------------------------

    def session(self, prefix: str) -> Target:
        """The session an id or a unique beginning means, with all streams of its name."""
        self._reads.current()
        sessions = {captured.session for captured in self._index.sessions()}
        found = [prefix] if prefix in sessions else sorted(s for s in sessions if s.startswith(prefix))
        if prefix and found:
            name = _only(found, prefix, "session")
            return Target("session", name, self._streams_of(name), (name,))
        own = self._journal.streams.episode(prefix)
        return self._forgotten_before("session", prefix, own, "no session {!r} was taken in")

    def project(self, project: str) -> Target:
        """Every session of which something was taken in there."""
        self._reads.current()
        captured = self._index.sessions()
        names = sorted({c.session for c in captured if in_project(project, c.project)})
        if not names:
            raise Refused(
                f"no session of project {project!r} was taken in",
                hint="name its directory, or a path above it; or it was forgotten before",
            )
        beside = {c.session for c in captured if c.session in names and not in_project(project, c.project)}
        roots = dict.fromkeys(stream for name in names for stream in self._streams_of(name))
        return Target("project", project, tuple(roots), tuple(names), tuple(sorted(beside)))

    def comment(self, prefix: str) -> Target:
        found = self._matching("comment", prefix)
        if found is not None:
            return Target("comment", found, (self._journal.streams.chat(found),))
        own = f"voz-{self._journal.streams.group}.{prefix}"
        return self._forgotten_before("comment", prefix, own, "no comment {!r}")

    def artefato(self, prefix: str) -> Target:
        """An artefato and the votes on it; chats about it are the operator's own words, and stay."""
        slug = self._matching("artefato", prefix)
        if slug is None:
            own = f"artefato-{self._journal.streams.group}.{prefix}"
            return self._forgotten_before("artefato", prefix, own, "no artefato {!r} is published")
        votes = self._journal.streams.votes(slug)
        voted = next(self._journal.log.read(votes, limit=1), None) is not None
        roots = (self._journal.streams.artefato(slug), *((votes,) if voted else ()))
        return Target("artefato", slug, roots)

    def _matching(self, kind: IdKind, prefix: str) -> str | None:
        found = self._reads.current().matching(kind, prefix)
        return _only(found, prefix, kind) if found else None

    def _streams_of(self, session: str) -> tuple[str, ...]:
        own = self._journal.streams.episode(stream_key(session))
        named = {c.stream for c in self._index.sessions() if c.session == session}
        return tuple(sorted({*self._index.episode_streams(own), *named}, key=lambda s: (s != own, s)))

    def _forgotten_before(self, kind: Kind, prefix: str, stream: str, otherwise: str) -> Target:
        streams = (
            [s for s in self._index.beginning(stream) if not s.startswith(self._votes)] if prefix else []
        )
        named = [stream] if stream in streams else streams
        names = sorted({name.partition(".")[2].partition(".")[0] for name in named})
        if not names:
            raise Refused(otherwise.format(prefix), hint="there is nothing of that name to forget")
        return Target(kind, _only(names, prefix, kind), ())

    # -- what goes ---------------------------------------------------------------------------

    def told(self, target: Target) -> Told:
        """What would go; nothing is written."""
        if not target.roots:
            return Told(target, [], [], [], {}, [])
        return self._told(target, reach(self._journal, target.roots))

    def _told(self, target: Target, far: Reach) -> Told:
        sized = [(stream, self._size(stream)) for stream in (*target.roots, *far.quoting)]
        streams = [(stream, n) for stream, n in sized if n]
        steers = steers_at_stake(self._journal, target.roots)
        return Told(target, streams, steers, far.cited_by, far.copies, [])

    def _size(self, stream: str) -> int:
        return sum(not forgetting.is_forgotten(event) for event in self._journal.log.read(stream))

    # -- forgetting ---------------------------------------------------------------------------

    def forget(self, target: Target) -> Told:
        """Forget it, everywhere this host reaches. Safe to stop and to repeat."""
        if not target.roots:
            return self.told(target)._replace(pending=self.finish())
        far = reach(self._journal, target.roots)
        told = self._told(target, far)
        self._keep_steers(target.roots)
        self._mark(target.roots[0], target.roots[1:], far)
        self._complete(target.roots, far)
        return told._replace(pending=self.finish())

    def finish(self) -> list[Pending]:
        """Finish whatever an earlier run left, and have all that is beside the log let go of it.

        What cannot be done now is named, and tried again by the next run.
        """
        try:
            self._reads.current()
            self._finish_streams()
        except EdgeError as error:
            return [_pending(STREAMS, error)]
        pending = []
        for beside in self._follow_ups:
            last, after = self._index.last(), self._noted(beside.name)
            if after >= last:
                continue
            try:
                beside.follow(after)
            except EdgeError as error:
                pending.append(_pending(beside.name, error))
            else:
                self._note(beside.name, last)
        return pending

    def pending(self) -> list[str]:
        """By name, what has not let go yet of all that is forgotten; asks nobody but this host."""
        return still_holding(self._index, self._follow_ups)

    def _finish_streams(self) -> None:
        """Truncate every stream that was marked since this host last looked, and all that goes with it."""
        for _ in range(ATTEMPTS):
            last, after = self._index.last(), self._noted(STREAMS)
            if after >= last:
                return
            for stream, first, _position in self._index.streams(after):
                if self._ending.begins_before(stream, first):
                    self._resume(stream)
            self._note(STREAMS, last)
            self._reads.current()

    def _resume(self, stream: str) -> None:
        """Go on with a forgetting that was cut off, from what stands of it."""
        if category(stream) not in forgetting.ROOTS:
            self._ending.truncate(stream)
            return
        also = [name for event in self._journal.log.read(stream) if forgetting.is_forgotten(event)
                for name in event.data.get("also") or () if isinstance(name, str)]  # fmt: skip
        roots = (stream, *dict.fromkeys(name for name in also if category(name) in forgetting.ROOTS))
        self._complete(roots, reach(self._journal, roots))

    def _complete(self, roots: Sequence[str], far: Reach) -> None:
        """All that follows once the first of the roots is marked; done in part or whole, it is finished."""
        for stream in roots:
            self._mark(stream, (), far)
        self._keep_steers(roots)
        far = reach(self._journal, roots)  # again: what was written meanwhile may quote it
        for stream in far.quoting:
            self._ending.quoting(stream)
            self._ending.truncate(stream)
        for stream in reversed(roots):
            self._ending.truncate(stream)

    def _mark(self, stream: str, also: Sequence[str], far: Reach) -> None:
        if category(stream) != "episode":
            self._ending.root(stream, also)
            return
        while not self._ending.episodes(stream, far.keys[stream], far.upto[stream], also):
            far = reach(self._journal, [stream])  # a sweep took in more of it meanwhile

    def _keep_steers(self, roots: Sequence[str]) -> None:
        for id_ in steers_at_stake(self._journal, roots):
            keep_steer(self._journal, roots, id_)

    # -- what this host has done ----------------------------------------------------------------

    def _noted(self, name: str) -> int:
        return let_go_up_to(self._index, name)

    def _note(self, name: str, position: int) -> None:
        self._index.note(f"{NOTED}{name}", str(position))


def _only(found: Sequence[str], prefix: str, what: str) -> str:
    if len(found) > 1:
        raise Misused(
            f"{prefix!r} begins more than one {what}: {', '.join(found[:3])}", hint="give more of it"
        )
    return found[0]


def _pending(name: str, error: EdgeError) -> Pending:
    return Pending(name, error.message, error.hint, error.code)
