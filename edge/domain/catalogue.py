"""Every event type: the shape of its data, strict on write, and who may write it.

Importing this module costs pydantic, so only writers do; each model's validator is built
when its type is first written.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from edge.domain.corpus import MAX_BODY_BYTES
from edge.domain.direction import MAX_TITLE
from edge.domain.events import ACTORS, Actor, Data
from edge.domain.language import MAX_COMMENT_BYTES
from edge.domain.refusal import Refused
from edge.domain.streams import ACT_ID, ITEM_ID, SLUG


def _one_line(text: str) -> str:
    if "\n" in text or "\r" in text:
        raise ValueError("must be one line")
    return text


def _bytes_at_most(limit: int) -> AfterValidator:
    def check(text: str) -> str:
        if len(text.encode("utf-8")) > limit:
            raise ValueError(f"is longer than {limit:,} UTF-8 bytes")
        return text

    return AfterValidator(check)


def _moment(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?", text):
        raise ValueError("must be a date (2026-12-31) or an ISO 8601 time")
    return text


Filled = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Body = Annotated[Filled, _bytes_at_most(MAX_COMMENT_BYTES)]
ActId = Annotated[str, StringConstraints(pattern=rf"^{ACT_ID.pattern}$")]
ItemId = Annotated[str, StringConstraints(pattern=rf"^{ITEM_ID.pattern}$")]
Slug = Annotated[str, StringConstraints(pattern=rf"^{SLUG.pattern}$")]
Title = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TITLE),
    AfterValidator(_one_line),
]
Moment = Annotated[str, AfterValidator(_moment)]
Harm = Annotated[int, Field(ge=0, le=100)]
Kind = Literal["phase", "priority", "constraint", "thread"]
Presence = Literal["present", "unknown", "absent"]
Outcome = Literal["replied", "folded-to-direction", "retired-direction", "acknowledged"]
State = Literal["receipt_sent", "semantic_answer_required", "semantic_answered", "dead_lettered"]
Intent = Literal["endorse", "steer", "contradict", "ask"]


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class LogCreated(Shape):
    log_id: str


# -- Voz ----------------------------------------------------------------------------------


class ReplyCapability(Shape):
    """How an answer can travel back over an external channel (0018)."""

    channel: Filled
    address: Filled
    expires_at: Moment | None = None
    threading_mode: str | None = None
    idempotency_key: str | None = None
    fallback_policy: str | None = None


class VozComment(Shape):
    comment_id: ActId
    body: Body
    target_ref: Slug | None = None
    harm: Harm = 0
    channel: Filled = "native"
    reply_capability: ReplyCapability | None = None


class VozVote(Shape):
    vote_id: ActId
    slug: Slug
    value: Literal[-1, 0, 1]


class VozReply(Shape):
    comment_id: ActId
    body: Filled
    by: str | None = None


class Steer(Shape):
    """What a fold would set; the new item's id is made when the plan is."""

    title: Title
    body: Filled
    kind: Kind
    expires_at: Moment | None = None
    supersedes: ItemId | None = None
    relates_to: list[str] = []


class Option(Shape):
    """One closed answer to a clarify, and what the next run does when it is chosen."""

    key: Filled
    label: Filled
    decision: Literal["acknowledge", "fold", "retire"]
    direction_id: ItemId | None = None
    steer: Steer | None = None


class VozClarify(Shape):
    comment_id: ActId
    clarify_id: ActId
    question: Filled
    grill_run_id: ActId
    options: list[Option] = []


class VozClarifyAnswer(Shape):
    comment_id: ActId
    clarify_id: ActId
    body: Body


class VozResolved(Shape):
    comment_id: ActId
    outcome: Outcome
    direction_id: ItemId | None = None
    answers: list[ActId] = []
    grill_run_id: ActId


class VozDisposition(Shape):
    comment_id: ActId | None = None
    vote_id: ActId | None = None
    state: State
    reason: Filled | None = None
    ref: Filled | None = None


# -- Direction ----------------------------------------------------------------------------


class DirectionProposed(Shape):
    id: ItemId
    title: Title
    body: Filled
    kind: Kind
    expires_at: Moment | None = None
    from_artefato: Slug | None = None
    relates_to: list[str] = []
    basis: int | None = None


class DirectionSet(DirectionProposed):
    supersedes: ItemId | None = None
    origin_comment_id: ActId | None = None


class DirectionDropped(Shape):
    id: ItemId
    reason: Filled
    origin_comment_id: ActId | None = None
    basis: int | None = None


# -- Artefatos ----------------------------------------------------------------------------


class Kernel(Shape):
    slug: Slug | None = None
    intent: Filled
    dispatch_id: ActId | None = None


class Cite(Shape):
    ref: Filled
    kind: Literal["mundo", "atividade"]
    relevant: bool = False


class Proposal(Shape):
    title: Title
    body: Filled
    kind: Kind
    relates_to: list[str] = []


