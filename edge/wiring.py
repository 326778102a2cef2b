"""The one place that names adapters. Each is imported when first used, so that a command
pays only for what it touches."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from edge.domain.events import Event
from edge.domain.grill import moment
from edge.domain.refusal import EdgeError, Failed, Misused, Refused
from edge.domain.streams import Streams
from edge.health import LAST_SWEEP, Lag, health
from edge.ports import Report
from edge.settings import Settings, load, moment_named

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from adapters.eventlog.sqlite import SqliteEventLog
    from edge.briefing import Briefing
    from edge.budget import BudgetedModel
    from edge.dispatch import Dispatches
    from edge.domain.episodes import StreamState
    from edge.domain.events import Data
    from edge.forget import Forgetting, Pending
    from edge.grill import Grill
    from edge.journal import Journal
    from edge.knowledge import KnowledgeCuration
    from edge.ports import Clock, Cognition, EventLog, IdKind, Links, Queries, Redactor
    from edge.ports_dashboard import DashboardReads
    from edge.ports_forget import FollowUp
    from edge.ports_knowledge import Embedder, Knowing
    from edge.sources import SourceCuration
    from edge.steering import Steering
    from edge.voz import Voz
    from edge.why_nodes import Node
    from edge.wiring_derived import DerivedParts
    from edge.wiring_knowledge import KnowledgeParts
    from projections.queries import ReadModels
    from projections.runner import Runner
    from projections.store import ReadStore
    from projections.worker import Worker

MODE: Final = "embedded"
LAG_COUNTED: Final = 1_000
"""Events behind the log's head that a page counts, at most."""


