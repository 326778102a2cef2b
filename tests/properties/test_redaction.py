"""Secrets do not get through: each known shape, twice is once, prose is left alone, time is linear."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.redaction.secrets import SecretRedactor
from tests.support.soak import more

REDACT = SecretRedactor().redact
A36 = "a1B2c3D4e5" * 3 + "f6G7h8"

SECRETS = {
    "aws-key": "AKIA" + "Q1W2E3R4T5Y6U7I8",
    "github-token": "ghp_" + A36,
    "gitlab-token": "glpat-" + A36[:20],
    "slack-token": "xoxb-123456789012-123456789012-abcdefghij",
    "stripe-key": "sk_live_" + A36[:24],
    "twilio-key": "SK" + "a1b2c3d4" * 4,
    "sendgrid-key": "SG." + A36[:22] + "." + A36 + A36[:7],
    "npm-token": "npm_" + A36,
    "pypi-token": "pypi-AgEIcHlwaS5vcmc" + A36 * 2,
    "openai-key": "sk-proj-" + A36,
    "anthropic-key": "sk-ant-api03-" + A36,
    "google-key": "AIza" + A36[:35],
    "huggingface-token": "hf_" + A36[:34],
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
    "telegram-token": "123456789:AA" + A36[:33],
    "azure-key": "AccountKey=" + "a1B2" * 22,
}
EMBEDDED = {
    "bearer-token": ("curl -H 'Authorization: Bearer {}'", "abc123def456ghi789"),
    "basic-auth": ("Authorization: Basic {}", "dXNlcjpwYXNzd29yZDEyMw=="),
    "url-password": ("postgres://app:{}@db.local:5432/x", "p4ssw0rd!"),
    "password": ('{{"password": "{}"}}', "correct horse"),
    "secret": ("export MY_API_KEY={}", "9f8e7d6c5b4a"),
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_of_a_known_shape_is_replaced(kind: str) -> None:
    for text in (SECRETS[kind], f"here: {SECRETS[kind]}, keep it", f'"{SECRETS[kind]}"\nnext'):
        redacted = REDACT(text)
        assert SECRETS[kind] not in redacted.text
        assert redacted.found == {kind: 1}
        assert f"[redacted:{kind}]" in redacted.text


@pytest.mark.parametrize("kind", EMBEDDED)
def test_a_secret_told_by_what_stands_before_it_is_replaced(kind: str) -> None:
    frame, secret = EMBEDDED[kind]
    redacted = REDACT(frame.format(secret))
    assert redacted.text == frame.format(f"[redacted:{kind}]")
    assert redacted.found == {kind: 1}


def test_a_key_block_goes_whole_and_what_is_around_it_stays() -> None:
    lines = "\n".join(["MIIEowIBAAKCAQEA" + A36] * 5)
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\nabc=\n-----END RSA PRIVATE KEY-----"
    assert REDACT(f"before\n{block}\nafter").text == "before\n[redacted:private-key]\nafter"
    cut_off = REDACT(f"before\n-----BEGIN OPENSSH PRIVATE KEY-----\n{lines}\nMII")
    assert cut_off.text == "before\n[redacted:private-key]"
    escaped = block.replace("\n", "\\n")
    assert "MII" not in REDACT(f'"{escaped}"').text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a<PRIVATE>b</Private>c", "a c"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>never closed", "a "),
        ("<pri<private>x</private>vate>y</private>", "<pri vate>y</private>"),
        ("no </private> here", "no </private> here"),
    ],
)
def test_what_is_private_is_dropped(text: str, left: str) -> None:
    assert REDACT(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "the password is in the vault; the token expires tomorrow",
        "password: ask Ana",
        "senha: a de sempre",
        "max_tokens=16384, token_type: bearer, tokens: 12345678",
        "token = get_token2()",
        'api_key = os.environ["API_KEY1"]',
        'password = "${DB_PASSWORD}"',
        "SECRET_KEY=<your secret here>",
        "git clone git@github.com:ana/loja.git && open http://localhost:3000/a@b",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes the sk-learn task-force",
        "Bearer authentication is basic authentication with another name",
        "id 550e8400-e29b-41d4-a716-446655440000 at 2026-09-10T10:00:07.000Z",
    ],
)
def test_prose_and_code_without_secrets_stay_as_they_are(text: str) -> None:
    assert REDACT(text) == (text, {})


PIECES = st.sampled_from(
    [
        *SECRETS.values(),
        *(frame.format(secret) for frame, secret in EMBEDDED.values()),
        *("<private>", "</private>", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "password"),
        *(
            ": ",
            "=",
            '"',
            "'",
            "\n",
            "\\n",
            " ",
            "]",
            "[redacted:jwt]",
            "://",
            "@",
            "Bearer ",
            "token",
            "eyJ",
        ),
    ]
)


@settings(max_examples=more(250, 4), deadline=None)
@given(st.lists(PIECES | st.text(max_size=12), max_size=12))
def test_redacting_twice_changes_nothing(pieces: list[str]) -> None:
    once = REDACT("".join(pieces)).text
    assert REDACT(once) == (once, {})


@settings(max_examples=more(200, 4), deadline=None)
@given(st.sampled_from(sorted(SECRETS)), st.text(max_size=40), st.text(max_size=40))
def test_a_secret_among_any_words_is_replaced(kind: str, before: str, after: str) -> None:
    assert SECRETS[kind] not in REDACT(f"{before} {SECRETS[kind]} {after}").text


HOSTILE = [
    *("eyJ", "eyJaaaaaaaa.", "=eyJ", "token=", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"),
    *("<private>", "</private><private>", "://a:", "://", "bearer a", 'password="', "password = 'a", "AKIA"),
    *("sk-", "glpat-", "xoxb-1-", ":_authToken=", "password", "M", "1", " ", "AC", "basic a", "\n", '"'),
    *("Proc-Type: a\n", "https://hooks.slack.com/services/T", "-----BEGIN PRIVATE KEY-----\n\n\n\n"),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_does_not_hang(piece: str) -> None:
    done = threading.Event()

    def work() -> None:
        REDACT(piece * (1_000_000 // len(piece)))
        done.set()

    threading.Thread(target=work, daemon=True).start()
    assert done.wait(30), "quadratic time would take minutes"


def test_clean_text_does_not_load_the_library() -> None:
    code = (
        "import sys; from adapters.redaction.secrets import SecretRedactor as R;"
        "R().redact('olá, arruma o relatório em /home/ana/loja/src/main.py, please ' * 99);"
        "sys.exit(any(m.startswith('detect_secrets') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
