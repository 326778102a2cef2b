"""The operator at a browser without JavaScript: opens pages, fills in the forms that stand on them."""

from __future__ import annotations

import re
from html import unescape
from types import TracebackType
from typing import Any, Final, Self

from fastapi import FastAPI
from starlette.testclient import TestClient

from adapters.web.app import create_app
from adapters.web.config import Config
from adapters.web.site import Site
from edge.wiring import Edge
from tests.support.house import HandClock

PORT: Final = 8765
ORIGIN: Final = f"http://127.0.0.1:{PORT}"
_FORM: Final = re.compile(r'<form method="post" action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
_HIDDEN: Final = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


class Operator:
    """Over the application itself, no socket between. ``edge`` is their install, for a second look."""

    def __init__(self, edge: Edge, **config: Any) -> None:
        self.edge = edge
        settings = edge.settings
        self.config = Config(settings.home, settings.group, "127.0.0.1", PORT, settings.lang, **config)
        self.app = self._made()
        self.browser = TestClient(
            self.app, base_url=ORIGIN, headers={"origin": ORIGIN}, follow_redirects=False
        )

    def _made(self) -> FastAPI:
        def opened(report: Any = None) -> Edge:
            one = Edge(self.edge.settings, report)
            one.__dict__["clock"] = self.edge.__dict__.get("clock", HandClock())
            return one

        return create_app(self.config, opened, self.edge.settings.tz)

    @property
    def site(self) -> Site:
        found: Site = self.app.state.site
        return found

    def __enter__(self) -> Self:
        self.browser.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.browser.__exit__(kind, error, trace)

    def logs_in(self) -> Self:
        answer = self.browser.get("/login", params={"token": self.site.door.token()})
        assert answer.status_code == 303, answer.text
        return self

    def sees(self, path: str, status: int = 200) -> str:
        """The text of a page."""
        answer = self.browser.get(path)
        assert answer.status_code == status, f"{path}: {answer.status_code} {answer.text[:400]}"
        return unescape(answer.text)

    def form(self, page: str, action: str) -> dict[str, str]:
        """The hidden fields of a form that stands on a page."""
        for found, inside in _FORM.findall(self.browser.get(page).text):
            if found == action:
                return dict(_HIDDEN.findall(inside))
        raise AssertionError(f"no form to {action} on {page}")

    def sends(self, page: str, action: str, status: int = 303, **fields: str) -> str:
        """Fill in a form of a page and send it; where it leads, or the page that refuses it."""
        return self.posts(action, {**self.form(page, action), **fields}, status)

    def posts(self, action: str, fields: dict[str, str], status: int = 303) -> str:
        answer = self.browser.post(action, data=fields)
        assert answer.status_code == status, f"{action}: {answer.status_code} {answer.text[:600]}"
        return answer.headers["location"] if status == 303 else unescape(answer.text)

    def csrf(self) -> str:
        return self.form("/voz", "/voz")["csrf"]

    def written(self) -> int:
        """Where the log ends."""
        return self.edge.log.head()
