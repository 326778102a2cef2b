"""Health: the strip, how far behind what is, what it cost, and the picture of activity."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from adapters.web.pictures.activity import KINDS, activity
from adapters.web.site import At, In

router = APIRouter()

DAYS: Final = 42


def by_day(rows: list[tuple[str, str, int]], now: datetime, zone: tzinfo) -> dict[date, Counter[str]]:
    """Counts by the operator's own days, those without anything too."""
    today = now.astimezone(zone).date()
    days = {today - timedelta(days=ago): Counter[str]() for ago in range(DAYS - 1, -1, -1)}
    for quarter, kind, events in rows:
        try:
            local = datetime.fromisoformat(f"{quarter}:00+00:00").astimezone(zone).date()
        except ValueError:
            continue  # a stranger's time that is none
        if local in days:
            days[local][kind] += events
    return days


@router.get("/health")
def strip(request: Request, site: At, visitor: In) -> Response:
    """What is open, what waits, what is broken."""
    with site.reading() as (install, reads):
        data = install.strip()
        now, zone = install.clock.now(), install.settings.tz
        since = (now - timedelta(days=DAYS + 1)).strftime("%Y-%m-%d")
        days = by_day(reads.activity(since), now, zone)
    totals = Counter[str]()
    for counted in days.values():
        totals.update(counted)
    return site.page(
        request,
        "health.html",
        visitor=visitor,
        live=True,
        strip=data,
        follower=site.following.trouble if site.following else None,
        days=days,
        kinds=KINDS,
        totals=totals,
        n_days=DAYS,
        picture=activity(days, visitor.lang) if totals else None,
    )
