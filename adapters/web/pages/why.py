"""Why: the chain of events behind what edge says."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from adapters.web.site import At, In, Oops
from edge.domain.refusal import Misused

router = APIRouter()


@router.get("/why")
def why(
    request: Request,
    site: At,
    visitor: In,
    id_: Annotated[str, Query(alias="id", max_length=2_000)] = "",
    kind: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """What stands behind an id, as a nested list; without one, where to ask."""
    asked, node = id_.strip(), None
    if asked:
        with site.pool.one() as install:
            try:
                node = install.why_standing(asked, kind.strip() or None)
            except Misused as none:
                raise Oops(404, none.message, none.hint) from none
    return site.page(request, "why.html", visitor=visitor, live=False, node=node, asked=asked)
