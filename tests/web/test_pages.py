"""Every page, in both languages, lived in and empty."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.channels.native import NativeChannel
from adapters.web.pages.health import DAYS
from adapters.web.words import WORDS
from edge.domain.events import Draft
from edge.init import initialise
from edge.journal import Act
from edge.settings import Settings
from edge.voz import Voz
from edge.wiring import Edge
from tests.support.courier import Courier, Post
from tests.support.lived_in import SLUG
from tests.web.operator import Operator

PAGES = ("voz", "artefatos", "direction", "knowledge", "briefing", "sources", "health", "audit")


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Operator]:
    """The operator of an install in which nothing has happened yet."""
    home = tmp_path / "new"
    initialise(Settings(home, "new", root=str(tmp_path / "none")))
    edge = Edge.at_home(home)
    with Operator(edge) as someone:
        yield someone.logs_in()
    edge.close()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("lang", ["en", "pt"])
def test_each_page_says_its_name_in_the_language_switched_to(
    operator: Operator, page: str, lang: str
) -> None:
    operator.browser.get(f"/lang/{lang}")
    seen = operator.sees(f"/{page}")
    assert f'<html lang="{lang}">' in seen
    assert f"<h1>{WORDS[page][lang == 'pt']}</h1>" in seen
    assert 'aria-current="page"' in seen


@pytest.mark.parametrize("page", PAGES)
def test_each_page_of_a_new_install_says_honestly_that_there_is_nothing(
    newcomer: Operator, page: str
) -> None:
    seen = newcomer.sees(f"/{page}")
    empty = {
        "voz": "Nothing has been said yet",
        "artefatos": "Nothing is published yet",
        "direction": "Nothing has moved Direction yet",
        "knowledge": "Nothing is known yet",
        "briefing": "No artefato is published yet",
        "sources": "No artefato has cited anything yet",
        "health": "Nothing happened in these weeks",
        "audit": "log.created",
    }[page]
    assert empty in seen


def test_both_languages_have_every_word(operator: Operator) -> None:
    for name, (en, pt) in WORDS.items():
        assert en.strip(), name
        assert pt.strip(), name
        assert {w for w in en.split() if "{" in w} or "{" not in pt, name


def test_voz_shows_who_waits_on_top_and_every_state_of_a_chat(operator: Operator) -> None:
    seen = operator.sees("/voz")
    assert seen.index("Waiting for you") < seen.index("Fold into Direction") < seen.index("Timeline")
    for state in ("sent", "acknowledged", "asks you", "folded into Direction"):
        assert state in seen
    assert "/direction/use-tables-only-for-figures" in seen
    assert "sent" not in operator.sees("/voz?which=closed").partition('id="timeline"')[2]


def test_a_comment_that_came_from_elsewhere_says_whether_its_answer_can_travel_back(
    operator: Operator,
) -> None:
    edge = operator.edge
    voz = Voz(edge.journal, edge, NativeChannel(), {"courier"})
    posts = [Post("a", "From there"), Post("b", "From there too", session_ends="2020-01-01T00:00:00Z")]
    open_, ended = (voz.receive(Courier().signal(post)).id for post in posts)
    edge.current()
    assert "came over courier; an answer can go back to r7/p1" in operator.sees(f"/voz/{open_}")
    assert "no answer can go back (its time is over): it is shown here" in operator.sees(f"/voz/{ended}")
    here = edge.voz.comment("From here").id
    edge.current()
    assert "came over" not in operator.sees(f"/voz/{here}")


def test_an_artefato_shows_its_why_its_body_what_it_cites_and_proposes_and_its_comments(
    operator: Operator,
) -> None:
    assert "What fails at night" in operator.sees("/artefatos")
    seen = operator.sees(f"/artefatos/{SLUG}")
    for words in (
        "The partner wants our retry policy",
        "<em>may not</em>",
        "<table>",
        "session 6513270e",
        "Give notify.py a key too",
        "Obrigado, ficou ótimo",
    ):
        assert words in seen
    assert seen.count("What a retry may and may not do") == 2  # the title of page and browser, not a third


def test_a_steer_shows_where_it_came_from_and_what_happened_to_it(operator: Operator) -> None:
    edge = operator.edge
    steer = next(item for item in edge.reads().items() if item["origin_comment_id"])
    seen = operator.sees(f"/direction/{steer['id']}")
    assert f"/voz/{steer['origin_comment_id']}" in seen
    assert "History" in seen
    gone = next(m for m in edge.reads().moves(100) if m.op == "drop")
    assert "the partner wants them longer" in operator.sees(f"/direction/{gone.id}")


def test_a_steers_history_names_its_end_its_rival_and_what_was_passed_over(operator: Operator) -> None:
    edge = operator.edge
    fields = {"title": "Rest", "body": "Rest", "kind": "priority"}
    id_ = edge.steering.set_({**fields, "expires_at": "2020-01-01"}, None, None).id
    basis = edge.current().moves_of(id_)[0].position
    for title in ("Rest more", "Rest less"):
        again = Draft("direction.set", {"id": id_, **fields, "title": title, "basis": basis})
        last = len(list(edge.log.read(edge.streams.direction(id_)))) - 1
        edge.journal.append(edge.streams.direction(id_), [again], last, Act("operator"))
    edge.current()
    seen = operator.sees(f"/direction/{id_}")
    assert "(last day: 2020-01-01)" in seen
    rival = edge.reads().moves_of(id_)[1].said["event"]
    assert f'href="/why?id={rival}"' in seen
    assert "replaced unseen" in seen


def test_direction_looks_back_by_slider_by_position_and_by_date(operator: Operator) -> None:
    first = operator.edge.reads().moves(100)[0]
    for way in (f"slider={first.position}", f"at={first.position}", f"at={first.at[:10]}T23:59"):
        seen = operator.sees(f"/direction?{way}")
        assert "This is how it was" in seen
        assert "Ask before deploying on a Friday" not in seen.partition("This is how it was")[2]
    assert "Accept" not in operator.sees(f"/direction?at={first.position}")


def test_a_time_nobody_can_read_is_refused_as_a_page(operator: Operator) -> None:
    assert "is not a date" in operator.sees("/direction?at=yesterday", 422)
    assert "has no position" in operator.sees("/audit/replay?at=99999999", 409)


def test_knowledge_is_drawn_listed_found_and_traced_to_its_episodes(operator: Operator) -> None:
    seen = operator.sees("/knowledge")
    assert "<svg" in seen
    assert "RabbitMQ" in seen
    found = operator.sees("/knowledge?q=dead+letters")
    assert "RabbitMQ keeps dead letters for a week" in found
    assert "Nothing that is known" in operator.sees("/knowledge?q=xylophone&tier=all")
    item = operator.edge.reads().recently_known(1)[0]
    fact = operator.sees(f"/knowledge/{item.id}")
    assert "hypothesis" in fact
    assert "/audit/events/" in fact
    subject = operator.edge.reads().most_spoken_of(1)[0]
    assert subject.name in operator.sees(f"/knowledge/subjects/{subject.id}")


def test_a_briefing_is_shown_now_as_presented_and_recomputed(operator: Operator) -> None:
    assert "As it would be shown now" in operator.sees("/briefing")
    shown = next(iter(operator.edge.log.read_all(types=["briefing.presented"])))
    assert "Just as it was shown" in operator.sees(f"/briefing?at={shown.position}")
    assert "recomputed from the log" in operator.sees("/briefing?at=2")


def test_what_edge_says_links_to_why_it_says_it(operator: Operator) -> None:
    edge = operator.edge
    steer = next(item for item in edge.reads().items() if item["origin_comment_id"])
    said = edge.reads().chat(str(steer["origin_comment_id"]))
    fact = edge.reads().recently_known(1)[0]
    shown = next(iter(edge.log.read_all(types=["briefing.presented"])))
    assert said
    pages = {
        f"/direction/{steer['id']}": said["body"],
        f"/voz/{said['comment_id']}": said["body"],
        f"/knowledge/{fact.id}": "session ",
        f"/briefing?at={shown.position}": "/audit/events/",
    }
    for page, words in pages.items():
        link = re.search(r'href="(/why[?]id=[^"]+)"', operator.sees(page))
        assert link, page
        assert words in html.unescape(operator.sees(html.unescape(link[1]))), page
    operator.sees("/why?id=nothing-of-the-kind", 404)


def test_health_draws_activity_by_the_operators_own_days(operator: Operator) -> None:
    seen = operator.sees("/health")
    assert "All is well" in seen
    assert f"The last {DAYS} days: what you said 8" in seen
    assert 'class="k-episode"' in seen


def test_audit_leads_from_events_to_streams_to_the_chain(operator: Operator) -> None:
    edge = operator.edge
    resolved = next(iter(edge.log.read_all(types=["voz.resolved"])))
    assert "/audit/events/" in operator.sees("/audit")
    assert resolved.id in operator.sees(f"/audit/events/{resolved.position}")
    chain = operator.sees(f"/audit/events/{resolved.position}").partition("The chain")[2]
    assert "grill.started" in chain
    assert "voz.reply" in chain
    assert "voz.comment" in operator.sees(f"/audit/streams/{resolved.stream}")
    operator.sees("/audit/streams/voz-me.nobody", 404)
    operator.sees("/audit/events/0", 404)


def test_a_replay_shows_what_was_known_then(operator: Operator) -> None:
    comment = next(iter(operator.edge.log.read_all(types=["voz.comment"])))
    seen = operator.sees(f"/audit/replay?at={comment.position}")
    assert comment.data["body"] in seen
    assert "What Marta reads" not in seen


def test_lists_go_on_page_by_page(operator: Operator) -> None:
    for n in range(45):
        operator.edge.voz.comment(f"said {n}")
    operator.edge.current()
    seen, path = "", "/voz"
    for _ in range(3):
        page = operator.sees(path)
        seen += page
        path = next((p for p in page.split('"') if p.startswith("/voz?which=all") and "before" in p), "")
        path = path.replace("&amp;", "&")
    assert all(f"said {n}<" in seen for n in range(45))


def test_what_is_not_there_is_a_page_of_the_same_design(operator: Operator) -> None:
    for path in (
        "/artefatos/nope",
        "/voz/nope",
        "/direction/nope",
        "/knowledge/nope",
        "/nope",
        "/static/nope",
    ):
        seen = operator.sees(path, 404)
        assert "There is no such thing here" in seen
        assert 'href="/static/style.css"' in seen


def test_metrics_are_numbers_only(operator: Operator) -> None:
    seen = operator.sees("/metrics")
    assert "edge_chats_open 2" in seen
    assert "edge_up 1" in seen
    assert "sources" not in seen


def test_reading_pages_runs_no_log(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages but audit and those of another time are answered by the read store alone."""

    def ran(*_: object, **__: object) -> None:
        raise AssertionError("the log was run")

    monkeypatch.setattr("projections.runner.Runner.catch_up", ran)
    for page in PAGES:
        operator.sees(f"/{page}")
