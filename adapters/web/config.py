"""What the dashboard is told once: where it is reached, what it is called, who may come in."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from edge.domain.language import Lang
from edge.domain.refusal import Misused
from edge.settings import Settings

MAX_REQUEST_BYTES: Final = 64 * 1024
"""A comment is 8 KiB at most, and grows threefold where every byte of it is escaped."""
BODY_SECONDS: Final = 10.0
"""How long the whole of a request's body may take."""


@dataclass(frozen=True)
class Config:
    """One dashboard. ``allow`` are names besides its own, as they stand in a browser's address."""

    home: Path
    group: str
    host: str
    port: int
    lang: Lang
    allow: tuple[str, ...] = ()
    password: str | None = field(default=None, repr=False)
    metrics_token: str | None = field(default=None, repr=False)

    @property
    def cookie(self) -> str:
        """Named per instance: cookies know hosts, and no ports."""
        return f"edge-{self.group}-{sha256(str(self.home).encode('utf-8', 'replace')).hexdigest()[:8]}"

    @property
    def lang_cookie(self) -> str:
        return f"{self.cookie}-lang"

    @property
    def address(self) -> str:
        """The URL it is reached under on this machine."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host  # noqa: S104  # only named
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def origins(self) -> frozenset[str]:
        """Every origin a form of ours can come from."""
        own = {self.address, f"http://localhost:{self.port}", f"http://127.0.0.1:{self.port}"}
        own.add(f"http://[::1]:{self.port}")
        if self.port == 80:
            own |= {origin.removesuffix(":80") for origin in own}
        return frozenset(own | {origin for name in self.allow for origin in _origins(name)})

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(origin.partition("://")[2] for origin in self.origins)


def _origins(name: str) -> tuple[str, ...]:
    name = name.strip().rstrip("/").lower()
    return (name,) if "://" in name else (f"http://{name}", f"https://{name}")


def config_of(settings: Settings, host: str | None = None, port: int | None = None) -> Config:
    """The dashboard of an install; refused where anyone on the network could reach it without a password."""
    host = host or settings.dashboard_host
    if not is_loopback(host) and not settings.dashboard_password:
        raise Misused(
            f"the dashboard would be open to the network on {host}, and no password is set",
            hint="set EDGE_DASHBOARD_PASSWORD, or stay on 127.0.0.1",
        )
    return Config(
        home=settings.home,
        group=settings.group,
        host=host,
        port=port or settings.dashboard_port,
        lang=settings.lang,
        allow=settings.dashboard_allow,
        password=settings.dashboard_password,
        metrics_token=settings.dashboard_metrics_token,
    )


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