class Edge:
    """One install, opened: its log, its read models and the use cases over them."""

    def __init__(self, settings: Settings, report: Report | None = None) -> None:
        self.settings = settings
        self.report = report
        self.streams = Streams(settings.group)
        self._say: Callable[[str], None] | None = None

    @classmethod
    def at_home(cls, home: Path, report: Report | None = None) -> Edge:
        """The install of a home; exit 2 where it has no identity."""
        edge = cls(load(home), report)
        if "EDGE_NOW" in os.environ:
            _ = edge.clock  # a time that is none is said at once, also by what asks for no time
        return edge

    @property
    def mode(self) -> str:
        """Which log the install stands on, as the health strip says it."""
        return MODE if self.settings.log is None else "eventstoredb"

    # -- the outside ------------------------------------------------------------------------

    @cached_property
    def clock(self) -> Clock:
        from adapters.system import FixedClock, SystemClock

        fixed = os.environ.get("EDGE_NOW")
        return FixedClock(moment_named(fixed, self.settings.tz)) if fixed else SystemClock()

    @cached_property
    def log(self) -> EventLog:
        if self.settings.log is None:
            return self.embedded_log
        from adapters.eventlog.eventstoredb import EventStoreDBEventLog

        # A worker tries again by itself, and says so each time: nothing is to be tried unsaid beneath it.
        tried = {"attempts": 1} if self._say else {}
        return EventStoreDBEventLog(
            self.settings.log, password=self.settings.log_password, lost=self._server_lost, **tried
        )

    @cached_property
    def embedded_log(self) -> SqliteEventLog:
        """The embedded log, for what only a file allows; refused where the log is a server's."""
        from adapters.eventlog.sqlite import SqliteEventLog

        if self.settings.log is not None:
            raise Refused(
                f"the log is on {self.settings.log_name}, not in a file here",
                hint="EventStoreDB has its own checks, backup and restore",
            )
        if not self.settings.log_path.exists():
            raise Failed(
                f"the log {self.settings.log_path} is gone",
                hint="`edge log restore BACKUP` brings it back; `edge init` makes a new one elsewhere",
            )
        return SqliteEventLog(self.settings.log_path)

    @cached_property
    def redactor(self) -> Redactor:
        from adapters.redaction.secrets import SecretRedactor

        return SecretRedactor()

    @cached_property
    def journal(self) -> Journal:
        from adapters.system import TimeOrderedIds
        from edge.journal import Journal

        return Journal(self.log, self.streams, self.redactor, self.clock, TimeOrderedIds())

    @cached_property
    def cognition(self) -> Cognition:
        from adapters.cognition.rules import RuleCognition

        if self.model is None:
            return RuleCognition()
        from adapters.cognition.model_grill import ModelCognition

        return ModelCognition(self.model)

    @cached_property
    def model(self) -> BudgetedModel | None:
        """The model the settings name, within its day's tokens; None where rules decide."""
        from edge.budget import BudgetedModel
        from edge.wiring_services import model_of

        model = model_of(self.settings)
        if model is None:
            return None
        return BudgetedModel(model, self.settings.extract_tokens_per_day, self._queries, self._today)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder the settings name; raises ModelAway where it is not installed."""
        from edge.wiring_services import embedder_of

        return embedder_of(self.settings)

    def _today(self) -> str:
        return self.clock.now().astimezone(self.settings.tz).date().isoformat()

    def look_at_model(self) -> str:
        """What is found where the model should be; raises ModelAway. It is asked nothing."""
        from edge.wiring_services import model_of

        model = model_of(self.settings)
        if model is None or self.model is None:
            return "none: rules decide"
        tally = self.model.tally()
        return f"{model.look()}; today {tally.tokens:,} of {self.model.cap:,} tokens in {tally.calls:,} calls"

    @cached_property
    def log_id(self) -> str:
        """The identity of the log, from its first event."""
        first: Event | None = next(self.log.read(self.streams.log, limit=1), None)
        if first is None or not isinstance(first.data.get("log_id"), str):
            raise Misused(
                f"the log {self.settings.log_name} is not of group {self.settings.group!r}",
                hint="set the group it was made with in edge.toml",
            )
        return str(first.data["log_id"])

    # -- the read side ----------------------------------------------------------------------

    @cached_property
    def store(self) -> ReadStore:
        from projections.models import MODELS
        from projections.store import DamagedError, ReadStore, set_aside

        path = self.settings.read_path
        try:
            return ReadStore(path, MODELS, self.log_id)
        except DamagedError:
            set_aside(path)  # disposable: the next catch-up folds all of it from the log
            return ReadStore(path, MODELS, self.log_id)

    @cached_property
    def _runner(self) -> Runner:
        from projections.runner import Runner

        return Runner(self.log, self.store, self.streams.log)

    @cached_property
    def _queries(self) -> ReadModels:
        from projections.queries import ReadModels

        return ReadModels(self.store)

    def current(self) -> ReadModels:
        """The read models at the log's head as it is now; tables of older code are rebuilt first."""
        self._fold_anew()
        self._runner.catch_up(report=self.report)
        self._fold_anew()
        return self._queries

    def _fold_anew(self) -> None:
        """Tables of older code, and those that hold what was forgotten since they were folded."""
        outdated = [model.NAME for model in self.store.outdated()]
        if outdated:
            marked = self.store.to_refold()
            self.rebuild(tuple(marked) if marked == outdated else ())

    def reads(self) -> DashboardReads:
        """The read models as they stand, for whoever must not run the log."""
        from projections.dashboard_queries import DashboardQueries

        if "_standing" not in self.__dict__:
            self.__dict__["_standing"] = DashboardQueries(self.store)
        return cast("DashboardReads", self.__dict__["_standing"])

    def found(self, text: str, limit: int) -> list[tuple[Knowing, float]]:
        """What is known of a text in the read models as they stand, best first."""
        parts = self.knowledge
        return self._queries.knowledge.search(text, parts.embedder, parts.vectors, limit)

    def at(self, when: str, models: Collection[str] = ()) -> ReadModels:
        """The read models as of a position or an ISO time, replayed in memory by the same fold.

        Where ``models`` are named, only they are folded, for who asks for nothing else.
        """
        from projections.models import MODELS
        from projections.queries import ReadModels
        from projections.runner import Runner
        from projections.store import ReadStore

        chosen = tuple(model for model in MODELS if not models or model.NAME in models)
        store = ReadStore(None, chosen, self.log_id)
        Runner(self.log, store, self.streams.log).catch_up(self.position_of(when), self.report)
        return ReadModels(store)

    def position_of(self, when: str) -> int:
        """The position meant by ``when``: one itself, or the last before anything recorded later."""
        if when.isdecimal():
            position = int(when)
            if position > self.log.head():
                raise Refused(
                    f"the log has no position {position} yet", hint=f"its head is {self.log.head()}"
                )
            return position
        from edge.audit import last_position_at

        return last_position_at(self.log, moment_named(when, self.settings.tz))

    def clock_at(self, when: str | None) -> datetime:
        """The time it was: now, the time asked for, or when the last event up to a position was recorded."""
        now = self.clock.now()
        if when is None:
            return now
        if not when.isdecimal():
            return moment_named(when, self.settings.tz)
        after = next((e.position for e in self.log.read_all(after=int(when), limit=1)), None)
        last = next(self.log.read_all(before=after, backwards=True, limit=1), None)
        return moment(last.recorded_at, now) if last else now

    def rebuild(self, names: tuple[str, ...] = ()) -> int:
        """Fold models anew beside the old and swap them in; all of them where none is named."""
        from projections.rebuild import rebuild

        return rebuild(self.log, self.store, self.streams.log, names, self.report)

    # -- forgetting -------------------------------------------------------------------------

    @cached_property
    def forgetting(self) -> Forgetting:
        from edge.forget import Forgetting
        from projections.forgotten import ForgettingIndex

        return Forgetting(self.journal, self, ForgettingIndex(self.store), self.follow_ups)

    @cached_property
    def follow_ups(self) -> tuple[FollowUp, ...]:
        """What lets go of forgotten text once the log has, in this order."""
        from edge.ports_forget import READ_MODELS
        from edge.scrubbing import Scrub

        # each is opened only when it has to let go: health names them, and never fails
        file = Scrub("log file", lambda: self.embedded_log.scrub())  # noqa: PLW0108  # looked up late
        log = () if self.settings.log is not None else (file,)
        graph = (Scrub("graph", self.knowledge.catch_graph_up),) if self.settings.graph else ()
        wiki = Scrub("wiki", self.derived.let_go)
        return (Scrub(READ_MODELS, self._scrub_read_models), *log, wiki, *graph)

    def _scrub_read_models(self) -> None:
        from edge.health import STOPPED
        from edge.scrubbing import remove_leftovers
        from projections.extraction_queue import silence

        self.current()
        self.store.note(STOPPED, "")
        silence(self.store.connection)
        self.store.scrub()
        remove_leftovers(self.settings.home)

    def finish_forgetting(self) -> list[Pending]:
        """Go on with a forgetting that was cut off; what still cannot let go of it is named."""
        return self.forgetting.finish()

    def was_forgotten(self, stream: str) -> bool:
        """Whether a stream's words were forgotten."""
        from projections.forgotten import ForgettingIndex

        return stream in ForgettingIndex(self.store).beginning(stream)

    def resolve(self, kind: IdKind, prefix: str) -> str:
        """The one id that begins with ``prefix``; itself where nothing does, for the rules to refuse."""
        found = self.current().matching(kind, prefix)
        if len(found) > 1:
            raise Misused(
                f"{prefix!r} begins more than one {kind} id: {', '.join(found)}", hint="give more of it"
            )
        return found[0] if found else prefix

    # -- the sweep --------------------------------------------------------------------------

    def sweep_for(self, dispatch_id: str) -> Data:
        """The sweep at the open of a dispatch."""
        return self.sweep(dispatch_id=dispatch_id)

    def extract_for(self, dispatch_id: str, tell: Callable[[str], None]) -> Data:
        """The extraction at the open of a dispatch, with what it was estimated at; ``tell`` hears that
        before a model is paid. What is kept beside the read models follows."""
        estimate = self.knowledge.estimate()
        if estimate.tokens:
            tell(f"extracting {estimate.episodes} episodes: some {estimate.tokens:,} tokens")
        extracted = self.knowledge.extract(dispatch_id)
        self.knowledge.follow()
        return {**extracted.as_json(), "estimate": estimate._asdict()}

    def sweep(
        self, *, dry_run: bool = False, since: datetime | None = None, dispatch_id: str | None = None
    ) -> Data:
        """Take in what is new in the transcript store; what it did, as ``sweep`` prints it."""
        from adapters.transcripts.claude_code import ClaudeCodeStore
        from edge.journal import Act
        from edge.ports_transcripts import StoreSettings
        from edge.sweep import Sweep
        from projections.files import SweepFiles

        settings = StoreSettings(
            root=transcript_root(self.settings),
            only=self.settings.only,
            exclude=self.settings.exclude,
            since=since or self.settings.since_moment,
        )
        notes = SweepFiles(self.store.connection)
        index = _Index(self)
        act = Act("sweep", dispatch_id=dispatch_id)
        report = self.report or _unreported
        store = ClaudeCodeStore(settings.root)
        sweep = Sweep(self.journal, self.redactor, store, index, notes, settings, act=act, report=report)
        swept = sweep.run(dry_run=dry_run)
        if not dry_run:
            self.current().note(LAST_SWEEP, self.journal.now())
        return swept.as_json()

    # -- use cases --------------------------------------------------------------------------

    @cached_property
    def voz(self) -> Voz:
        from adapters.channels.native import NativeChannel
        from edge.voz import Voz

        return Voz(self.journal, self, NativeChannel())

    @cached_property
    def steering(self) -> Steering:
        from edge.steering import Steering

        return Steering(self.journal, self)

    @cached_property
    def grill(self) -> Grill:
        from edge.grill import Grill

        return Grill(self.journal, self)

    @cached_property
    def dispatches(self) -> Dispatches:
        from edge.dispatch import Dispatches

        return Dispatches(self.journal, self)

    @cached_property
    def curation(self) -> KnowledgeCuration:
        from edge.knowledge import KnowledgeCuration

        return KnowledgeCuration(self.journal, self)

    def why(self, id_: str, kind: str | None = None, at: str | None = None) -> Node:
        """What stands behind an id, as of the log's head, or as it stood at a position or a time."""
        return self._why(self.current() if at is None else self.at(at), id_, kind, at)

    def why_standing(self, id_: str, kind: str | None = None) -> Node:
        """The same of the read models as they stand."""
        return self._why(self.reads(), id_, kind)

    def _why(self, queries: Queries, id_: str, kind: str | None, at: str | None = None) -> Node:
        from edge.audit import found
        from edge.why import Why

        def find(event: str) -> Event | None:
            return self.embedded_log.find(event) if self.settings.log is None else found(self.log, event)

        until = None if at is None else self.position_of(at)
        with queries.snapshot():
            why = Why(self.log, self.streams, queries, self.clock_at(at), find, until)
            return why.explain(id_, kind)

    @cached_property
    def source_curation(self) -> SourceCuration:
        from edge.sources import SourceCuration

        return SourceCuration(self.journal)

    @cached_property
    def knowledge(self) -> KnowledgeParts:
        from edge.wiring_knowledge import KnowledgeParts

        return KnowledgeParts(self)

    @cached_property
    def derived(self) -> DerivedParts:
        from edge.wiring_derived import DerivedParts

        return DerivedParts(self)

    def health(self) -> Data:
        """The health strip; a swapped log is part of it, not an error of it."""
        from projections.runner import LogChangedError

        changed = False
        try:
            queries = self.current()
        except LogChangedError:
            queries, changed = self._queries, True
        lag = self._runner.lag()
        forgetting = self._unforgotten()
        return health(queries, self.mode, Lag(self.log.head(), lag, changed, forgetting))

    def _unforgotten(self) -> list[str]:
        from edge.ports_forget import still_holding
        from projections.forgotten import ForgettingIndex

        return still_holding(ForgettingIndex(self.store), self.follow_ups)

    def briefing(self, budget: int | None = None) -> Briefing:
        """The Briefing at the log's head."""
        from edge.briefing import BUDGET_TOKENS, compose
        from edge.recap import refresh

        now, zone, lang = self.clock.now(), self.settings.tz, self.settings.lang
        self.current().clusters().refresh()
        refresh(self.current(), now)
        return compose(self.current(), self.health(), now, zone, lang, budget or BUDGET_TOKENS)

    def strip(self) -> Data:
        """The health strip of the read models as they stand; the log is asked for its end alone.

        ``away`` says why it could not be asked.
        """
        queries = self.reads()
        try:
            head, away = self.log.head(), None
            after = self.log.read_all(after=queries.position() or None, limit=LAG_COUNTED)
            behind = sum(1 for _ in after) if head > queries.position() else 0
        except EdgeError as error:
            head, behind, away = queries.position(), 0, error.message
        return {**health(queries, self.mode, Lag(head, behind)), "away": away}

    def briefing_standing(self) -> Data:
        """The Briefing of the read models as they stand, without bringing them to the log's head."""
        from edge.briefing import compose

        now, zone, lang = self.clock.now(), self.settings.tz, self.settings.lang
        composed = compose(self.reads(), self.strip(), now, zone, lang)
        return {**composed.as_json(), "position": composed.position, "recomputed": False}

    def briefing_at(self, when: str) -> tuple[Data, str]:
        """The Briefing as it was shown at a position; recomputed, and a note that says so, where none was."""
        from edge.briefing import as_presented, compose

        position = self.position_of(when)
        presented = self.current().presentation(position) if when.isdecimal() else None
        if presented is not None:
            return as_presented(presented), ""
        from projections.forgotten import ForgettingIndex

        queries = self.at(when)
        now, zone, lang = self.clock_at(when), self.settings.tz, self.settings.lang
        composed = compose(queries, health(queries, self.mode, Lag(position, 0)), now, zone, lang)
        why = f"no Briefing was shown at {when}"
        if when.isdecimal() and ForgettingIndex(self.store).briefing(position):
            why = f"the Briefing shown at {when} was forgotten"
        note = f"({why}: recomputed from the log)\n\n"
        return {**composed.as_json(), "position": composed.position, "recomputed": True}, note

    def worker(self, say: Callable[[str], None], found: Callable[[], object] = lambda: None) -> Worker:
        """What keeps this host's read models at the log's end while it runs; ``found`` is called each
        time it has found the log and begins to follow it."""
        from projections.worker import Worker

        def ready() -> tuple[Runner, Callable[[int], object]]:
            opened = self._ready_to_follow()
            found()
            return opened

        self._say = say
        return Worker(self.log, ready, say)

    def follower(self, reached: Callable[[int], object], say: Callable[[str], None]) -> Worker:
        """What keeps the read models at the log's end and tells whoever shows them; no links."""
        from projections.worker import Worker

        self._say = say
        return Worker(self.log, lambda: (self._ready_to_follow()[0], reached), say)

    def _ready_to_follow(self) -> tuple[Runner, Callable[[int], object]]:
        """What the log is folded into, opened and of this code; needs the log for that."""
        self._fold_anew()
        return self._runner, self._after_page

    @cached_property
    def _after_page(self) -> Callable[[int], object]:
        """What a worker does besides: finish what is forgotten, and links, where the log is one that can."""
        links: Callable[[int], object] = lambda _position: None  # noqa: E731
        if self.settings.log is not None:
            from edge.linking import Linking

            links = Linking(self.log, cast("Links", self.log), self.streams, self._queries).catch_up

        def after(position: int) -> None:
            self._fold_anew()
            for pending in self.finish_forgetting() if self._unforgotten() else ():
                if self._say:
                    self._say(f"forgetting: {pending.why}")
            links(position)

        return after

    def _server_lost(self, error: EdgeError, seconds: float) -> None:
        """A subscription lost its server; it goes on by itself."""
        if self._say:
            self._say(f"{error.message}; trying again in {seconds:.1f} s")

    def hang_up(self) -> None:
        """End what is under way on a log's server, from any thread; a log in a file waits for nobody."""
        if self.settings.log is not None:
            self.log.close()

    def __enter__(self) -> Edge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what was opened."""
        for name in ("knowledge", "store", "log"):
            if name in self.__dict__:
                self.__dict__[name].close()


def create_log(path: Path) -> None:
    """Make an empty embedded log; refused where the path is taken."""
    from adapters.eventlog.sqlite import SqliteEventLog

    SqliteEventLog.create(path).close()


def transcript_root(settings: Settings) -> Path:
    """Where transcripts are read: as set, else Claude Code's own store."""
    from adapters.transcripts.claude_code import default_root

    return Path(settings.root) if settings.root else default_root()


def transcript_projects(root: Path | None) -> list[str]:
    """The projects a transcript store holds sessions of."""
    from adapters.transcripts.claude_code import default_root
    from adapters.transcripts.projects import projects

    return projects(root or default_root())


def sqlite_version() -> str:
    import apsw

    return apsw.sqlite_lib_version()


def _unreported(_what: str, _done: int, _of: int | None) -> None:
    """Where nobody looks, progress goes nowhere."""


class _Index:
    """What the sweep asks of the read models; see :class:`edge.ports_transcripts.SweepIndex`."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    def catch_up(self) -> None:
        self._edge.current()

    def stream(self, stream: str) -> StreamState | None:
        from projections.episodes import stream_state

        return stream_state(self._edge.store.connection, stream)

    def known(self, keys: Collection[str]) -> set[str]:
        from projections.episodes import known

        return known(self._edge.store.connection, keys)
