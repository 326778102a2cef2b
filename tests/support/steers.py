"""An install with a steer born in a chat and another proposed by a publication, and its links."""

from __future__ import annotations

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from edge.dispatch import Artefact
from edge.domain.direction import proposal_id
from edge.linking import Linking
from edge.ports import Links
from edge.wiring import Edge

SLUG = "study"
PROPOSED = {"title": "Medir antes", "body": "Sempre", "kind": "priority"}
PROPOSAL = proposal_id(SLUG, PROPOSED["title"], PROPOSED["body"])
"""The id of what the publication proposes."""


def with_steers(edge: Edge) -> str:
    """The id of the steer that was set by folding a chat."""
    edge.voz.comment("Testes primeiro, sempre")
    run = edge.grill.start("attended", 8, 12_000).run
    (loaded,) = run["loaded"]
    entry = {"decision": "fold", "reply": "Feito", "steer": {"title": "Testes primeiro"}, "ambiguous": False}
    plan = {"chats": [{**entry, "comment_id": loaded["comment_id"], "evidence": ["x"]}]}
    edge.grill.close(run["run_id"], plan, "operator")
    opened = edge.dispatches.open("report", None, "operator", lambda _: None, lambda _: None, edge.briefing)
    said = {"slug": SLUG, "title": "Study", "body": "# Study", "proposes": [PROPOSED]}
    edge.dispatches.close(opened.dispatch_id, "to know why", Artefact(said, republish=False), {})
    (steer,) = [item for item in edge.current().items() if item["tier"] == "set"]
    return steer["id"]


def linking(edge: Edge, links: Links | None = None) -> Linking:
    """What a worker does of it, for an install on EventStoreDB."""
    assert isinstance(edge.log, EventStoreDBEventLog)
    return Linking(edge.log, links or edge.log, edge.streams, edge.current())
