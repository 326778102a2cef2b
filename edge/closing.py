"""The close of one planned chat, or of one curation: its events in one append, under its guard."""

from __future__ import annotations

from typing import NamedTuple

from edge.domain import chat as chats
from edge.domain.events import Data, Draft
from edge.domain.refusal import Failed
from edge.journal import ATTEMPTS, Act, Journal
from edge.ports import ReadSide, WrongRevision


class Result(NamedTuple):
    """How one chat of a run ended, or one curation (``comment_id`` None)."""

    comment_id: str | None
    result: str
    outcome: str | None = None
    direction_id: str | None = None
    clarify_id: str | None = None
    curate: Data | None = None
    reason: str | None = None
    """Why it failed."""


class Closing:
    """Appends what a plan holds, once: a retry finds it there, a slower run finds itself stale."""

    def __init__(self, journal: Journal, reads: ReadSide) -> None:
        self._journal = journal
        self._reads = reads

    def chat(self, planned: Data, act: Act) -> bool:
        """Append a chat's close in one append, or find that another close came first (I6, I7)."""
        drafts = [Draft(e["type"], e["data"], e["id"]) for e in planned["events"]]
        ids = [e["id"] for e in planned["events"]]
        for _ in range(ATTEMPTS):
            standing = list(self._journal.log.read(planned["stream"]))
            verdict = chats.guard(standing, ids, planned["basis"])
            if verdict == "done":
                return True
            if verdict == "stale":
                return False
            try:
                self._journal.append(planned["stream"], drafts, verdict, act)
            except WrongRevision:
                continue
            return True
        raise Failed(f"{planned['stream']} kept changing", hint="`edge grill close` again resumes")

    def curation(self, planned: Data, act: Act) -> str:
        """Append a curation at its basis; one whose basis moved is stale."""
        ids = {e["id"] for e in planned["events"]}
        after = list(self._journal.log.read(planned["stream"], from_revision=planned["basis"] + 1))
        if ids <= {event.id for event in after}:
            return "done"
        basis = planned["events"][0]["data"].get("basis")
        item = self._reads.current().item(planned["curate"]["id"]) if basis is not None else None
        if after or (item is not None and item["position"] != basis):
            return "stale"
        drafts = [Draft(e["type"], e["data"], e["id"]) for e in planned["events"]]
        try:
            self._journal.append(planned["stream"], drafts, planned["basis"], act)
        except WrongRevision:
            return "stale"
        return "done"


def result_of(planned: Data) -> Result:
    """What a chat's close says, once its events stand."""
    last: Data = planned["events"][-1]
    data = last["data"]
    if last["type"] == "voz.clarify":
        return Result(planned["comment_id"], "parked", clarify_id=data["clarify_id"])
    return Result(planned["comment_id"], "resolved", data["outcome"], data.get("direction_id"))
