"""Voz: what waits for the operator, the box to speak in, and the timeline of chats."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from adapters.web.site import Acting, At, In, Key, Oops, Site, Text, found, key_of, said
from edge.domain import channel
from edge.domain.chat import Chat, has_answer, state_of
from edge.domain.events import Data
from edge.ports_dashboard import DashboardReads

router = APIRouter()

SHOWN: Final = 20
WAITING: Final = 20
HARMS: Final = (0, 20, 50, 100)
Before = Annotated[int | None, Query(ge=0, lt=2**63)]


def state_name(chat: Chat) -> str:
    """The name of a chat's state in the table of words."""
    if chat["closed_by"]:
        named = chat["outcome"] or chat["closed_by"]
        known = ("replied", "folded-to-direction", "retired-direction", "acknowledged", "semantic_answered")
        return named if named in (*known, "dead_lettered") else "resolved"
    if state_of(chat) == "parked":
        return "parked"
    if has_answer(chat):
        return "answered-by-you"
    if "semantic_answer_required" in chat["states"]:
        return "owed"
    return "received" if "receipt_sent" in chat["states"] else "naked"


def shown(chat: Chat) -> Data:
    """A chat as its card shows it: what was said, in order, and the question that is open."""
    open_question = None
    if not chat["closed_by"]:
        open_question = next((q for q in chat["questions"] if q["answer"] is None), None)
    return {**chat, "shown_state": state_name(chat), "open_question": open_question}


def cards(chats: list[Chat]) -> list[Data]:
    return [shown(chat) for chat in chats]


def targets(reads: DashboardReads) -> list[Data]:
    """The artefatos one is most likely to speak about."""
    return [{"slug": a["slug"], "title": a["title"]} for a in reads.artefatos(last=30)[::-1]]


@router.get("/voz")
def timeline(
    request: Request,
    site: At,
    visitor: In,
    before: Before = None,
    which: Literal["all", "open", "parked", "closed"] = "all",
) -> Response:
    """Chats, the latest first."""
    with site.reading() as (_, reads):
        chats = reads.recent_chats(SHOWN + 1, before, which)
        parked = reads.recent_chats(WAITING, which="parked") if before is None else []
        context: Data = {"about": targets(reads), "counts": reads.counts()}
    return site.page(
        request,
        "voz.html",
        visitor=visitor,
        live=before is None,
        chats=cards(chats[:SHOWN]),
        parked=cards(parked[::-1]),
        waiting={chat["comment_id"] for chat in parked},
        older=chats[SHOWN - 1]["position"] if len(chats) > SHOWN else None,
        which=which,
        before=before,
        harms=HARMS,
        **context,
    )


@router.get("/voz/{comment_id}")
def one(request: Request, site: At, visitor: In, comment_id: str) -> Response:
    """One chat."""
    with site.reading() as (install, reads):
        chat = found(reads.chat(comment_id))
        if not chat["position"]:
            raise Oops(404, "not-here")
        stream = install.streams.chat(comment_id)
        way_back = channel.deliverable(channel.reply_of(chat), install.clock.now())
    return site.page(
        request,
        "chat.html",
        visitor=visitor,
        live=True,
        chat=shown(chat),
        stream=stream,
        came=channel.told(way_back, chat["channel"], visitor.lang),
    )


@router.post("/voz")
def comment(
    site: At,
    visitor: Acting,
    body: Text = "",
    on: Annotated[str, Form(max_length=200)] = "",
    harm: Annotated[int, Form(ge=0, le=100)] = 0,
    key: Key = "",
    here: Annotated[Literal["voz", "artefato"], Form()] = "voz",
) -> Response:
    """Open a chat, on a published artefato or on nothing."""
    words = said(body)
    if on:
        check_published(site, on)
    back = f"/artefatos/{on}#comments" if here == "artefato" and on else "/voz#timeline"
    return site.act(
        visitor, "commented", lambda edge: edge.voz.comment(words, on or None, harm, key_of(key)), back
    )


@router.post("/voz/questions/{clarify_id}")
def answer(site: At, visitor: Acting, clarify_id: str, body: Text = "", choice: Text = "") -> Response:
    """Answer edge's question: in words, or by one of its options."""
    words = said(body if body.strip() else choice)
    with site.reading() as (_, reads):
        comment_id = found(reads.chat_of_question(clarify_id))
    return site.act(
        visitor, "answered", lambda edge: edge.voz.answer(clarify_id, words), f"/voz#c-{comment_id}"
    )


@router.post("/voz/{comment_id}/withdraw")
def withdraw(site: At, visitor: Acting, comment_id: str) -> Response:
    """Take a comment back."""
    with site.reading() as (_, reads):
        found(reads.act("comment", comment_id))
    return site.act(visitor, "withdrawn", lambda edge: edge.voz.withdraw(comment_id), f"/voz#c-{comment_id}")


def check_published(site: Site, slug: str) -> None:
    with site.reading() as (_, reads):
        found(reads.artefato(slug))


def chats_on(reads: DashboardReads, slug: str, before: int | None) -> tuple[list[Any], int | None]:
    """The chats on an artefato, and where older ones begin."""
    chats = reads.recent_chats(SHOWN + 1, before, target=slug)
    return cards(chats[:SHOWN]), chats[SHOWN - 1]["position"] if len(chats) > SHOWN else None
