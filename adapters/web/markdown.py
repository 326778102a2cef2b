"""Markdown of an artefato, a Briefing or a reply as safe HTML."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_RENDER: Final = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
_TAGS: Final = frozenset(
    "p br hr h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a table thead tbody tr th td".split()
)
_SCHEMES: Final = frozenset(("http", "https", "mailto"))


@lru_cache(maxsize=64)
def rendered(text: str, headings_from: int = 2) -> Markup:
    """The text as HTML. Its headings begin below the page's own; pictures become links, since
    loading one would tell a stranger that it was read."""
    tokens = _RENDER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            level = min(6, int(token.tag[1]) + headings_from - 1)
            token.tag = f"h{level}"
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
