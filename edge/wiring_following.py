"""What keeps an install's read models at the log's end while it runs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from edge.wiring_forgetting import holding
from projections.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.ports import Links
    from edge.wiring import Edge
    from projections.runner import Runner


class FollowingParts:
    """The log of one install, followed; ``say`` hears of what does not go well."""

    def __init__(self, edge: Edge, say: Callable[[str], None]) -> None:
        self._edge = edge
        self._say = say

    def worker(self, found: Callable[[], object]) -> Worker:
        """The host's own: it also finishes what is forgotten, and links. ``found`` is called each time
        it has found the log and begins to follow it."""

        def ready() -> tuple[Runner, Callable[[int], object]]:
            opened = self._opened(), self._after_page
            found()
            return opened

        return Worker(self._edge.log, ready, self._say)

    def follower(self, reached: Callable[[int], object]) -> Worker:
        """What tells whoever shows the read models that they moved; no links."""
        return Worker(self._edge.log, lambda: (self._opened(), reached), self._say)

    def _opened(self) -> Runner:
        """What the log is folded into, opened and of this code; needs the log for that."""
        self._edge.reading.fold_anew()
        return self._edge.reading.runner

    @cached_property
    def _after_page(self) -> Callable[[int], object]:
        """What a worker does besides: finish what is forgotten, and links, where the log is one that can."""
        edge = self._edge
        links: Callable[[int], object] = _no_links
        if edge.settings.log is not None:
            from edge.linking import Linking

            links = Linking(edge.log, cast("Links", edge.log), edge.streams, edge.reading.queries).catch_up

        def after(position: int) -> None:
            edge.reading.fold_anew()
            for pending in edge.finish_forgetting() if holding(edge) else ():
                self._say(f"forgetting: {pending.why}")
            links(position)

        return after


def _no_links(_position: int) -> object:
    """A log in a file needs none."""
    return None
