"""The projection of the knowledge into Graphiti's schema: carried on, or done anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import uuid4

from neo4j import ManagedTransaction, Session

from adapters.graph.neo4j import checkpoint, schema
from adapters.graph.neo4j import statements as cypher
from adapters.graph.neo4j.checkpoint import Checkpoint, Superseded, Terms
from adapters.graph.neo4j.connection import Connection
from adapters.graph.neo4j.curated import Curated, digest
from adapters.graph.neo4j.pages import Page, Pages, Were
from adapters.graph.neo4j.writing import Writer
from edge.domain.refusal import EdgeError
from edge.ports_knowledge import Embedder, KnownGraph, VectorStore

if TYPE_CHECKING:  # it imports Graphiti, which takes a second
    from adapters.graph.neo4j.search import Neo4jSearch

T = TypeVar("T")

LEASE: Final = 15.0
DROPPED_AT_ONCE: Final = 1_000


class Neo4jGraph:
    """The graph of one group and of its curated statements (``<group>_curated``) in a database.

    ``lease`` is how many seconds a projector may be idle before another takes its place: after
    a kill the graph stays behind for as long. Shorter is as safe, and wastes more work.
    Everything raises :class:`~edge.domain.refusal.Unreachable` where the server does not do it now.
    """

    def __init__(
        self,
        uri: str,
        password: str | None,
        group: str,
        embedder: Embedder,
        vectors: VectorStore,
        *,
        log_id: str,
        lease: float = LEASE,
    ) -> None:
        self.group = group
        self.groups = (group, f"{group}_curated")
        self._connection = Connection(uri, password)
        self._where = self._connection.where
        self._embedder = embedder
        self._vectors = vectors
        self._log_id = log_id
        self._lease = lease

    def close(self) -> None:
        self._connection.close()

    def position(self) -> int:
        """The position up to which everything is in the graph; 0 before the first projection.

        Raises :class:`~adapters.graph.neo4j.errors.GraphChangedError` where another log was projected.
        """
        found = self.checkpoint()
        checkpoint.check(found, self._log_id, self._embedder.name, self._where)
        return found.position if found else 0

    def checkpoint(self) -> Checkpoint | None:
        """Where the projection stands, of whatever log."""
        found = self._connection.read(checkpoint.READ, group=self.group)
        return checkpoint.read(found[0]["found"]) if found else None

    def project(self, known: KnownGraph, curated: Sequence[Curated] = ()) -> int:
        """Bring the graph to where ``known`` is; how much changed.

        0 also where another projector is at it, or was already further: then it is not behind
        for long. Cut off anywhere, the next call makes up for it.
        """
        return self._run(known, curated, anew=False)

    def rebuild(self, known: KnownGraph, curated: Sequence[Curated] = ()) -> int:
        """Take everything of both groups out of the database, whoever wrote it, and project anew."""
        return self._run(known, curated, anew=True)

    def search(self) -> Neo4jSearch:
        """Candidate search in both groups, by Graphiti's own queries."""
        from adapters.graph.loading import load_graphiti

        load_graphiti(self._embedder.dimension)
        from adapters.graph.neo4j.search import Neo4jSearch

        return Neo4jSearch.over(self._connection, self._embedder, self.groups)

    def find(self, text: str, limit: int) -> list[tuple[str, float]]:
        """Ids of statements about a text, best first, with their scores."""
        return [(found.id, found.score) for found in self.search().facts(text, limit)]

    # -- one run -----------------------------------------------------------------------------

    def _run(self, known: KnownGraph, curated: Sequence[Curated], *, anew: bool) -> int:
        target, said = known.position(), digest(curated)
        found = self.checkpoint()
        if not anew:
            checkpoint.check(found, self._log_id, self._embedder.name, self._where)
            if found and (found.position, found.curated) == (target, said):
                return 0
        version = schema.schema_version()
        if found is None or found.schema != version:
            schema.create(self._connection)
        terms = Terms(self.group, self._log_id, self._embedder.name, version, str(uuid4()), target, said)
        with self._connection.session() as session:
            begun = self._connection.write(
                lambda t: checkpoint.claim(t, terms, self._where, lease=self._lease, anew=anew), session
            )
            if begun is None:
                return 0
            run = Run(self._connection, session, terms)
            try:
                return self._project(run, begun, known, curated)
            except Superseded:
                return 0
            except BaseException:
                with suppress(EdgeError):  # what went wrong is told already; a claim also ends by itself
                    run.release()
                raise

    def _project(self, run: Run, begun: Checkpoint, known: KnownGraph, curated: Sequence[Curated]) -> int:
        if begun.position == 0:
            self._drop(run)  # each time it begins from the start: the time before may have been cut off
        pages = Pages(self.group, self._embedder, self._vectors, self._were)
        last = Page()
        for page, is_last in _with_last(pages.of(known, begun.position)):
            if is_last:
                last = page
            else:
                run.page(lambda t, it=page: Writer(t, self.group).write(it))  # type: ignore[misc]
        changed = begun.curated != run.terms.curated
        statements = pages.curated(curated, self.groups[1]) if changed else None

        def end(transaction: ManagedTransaction) -> None:
            Writer(transaction, self.group).write(last)
            if statements is not None:
                Writer(transaction, self.groups[1]).set_whole(statements)
            checkpoint.finish(transaction, run.terms)

        run.page(end)
        return pages.changes + (len(curated) if changed else 0)

    def _drop(self, run: Run) -> None:
        """Take all nodes of both groups away, some at a time."""
        for label in cypher.LABELS:
            query, dropped = cypher.drop(label), DROPPED_AT_ONCE
            while dropped == DROPPED_AT_ONCE:

                def some(t: ManagedTransaction, query: str = query) -> int:
                    result = t.run(query, groups=self.groups, limit=DROPPED_AT_ONCE)
                    return int(result.single(strict=True)["dropped"])

                dropped = run.page(some)

    def _were(self, episodes: Sequence[str]) -> Iterable[Were]:
        if not episodes:
            return ()
        found = self._connection.read(cypher.EPISODES_WERE, group=self.group, uuids=episodes)
        return (Were(record["episode"], record["entities"], record["facts"]) for record in found)


class Run:
    """A projector's transactions, in order, for as long as the claim is its own."""

    def __init__(self, connection: Connection, session: Session, terms: Terms) -> None:
        self.terms = terms
        self._connection = connection
        self._session = session
        self._pages = 0

    def page(self, work: Callable[[ManagedTransaction], T]) -> T:
        """Do the work in the next transaction. Where only the answer is lost, the driver tries
        again: then it stands already, and what it gave is known from the first time."""
        number, self._pages = self._pages, self._pages + 1
        given: list[T] = []

        def once(transaction: ManagedTransaction) -> None:
            if checkpoint.next_page(transaction, self.terms, number):
                given[:] = [work(transaction)]

        self._connection.write(once, self._session)
        return given[0]

    def release(self) -> None:
        self._connection.write(lambda t: checkpoint.release(t, self.terms), self._session)


def _with_last(pages: Iterator[Page]) -> Iterator[tuple[Page, bool]]:
    """Each page, and whether it is the last; there is at least one."""
    page = next(pages)
    for following in pages:
        yield page, False
        page = following
    yield page, True
