"""Elements of SVG with everything in them escaped; no inline style, which the CSP forbids."""

from __future__ import annotations

from markupsafe import Markup, escape


def element(name: str, *inside: Markup | str, **attributes: object) -> Markup:
    """An element; ``class_`` and ``text_anchor`` are written as SVG has them."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{said}>{''.join(escape(part) for part in inside)}</{name}>")  # noqa: S704  # escaped


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