class ArtefatoPublished(Shape):
    slug: Slug
    title: Filled
    body: Annotated[Filled, _bytes_at_most(MAX_BODY_BYTES)]
    cites: list[Cite] = []
    distills: list[str] = []
    proposes: list[Proposal] = []
    dispatch_id: ActId | None = None


# -- Episodes -----------------------------------------------------------------------------


class Turn(Shape):
    id: str
    role: Literal["operator", "command", "assistant"]
    ts: str | None = None
    text: str
    part: int | None = None


class EpisodeCaptured(Shape):
    session: str
    surface: str
    tier: Literal["low"] = "low"
    presence: Presence
    from_: Annotated[int, Field(ge=0, alias="from")]
    to: Annotated[int, Field(ge=0)]
    prefix_hash: str
    pending: list[int] = []
    turns: list[Turn]
    project: str | None = None
    redactions: dict[str, int] = {}


class EpisodeReclassified(Shape):
    from_: Annotated[int, Field(ge=0, alias="from")]
    to: Annotated[int, Field(ge=0)]
    presence: Presence


class Forgotten(Shape):
    """The end of what a stream held; ``through`` is the last revision of it, -1 where it held nothing."""

    through: Annotated[int, Field(ge=-1)]
    permanent: bool = True
    keys: list[str] = []
    part: Annotated[int, Field(ge=0)] = 0
    """How many like it stand right before: keys that did not fit one event."""
    also: list[str] = []
    """The other streams that are forgotten for what they hold, in the same act."""


class EpisodeForgotten(Shape):
    """``to`` is the sweep's cursor, a byte offset, as in what was captured (I13); the rest as in others."""

    to: Annotated[int, Field(ge=0)]
    permanent: bool
    keys: list[str] = []
    through: Annotated[int, Field(ge=-1)] | None = None
    part: Annotated[int, Field(ge=0)] = 0
    also: list[str] = []


class ExtractedEntity(Shape):
    id: str
    name: Filled
    labels: list[str] = []
    summary: str | None = None
    attributes: dict[str, Any] | None = None


class ExtractedFact(Shape):
    """A fact the episode states, with all its fixed fields; or one it only makes doubtful, of which it
    holds no words: they are others', and go when those are forgotten."""

    id: str
    source: str | None = None
    target: str | None = None
    relation: Filled | None = None
    statement: Filled | None = None
    valid_from: Moment | None = None
    reference_time: Moment | None = None
    attributes: dict[str, Any] | None = None
    closed: list[str | None] | None = None

    @model_validator(mode="after")
    def _states_or_closes(self) -> ExtractedFact:
        words = (self.source, self.target, self.relation, self.statement)
        if None in words and (any(words) or self.closed is None):
            raise ValueError("a fact is stated with source, target, relation and statement, or only closed")
        return self


class EpisodeExtracted(Shape):
    episode: str
    by: dict[str, str]
    gist: str
    entities: list[ExtractedEntity] = []
    facts: list[ExtractedFact] = []
    mentions: list[list[str]] = []
    order: list[str] = []
    cost: dict[str, float] = {}


# -- Grill --------------------------------------------------------------------------------


class LoadedChat(Shape):
    comment_id: ActId
    revision: int
    harm: int
    reasons: list[str]
    tokens: int


class Caps(Shape):
    max_chats: Annotated[int, Field(ge=1)]
    max_tokens: Annotated[int, Field(ge=1)]


class GrillStarted(Shape):
    run_id: ActId
    cursor: int
    now: Moment
    mode: Literal["attended", "unattended"]
    caps: Caps
    loaded: list[LoadedChat]
    overflow: int
    awaiting: int
    agenda: list[dict[str, Any]] = []


class Curation(Shape):
    do: Literal["promote", "contest", "merge", "retire", "set", "drop", "source"]
    id: Filled


class PlannedEvent(Shape):
    id: str
    type: str
    data: dict[str, Any]


class GrillPlanned(Shape):
    comment_id: ActId | None = None
    curate: Curation | None = None
    decision: Filled
    reason: str | None = None
    ambiguous: bool
    evidence: list[str]
    stream: str
    basis: int
    intent: Intent | None = None
    events: list[PlannedEvent]
    plan_hash: str


class GrillClosed(Shape):
    comment_id: ActId | None = None
    curate: Curation | None = None
    result: Literal["resolved", "parked", "stale", "failed", "done"]


class GrillFinished(Shape):
    counts: dict[str, int]
    overflow: int


class GrillAbandoned(Shape):
    reason: Filled


# -- Dispatch -----------------------------------------------------------------------------


class DispatchOpened(Shape):
    kind: Filled
    theme: str | None = None
    origin: Literal["operator", "beat"]


class BriefingItem(Shape):
    section: str
    text: str
    tier: str | None = None
    events: list[str] = []
    sources: list[str] = []


class BriefingPresented(Shape):
    position: int
    text: str
    items: list[BriefingItem]


