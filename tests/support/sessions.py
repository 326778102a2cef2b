"""A few invented sessions that say things worth knowing, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.support.sweeping import Session

TALKS: dict[str, list[tuple[str, str]]] = {
    "queue": [
        ("user", "The worker loses jobs when Redis restarts. Move the retry queue to Postgres."),
        ("agent", "The retry queue now lives in Postgres. `worker/retry.py` uses Postgres instead of Redis."),
        ("user", "Good. The Checkout service depends on the retry queue, keep its API."),
        ("agent", "Checkout keeps its API; `checkout/api.py` calls `worker/retry.py`."),
    ],
    "fila": [
        ("user", "A fila de retentativas usa Postgres. O serviço Checkout depende do Stripe."),
        ("agent", "Feito: o Checkout usa o Stripe e a fila usa Postgres."),
        ("user", "Já não usamos o Redis no worker."),
        ("agent", "Certo, removi o Redis do `docker-compose.yml`."),
    ],
    "deploy": [
        ("user", "Deploy runs on Fly.io now. GitHub Actions builds the image with Docker."),
        ("agent", "GitHub Actions uses Docker to build, and Fly.io runs the image."),
        ("user", "Checkout depends on Stripe, remember."),
    ],
}


def write_talks(root: Path, *names: str) -> None:
    """The named talks, or all, as transcripts of a store; each begins an hour after the one before."""
    for hour, (name, said) in enumerate(TALKS.items()):
        if names and name not in names:
            continue
        session = Session(name)
        session._now = datetime(2026, 11, 19, 9 + hour, tzinfo=UTC)
        for who, text in said:
            if who == "user":
                session.user(text)
            else:
                session.agent(text)
        session.write(root)
