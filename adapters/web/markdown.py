"""Markdown of an artefato, a Briefing or a reply as safe HTML."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_RENDER: Final = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(
    ["table", "strikethrough"]
)
_TAGS: Final = frozenset(
    "p br hr h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a table thead tbody tr th td".split()
)
_SCHEMES: Final = frozenset(("http", "https", "mailto"))


@lru_cache(maxsize=64)
def rendered(text: str, headings_from: int = 2) -> Markup:
    """The text as HTML. Its headings begin below the page's own, and a title at its top, which the
    page shows already, is left out. Pictures become their words: loading one tells a stranger it was read."""
    tokens = _RENDER.parse(text)
    titled = len(tokens) > 3 and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    if titled:
        tokens = tokens[3:]
    highest = min((int(t.tag[1]) for t in tokens if t.type == "heading_open"), default=1)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) - highest + headings_from)}"
        for child in token.children or ():
            if child.type == "image":
                child.type, child.content = "text", f"[{child.content}]({child.attrs.get('src', '')})"
    html = _RENDER.renderer.render(tokens, _RENDER.options, {})
    safe = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes=set(_SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(safe)  # noqa: S704  # nh3 has just cleaned it
