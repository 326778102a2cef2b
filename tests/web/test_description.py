"""The OpenAPI description, and what schemathesis makes of it: never an error of ours, nothing slipped in."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("schemathesis", reason="schemathesis: `make test` installs it")

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.generation.modes import GenerationMode

from adapters.web.guards import CSP
from adapters.web.limits import Limit
from tests.support.soak import counted, more
from tests.web.operator import Operator

BOUNDS = settings(
    max_examples=more(20, 5), deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture
def described(operator: Operator) -> Any:
    """The description, with every request going to the application itself."""
    operator.site.acts = operator.site.logins = Limit(burst=10**9, per_minute=10**9)
    return schemathesis.openapi.from_dict(operator.app.openapi())


def test_no_request_makes_it_fail(operator: Operator, described: Any) -> None:
    csrf, replies = operator.csrf(), 0

    def asked(case: Any) -> None:
        nonlocal replies
        head, body = operator.written(), case.body
        if isinstance(body, dict) and "secret" not in body:
            body = {**body, "csrf": csrf}  # past the first gate, to what is behind it
        answer = operator.browser.request(
            case.method, _path(case), params=_plain(case.query), data=_plain(body) if body else None
        )
        assert answer.status_code < 500, (case.method, case.path, case.path_parameters, case.query, body)
        assert answer.headers["content-security-policy"] == CSP
        if answer.status_code >= 400 or case.method == "GET":
            assert operator.written() == head
        replies += 1

    for found in described.get_all_operations():
        operation = found.ok()
        if operation.path == "/logout":
            continue
        strategy = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        tried = given(case=strategy)(asked)
        BOUNDS(tried)()
    assert replies > 300
    counted("requests made up by schemathesis", replies)


def _path(case: Any) -> str:
    path = case.path
    for name, value in (case.path_parameters or {}).items():
        path = path.replace("{" + name + "}", quote(str(value), safe="", errors="replace"))
    return str(path)


def _plain(fields: Any) -> dict[str, str]:
    """Fields as a form or a query holds them: text that UTF-8 can hold."""
    if not isinstance(fields, dict):
        return {"": str(fields).encode("utf-8", "replace").decode()}
    return {str(k): str(v).encode("utf-8", "replace").decode() for k, v in fields.items()}


def test_every_page_and_act_is_described(operator: Operator) -> None:
    paths = operator.browser.get("/openapi.json").json()["paths"]
    for path in (
        "/voz",
        "/artefatos/{slug}/vote",
        "/direction/{id_}/accept",
        "/knowledge/{id_}/{act}",
        "/metrics",
    ):
        assert path in paths
    fields = operator.app.openapi()["components"]["schemas"]
    assert all(
        "csrf" in one["properties"]
        for name, one in fields.items()
        if name.startswith("Body_") and "log_in" not in name
    )
