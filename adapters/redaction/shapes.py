"""What secrets look like: one table of kinds, each with the bytes that give it away and its pattern.

Patterns that detect-secrets has are taken from it; here stand those it lacks, or has in a form
that may take quadratic time. Every pattern here begins at a literal and runs over a text once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

_START: Final = r"(?<![A-Za-z0-9_\-])"


class Shape(NamedTuple):
    """A secret is what ``pattern`` matches, or its group 1 where ``grouped``."""

    kind: str
    markers: tuple[str, ...]
    """One of them stands in every match."""
    pattern: re.Pattern[str]
    grouped: bool = False
    least: int = 0
    """A match has a run of at least so many characters without white space."""


def _own(kind: str, markers: str, pattern: str) -> Shape:
    compiled = re.compile(pattern)
    return Shape(kind, tuple(markers.split()), compiled, compiled.groups > 0)


OWN: Final = (
    _own("anthropic-key", "sk-ant-", _START + r"sk-ant-[A-Za-z0-9_\-]{16,}"),
    _own(
        "openai-key",
        "sk-",
        _START + r"sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_\-]{16,}|[A-Za-z0-9]{32,})",
    ),
    _own("google-key", "AIza", _START + r"AIza[0-9A-Za-z_\-]{35}"),
    _own("google-secret", "GOCSPX-", _START + r"GOCSPX-[A-Za-z0-9_\-]{20,}"),
    _own("google-token", "ya29.", _START + r"ya29\.[A-Za-z0-9_\-]{20,}"),
    _own("huggingface-token", "hf_", _START + r"hf_[A-Za-z0-9]{20,}"),
    _own("github-token", "github_pat_", _START + r"github_pat_[A-Za-z0-9_]{22,}"),
    _own("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _START + r"gh[pousr]_[A-Za-z0-9_]{36,}"),
    _own("stripe-key", "_live_ _test_", _START + r"[rs]k_(?:live|test)_[0-9a-zA-Z]{16,}"),
    _own("stripe-key", "whsec_", _START + r"whsec_[0-9a-zA-Z+/=]{16,}"),
    _own("slack-token", "xox", _START + r"xox[abeoprs](?:\.xox[abeoprs])?-[0-9A-Za-z\-]{11,}"),
    _own("slack-token", "xapp-", _START + r"xapp-[0-9A-Za-z\-]{10,}"),
    _own("npm-token", "npm_", _START + r"npm_[A-Za-z0-9]{36}"),
    _own("npm-token", ":_authToken=", r":_authToken=\s{0,9}([^\s\[\"']{8,})"),
    _own("jwt", "eyJ", _START + r"eyJ[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]{8,}+(?:\.[A-Za-z0-9_\-]*+)?"),
    _own("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _START + r"do[opr]_v1_[a-f0-9]{64}"),
    _own("shopify-token", "shpat_ shpca_ shppa_ shpss_", _START + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _own("linear-key", "lin_api_", _START + r"lin_api_[A-Za-z0-9]{32,}"),
    _own("supabase-key", "sbp_ sb_secret_", _START + r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_\-]{20,})"),
    _own("databricks-token", "dapi", _START + r"dapi[a-f0-9]{32}"),
    _own("groq-key", "gsk_", _START + r"gsk_[A-Za-z0-9]{40,}"),
    _own("xai-key", "xai-", _START + r"xai-[A-Za-z0-9]{40,}"),
    _own("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{40,}"),
    _own(
        "url-password",
        "://",
        r"://[^\s:/@?#\[\]\"'<>`]{0,256}+:([^\s/\"'<>\[\]`@][^\s/\"'<>\[\]`]{0,511})@",
    ),
    _own("basic-auth", "asic ", r"\b[Bb]asic[ \t]+(?=[A-Za-z+/=]{0,64}[0-9])([A-Za-z0-9+/]{16,}+={0,2})"),
    _own(
        "bearer-token",
        "earer EARER",
        r"(?i:\bbearer)[ \t]+(?=[A-Za-z._~+/\-]{0,64}[0-9])([A-Za-z0-9._~+/\-]{16,}+={0,2})",
    ),
)

LEAST: Final = 16
"""All but the password of a URL have a run of at least so many characters without white space."""

_BORROWED: Final = (
    ("aws-key", "aws", "AWSKeyDetector", 20, "A3T ABIA ACCA AKIA ASIA"),
    (
        *("gitlab-token", "gitlab_token", "GitLabTokenDetector", 20),
        "glpat- gldt- glft- glsoat- glrt- GR1348941 glcbt- glimt- glptt- glagent- gloas-",
    ),
    ("slack-token", "slack", "SlackDetector", 16, "xox XOX hooks.slack.com"),
    ("stripe-key", "stripe", "StripeDetector", 32, "k_live_"),
    ("twilio-key", "twilio", "TwilioKeyDetector", 34, "AC SK"),
    ("sendgrid-key", "sendgrid", "SendGridDetector", 69, "SG."),
    ("pypi-token", "pypi_token", "PypiTokenDetector", 85, "pypi-AgE"),
    ("telegram-token", "telegram_token", "TelegramBotTokenDetector", 44, ":AA"),
    ("discord-token", "discord", "DiscordBotTokenDetector", 58, "."),
    ("square-secret", "square_oauth", "SquareOAuthDetector", 50, "sq0csp-"),
    ("mailchimp-key", "mailchimp", "MailchimpDetector", 36, "-us"),
    ("azure-key", "azure_storage_key", "AzureStorageKeyDetector", 99, "AccountKey="),
)

MARKERS: Final = tuple(dict.fromkeys(marker for shape in OWN for marker in shape.markers))
"""What gives away a shape of the first table; one of the second needs a long word beside its marker."""
LONG_MARKERS: Final = tuple((least, tuple(markers.split())) for _, _, _, least, markers in _BORROWED)


@cache
def borrowed() -> tuple[Shape, ...]:
    """The shapes detect-secrets knows; asked for only when a text holds one of their markers."""
    return tuple(_of_library())


def _of_library() -> Iterator[Shape]:
    from importlib import import_module

    for kind, module, detector, least, markers in _BORROWED:
        plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), detector)
        # the second pattern of AWS asks for an assignment, which has a pattern of its own here
        for pattern in plugin.denylist[:1] if kind == "aws-key" else plugin.denylist:
            yield Shape(kind, tuple(markers.split()), pattern, least=least)
