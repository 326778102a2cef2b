"""What each tool takes, as an agent reads it: the schema is made of this, descriptions and all."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Annotated[
    Literal["phase", "priority", "constraint", "thread"], Field(description="What sort of steer it is.")
]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class BriefingArguments(_Arguments):
    at: Annotated[
        str | None,
        Field(description="A log position or an ISO time: the Briefing as of then. Left out: as of now."),
    ] = None


class SearchArguments(_Arguments):
    text: Annotated[str, Field(description="Words, in any language.", min_length=1, max_length=2000)]
    limit: Annotated[int, Field(description="At most so many statements.", ge=1, le=50)] = 10


class PendingArguments(_Arguments):
    pass


class StartArguments(_Arguments):
    max_chats: Annotated[int | None, Field(description="At most so many chats.", ge=1)] = None
    max_tokens: Annotated[int | None, Field(description="At most so many tokens of them.", ge=1)] = None


class Steer(_Arguments):
    title: Annotated[str, Field(description="One line, at most 80 characters.")]
    body: Annotated[str, Field(description="What holds from now on, in the comment's own words.")]
    kind: Kind = "priority"
    expires_at: Annotated[str | None, Field(description="Last day it holds, as 2026-12-31.")] = None
    supersedes: Annotated[str | None, Field(description="Id of the steer it takes the place of.")] = None
    relates_to: Annotated[list[str], Field(description="What it is about.")] = []


class Decision(_Arguments):
    comment_id: Annotated[str, Field(description="The chat, as grill_start loaded it.")]
    decision: Annotated[
        Literal["reply", "acknowledge", "fold", "retire", "park", "failed"],
        Field(
            description="reply (needs reply), acknowledge, fold into a new steer (needs steer), retire a"
            " steer (needs direction_id), park with a question (needs question), failed (needs reason)."
        ),
    ]
    ambiguous: Annotated[
        bool,
        Field(description="False only where the comment or the operator's answer itself settles it."),
    ] = True
    evidence: Annotated[
        list[str], Field(description="What shows it: files and lines, sessions, slugs. Needed to settle.")
    ] = []
    reply: Annotated[str | None, Field(description="What the operator is told.")] = None
    steer: Annotated[Steer | None, Field(description="The steer to fold the chat into.")] = None
    direction_id: Annotated[str | None, Field(description="The steer to retire.")] = None
    question: Annotated[
        str | None, Field(description="One closed question to the operator, in the comment's language.")
    ] = None
    reason: Annotated[str | None, Field(description="Why; needed for failed.")] = None


class CloseArguments(_Arguments):
    run_id: Annotated[str | None, Field(description="The run; left out: the only open one.")] = None
    chats: Annotated[
        list[Decision] | None,
        Field(description="Every loaded chat exactly once. Left out: the stored plan is resumed."),
    ] = None
    intent: Annotated[str | None, Field(description="A line on what this grill was about.")] = None


class Cite(_Arguments):
    ref: Annotated[str, Field(description="The source: an address, a session, a slug.")]
    kind: Annotated[
        Literal["mundo", "atividade"],
        Field(description="mundo: the world; atividade: what the operator was doing."),
    ]
    relevant: Annotated[bool, Field(description="Whether it carried the argument.")] = False


class Proposal(_Arguments):
    title: Annotated[str, Field(description="One line, at most 80 characters.")]
    body: Annotated[str, Field(description="What would hold from then on.")]
    kind: Kind = "priority"
    relates_to: Annotated[list[str], Field(description="What it is about.")] = []


class PublishArguments(_Arguments):
    slug: Annotated[str, Field(description="Its name: a-z, 0-9 and -, at most 80.")]
    body: Annotated[str, Field(description="The report, Markdown, at most 512 KiB.")]
    intent: Annotated[str, Field(description="Why it exists, in a sentence or two. Mandatory.", min_length=1)]
    title: Annotated[str | None, Field(description="Left out: the first line of the report.")] = None
    cites: Annotated[list[Cite], Field(description="The sources used.")] = []
    distills: Annotated[list[str], Field(description="Clusters of knowledge it condenses.")] = []
    proposes: Annotated[list[Proposal], Field(description="Steers the operator might want to set.")] = []
    answered: Annotated[
        dict[str, str],
        Field(description="Acts of the operator this answers in full: act id to what answers it."),
    ] = {}
    republish: Annotated[bool, Field(description="A new revision of what is published already.")] = False
    dispatch_id: Annotated[
        str | None,
        Field(description="The open dispatch to close. Left out: the only open one, else a new one."),
    ] = None
    kind: Annotated[str, Field(description="The kind of dispatch, where one is opened.", min_length=1)] = (
        "report"
    )


class ProposeArguments(_Arguments):
    title: Annotated[str, Field(description="One line, at most 80 characters.")]
    body: Annotated[str, Field(description="What would hold from then on.")]
    kind: Kind = "priority"
    expires_at: Annotated[str | None, Field(description="Last day it would hold, as 2026-12-31.")] = None
    relates_to: Annotated[list[str], Field(description="What it is about.")] = []


class WhyArguments(_Arguments):
    id: Annotated[
        str,
        Field(
            description="A steer, statement, source ref, slug, comment, vote, run, dispatch or event id; or"
            " DISPATCH#N for the N-th line of the Briefing a dispatch was shown.",
            min_length=1,
            max_length=2000,
        ),
    ]
    kind: Annotated[str | None, Field(description="Which kind is meant, where an id is of two.")] = None
