"""What every page shares: who asks, in which language, the templates, and how an act is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, cast
from urllib.parse import quote
from uuid import uuid4

from fastapi import Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from adapters.web import logs, refusals, words
from adapters.web.config import Config
from adapters.web.keys import Door, Session, same
from adapters.web.limits import Limit
from adapters.web.live import Following, Streams
from adapters.web.markdown import rendered
from adapters.web.pool import Pool
from adapters.web.replays import Replays
from edge.domain.chat import state_of
from edge.domain.language import Lang, first_line
from edge.domain.refusal import EdgeError, Refused
from edge.ports_dashboard import DashboardReads, Install

HERE: Final = Path(__file__).parent
PAGES: Final = ("voz", "artefatos", "direction", "knowledge", "briefing", "sources", "health", "audit")
KEY_LENGTH: Final = 80


class Oops(Exception):  # as pages call it
    """A refusal with its status; ``said`` names words of the table, or is what the domain said."""

    def __init__(self, status: int, said: str = "", hint: str = "") -> None:
        super().__init__(said)
        self.status = status
        self.said = said
        self.hint = hint


class Visitor:
    """Who asks: their session, their language."""

    def __init__(self, session: Session, lang: Lang) -> None:
        self.session = session
        self.lang = lang


@dataclass
class Site:
    """The dashboard's parts, made once."""

    config: Config
    pool: Pool
    door: Door
    streams: Streams
    replays: Replays
    zone: tzinfo
    following: Following | None = None
    log: Any = field(default_factory=logs.logger)
    logins: Limit = field(default_factory=lambda: Limit(burst=10, per_minute=6))
    acts: Limit = field(default_factory=lambda: Limit(burst=30, per_minute=60))
    kept: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Pictures that take a while to draw, by what they were drawn of."""

    @cached_property
    def templates(self) -> Environment:
        made = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=select_autoescape(("html",)),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        made.globals |= {
            "pages": PAGES,
            "state_of": state_of,
            "new_key": lambda: uuid4().hex,
            "has": words.has,
        }
        made.filters |= {
            "md": rendered,
            "line": first_line,
            "ticks": _ticks,
            "path": lambda text: quote(str(text), safe=""),
        }
        return made

    def lang_of(self, request: Request) -> Lang:
        """As switched, else as the install is set."""
        chosen = request.cookies.get(self.config.lang_cookie)
        return cast("Lang", chosen) if chosen in ("pt", "en") else self.config.lang

    def page(
        self, request: Request, name: str, status: int = 200, visitor: Visitor | None = None, **given: Any
    ) -> HTMLResponse:
        """A page from its template."""
        lang = visitor.lang if visitor else self.lang_of(request)
        done = request.query_params.get("done", "")
        context = {
            "t": words.words_in(lang),
            "lang": lang,
            "group": self.config.group,
            "csrf": visitor.session.csrf if visitor else "",
            "inside": visitor is not None,
            "here": request.url.path,
            "next": _local(request.url.path + (f"?{request.url.query}" if request.url.query else "")),
            "done": f"done:{done}" if words.has(f"done:{done}") else "",
            "when": lambda at, seconds=False: words.shown_time(at, self.zone, lang, seconds),
            "day": lambda at: words.shown_day(at, self.zone, lang),
            "behind": self.following is not None and not self.following.position,
            "live": False,
            "refresh": False,
            **given,
        }
        text = self.templates.get_template(name).render(context)
        headers = {"refresh": "1"} if context["refresh"] else None
        return HTMLResponse(text, status, headers)

    def oops(self, request: Request, status: int, said: str = "", hint: str = "") -> HTMLResponse:
        """A refusal as a page; with the way in where nobody is logged in."""
        visitor = visitor_of(self, request)
        lang = visitor.lang if visitor else self.lang_of(request)
        t = words.words_in(lang)
        shown = status if words.has(f"oops:{status}") else 400
        return self.page(
            request,
            "login.html" if status == 401 else "oops.html",
            status,
            visitor,
            title=t(f"oops:{shown}"),
            said=t(said) if words.has(said) else refusals.told(said, lang),
            hint=hint,
            written=request.method != "POST",
            password=self.config.password is not None,
            failed=False,
        )

    @contextmanager
    def reading(self) -> Iterator[tuple[Install, DashboardReads]]:
        """An install, and its read models as they stand, seen at one moment."""
        with self.pool.one() as install:
            reads = install.reads()
            with reads.snapshot():
                yield install, reads

    def act(
        self,
        visitor: Visitor,
        what: str,
        do: Callable[[Install], object],
        back: str,
        refused: int = 409,
    ) -> Response:
        """Do an act of the operator's, wait until it shows, and go back to where it does."""
        if not self.acts.take(visitor.session.id):
            raise Oops(429, "too-often")
        with self.pool.one() as install:
            try:
                do(install)
            except Refused as why:
                self.log.info("refused", act=what, session=visitor.session.id[:8])
                raise Oops(refused, why.message) from why
            install.current()  # the dashboard waits for its own last write
        self.log.info("acted", act=what, session=visitor.session.id[:8])
        path, _, anchor = back.partition("#")
        return RedirectResponse(f"{path}?done={what}" + (f"#{anchor}" if anchor else ""), 303)


def site_of(request: Request) -> Site:
    return cast("Site", request.app.state.site)


def visitor_of(site: Site, request: Request) -> Visitor | None:
    session = site.door.session(request.cookies.get(site.config.cookie))
    return Visitor(session, site.lang_of(request)) if session else None


def logged_in(request: Request) -> Visitor:
    """The visitor of a request that must have one."""
    visitor = visitor_of(site_of(request), request)
    if visitor is None:
        raise Oops(401)
    return visitor


def from_form(
    visitor: Annotated[Visitor, Depends(logged_in)], csrf: Annotated[str, Form(max_length=200)] = ""
) -> Visitor:
    """The visitor whose own form was sent. One token a session: every tab's forms stay good."""
    if not same(csrf, visitor.session.csrf):
        raise Oops(403, "bad-csrf")
    return visitor


At = Annotated[Site, Depends(site_of)]
In = Annotated[Visitor, Depends(logged_in)]
Acting = Annotated[Visitor, Depends(from_form)]
Text = Annotated[str, Form()]
Key = Annotated[str, Form(max_length=KEY_LENGTH)]


def said(text: str, most: int = 8_192) -> str:
    """A text as it was typed: refused where it is blank, or more than fits."""
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise Oops(422, "blank")
    if len(text.encode("utf-8", "replace")) > most:
        raise Oops(413, "too-large")
    return text


def key_of(key: str) -> str | None:
    """The key that makes a submit land once; None where the form had none."""
    return f"dashboard:{key}" if key.strip() else None


def found(thing: Any) -> Any:
    """The thing, or the page that says there is none."""
    if thing is None:
        raise Oops(404, "not-here")
    return thing


def _ticks(text: str) -> Markup:
    """What stands between backticks as code, everything else escaped."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)))  # noqa: S704  # escaped before


def _local(path: str) -> str:
    """A path of ours to come back to; never another site's."""
    ours = path.startswith("/") and not path.startswith(("//", "/\\", "/login", "/logout"))
    return path if ours and path.isprintable() and "\\" not in path else "/voz"


local = _local


def oops_of(error: EdgeError) -> Oops:
    """An error of edge's as a refusal."""
    status = {1: 500, 2: 422, 3: 409, 4: 503}[error.code]
    return Oops(503 if type(error).__name__ in ("Busy", "Full") else status, error.message, error.hint)
