"""The OpenAPI description, and what schemathesis makes of it: never an error of ours, nothing slipped in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("schemathesis", reason="schemathesis: `make test` installs it")

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation.modes import GenerationMode

from adapters.web.guards import CSP
from adapters.web.limits import Limit
from tests.web.operator import ORIGIN, Operator

schema = schemathesis.pytest.from_fixture("described")


@pytest.fixture
def described(operator: Operator) -> Iterator[object]:
    """The description as a logged-in program reads it, asked over the application itself."""
    operator.site.acts = Limit(burst=10**9, per_minute=10**9)
    operator.site.logins = Limit(burst=10**9, per_minute=10**9)
    cookie = f"{operator.config.cookie}={operator.browser.cookies[operator.config.cookie]}"
    found = schemathesis.openapi.from_dict(operator.app.openapi())
    found.app = operator.app
    found.location = f"{ORIGIN}/openapi.json"
    found.config.base_url = ORIGIN
    found.config.headers = {"origin": ORIGIN, "cookie": cookie, "host": ORIGIN.partition("//")[2]}
    yield found


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_makes_it_fail(case: schemathesis.Case) -> None:
    if case.path == "/logout":
        return
    answer = case.call()
    case.validate_response(answer, checks=[not_a_server_error])
    assert answer.headers["content-security-policy"] == [CSP]


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


def test_modes_are_both_tried() -> None:
    assert {GenerationMode.POSITIVE, GenerationMode.NEGATIVE} <= set(GenerationMode)
