"""The composition of an install. Every part is imported when first used, so that a command pays
only for what it touches."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from edge.ports import Report
from edge.settings import load
from edge.wiring_outside import Outside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from edge.briefing import Briefing
    from edge.budget import BudgetedModel
    from edge.dispatch import Dispatches
    from edge.domain.events import Data
    from edge.forget import Forgetting, Pending
    from edge.grill import Grill
    from edge.knowledge import KnowledgeCuration
    from edge.ports import Cognition, IdKind
    from edge.ports_dashboard import DashboardReads
    from edge.ports_forget import FollowUp
    from edge.ports_knowledge import Knowing
    from edge.sources import SourceCuration
    from edge.steering import Steering
    from edge.voz import Voz
    from edge.why_nodes import Node
    from edge.wiring_derived import DerivedParts
    from edge.wiring_knowledge import KnowledgeParts
    from edge.wiring_reads import ReadParts
    from projections.queries import ReadModels
    from projections.store import ReadStore
    from projections.worker import Worker


class Edge(Outside):
    """One install, opened: what it stands on, its read models, and the use cases over them.

    It names the parts; how each works stands in the ``edge.wiring_…`` of its subject.
    """

    @classmethod
    def at_home(cls, home: Path, report: Report | None = None) -> Edge:
        """The install of a home; exit 2 where it has no identity."""
        edge = cls(load(home), report)
        if "EDGE_NOW" in os.environ:
            _ = edge.clock  # a time that is none is said at once, also by what asks for no time
        return edge

    # -- the read side ----------------------------------------------------------------------

    @cached_property
    def store(self) -> ReadStore:
        from edge.wiring_reads import opened

        return opened(self.settings.read_path, self.log_id)

    @cached_property
    def reading(self) -> ReadParts:
        from edge.wiring_reads import ReadParts

        return ReadParts(self)

    def current(self) -> ReadModels:
        """The read models at the log's head as it is now; tables of older code are rebuilt first."""
        return self.reading.current()

    def reads(self) -> DashboardReads:
        """The read models as they stand, for whoever must not run the log."""
        return self.reading.standing

    def found(self, text: str, limit: int) -> list[tuple[Knowing, float]]:
        """What is known of a text in the read models as they stand, best first."""
        return self.knowledge.found(text, limit)

    def at(self, when: str, models: Collection[str] = ()) -> ReadModels:
        """The read models as of a position or an ISO time.

        Where ``models`` are named, only they are folded, for who asks for nothing else.
        """
        return self.reading.at(when, models)

    def position_of(self, when: str) -> int:
        """The position meant by ``when``: one itself, or the last before anything recorded later."""
        return self.reading.position_of(when)

    def clock_at(self, when: str | None) -> datetime:
        """The time it was: now, the time asked for, or when the last event up to a position was recorded."""
        return self.reading.clock_at(when)

    def rebuild(self, names: tuple[str, ...] = ()) -> int:
        """Fold models anew beside the old and swap them in; all of them where none is named."""
        return self.reading.rebuild(names)

    def resolve(self, kind: IdKind, prefix: str) -> str:
        """The one id that begins with ``prefix``; itself where nothing does, for the rules to refuse."""
        return self.reading.resolve(kind, prefix)

    def why(self, id_: str, kind: str | None = None, at: str | None = None) -> Node:
        """What stands behind an id, as of the log's head, or as it stood at a position or a time."""
        return self.reading.why(id_, kind, at)

    def why_standing(self, id_: str, kind: str | None = None) -> Node:
        """The same of the read models as they stand."""
        return self.reading.why_standing(id_, kind)

    # -- health and the Briefing ------------------------------------------------------------

    def health(self) -> Data:
        """The health strip; a swapped log is part of it, not an error of it."""
        from edge.wiring_briefing import health_at_head

        return health_at_head(self)

    def strip(self) -> Data:
        """The health strip of the read models as they stand; the log is asked for its end alone."""
        from edge.wiring_briefing import strip

        return strip(self)

    def briefing(self, budget: int | None = None, *, in_prose: bool = False) -> Briefing:
        """The Briefing at the log's head; ``in_prose``: with a configured model's words of the Recap."""
        from edge.wiring_briefing import briefing

        return briefing(self, budget, in_prose)

    def briefing_standing(self) -> Data:
        """The Briefing of the read models as they stand, without bringing them to the log's head."""
        from edge.wiring_briefing import briefing_standing

        return briefing_standing(self)

    def briefing_at(self, when: str, budget: int | None = None) -> tuple[Data, str]:
        """The Briefing as it was shown at a position; recomputed, and a note that says so, where none was."""
        from edge.wiring_briefing import briefing_at

        return briefing_at(self, when, budget)

    # -- forgetting -------------------------------------------------------------------------

    @cached_property
    def forgetting(self) -> Forgetting:
        from edge.wiring_forgetting import forgetting

        return forgetting(self)

    @cached_property
    def follow_ups(self) -> tuple[FollowUp, ...]:
        """What lets go of forgotten text once the log has, in this order."""
        from edge.wiring_forgetting import follow_ups

        return follow_ups(self)

    def finish_forgetting(self) -> list[Pending]:
        """Go on with a forgetting that was cut off; what still cannot let go of it is named."""
        return self.forgetting.finish()

    def was_forgotten(self, stream: str) -> bool:
        """Whether a stream's words were forgotten."""
        from edge.wiring_forgetting import was_forgotten

        return was_forgotten(self, stream)

    # -- taking in --------------------------------------------------------------------------

    def sweep(
        self, *, dry_run: bool = False, since: datetime | None = None, dispatch_id: str | None = None
    ) -> Data:
        """Take in what is new in the transcript store; what it did, as ``sweep`` prints it."""
        from edge.wiring_sweep import sweep

        return sweep(self, dry_run, since, dispatch_id)

    def sweep_for(self, dispatch_id: str) -> Data:
        """The sweep at the open of a dispatch."""
        return self.sweep(dispatch_id=dispatch_id)

    def extract_for(self, dispatch_id: str, tell: Callable[[str], None]) -> Data:
        """The extraction at the open of a dispatch; ``tell`` hears what it may cost before it does."""
        from edge.wiring_sweep import extract_for

        return extract_for(self, dispatch_id, tell)

    @cached_property
    def knowledge(self) -> KnowledgeParts:
        from edge.wiring_knowledge import KnowledgeParts

        return KnowledgeParts(self)

    @cached_property
    def derived(self) -> DerivedParts:
        from edge.wiring_derived import DerivedParts

        return DerivedParts(self)

    # -- cognition and use cases ------------------------------------------------------------

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
        return BudgetedModel(model, self.settings.extract_tokens_per_day, self.reading.queries, self._today)

    def _today(self) -> str:
        return self.clock.now().astimezone(self.settings.tz).date().isoformat()

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

        return Grill(self.journal, self, self.settings.tz)

    @cached_property
    def dispatches(self) -> Dispatches:
        from edge.dispatch import Dispatches

        return Dispatches(self.journal, self)

    @cached_property
    def curation(self) -> KnowledgeCuration:
        from edge.knowledge import KnowledgeCuration

        return KnowledgeCuration(self.journal, self)

    @cached_property
    def source_curation(self) -> SourceCuration:
        from edge.sources import SourceCuration

        return SourceCuration(self.journal)

    # -- running on -------------------------------------------------------------------------

    def worker(self, say: Callable[[str], None], found: Callable[[], object] = lambda: None) -> Worker:
        """What keeps this host's read models at the log's end while it runs; ``found`` is called each
        time it has found the log and begins to follow it."""
        from edge.wiring_following import FollowingParts

        self._say = say
        return FollowingParts(self, say).worker(found)

    def follower(self, reached: Callable[[int], object], say: Callable[[str], None]) -> Worker:
        """What keeps the read models at the log's end and tells whoever shows them; no links."""
        from edge.wiring_following import FollowingParts

        self._say = say
        return FollowingParts(self, say).follower(reached)

    def __enter__(self) -> Edge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what was opened."""
        for name in ("knowledge", "store", "log"):
            if name in self.__dict__:
                self.__dict__[name].close()
