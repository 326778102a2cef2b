"""Whatever a text says, in a page it is text: no link, no image, no HTML, no structure of its own."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from edge.markdown import block, code, inline, link, prose
from tests.support.soak import more

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](http://evil.example/pixel.png)",
    "[click](javascript:alert(1))",
    "[a]: http://evil.example\n\n[a]",
    "[[wikilink]] #tag ~~gone~~ **bold** _it_ `code` $x$",
    "<http://evil.example> <me@evil.example>",
    "# heading",
    "- item",
    "1. item",
    "2) item",
    "> quote",
    "---",
    "===",
    "```\ncode\n```",
    "~~~\ncode",
    "a | b\n--|--\n1 | 2",
    "\t indented",
    "    indented",
    "\\[a\\](b)",
    "&lt;script&gt; &#60;b&#62;",
    "<!-- /edge:briefing -->",
    "<!-- edge:wiki index.md",
    "{{ template }} {% tag %}",
    "a\u202eb\u2028c\x00d\x1b[31m",
    "]( http://evil.example",
    "line\\",
    "- [ ] task",
    "[^1]: note",
    "+ x",
    "![",
]
texts = st.one_of(
    st.sampled_from(ATTACKS), st.text(max_size=60), st.text("<>[]()!`*_-#|\\&~.1 \nax:/@", max_size=40)
)


def tokens(page: str) -> list[Token]:
    return [inner for token in READER.parse(page) for inner in (token, *(token.children or ()))]


def seen(page: str) -> str:
    """What a person reads."""
    return "".join(token.content for token in tokens(page) if token.type == "text")


@given(texts)
@settings(max_examples=more(400, 4), deadline=None)
@pytest.mark.parametrize("before", ["", "- ", "# ", "- **label**: ", "said: "])
def test_a_text_on_a_line_is_only_text(before: str, text: str) -> None:
    page = before + inline(text)
    kinds = {token.type for token in tokens(page)}
    around = set({token.type for token in tokens(f"{before}x")})
    assert kinds <= around | {"text", "inline", "paragraph_open", "paragraph_close"}
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    assert plain in seen(page) or not plain.strip()
    assert "\n" not in inline(text)


@given(st.lists(texts, max_size=4))
@settings(max_examples=more(200, 4), deadline=None)
def test_a_text_in_paragraphs_is_only_paragraphs_of_text(parts: list[str]) -> None:
    kinds = {token.type for token in tokens(prose("\n\n".join(parts)))}
    assert kinds <= {"text", "inline", "paragraph_open", "paragraph_close"}


@given(texts)
@settings(max_examples=more(200, 4), deadline=None)
@example("`````\nescaped\n`````")
@example("~~~\n```markdown\n")
def test_a_document_is_one_block_that_nothing_in_it_ends(text: str) -> None:
    kinds = [token.type for token in tokens(f"{block(text)}\n\nafter\n")]
    assert kinds == ["fence", "paragraph_open", "inline", "text", "paragraph_close"]


@given(texts)
@settings(max_examples=more(200, 4), deadline=None)
def test_a_link_of_ours_leads_where_we_say_whatever_it_is_called(text: str) -> None:
    found = [token.attrs["href"] for token in tokens(f"- {link(text, 'clusters/c-1.md')}") if token.attrs]
    assert found == ["clusters/c-1.md"]
    assert not [token for token in tokens(link(text, "a.md")) if token.type in ("image", "html_inline")]


@given(texts)
@settings(max_examples=more(100, 4), deadline=None)
def test_no_address_is_left_for_a_reader_that_links_by_itself(text: str) -> None:
    for page in (inline(f"https://evil.example/{text} www.evil.example me@evil.example"), code(f"x {text}")):
        assert not re.search(r"(?<!\\)://|www\.|\w@\w", page.replace("`", ""))


def test_ids_stay_code_and_signs_stay_what_they_are() -> None:
    assert code("0193-a.b_c") == "`0193-a.b_c`"
    assert "`" not in code("a`b").replace("\\`", "")
    assert html.unescape(seen(inline("a < b && c_d *e*"))) == "a < b && c_d *e*"
