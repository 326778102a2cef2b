"""Direction by hand: propose, set and drop steers outside any chat."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from edge.domain import direction
from edge.domain.direction import Item
from edge.domain.events import Actor, Data, Draft
from edge.domain.refusal import Refused
from edge.domain.streams import check_item_id
from edge.journal import Act, Journal, Recorded
from edge.ports import ReadSide


class Steered(NamedTuple):
    id: str
    position: int


class Steering:
    """Writes direction.* into ``direction-`` streams; what stands is read from the fold of them all."""

    def __init__(self, journal: Journal, reads: ReadSide) -> None:
        self._journal = journal
        self._reads = reads

    def propose(self, fields: Data, id_: str | None, actor: Actor) -> Steered:
        """Propose a steer; anyone may, only the operator's promotion sets it."""
        checked = direction.steer_fields(**fields)
        id_ = self._id(id_, checked["title"])
        return self._write(id_, lambda item: direction.propose(item, id_, checked), actor)

    def set_(self, fields: Data, id_: str | None, supersedes: str | None) -> Steered:
        """Set a steer: new, or ``id_`` promoted or edited, keeping what is not said anew."""
        standing = self._reads.current().item(id_) if id_ else None
        if standing is not None and direction.live(standing):
            kept: Data = {
                "title": standing["title"],
                "body": standing["body"],
                "kind": standing["kind"],
                "expires_at": standing["expires_at"],
                "relates_to": standing["relates_to"],
            }
            fields = kept | {name: value for name, value in fields.items() if value is not None}
        elif id_ and not fields.get("title"):
            raise Refused(
                f"no live steer {id_}",
                hint="`edge direction list` shows them; a new one takes --title and --body",
            )
        checked = direction.steer_fields(
            fields.get("title") or "",
            fields.get("body") or "",
            fields.get("kind") or "priority",
            fields.get("expires_at"),
            fields.get("relates_to"),
        )
        if supersedes and not direction.live(self._reads.current().item(supersedes)):
            raise Refused(
                f"no live steer {supersedes!r} to supersede", hint="`edge direction list` shows them"
            )
        id_ = self._id(id_, checked["title"])
        return self._write(id_, lambda item: direction.set_(item, id_, checked, supersedes), "operator")

    def drop(self, id_: str, reason: str) -> Steered:
        """Take a live steer out, set or proposed."""
        return self._write(id_, lambda item: direction.drop(item, id_, reason), "operator")

    def accept(self, id_: str) -> Steered | None:
        """Set a proposal just as it stands; None where it is set already (a submit sent twice)."""
        recorded = self._recorded(id_, lambda item: direction.accept(item, id_), "operator")
        return Steered(id_, recorded.at.position) if recorded else None

    def reject(self, id_: str, reason: str) -> Steered | None:
        """Take a steer out; None where it was taken out already, for the same reason."""

        def decide(item: Item | None) -> list[Draft]:
            if item is not None and not direction.live(item) and item["reason"] == reason.strip():
                return []
            return direction.drop(item, id_, reason)

        recorded = self._recorded(id_, decide, "operator")
        return Steered(id_, recorded.at.position) if recorded else None

    def _id(self, id_: str | None, title: str) -> str:
        if id_ is not None:
            return check_item_id(id_, "direction id")
        return direction.new_id(title, self._journal.new_id())

    def _write(self, id_: str, decide: Callable[[Item | None], list[Draft]], actor: Actor) -> Steered:
        recorded = self._recorded(id_, decide, actor)
        if recorded is None:
            raise Refused(f"nothing to write for {id_}")
        return Steered(id_, recorded.at.position)

    def _recorded(
        self, id_: str, decide: Callable[[Item | None], list[Draft]], actor: Actor
    ) -> Recorded | None:
        stream = self._journal.streams.direction(id_)
        return self._journal.decide(
            stream,
            lambda: None,
            lambda state, _event: state,
            # the item may have been born in a chat or a publication: its state is the fold of
            # all streams, read again at every attempt
            lambda _state: decide(self._reads.current().item(id_)),
            Act(actor),
        )
