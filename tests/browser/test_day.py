"""A day at the dashboard, as a person sees it: with and without JavaScript, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright: `make test` installs it")

from playwright.sync_api import Browser, Page, expect

from adapters.web.words import words_in
from edge.domain.language import Lang
from edge.wiring import Edge
from tests.support.lived_in import SLUG, unattended
from tests.web.served import Served

BOTH = pytest.mark.parametrize(
    ("lang", "scripted"), [("en", True), ("pt", True), ("en", False), ("pt", False)], ids=str
)


@contextmanager
def looking(browser: Browser, served: Served, lang: Lang, scripted: bool, **more: object) -> Iterator[Page]:
    """A page of somebody logged in. What a page complains of in its console fails the test."""
    context = browser.new_context(java_script_enabled=scripted, base_url=served.address, **more)  # type: ignore[arg-type]
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(served.token_path())
    page.get_by_role("link", name={"en": "English", "pt": "Português"}[lang]).click()
    expect(page.locator("html")).to_have_attribute("lang", lang)
    yield page
    assert complaints == []
    context.close()


@BOTH
def test_from_a_comment_to_the_steer(browser: Browser, served: Served, lang: Lang, scripted: bool) -> None:
    t = words_in(lang)
    with looking(browser, served, lang, scripted) as page:
        # comment on an artefato
        page.get_by_role("link", name=t("artefatos")).click()
        page.get_by_role("link", name="What a retry may and may not do").click()
        page.get_by_label(t("compose-on")).fill("Every retry must be counted from now on")
        page.get_by_role("button", name=t("say")).click()
        expect(page.get_by_role("status").filter(has_text=t("done:commented"))).to_be_visible()
        expect(page.get_by_text("Every retry must be counted from now on").first).to_be_visible()

        # vote
        page.get_by_role("button", name=f"▲ {t('vote-up')}").click()
        expect(page.get_by_text(t("voted:1"))).to_be_visible()

        # be asked
        with Edge.at_home(served.home) as edge:
            edge.current()
            unattended(edge)
        page.get_by_role("link", name=t("voz"), exact=True).click()
        waiting = page.locator(".waiting")
        asked = waiting.get_by_role("article").filter(has_text="Every retry must be counted")
        expect(asked.get_by_text(t("asks"), exact=True)).to_be_visible()

        # answer
        asked.get_by_label(t("answer-label")).fill("sim" if lang == "pt" else "yes")
        asked.get_by_role("button", name=t("answer"), exact=True).click()
        expect(page.get_by_role("status").filter(has_text=t("done:answered"))).to_be_visible()

        # see the reply and the steer
        with Edge.at_home(served.home) as edge:
            edge.current()
            unattended(edge)
        page.goto("/voz")
        card = page.get_by_role("article").filter(has_text="Every retry must be counted").first
        expect(card.get_by_text(t("state:folded-to-direction"))).to_be_visible()
        card.get_by_role("link", name="every-retry-must-be-counted").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Every retry must be counted")
        expect(page.get_by_role("heading", name=t("from-chat"))).to_be_visible()


@BOTH
def test_the_time_slider_shows_direction_as_it_was(
    browser: Browser, served: Served, lang: Lang, scripted: bool
) -> None:
    t = words_in(lang)
    with looking(browser, served, lang, scripted) as page:
        page.goto("/direction")
        expect(page.get_by_role("heading", name="Ask before deploying on a Friday")).to_be_visible()
        slider = page.get_by_role("slider")
        slider.focus()
        if scripted:
            slider.evaluate("slider => { slider.value = 100; slider.dispatchEvent(new Event('change')); }")
        else:
            for _ in range(6):
                slider.press("PageDown")
            page.locator("form.slide").get_by_role("button").click()
        expect(
            page.get_by_text(t("as-of-is", when="").partition("  ")[0].split(" .")[0].strip(" ."))
        ).to_be_visible()
        expect(page.get_by_role("heading", name="Ask before deploying on a Friday")).to_have_count(0)
        page.get_by_role("link", name=t("as-of-now")).first.click()
        expect(page.get_by_role("heading", name="Ask before deploying on a Friday")).to_be_visible()


@BOTH
def test_a_proposal_is_accepted_and_another_rejected(
    browser: Browser, served: Served, lang: Lang, scripted: bool
) -> None:
    t = words_in(lang)
    with looking(browser, served, lang, scripted) as page:
        page.goto("/direction")
        page.get_by_role("button", name=f"{t('accept')}: Give the gateway a key too").click()
        expect(
            page.get_by_role("region", name=t("set")).get_by_role(
                "heading", name="Give the gateway a key too"
            )
        ).to_be_visible()
        card = page.get_by_role("article", name="Give a horta a key too")
        card.locator("summary").click()
        card.get_by_label(t("reason")).fill("not this year")
        card.get_by_role("button", name=t("reject")).click()
        expect(page.get_by_role("article", name="Give a horta a key too")).to_have_count(0)


def test_two_tabs_at_once(browser: Browser, served: Served) -> None:
    with looking(browser, served, "en", scripted=True) as one:
        other = one.context.new_page()
        other.goto("/voz")
        other.get_by_label("Say something").fill("half written in the other tab")
        one.goto("/voz")
        one.get_by_label("Say something").fill("sent from the first tab")
        one.get_by_role("button", name="Say it").click()
        expect(one.get_by_text("sent from the first tab").first).to_be_visible()
        # the other learns of it, and what is being written there is left alone
        expect(other.locator("[data-news]")).to_be_visible()
        expect(other.get_by_label("Say something")).to_have_value("half written in the other tab")
        other.get_by_role("button", name="Say it").click()
        expect(other.get_by_text("half written in the other tab").first).to_be_visible()
        expect(other.get_by_text("sent from the first tab").first).to_be_visible()
        # and the first, where nobody writes, shows it by itself
        one.locator("h1").click()
        expect(one.get_by_text("half written in the other tab").first).to_be_visible()


def test_all_is_reached_by_keyboard_and_the_focus_is_seen(browser: Browser, served: Served) -> None:
    with looking(browser, served, "en", scripted=True) as page:
        page.goto("/voz")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        reached = []
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.append(
                page.evaluate("(document.activeElement.textContent || document.activeElement.name).trim()")
            )
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", reached[-1]
        for name in ("Voz", "Audit", "Answer", "yes", "Say it"):
            assert name in reached, reached


@pytest.mark.parametrize("width", [320, 390, 1100])
def test_no_page_is_wider_than_the_screen(browser: Browser, served: Served, width: int) -> None:
    with looking(browser, served, "pt", scripted=True, viewport={"width": width, "height": 800}) as page:
        for path in (
            *("/voz", "/artefatos", f"/artefatos/{SLUG}", "/direction", "/knowledge", "/briefing"),
            *("/sources", "/health", "/audit", "/audit/events/200"),
        ):
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
