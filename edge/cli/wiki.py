"""``edge wiki``: pages of what is known, decided and published, kept as files."""

from __future__ import annotations

from edge.cli.common import Home, Json, counted, group, opened, say

app = group("Pages of what is known")

_NAMED = 10


@app.command(epilog="Example: edge wiki")
def wiki(home: Home = None, json_: Json = False) -> None:
    """Bring the wiki's pages to what is known now; say where they are and which changed."""
    with opened(home) as edge:
        edge.derived.summarise()
        kept = edge.derived.wiki()
        root = edge.derived.root
    lines = [f"{counted(kept.pages, 'page')} in {root}"]
    for what, names in (("changed", kept.changed), ("removed", kept.removed), ("not edge's", kept.left)):
        lines += [f"{what}: {name}" for name in names[:_NAMED]]
        if len(names) > _NAMED:
            lines.append(f"{what}: and {len(names) - _NAMED} more")
    data = {"path": str(root), **kept._asdict()}
    say(json_, data, "\n".join(lines))
