"""What is derived beside the read models, brought to where they stand: clusters, what a model says of
them, and the wiki."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from edge.domain.refusal import EdgeError

if TYPE_CHECKING:
    from pathlib import Path

    from edge.domain.events import Data
    from edge.ports_wiki import Kept, Pages
    from edge.summaries import Summarised
    from edge.wiring import Edge

TROUBLE: Final = "derived_trouble"
"""Name under which the host notes why the wiki, or a model's summaries, are not current."""

SUMMARISED: Final = "summarised"
"""Name under which the host notes of what all clusters were last written of."""


class DerivedParts:
    """Kept current by ``open``, the worker and ``forget``; losing any of it costs time only."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    @property
    def root(self) -> Path:
        """Where the wiki's pages stand."""
        return self._edge.settings.home / "wiki"

    def refresh(self) -> str | None:
        """Bring all of it to the log's head. What cannot be is noted and returned; nothing waits for it."""
        from edge.recap import refresh

        said = None
        try:
            refresh(self._edge.current(), self._edge.clock.now())
            said = self.summarise().said
            self.follow_with_wiki()
        except EdgeError as error:
            said = error.message
        if said != (self._edge.current().noted(TROUBLE) or None):
            self._edge.current().note(TROUBLE, said or "")
        return said

    def let_go(self) -> None:
        """Write the pages without what is forgotten; raises where they cannot be written."""
        self.follow_with_wiki()

    def clusters(self, at: str | None) -> list[Data]:
        """The clusters as ``knowledge clusters`` prints them. Of another time the facts speak for
        them: what a model wrote is of now."""
        from edge.clusters import described
        from projections.summaries import StoredSummaries

        queries = self._edge.current() if at is None else self._edge.at(at)
        if at is None:
            queries.clusters().refresh()
        written = StoredSummaries(self._edge.store).standing() if at is None else {}
        with queries.snapshot():
            return described(queries.clusters(), written, self._edge.settings.lang)

    def summarise(self) -> Summarised:
        """Have a configured model write of clusters that changed; drop what is written of none."""
        from edge.summaries import Summarised, summarise
        from projections.summaries import StoredSummaries

        queries = self._edge.current()
        clusters = queries.clusters()
        settings = self._edge.settings
        clusters.refresh()
        made_of = f"{clusters.key()} {settings.model} {settings.lang}"
        if queries.noted(SUMMARISED) == made_of:
            return Summarised(0, 0, 0, None)
        store, model = StoredSummaries(self._edge.store), self._edge.knowledge.model
        with queries.snapshot():  # where nobody writes and nothing was written, nobody need look
            views = clusters.views() if model is not None or store.standing() else []
        done = summarise(views, store, model, settings.lang, time.monotonic)
        if not done.left:
            queries.note(SUMMARISED, made_of)
        return done

    def wiki(self) -> Kept:
        """Look at every page, and have all stand there as things stand now."""
        files = self._files()
        with files.locked():
            return self._keep(files, self._made_of())

    def follow_with_wiki(self) -> Kept | None:
        """The same, unless the pages were made of what is known now: then nothing is looked at."""
        files = self._files()
        with files.locked():
            made_of = self._made_of()
            return None if files.key() == made_of else self._keep(files, made_of)

    def _files(self) -> Pages:
        from adapters.pages import PageFiles
        from edge.wiki_words import mark

        return PageFiles(self.root, mark)

    def _made_of(self) -> str:
        from edge.wiki_words import VERSION
        from projections.wiki import wiki_key

        self._edge.current().clusters().refresh()
        settings = self._edge.settings
        today = self._edge.clock.now().astimezone(settings.tz).date().isoformat()
        return wiki_key(self._edge.store, str(VERSION), settings.lang, today)

    def _keep(self, files: Pages, made_of: str) -> Kept:
        from edge.wiki import pages
        from projections.summaries import StoredSummaries

        written = StoredSummaries(self._edge.store).standing()
        now, zone, lang = self._edge.clock.now(), self._edge.settings.tz, self._edge.settings.lang
        return files.keep(pages(self._edge.current(), written, now, zone, lang), made_of)
