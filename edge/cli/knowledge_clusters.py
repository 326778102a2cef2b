"""``edge knowledge clusters``: what belongs together, what matters now first."""

from __future__ import annotations

from edge.cli.common import At, Home, Json, counted, opened, say
from edge.domain.events import Data


def clusters(at: At = None, home: Home = None, json_: Json = False) -> None:
    """Clusters of what was learnt: entities that belong together, and the facts between them."""
    with opened(home) as edge:
        data = edge.derived.clusters(at)
    say(json_, data, "\n".join(map(_line, data)) or "no cluster of facts has formed yet")


def _line(cluster: Data) -> str:
    size = f"{counted(cluster['size'], 'entity').replace('entitys', 'entities')}"
    size += f", {counted(len(cluster['facts']), 'fact')}"
    return f"{cluster['id']}  {cluster['label']}  ({size})\n    {cluster['summary']}"
