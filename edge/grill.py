"""The grill: load a batch of chats, plan each once, close each atomically under its guard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from edge.closing import Closing, Result, result_of
from edge.domain import chat as chats
from edge.domain import direction, grill, questions
from edge.domain.chat import Chat
from edge.domain.events import NO_STREAM, Actor, Data, Draft
from edge.domain.grill import Candidate, Mode, Run
from edge.domain.language import Lang, language_of
from edge.domain.refusal import Failed, Refused
from edge.journal import ATTEMPTS, Act, Journal
from edge.ports import Cognition, Queries, ReadSide, WrongRevision
from edge.ports_knowledge import Knowing

if TYPE_CHECKING:
    from edge.domain.plan import ChatPlan, CurationPlan, Plan

Ask = Callable[[str, Sequence[Data]], str | None]
"""Puts a question with its options to the operator; None where no answer was given."""


class Started(NamedTuple):
    """A run and what it loaded. ``overflow``, ``awaiting``, ``actionable`` are comment ids."""

    run: Run
    loaded: list[Candidate]
    overflow: list[str]
    awaiting: list[str]
    actionable: list[str]


class Closed(NamedTuple):
    run_id: str
    finished: bool
    results: list[Result]
    overflow: list[str]

    @property
    def stale(self) -> bool:
        return any(result.result == "stale" for result in self.results)


class Grill:
    """Starts, plans, closes and abandons runs."""

    def __init__(self, journal: Journal, reads: ReadSide, zone: tzinfo) -> None:
        self._journal = journal
        self._reads = reads
        self._zone = zone
        self._closing = Closing(journal, reads)

    # -- start ------------------------------------------------------------------------------

    def start(self, mode: Mode, max_chats: int, max_tokens: int) -> Started:
        """Fix the cursor and load the harm-ranked batch, both from one view of the read models (I3)."""
        if max_chats < 1 or max_tokens < 1:
            raise Refused("the caps of a run are at least 1")
        now = self._journal.clock.now()
        queries = self._reads.current()
        with queries.snapshot():
            cursor = queries.position()
            newest = queries.artefatos(last=1)
            ranked = grill.ranked(queries.chats("actionable"), now, newest[0]["slug"] if newest else None)
            awaiting = [chat["comment_id"] for chat in queries.chats("parked")]
            agenda = self._agenda(queries, now) if mode == "attended" else []
        loaded = grill.taken(ranked, max_chats, max_tokens)
        started = grill.initial(self._journal.new_id())
        started.update(
            {
                "state": "open",
                "mode": mode,
                "cursor": cursor,
                "now": self._journal.now(),
                "caps": {"max_chats": max_chats, "max_tokens": max_tokens},
                "loaded": [_loaded(candidate) for candidate in loaded],
                "overflow": len(ranked) - len(loaded),
                "awaiting": len(awaiting),
                "agenda": agenda,
            }
        )
        self._record_start(started)
        return Started(
            started,
            loaded,
            [c.chat["comment_id"] for c in ranked[len(loaded) :]],
            awaiting,
            [c.chat["comment_id"] for c in sorted(ranked, key=lambda c: c.chat["position"])],
        )

    def _agenda(self, queries: Queries, now: datetime) -> list[Data]:
        """What there is to curate: ageing proposals, and hypotheses that ask for the operator's word."""
        asking = queries.knowledge.contested_or_much_cited(grill.MUCH_CITED, grill.AGENDA)
        known: list[Data] = [  # no words: what was said stays where it can be forgotten
            {"do": "promote", "id": item.id, "why": _why(item)} for item in asking
        ]
        return [*grill.agenda(queries.items(), now, self._zone), *known]

    def _record_start(self, run: Run) -> None:
        fields = ("run_id", "cursor", "now", "mode", "caps", "loaded", "overflow", "awaiting", "agenda")
        drafts = [Draft("grill.started", {name: run[name] for name in fields})]  # type: ignore[literal-required]
        if not run["loaded"] and not run["agenda"]:  # nothing to decide: the run is over at once
            run["state"] = "finished"
            drafts.append(Draft("grill.finished", {"counts": {}, "overflow": run["overflow"]}))
        self._journal.append(self._stream(run), drafts, NO_STREAM, self._act(run))

    def _stream(self, run: Run) -> str:
        return self._journal.streams.grill(run["run_id"])

    def _act(self, run: Run, causation: str | None = None) -> Act:
        return Act("grill", grill_run_id=run["run_id"], causation=causation)

    # -- show -------------------------------------------------------------------------------

    def load(self, run_id: str) -> tuple[Run, int]:
        """The run as its stream has it, and the stream's revision; refused where there is none."""
        stream = self._journal.streams.grill(run_id)
        run, revision = self._journal.load(stream, grill.initial(run_id), grill.evolve)
        if run["state"] == "forgotten":
            raise Refused(
                f"grill run {run_id} was forgotten, with a chat it had loaded",
                hint="chats it had not closed are open: `edge grill start` loads them",
            )
        if run["state"] == "none":
            raise Refused(f"no grill run {run_id!r}", hint="`edge grill start` begins one")
        return run, revision

    # -- close ------------------------------------------------------------------------------

    def close(self, run_id: str, document: object | None, actor: Actor, intent: str | None = None) -> Closed:
        """Close a run by a plan, or by the plan stored before where none is given.

        The same plan again is a retry; another one for chats planned already is refused.
        """
        run, _ = self.load(run_id)
        self._check_voice(run, actor)
        if document is not None:
            self._plan(run_id, document, intent)
        elif not run["planned"] and self._without_forgotten(run)["loaded"]:
            raise Refused(
                f"run {run_id} has no stored plan to resume", hint="pass one with --plan FILE, or - for stdin"
            )
        return self._execute(run_id)

    def _check_voice(self, run: Run, actor: Actor) -> None:
        if run["mode"] == "attended" and actor != "operator":
            raise Refused(
                f"run {run['run_id']} is attended: only the operator closes it",
                hint="close it in your own terminal, or start one with --unattended",
            )

    def _plan(self, run_id: str, document: object, intent: str | None) -> None:
        from edge.domain import plan as plans

        plan = plans.parsed(document)
        plan_hash = plans.hash_of(plan)
        for _ in range(ATTEMPTS):
            run, revision = self.load(run_id)
            run = self._without_forgotten(run)
            if any(planned["plan_hash"] == plan_hash for planned in run["planned"].values()):
                return
            if run["state"] != "open":
                if not plan.chats and not plan.curate:
                    return
                raise Refused(f"run {run_id} is {run['state']}: it takes no other plan")
            drafts = self._decided(run, plan, plan_hash)
            if intent and intent.strip():
                drafts.append(Draft("intent.kernel", {"intent": intent}))
            if not drafts:
                return
            try:
                self._journal.append(self._stream(run), drafts, revision, self._act(run, run["event"]))
            except WrongRevision:
                continue
            return
        raise Failed(f"run {run_id} kept changing", hint="another close of it is under way; try again")

    def _without_forgotten(self, run: Run) -> Run:
        """The run without the chats forgotten since it loaded them: nothing is owed to those."""
        gone = {id_ for id_ in grill.undecided(run) if self._chat(id_)["forgotten"]}
        if not gone:
            return run
        return {**run, "loaded": [chat for chat in run["loaded"] if chat.get("comment_id") not in gone]}

    def _decided(self, run: Run, plan: Plan, plan_hash: str) -> list[Draft]:
        from edge.domain import plan as plans

        plans.check_mode(run, plan)
        plans.check_coverage(run, plan)
        queries = self._reads.current()
        items = {item["id"]: item for item in queries.items()}
        drafts = []
        for entry in plan.chats:
            data = plans.planned_close(run, entry, self._chat(entry.comment_id), items, plan_hash)
            data["stream"] = self._journal.streams.chat(entry.comment_id)
            drafts.append(self._storable(data))
        for curation in plan.curate:
            drafts.append(self._storable(self._curation(run, curation, items, plan_hash)))
        return drafts

    def _storable(self, planned: Data) -> Draft:
        """The planned event, its own events as an append will store them: a bad one refuses the plan."""
        for event in planned["events"]:
            event["data"] = self._journal.as_stored(event["type"], event["data"], "grill")
        return Draft("grill.planned", planned)

    def _chat(self, comment_id: str) -> Chat:
        stream = self._journal.streams.chat(comment_id)
        return self._journal.load(stream, chats.initial(comment_id), chats.evolve)[0]

    def _execute(self, run_id: str) -> Closed:
        run, _ = self.load(run_id)
        if run["state"] == "abandoned":
            raise Refused(f"run {run_id} was abandoned: {run['reason']}")
        run = self._without_forgotten(run)
        results = [self._closed(run, key, planned) for key, planned in run["planned"].items()]
        if run["state"] == "open" and not grill.undecided(run):
            self._finish(run, results)
            run["state"] = "finished"
        return Closed(run_id, run["state"] == "finished", results, self._overflow(run))

    def _overflow(self, run: Run) -> list[str]:
        loaded = set(grill.loaded_ids(run))
        return [
            chat["comment_id"]
            for chat in self._reads.current().chats("actionable")
            if chat["comment_id"] not in loaded and chat["position"] <= run["cursor"]
        ]

    def _closed(self, run: Run, key: str, planned: Data) -> Result:
        if "curate" in planned:
            result = run["results"].get(key) or self._closing.curation(
                planned, self._act(run, planned["event"])
            )
            return Result(None, result, curate=planned["curate"])
        comment_id = planned["comment_id"]
        if planned["decision"] == "failed":
            return Result(comment_id, "failed", reason=planned.get("reason"))
        if run["results"].get(key) == "stale" or not self._closing.chat(
            planned, self._act(run, planned["event"])
        ):
            return Result(comment_id, "stale")
        return result_of(planned)

    def _finish(self, run: Run, results: Sequence[Result]) -> None:
        drafts = [_closed_draft(result) for result in results]
        counts: dict[str, int] = {}
        for result in results:
            counts[result.result] = counts.get(result.result, 0) + 1
        drafts.append(Draft("grill.finished", {"counts": counts, "overflow": run["overflow"]}))
        self._end(run, drafts)

    def _end(self, run: Run, drafts: Sequence[Draft]) -> None:
        """Write how the run ended, unless another close of it wrote that first."""
        self._journal.decide(
            self._stream(run),
            lambda: grill.initial(run["run_id"]),
            grill.evolve,
            lambda now: drafts if now["state"] == "open" else [],
            self._act(run, run["event"]),
        )

    # -- curation ---------------------------------------------------------------------------

    def _curation(
        self, run: Run, entry: CurationPlan, items: dict[str, direction.Item], plan_hash: str
    ) -> Data:
        from edge.curation import curated
        from edge.domain import plan as plans

        known = self._reads.current().knowledge
        stream, drafts = curated(entry, items.get(entry.id), self._journal, known)
        last = next(self._journal.log.read(stream, backwards=True, limit=1), None)
        return {
            "curate": {"do": entry.do, "id": entry.id},
            "decision": entry.do,
            "ambiguous": False,
            "evidence": entry.evidence,
            "stream": stream,
            "basis": last.revision if last else NO_STREAM,
            "events": plans.identified(drafts, f"{run['run_id']}:{entry.do}:{entry.id}", plan_hash),
            "plan_hash": plan_hash,
        }

    # -- abandon ----------------------------------------------------------------------------

    def abandon(self, run_id: str, reason: str, actor: Actor) -> Closed:
        """End a run that cannot be finished; what it left undecided is owed an answer still."""
        if not reason.strip():
            raise Refused("abandoning a run needs its reason", hint="say why with --reason")
        run, _ = self.load(run_id)
        self._check_voice(run, actor)
        if run["state"] != "open":
            raise Refused(f"run {run_id} is {run['state']} already")
        results = [self._left(run, id_) for id_ in grill.loaded_ids(run)]
        drafts = [_closed_draft(result) for result in results]
        self._end(run, [*drafts, Draft("grill.abandoned", {"reason": reason.strip()})])
        return Closed(run_id, False, results, self._overflow(run))

    def _left(self, run: Run, comment_id: str) -> Result:
        """How an abandoned run leaves one chat: as its close already stands, or owed an answer."""
        planned = run["planned"].get(comment_id)
        standing = list(self._journal.log.read(self._journal.streams.chat(comment_id)))
        if planned and planned["events"]:
            verdict = chats.guard(standing, [e["id"] for e in planned["events"]], planned["basis"])
            if verdict == "done":
                return result_of(planned)
        basis = next(c["revision"] for c in run["loaded"] if c["comment_id"] == comment_id)
        if chats.guard(standing, [], basis) == "stale":
            return Result(comment_id, "stale")
        self._owe_answer(run, comment_id)
        return Result(comment_id, "failed")

    def _owe_answer(self, run: Run, comment_id: str) -> None:
        required = Draft(
            "voz.disposition",
            {"comment_id": comment_id, "state": "semantic_answer_required"},
            str(uuid5(NAMESPACE_URL, f"edge:required:{run['run_id']}:{comment_id}")),
        )
        self._journal.decide(
            self._journal.streams.chat(comment_id),
            lambda: chats.initial(comment_id),
            chats.evolve,
            lambda chat: [] if chat["closed_by"] or required.data["state"] in chat["states"] else [required],
            self._act(run, run["event"]),
        )

    # -- run --------------------------------------------------------------------------------

    def run(
        self,
        cognition: Cognition,
        mode: Mode,
        caps: tuple[int, int],
        lang: Lang,
        actor: Actor,
        ask: Ask | None = None,
    ) -> Closed:
        """A whole run by a cognition; attended, the operator is asked what it would park."""
        from edge.domain import plan as plans

        started = self.start(mode, *caps)
        if started.run["state"] == "finished":
            return Closed(started.run["run_id"], True, [], started.overflow)
        items = self._reads.current().items()
        entries = []
        for candidate in started.loaded:
            entry = cognition.settle(candidate.chat, items, language_of(candidate.chat["body"], lang))
            entries.append(_asked(entry, candidate.chat, ask) if ask and mode == "attended" else entry)
        document = plans.Plan(chats=entries).model_dump(mode="json")
        return self.close(started.run["run_id"], document, actor)


