"""The way in and out, and the language."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from adapters.web.keys import SESSION_SECONDS, same
from adapters.web.site import Acting, At, Oops, Site, local, visitor_of

router = APIRouter()


@router.get("/", include_in_schema=False)
def home() -> Response:
    return RedirectResponse("/voz", 303)


@router.get("/login")
def way_in(request: Request, site: At, token: str = "", next: str = "/voz") -> Response:  # noqa: A002  # as the address says it
    """The form; with a one-time token, in at once, and the token out of the address."""
    if token:
        return _let_in(site, request, token, next)
    if visitor_of(site, request):
        return RedirectResponse(local(next), 303)
    return _form(site, request, next)


@router.post("/login")
def log_in(
    request: Request,
    site: At,
    secret: Annotated[str, Form(max_length=4_096)] = "",
    next: Annotated[str, Form(max_length=2_048)] = "/voz",  # noqa: A002
) -> Response:
    """In by a token, or by the password where one is set."""
    return _let_in(site, request, secret.strip(), next)


def _let_in(site: Site, request: Request, secret: str, after: str) -> Response:
    if not site.door.take(secret) and not _is_password(site, secret):
        site.log.warning("login", ok=False)
        return _form(site, request, after, 403, failed=True)
    site.log.info("login", ok=True)
    response = RedirectResponse(local(after), 303)
    response.set_cookie(
        site.config.cookie,
        site.door.open(),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=_is_secure(site, request),
        path="/",
    )
    return response


def _is_password(site: Site, secret: str) -> bool:
    """Guesses are counted for all together: behind a proxy all come from one address."""
    if not site.logins.take("guesses"):
        raise Oops(429, "too-often")
    return site.config.password is not None and same(secret, site.config.password)


def _form(site: Site, request: Request, after: str, status: int = 200, failed: bool = False) -> Response:
    password = site.config.password is not None
    return site.page(request, "login.html", status, failed=failed, password=password, next=local(after))


def _is_secure(site: Site, request: Request) -> bool:
    """Whether the browser reached us by TLS, as far as we can know: by the name that is allowed for it."""
    host = request.headers.get("host", "").lower()
    plain = f"http://{host}" in site.config.origins
    return f"https://{host}" in site.config.origins and not plain


@router.post("/logout")
def log_out(site: At, visitor: Acting) -> Response:
    """Out, in every tab; streams that are open end."""
    site.door.close(visitor.session.id)
    site.streams.end(visitor.session.id)
    site.log.info("logout", session=visitor.session.id[:8])
    response = RedirectResponse("/login", 303)
    response.delete_cookie(site.config.cookie, path="/", httponly=True, samesite="strict")
    return response


@router.get("/lang/{lang}")
def switch(site: At, lang: Literal["pt", "en"], next: str = "/voz") -> Response:  # noqa: A002
    """Speak another language from now on; nothing but a preference is kept."""
    response = RedirectResponse(local(next), 303)
    response.set_cookie(
        site.config.lang_cookie, lang, max_age=SESSION_SECONDS, httponly=True, samesite="strict", path="/"
    )
    return response
