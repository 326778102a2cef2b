"""axe-core finds nothing wrong on any page: labels, contrast, landmarks, order of headings."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright: `make test` installs it")

from playwright.sync_api import Browser, Page

from edge.domain.language import Lang
from tests.browser.test_day import looking
from tests.support.lived_in import SLUG
from tests.web.served import Served


def complaints(page: Page, axe: str) -> str:
    """What axe-core says of the page, short."""
    page.evaluate(axe + "; null")
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    said = [
        {
            "rule": one["id"],
            "at": [node["target"] for node in one["nodes"]][:3],
            "how": one["nodes"][0]["failureSummary"],
        }
        for one in found["violations"]
    ]
    return json.dumps(said, indent=1) if said else ""


@pytest.mark.parametrize(
    ("lang", "scheme", "width"),
    [("en", "light", 1100), ("pt", "dark", 390)],
    ids=["desktop-light", "phone-dark"],
)
def test_every_page_is_accessible(
    browser: Browser, served: Served, axe: str, lang: Lang, scheme: str, width: int
) -> None:
    more = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    with looking(browser, served, lang, scripted=True, **more) as page:
        paths = [
            *(
                "/voz",
                "/voz?which=closed",
                "/artefatos",
                f"/artefatos/{SLUG}",
                "/direction",
                "/direction?at=60",
            ),
            *(
                "/knowledge",
                "/knowledge?q=retry",
                "/briefing",
                "/sources",
                "/why",
                f"/why?id={SLUG}",
                "/health",
                "/audit",
            ),
            *("/audit/events/200", "/audit/replay?at=60"),
        ]
        for start, prefix in (
            ("/voz", "/voz/"),
            ("/direction", "/direction/"),
            ("/knowledge", "/knowledge/"),
        ):
            page.goto(start)
            hrefs = page.eval_on_selector_all(
                "main a", "links => links.map(link => link.getAttribute('href'))"
            )
            paths.append(next(href for href in hrefs if href and href.startswith(prefix)))
        for path in paths:
            page.goto(path)
            assert not (said := complaints(page, axe)), f"{path}: {said}"


def test_the_way_in_and_refusals_are_accessible(browser: Browser, served: Served, axe: str) -> None:
    page = browser.new_page(base_url=served.address)
    for path in ("/login", "/voz", "/nope", "/login?token=wrong"):
        page.goto(path)
        assert not (said := complaints(page, axe)), f"{path}: {said}"
    page.close()
