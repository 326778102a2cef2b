"""How far the graph is, and who may write it: one node a group, looked at in every transaction.

A projector *claims* the group, and every page it writes is a transaction that first finds the
claim still its own and the page the next one, and counts it. So of two projectors at once one
stops, a page whose answer was lost is not written twice, and after a kill the next projector
begins again from the position that was reached whole.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from neo4j import ManagedTransaction

from adapters.graph.neo4j.errors import GraphChangedError
from adapters.graph.neo4j.schema import CHECKPOINT
from edge.domain.refusal import Refused


class Checkpoint(NamedTuple):
    """Where the projection into one group stands."""

    log_id: str
    position: int
    """Everything up to here is in the graph."""
    reached: int
    """The furthest position a projector has begun to write; the same, unless one is at it or died."""
    embedder: str
    curated: str
    schema: str


class Superseded(Exception):  # not an error: another projector is at it
    """The claim is not ours, or not any more."""


class Terms(NamedTuple):
    """What a projector claims a group for."""

    group: str
    log_id: str
    embedder: str
    schema: str
    claim: str
    """Its own, made for this once."""
    target: int
    curated: str


READ: Final = f"MATCH (c:{CHECKPOINT} {{group: $group}}) RETURN c {{.*}} AS found"
# The write comes first, and with it the lock: what is read after it nobody changes meanwhile.
_LOCK: Final = f"MATCH (c:{CHECKPOINT} {{group: $group}}) SET c.asked = $claim"
_MAKE: Final = f"MERGE (c:{CHECKPOINT} {{group: $group}}) SET c.asked = $claim"
_CLAIMED: Final = (
    f"MATCH (c:{CHECKPOINT} {{group: $group}}) RETURN c {{.*}} AS found,"
    " c.claimed IS NOT NULL AND c.claimed > datetime.realtime() - duration({milliseconds: $lease}) AS busy"
)
_FOREIGN: Final = (
    "UNWIND $groups AS g CALL (g) { MATCH (n:Entity {group_id: g}) RETURN n LIMIT 1"
    " UNION MATCH (n:Episodic {group_id: g}) RETURN n LIMIT 1 } RETURN count(n) AS found"
)
_CLAIM: Final = (
    f"MATCH (c:{CHECKPOINT} {{group: $group}}) SET c += $said, c.claimed = datetime.realtime(), c.page = 0"
)
_HELD: Final = (
    f"MATCH (c:{CHECKPOINT} {{group: $group}})"
    " RETURN c.claim AS claim, c.page AS page, c.finished AS finished"
)
_NEXT: Final = (
    f"MATCH (c:{CHECKPOINT} {{group: $group}}) SET c.page = $page + 1, c.claimed = datetime.realtime()"
)
_FINISH: Final = (
    f"MATCH (c:{CHECKPOINT} {{group: $group}}) SET c.position = $position, c.curated = $curated,"
    " c.finished = $claim"
    " REMOVE c.claim, c.claimed, c.page, c.asked"
)
_RELEASE: Final = (
    f"MATCH (c:{CHECKPOINT} {{group: $group}}) WHERE c.claim = $claim"
    " REMOVE c.claim, c.claimed, c.page, c.asked"
)


def read(found: dict[str, Any] | None) -> Checkpoint | None:
    """A checkpoint from its node's properties; None where nothing was ever projected."""
    if not found or "log_id" not in found:
        return None
    return Checkpoint(**{name: found[name] for name in Checkpoint._fields})


def check(found: Checkpoint | None, log_id: str, embedder: str, where: str) -> None:
    """Refuse to go on with a graph of another log, or with vectors that do not compare."""
    if found is None:
        return
    if found.log_id != log_id:
        raise GraphChangedError(
            f"{where}: what stands there is of another log",
            hint="was the log replaced, or does another install use this group? Else rebuild the graph",
        )
    if found.embedder != embedder:
        raise Refused(
            f"{where}: the vectors there are of the embedder {found.embedder}, not {embedder}",
            hint="set that embedder here, or rebuild the graph",
        )


def claim(
    transaction: ManagedTransaction, terms: Terms, where: str, *, lease: float | None, anew: bool
) -> Checkpoint | None:
    """Take the group for a run; where to go on from, or None where there is nothing to do.

    Another's claim is left alone until it was idle for ``lease`` seconds. ``anew`` takes it in
    any case, whatever stands there, and begins from the start.
    """
    transaction.run(_MAKE, group=terms.group, claim=terms.claim).consume()
    milliseconds = round(1000 * (lease or 0))
    record = transaction.run(_CLAIMED, group=terms.group, lease=milliseconds).single(strict=True)
    found = read(record["found"])
    if record["found"].get("claim") == terms.claim:
        return found  # ours already: only the answer was lost
    if not anew:
        check(found, terms.log_id, terms.embedder, where)
        if found is None:
            _refuse_foreign(transaction, terms, where)
        elif terms.target < found.reached or (found.position, found.curated) == (
            terms.target,
            terms.curated,
        ):
            return None
        if record["busy"]:
            return None
    position, curated = (0, "") if anew or found is None else (found.position, found.curated)
    taken = Checkpoint(terms.log_id, position, terms.target, terms.embedder, curated, terms.schema)
    said = {**taken._asdict(), "claim": terms.claim}
    transaction.run(_CLAIM, group=terms.group, said=said).consume()
    return taken


def _refuse_foreign(transaction: ManagedTransaction, terms: Terms, where: str) -> None:
    groups = [terms.group, f"{terms.group}_curated"]
    if transaction.run(_FOREIGN, groups=groups).single(strict=True)["found"]:
        raise GraphChangedError(
            f"{where}: group {terms.group} holds a graph that edge did not write",
            hint="give this install another group or database; a rebuild would replace what is there",
        )


def next_page(transaction: ManagedTransaction, terms: Terms, page: int) -> bool:
    """Begin a page; False where it was written before. Raises :class:`Superseded`."""
    transaction.run(_LOCK, group=terms.group, claim=terms.claim).consume()
    record = transaction.run(_HELD, group=terms.group).single()
    if record is not None and record["finished"] == terms.claim:
        return False
    if record is None or record["claim"] != terms.claim:
        raise Superseded
    if record["page"] > page:
        return False
    transaction.run(_NEXT, group=terms.group, page=page).consume()
    return True


def finish(transaction: ManagedTransaction, terms: Terms) -> None:
    """The graph is at the target now. In the transaction of the last page."""
    said = {"position": terms.target, "curated": terms.curated, "claim": terms.claim}
    transaction.run(_FINISH, said, group=terms.group).consume()


def release(transaction: ManagedTransaction, terms: Terms) -> None:
    """Give the claim back unfinished, so that the next projector need not wait."""
    transaction.run(_RELEASE, group=terms.group, claim=terms.claim).consume()
