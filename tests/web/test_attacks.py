"""R5: what strangers try. Each is refused, and written nowhere."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from typing import Any

import pytest

from adapters.web import logs
from adapters.web.config import Config, config_of
from adapters.web.guards import CSP
from adapters.web.keys import Door
from adapters.web.limits import Limit
from edge.dispatch import Artefact
from edge.domain.refusal import Misused
from edge.settings import Settings
from edge.wiring import Edge
from tests.support.lived_in import SLUG
from tests.web.operator import ORIGIN, Operator

READS = (
    "/voz",
    "/voz/x",
    "/artefatos",
    f"/artefatos/{SLUG}",
    "/direction",
    "/direction?at=5",
    "/knowledge",
    "/knowledge?q=a",
    "/briefing",
    "/sources",
    "/sources/one?ref=x",
    "/why",
    "/why?id=x",
    "/health",
    "/audit",
    "/audit/events/5",
    "/audit/replay?at=5",
    "/live",
    "/metrics",
    "/openapi.json",
)
WRITES = (
    "/voz",
    "/voz/questions/x",
    "/voz/x/withdraw",
    f"/artefatos/{SLUG}/vote",
    "/direction/x/accept",
    "/direction/x/reject",
    "/knowledge/x/retire",
    "/sources/curate",
    "/sources/retire",
    "/logout",
)
EVIL = '<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>'


@pytest.mark.parametrize("path", READS)
def test_without_a_login_nothing_is_read(stranger: Operator, path: str) -> None:
    for cookie in ("", "x", "é" * 50):
        headers = [(b"cookie", f"{stranger.config.cookie}={cookie}".encode())]
        answer = stranger.browser.get(path, headers=headers)
        assert answer.status_code == 401
        assert "RabbitMQ" not in answer.text
        assert "partner" not in answer.text


@pytest.mark.parametrize("path", WRITES)
def test_without_a_login_nothing_is_written(stranger: Operator, path: str) -> None:
    head = stranger.written()
    answer = stranger.browser.post(path, data={"body": "mine", "value": "up", "reason": "x", "csrf": "x"})
    assert answer.status_code == 401
    assert stranger.written() == head


@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize(
    "csrf", ["", "x", "é\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace")]
)
def test_a_form_without_its_sessions_token_is_refused(operator: Operator, path: str, csrf: str) -> None:
    head = operator.written()
    answer = operator.browser.post(path, data={"body": "forged", "value": "up", "reason": "x", "csrf": csrf})
    assert answer.status_code == 403
    assert operator.written() == head


def test_another_sessions_token_is_refused(operator: Operator) -> None:
    with Operator(operator.edge) as other:
        theirs = other.logs_in().csrf()
    operator.posts("/voz", {"body": "forged", "csrf": theirs}, 403)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1:1", "localhost", "127.0.0.1.evil.example:8765", "127.0.0.1:8765@evil", ""],
)
def test_a_name_that_is_not_ours_is_refused_also_with_a_login(operator: Operator, host: str) -> None:
    answer = operator.browser.get("/voz", headers={"host": host})
    assert answer.status_code == 403
    assert "RabbitMQ" not in answer.text


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", f"{ORIGIN}.evil.example", "file://", ""]
)
def test_another_origin_is_refused_for_reads_and_writes(operator: Operator, origin: str) -> None:
    csrf, head = operator.csrf(), operator.written()
    for answer in (
        operator.browser.post("/voz", data={"body": "forged", "csrf": csrf}, headers={"origin": origin}),
        operator.browser.get("/voz", headers={"origin": origin}),
    ):
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
    assert operator.written() == head


def test_a_simple_post_that_says_no_origin_is_refused(operator: Operator) -> None:
    csrf = operator.csrf()
    del operator.browser.headers["origin"]
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        body = f"body=forged&csrf={csrf}"
        answer = operator.browser.post("/voz", content=body, headers={"content-type": kind})
        assert answer.status_code == 403


def test_names_for_a_proxy_are_allowed_as_they_are_set(edge: Edge) -> None:
    with Operator(edge, allow=("https://edge.example.org",)) as behind:
        headers = {"host": "edge.example.org", "origin": "https://edge.example.org"}
        token = behind.site.door.token()
        answer = behind.browser.get("/login", params={"token": token}, headers=headers)
        assert answer.status_code == 303
        assert "Secure" in answer.headers["set-cookie"]
        wrong = behind.browser.get("/voz", headers={**headers, "origin": "http://edge.example.org"})
        assert wrong.status_code == 403


def test_what_anybody_wrote_is_shown_and_never_run(operator: Operator) -> None:
    edge = operator.edge
    opened = edge.dispatches.open("report", None, "operator", lambda _: None, lambda _: None, edge.briefing)
    markdown = (
        f"# T\n\n{EVIL}\n\n[x](javascript:alert(1)) [y](data:text/html,x) ![z](https://evil.example/p.png)\n"
    )
    proposes = [{"title": "<script>p</script>", "body": EVIL, "kind": "thread"}]
    said = {
        "slug": "evil",
        "title": "<script>t</script>",
        "body": markdown,
        "proposes": proposes,
        "cites": [{"ref": "javascript:alert(1)<script>", "kind": "mundo", "relevant": True}],
        "distills": [EVIL],
    }
    edge.dispatches.close(opened.dispatch_id, EVIL, Artefact(said, republish=False), {})
    edge.voz.comment(EVIL, "evil")
    edge.current()
    position = next(iter(edge.log.read_all(types=["voz.comment"], backwards=True, limit=1))).position
    steer = next(item["id"] for item in edge.reads().items() if item["from_artefato"] == "evil")
    for path in (
        *(
            "/voz",
            "/artefatos",
            "/artefatos/evil",
            "/direction",
            f"/direction/{steer}",
            "/briefing",
            "/sources",
        ),
        *("/why?id=evil", f"/why?id={steer}", "/why?id=" + EVIL, "/why?id=javascript:alert(1)<script>"),
        *("/audit", f"/audit/events/{position}", f"/audit/replay?at={position}", "/knowledge?q=" + EVIL),
        *("/nope/" + EVIL, "/voz?done=" + EVIL, "/lang/" + EVIL, "/direction?at=" + EVIL[:30]),
    ):
        seen = _Elements()
        seen.feed(operator.browser.get(path).text)
        assert [attributes for tag, attributes in seen.found if tag == "script"] == [
            {"src": "/static/live.js", "defer": None}
        ], path
        for tag, attributes in seen.found:
            assert tag not in ("img", "iframe", "object", "style", "base"), (path, tag)
            assert not any(name.startswith("on") or name == "style" for name in attributes), (
                path,
                attributes,
            )
            target = attributes.get("href") or attributes.get("action") or "/"
            assert target.startswith(("/", "#", "https://")), (path, target)


class _Elements(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_every_answer_binds_the_browser(operator: Operator) -> None:
    for path, status in (("/voz", 200), ("/nope", 404), ("/static/style.css", 200), ("/login", 303)):
        answer = operator.browser.get(path)
        assert answer.status_code == status
        assert answer.headers["content-security-policy"] == CSP
        assert "unsafe" not in CSP
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        if not path.startswith("/static/"):
            assert answer.headers["cache-control"] == "no-store"
    refused = operator.browser.get("/voz", headers={"host": "evil.example"})
    assert refused.headers["content-security-policy"] == CSP


def test_no_page_holds_inline_code_or_style(operator: Operator) -> None:
    for page in ("/voz", f"/artefatos/{SLUG}", "/direction", "/knowledge", "/health", "/audit"):
        text = operator.browser.get(page).text
        assert " style=" not in text
        assert "<style" not in text
        assert " onclick=" not in text
        assert text.count("<script") == 1


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2fsettings.py",
        "/artefatos/..%2f..%2fetc%2fpasswd",
        "/artefatos/%2e%2e%2f%2e%2e%2fdashboard.key",
        "/audit/streams/..%2f..%2fdashboard.key",
        "/voz/%00",
    ],
)
def test_no_path_leads_out(operator: Operator, path: str) -> None:
    answer = operator.browser.get(path)
    assert answer.status_code in (404, 422)
    assert "root:" not in answer.text
    assert "import" not in answer.text


@pytest.mark.parametrize(
    "next_",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "\\\\evil",
        "javascript:alert(1)",
        "/\t/evil",
    ],
)
def test_no_redirect_leads_to_another_site(stranger: Operator, next_: str) -> None:
    token = stranger.site.door.token()
    for path, params in (("/login", {"token": token, "next": next_}), ("/lang/pt", {"next": next_})):
        assert stranger.browser.get(path, params=params).headers["location"] == "/voz"


def test_a_token_opens_once_and_not_for_ever(stranger: Operator, edge: Edge) -> None:
    token = stranger.site.door.token()
    assert stranger.browser.get("/login", params={"token": token}).status_code == 303
    stranger.browser.cookies.clear()
    assert stranger.browser.get("/login", params={"token": token}).status_code == 403
    assert not Door(edge.settings.home).take(token)  # nor after a restart
    now = [1_000_000.0]
    door = Door(edge.settings.home, lambda: now[0])
    late = door.token()
    now[0] += 16 * 60
    assert not door.take(late)


def test_a_clock_set_back_or_forward_by_a_day_locks_nobody_out(edge: Edge) -> None:
    now = [1_000_000.0]
    door = Door(edge.settings.home, lambda: now[0])
    secret = door.open()
    for moved in (-86_400, 2 * 86_400):
        now[0] += moved
        assert door.session(secret) is not None
        assert door.take(door.token())


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "x",
        "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
        "é" * 99,
        "A" * 91,
        "=" * 90,
    ],
)
def test_no_guess_opens(stranger: Operator, secret: str) -> None:
    answer = stranger.browser.post("/login", data={"secret": secret})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_fifty_guesses_at_once_are_slowed_down_and_a_true_token_still_opens(edge: Edge) -> None:
    with Operator(edge, password="correct horse") as stranger:

        def guess(n: int) -> int:
            return int(stranger.browser.post("/login", data={"secret": f"guess {n}"}).status_code)

        with ThreadPoolExecutor(10) as many:
            codes = list(many.map(guess, range(50)))
        assert set(codes) == {403, 429}
        assert codes.count(403) <= 12
        assert stranger.browser.post("/login", data={"secret": "correct horse"}).status_code == 429
        assert stranger.logs_in().sees("/voz")


def test_the_password_opens_where_one_is_set(edge: Edge) -> None:
    with Operator(edge, password="cavalo correcto é") as stranger:
        answer = stranger.browser.post("/login", data={"secret": "cavalo correcto é"})
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert cookie.startswith(stranger.config.cookie)


def test_other_addresses_take_a_password(tmp_path: Any) -> None:
    settings = Settings(tmp_path, "g")
    for host in ("0.0.0.0", "192.168.1.4", "::", "example.org"):
        with pytest.raises(Misused, match="no password is set"):
            config_of(settings, host)
    for host in ("127.0.0.1", "localhost", "::1", "127.1.2.3"):
        assert config_of(settings, host).host == host
    assert config_of(Settings(tmp_path, "g", dashboard_password="x"), "0.0.0.0").password == "x"


def test_logging_in_leads_to_the_page_that_was_asked_for(stranger: Operator) -> None:
    asked = stranger.sees("/direction?at=5", 401)
    assert 'name="next" value="/direction?at=5"' in asked
    failed = stranger.posts("/login", {"secret": "x", "next": "/direction?at=5"}, 403)
    assert 'name="next" value="/direction?at=5"' in failed
    token = stranger.site.door.token()
    assert stranger.posts("/login", {"secret": token, "next": "/direction?at=5"}) == "/direction?at=5"


def test_two_installs_do_not_share_a_cookie(tmp_path: Any) -> None:
    homes = [Config(tmp_path / name, "g", "127.0.0.1", 1, "en") for name in "ab"]
    assert homes[0].cookie != homes[1].cookie


def test_logging_out_ends_the_session_in_every_tab(operator: Operator) -> None:
    cookie, csrf = dict(operator.browser.cookies), operator.csrf()
    assert operator.posts("/logout", {"csrf": csrf}) == "/login"
    operator.browser.cookies.update(cookie)
    operator.sees("/voz", 401)
    head = operator.written()
    operator.posts("/voz", {"csrf": csrf, "body": "still here?"}, 401)
    assert operator.written() == head


def test_acts_are_bounded_in_number(operator: Operator) -> None:
    operator.site.acts = Limit(burst=3, per_minute=1)
    csrf = operator.csrf()
    for n in range(3):
        operator.posts("/voz", {"csrf": csrf, "body": f"said {n}"})
    head = operator.written()
    assert "Wait a little" in operator.posts("/voz", {"csrf": csrf, "body": "again"}, 429)
    assert operator.written() == head


def test_neither_logs_nor_pages_hold_secrets_or_words(
    operator: Operator, capfd: pytest.CaptureFixture[str]
) -> None:
    operator.site.log = logs.logger()  # on standard error as it is captured now
    token = operator.site.door.token()
    operator.browser.get("/login", params={"token": token})
    operator.sends("/voz", "/voz", body="palavras minhas")
    operator.sees("/knowledge?q=secretquery")
    operator.posts("/voz", {"csrf": "x", "body": "palavras forjadas"}, 403)
    logged = capfd.readouterr().err
    lines = [json.loads(line) for line in logged.splitlines()]
    assert {"request", "acted", "login"} <= {line["event"] for line in lines}
    key = (operator.edge.settings.home / "dashboard.key").read_bytes()
    secrets = [token, *operator.browser.cookies.values(), key.hex()]
    for hidden in (*secrets, "palavras", "secretquery", operator.csrf()):
        assert hidden not in logged
    for page in ("/voz", "/health", "/audit"):
        text = operator.sees(page)
        assert not any(secret in text for secret in secrets)


def test_the_key_and_the_sessions_are_the_owners_alone(operator: Operator) -> None:
    for name in ("dashboard.key", "dashboard.sessions"):
        assert (operator.edge.settings.home / name).stat().st_mode & 0o077 == 0
    kept = (operator.edge.settings.home / "dashboard.sessions").read_text()
    assert not any(secret in kept for secret in operator.browser.cookies.values())


def test_metrics_open_by_their_own_token(edge: Edge) -> None:
    with Operator(edge, metrics_token="for prometheus") as scraper:
        for given, status in (("Bearer for prometheus", 200), ("Bearer wrong", 401), ("", 401)):
            answer = scraper.browser.get("/metrics", headers={"authorization": given})
            assert answer.status_code == status


def test_an_unexpected_error_is_a_page_that_tells_nothing(
    operator: Operator, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    operator.site.log = logs.logger()

    def broken(*_: object) -> None:
        raise ValueError("the operator's own words")

    monkeypatch.setattr("projections.dashboard_queries.DashboardQueries.known_count", broken)
    seen = operator.sees("/knowledge", 500)
    assert "own words" not in seen
    logged = capfd.readouterr().err
    assert "ValueError" in logged
    assert "own words" not in logged


def test_many_streams_of_one_session_are_refused(operator: Operator) -> None:
    session = operator.site.door.session(operator.browser.cookies[operator.config.cookie])
    assert session is not None
    streams = operator.site.streams
    from asyncio import Event

    streams._waiting = {Event(): session.id for _ in range(8)}
    operator.sees("/live", 429)
    streams._waiting = {}