class DispatchForgotten(Forgotten):
    """What its Briefing quoted is gone; a dispatch still open goes on as it was ``opened``."""

    opened: DispatchOpened | None = None
    shown: list[int] = []
    """Positions of the Briefings that went, and those they were composed at."""


class DispatchClosed(Shape):
    published: list[Slug]
    receipts: list[ActId]


# -- Curation -----------------------------------------------------------------------------


class SourceCurated(Shape):
    ref: Filled
    opinion: Filled
    origin_comment_id: ActId | None = None


class SourceRetired(Shape):
    ref: Filled
    reason: Filled


class KnowledgePromoted(Shape):
    id: ItemId
    statement: Filled
    evidence: list[str] = []
    origin_comment_id: ActId | None = None


class KnowledgeReasoned(Shape):
    id: ItemId
    reason: Filled


class KnowledgeMerged(Shape):
    id: ItemId
    into: ItemId


_BY_HAND: Final[frozenset[str]] = frozenset({"operator", "grill"})
_VOICE: Final[frozenset[str]] = frozenset({"operator"})
_GRILL: Final[frozenset[str]] = frozenset({"grill"})
_DISPATCH: Final[frozenset[str]] = frozenset({"dispatch"})
_SWEEP: Final[frozenset[str]] = frozenset({"sweep"})

CATALOGUE: Final[dict[str, tuple[type[Shape], frozenset[str]]]] = {
    "log.created": (LogCreated, _VOICE),
    "voz.comment": (VozComment, _VOICE),
    "voz.vote": (VozVote, _VOICE),
    "voz.reply": (VozReply, _GRILL | _DISPATCH),
    "voz.clarify": (VozClarify, _GRILL),
    "voz.clarify_answer": (VozClarifyAnswer, _BY_HAND),
    "voz.resolved": (VozResolved, _GRILL),
    "voz.disposition": (VozDisposition, _BY_HAND | _DISPATCH),
    "direction.proposed": (DirectionProposed, _BY_HAND | _DISPATCH),
    "direction.set": (DirectionSet, _BY_HAND),
    "direction.dropped": (DirectionDropped, _BY_HAND),
    "intent.kernel": (Kernel, _GRILL | _DISPATCH),
    "artefato.published": (ArtefatoPublished, _DISPATCH),
    "episode.captured": (EpisodeCaptured, _SWEEP),
    "episode.reclassified": (EpisodeReclassified, _SWEEP),
    "episode.forgotten": (EpisodeForgotten, _VOICE),
    "episode.extracted": (EpisodeExtracted, frozenset({"extractor"})),
    "grill.started": (GrillStarted, _GRILL),
    "grill.planned": (GrillPlanned, _GRILL),
    "grill.closed": (GrillClosed, _GRILL),
    "grill.finished": (GrillFinished, _GRILL),
    "grill.abandoned": (GrillAbandoned, _GRILL),
    "dispatch.opened": (DispatchOpened, _DISPATCH),
    "briefing.presented": (BriefingPresented, _DISPATCH),
    "dispatch.closed": (DispatchClosed, _DISPATCH),
    "source.curated": (SourceCurated, _BY_HAND),
    "source.retired": (SourceRetired, _VOICE),
    "knowledge.promoted": (KnowledgePromoted, _BY_HAND),
    "knowledge.contested": (KnowledgeReasoned, _BY_HAND),
    "knowledge.merged": (KnowledgeMerged, _BY_HAND),
    "knowledge.retired": (KnowledgeReasoned, _BY_HAND),
    "extraction.forgotten": (Forgotten, _VOICE),
    "voz.forgotten": (Forgotten, _VOICE),
    "artefato.forgotten": (Forgotten, _VOICE),
    "grill.forgotten": (Forgotten, _VOICE),
    "dispatch.forgotten": (DispatchForgotten, _VOICE),
}
"""Type → shape of its data, and the actors that may write it (I17). ``import`` may write all."""


def validated(type_: str, data: Data, actor: Actor) -> Data:
    """The data as it will be stored: checked, trimmed, defaults filled, empty optionals left out.

    Raises :class:`Refused` where the type is unknown, the actor may not write it, or the
    data does not have the shape of its type.
    """
    if actor not in ACTORS:
        raise Refused(f"unknown actor {actor!r}")
    entry = CATALOGUE.get(type_)
    if entry is None:
        raise Refused(f"event type {type_!r} is not in the catalogue")
    shape, writers = entry
    if actor != "import" and actor not in writers:
        raise Refused(
            f"{actor} may not write {type_}",
            hint=f"only {', '.join(sorted(writers))} may",
        )
    try:
        model = shape.model_validate(data)
    except ValidationError as error:
        raise Refused(f"{type_}: {said_plainly(error)}") from None
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def said_plainly(error: ValidationError) -> str:
    """The first thing wrong, as ``field: what``, without pydantic's frame around it."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what