def _why(item: Knowing) -> str:
    return "contested" if item.tier == "contested" else f"said in {len(item.episodes)} episodes"


def _loaded(candidate: Candidate) -> Data:
    chat, harm = candidate.chat, candidate.harm
    return {
        "comment_id": chat["comment_id"],
        "revision": chat["revision"],
        "harm": harm.value,
        "reasons": harm.reasons,
        "tokens": candidate.tokens,
    }


def _closed_draft(result: Result) -> Draft:
    about: Data = {"curate": result.curate} if result.curate else {"comment_id": result.comment_id}
    return Draft("grill.closed", {**about, "result": result.result})


def _asked(entry: ChatPlan, chat: Chat, ask: Ask) -> ChatPlan:
    """A chat a cognition would park, settled by the operator's answer where one is given."""
    from edge.domain.plan import Asked, SteerPlan

    if entry.decision != "park" or not entry.question:
        return entry
    answer = ask(f"{chat['body']}\n{entry.question}", entry.options)
    option = questions.chosen(answer, entry.options) if answer else None
    if not answer or option is None:
        return entry
    steer = option.get("steer")
    return entry.model_copy(
        update={
            "decision": option["decision"],
            "asked": [Asked(question=entry.question, answer=answer, options=entry.options)],
            "question": None,
            "options": [],
            "steer": SteerPlan(**steer) if steer else None,
            "direction_id": option.get("direction_id"),
        }
    )
