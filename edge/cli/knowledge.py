"""``edge knowledge``: what was learnt from sessions."""

from __future__ import annotations

from edge.cli.common import group
from edge.cli.knowledge_clusters import clusters

app = group("What was learnt from sessions, and what of it you made your own")

app.command("clusters", epilog="Example: edge knowledge clusters --at 2026-11-30")(clusters)


@app.callback()
def _knowledge() -> None:
    """Keep this a group of commands while it has only one."""
