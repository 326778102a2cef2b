"""Direction: the current strategy as addressable steers, ``set`` and ``proposed``.

Events that move it stand in chats, publications and direction streams alike; each is read
as one or more :class:`Change` s of single items, and each item is folded on its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, tzinfo
from hashlib import sha256
from typing import Final, Literal, NamedTuple, TypedDict

from edge.domain.chat import text_of
from edge.domain.events import Data, Draft, Event
from edge.domain.language import first_line, fold
from edge.domain.refusal import Refused

Tier = Literal["set", "proposed", "gone"]
KINDS: Final = ("phase", "priority", "constraint", "thread")
MAX_TITLE: Final = 80

_MAY_DROP_SET: Final = ("operator", "grill", "import")
_BASES_KEPT: Final = 16


class Item(TypedDict):
    """One steer, JSON-ready. ``basis_seen`` are the positions its latest edits began from.

    ``first`` is where this life of it began, ``place`` its place among what that event proposed.
    """

    id: str
    tier: Tier
    title: str
    body: str
    kind: str
    expires_at: str | None
    supersedes: str | None
    superseded_by: str | None
    origin_comment_id: str | None
    from_artefato: str | None
    relates_to: list[str]
    reason: str | None
    at: str
    first: int
    place: int
    position: int
    event: str
    basis_seen: list[int]
    conflict: bool
    unauthorised_drop: bool


class Change(NamedTuple):
    """What one event does to one item."""

    id: str
    op: Literal["propose", "set", "drop", "supersede"]
    data: Data
    event: Event
    place: int = 0


def proposal_id(slug: str, title: str, body: str) -> str:
    """The id an artefato's proposal gets in Direction."""
    return f"{slug}.{sha256(f'{title}{body}'.encode()).hexdigest()[:8]}"


def changes(event: Event) -> list[Change]:
    """The changes an event makes, in order; none for events that do not touch Direction."""
    data = event.data
    if event.type == "artefato.published":
        return list(_proposed_by(event))
    id_ = text_of(data, "id")
    if not id_:
        return []
    match event.type:
        case "direction.proposed":
            return [Change(id_, "propose", data, event)]
        case "direction.dropped":
            return [Change(id_, "drop", data, event)]
        case "direction.set":
            changed = [Change(id_, "set", data, event)]
            superseded = text_of(data, "supersedes")
            if superseded and superseded != id_:
                changed.append(Change(superseded, "supersede", data, event))
            return changed
    return []


def _proposed_by(event: Event) -> Iterable[Change]:
    slug = text_of(event.data, "slug")
    proposes = event.data.get("proposes") if slug else None  # without one they have no ids
    for place, proposal in enumerate(proposes if isinstance(proposes, list) else []):
        if not isinstance(proposal, dict):
            continue
        title, body = text_of(proposal, "title"), text_of(proposal, "body")
        id_ = proposal_id(slug, title, body)
        yield Change(id_, "propose", {**proposal, "from_artefato": slug}, event, place)


def evolve(item: Item | None, change: Change) -> Item | None:
    """Fold one change into an item, which the fold owns and changes in place."""
    event = change.event
    if item is None:
        if change.op == "drop":
            return None
        item = _new(change.id)
    if change.op == "supersede":
        item["tier"] = "gone"
        item["superseded_by"] = text_of(change.data, "id")
        item["reason"] = f"superseded by {item['superseded_by']}"
        return item
    if item["superseded_by"]:
        return item  # removed for good: unlike what was dropped, that id comes back no more
    if change.op == "drop" and item["tier"] == "set" and event.actor not in _MAY_DROP_SET:
        item["unauthorised_drop"] = True
        return item
    if change.op == "propose" and item["tier"] == "set":
        return item  # set outranks a later proposal of the same id
    _note_basis(item, change)
    if change.op == "drop":
        item["tier"] = "gone"
        item["reason"] = text_of(change.data, "reason")
    else:
        _write(item, change)
    item["position"], item["event"], item["at"] = event.position, event.id, event.recorded_at
    return item


def _new(id_: str) -> Item:
    return Item(
        id=id_,
        tier="gone",
        title="",
        body="",
        kind="",
        expires_at=None,
        supersedes=None,
        superseded_by=None,
        origin_comment_id=None,
        from_artefato=None,
        relates_to=[],
        reason=None,
        at="",
        first=0,
        place=0,
        position=0,
        event="",
        basis_seen=[],
        conflict=False,
        unauthorised_drop=False,
    )


def _write(item: Item, change: Change) -> None:
    data = change.data
    if item["tier"] == "gone":  # a new life: a new place, and nothing kept of the old one
        item["first"], item["place"] = change.event.position, change.place
        item["origin_comment_id"] = item["from_artefato"] = item["supersedes"] = None
    item["tier"] = "set" if change.op == "set" else "proposed"
    body = text_of(data, "body")
    item["title"] = text_of(data, "title") or title_from(body)
    item["body"] = body
    item["kind"] = text_of(data, "kind")
    item["expires_at"] = text_of(data, "expires_at") or None
    item["supersedes"] = text_of(data, "supersedes") or item["supersedes"]
    item["origin_comment_id"] = item["origin_comment_id"] or text_of(data, "origin_comment_id") or None
    item["from_artefato"] = item["from_artefato"] or text_of(data, "from_artefato") or None
    relates = data.get("relates_to")
    item["relates_to"] = [r for r in relates if isinstance(r, str)] if isinstance(relates, list) else []
    item["reason"] = None


def _note_basis(item: Item, change: Change) -> None:
    basis = change.data.get("basis")
    if not isinstance(basis, int):
        item["conflict"] = False
        return
    item["conflict"] = basis in item["basis_seen"]
    item["basis_seen"] = [*item["basis_seen"], basis][-_BASES_KEPT:]


def title_from(body: str) -> str:
    """A missing title is the body's first line, cut to a title's length."""
    return first_line(body, MAX_TITLE)


def ends_at(expires_at: str, zone: tzinfo) -> datetime | None:
    """When an item leaves: a date means the end of that day in the operator's zone."""
    try:
        if len(expires_at) == 10:
            return datetime.combine(date.fromisoformat(expires_at), time.max, zone)
        moment = datetime.fromisoformat(expires_at)
    except ValueError:
        return None  # a stranger's date that is none never expires
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def is_expired(item: Item, now: datetime, zone: tzinfo) -> bool:
    end = ends_at(item["expires_at"], zone) if item["expires_at"] else None
    return end is not None and now > end


def new_id(title: str, seed: str) -> str:
    """A readable id for a new steer: its title's words and 8 hex digits of what made it."""
    name = re.sub(r"[^a-z0-9]+", "-", fold(title)).strip("-")[:60].rstrip("-") or "steer"
    return f"{name}-{sha256(seed.encode()).hexdigest()[:8]}"


# -- what may be done to it -----------------------------------------------------------------


def title_checked(title: str) -> str:
    title = title.strip()
    if not title:
        raise Refused("a steer needs a title", hint="one line of at most 80 characters")
    if "\n" in title or "\r" in title:
        raise Refused("a steer's title is one line")
    if len(title) > MAX_TITLE:
        raise Refused(f"the title has {len(title)} characters; at most {MAX_TITLE} fit")
    return title


def steer_fields(
    title: str, body: str, kind: str, expires_at: str | None = None, relates_to: list[str] | None = None
) -> Data:
    """The fields every proposed or set steer has, checked."""
    title = title_checked(title)
    if kind not in KINDS:
        raise Refused(f"no such kind {kind!r}", hint=f"one of {', '.join(KINDS)}")
    if not body.strip():
        raise Refused("a steer needs a body", hint="say what holds from now on")
    fields: Data = {"title": title, "body": body.strip(), "kind": kind}
    if expires_at:
        if ends_at(expires_at, UTC) is None:
            raise Refused(f"{expires_at!r} is not a date", hint="write it as 2026-12-31")
        fields["expires_at"] = expires_at
    if relates_to:
        fields["relates_to"] = relates_to
    return fields


def live(item: Item | None) -> bool:
    return item is not None and item["tier"] != "gone"


def _check_not_superseded(item: Item | None) -> None:
    if item is not None and item["superseded_by"]:
        raise Refused(
            f"{item['id']} was superseded by {item['superseded_by']}, for good",
            hint="say it under a new id",
        )


def propose(item: Item | None, id_: str, fields: Data) -> list[Draft]:
    """Propose a steer; refused where that id is set already, or was superseded."""
    _check_not_superseded(item)
    if item is not None and item["tier"] == "set":
        raise Refused(f"{id_} is set already", hint="propose another id, or edit it with `direction set`")
    return [Draft("direction.proposed", {"id": id_, **fields, **_basis(item)})]


def set_(item: Item | None, id_: str, fields: Data, supersedes: str | None = None) -> list[Draft]:
    """Set a steer: a new one, a promoted proposal, or an edit of one that is set.

    Refused where that id was superseded.
    """
    _check_not_superseded(item)
    data: Data = {"id": id_, **fields, **_basis(item)}
    if supersedes:
        data["supersedes"] = supersedes
    if item is not None and live(item):
        for kept in ("origin_comment_id", "from_artefato"):
            if item[kept]:
                data.setdefault(kept, item[kept])
    return [Draft("direction.set", data)]


def accept(item: Item | None, id_: str) -> list[Draft]:
    """Set a proposal as it stands; nothing where it is set already."""
    if item is None or not live(item):
        raise Refused(f"no live proposal {id_}", hint="`edge direction list` shows them")
    if item["tier"] == "set":
        return []
    title, body, kind = item["title"], item["body"], item["kind"]
    return set_(item, id_, steer_fields(title, body, kind, item["expires_at"], item["relates_to"]))


def drop(item: Item | None, id_: str, reason: str) -> list[Draft]:
    """Take a steer out, with the reason; refused where it is not there."""
    if item is None or not live(item):
        raise Refused(f"no live steer {id_}", hint="`edge direction list` shows them")
    if not reason.strip():
        raise Refused("dropping a steer needs a reason", hint="say why with --reason")
    return [Draft("direction.dropped", {"id": id_, "reason": reason.strip(), **_basis(item)})]


def _basis(item: Item | None) -> Data:
    return {"basis": item["position"]} if item is not None and item["position"] else {}


# -- as lists show it -----------------------------------------------------------------------


def shown(item: Item) -> Data:
    """One steer as ``direction list`` prints it."""
    data: Data = {
        "id": item["id"],
        "title": item["title"],
        "body": item["body"],
        "kind": item["kind"],
        "expires_at": item["expires_at"],
        "origin_comment_id": item["origin_comment_id"],
        "supersedes": item["supersedes"],
        "from_artefato": item["from_artefato"],
        "relates_to": item["relates_to"],
        "at": item["at"],
        "events": [item["event"]],
    }
    return data


def listed(items: Iterable[Item], now: datetime, zone: tzinfo) -> dict[str, list[Data]]:
    """Live items by list: ``set``, ``proposed`` and ``expired``, in first-seen order."""
    lists: dict[str, list[Data]] = {"set": [], "proposed": [], "expired": []}
    for item in sorted((i for i in items if live(i)), key=lambda i: i["first"]):
        lists["expired" if is_expired(item, now, zone) else item["tier"]].append(shown(item))
    return lists
