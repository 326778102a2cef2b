"""The redactor: known secret shapes, assignments of passwords, key blocks, and what is private.

A text without anything suspicious is only searched for a few dozen literals. The tokens that
stand in place of secrets match nothing here, so redacting twice changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from adapters.redaction.shapes import LEAST, LONG_MARKERS, MARKERS, OWN, Shape, borrowed
from edge.ports import Redacted

_TOKEN: Final = r"\[redacted:[a-z0-9\-]{1,40}\]"  # noqa: S105 - a pattern, not a secret
_PRIVATE: Final = re.compile(r"<(/?)private>", re.IGNORECASE)
_BLOCK_BEGIN: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]:"
)
_BLOCK_END: Final = re.compile(
    r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: *[0-9a-f]{1,128}"
)
_BLOCK_LINES: Final = re.compile(
    r"(?:(?:\s|\\[nr])*+(?:[A-Za-z0-9+/=]{16,}+|[A-Z][A-Za-z\-]{1,20}:[^\n]{0,200}))*+"
    r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{1,15}+\s*+\Z)?"
)
_BLOCK_MAX: Final = 32 * 1024

_KEYWORDS: Final = (
    *("passw", "pwd", "senha", "passphrase", "secret", "token", "api_key", "apikey", "api-key"),
    *("access_key", "accesskey", "access-key", "private_key", "private-key", "privatekey"),
)
_ASSIGNED: Final = re.compile(
    _TOKEN
    + r"""|(?P<key>
        (?P<pass>passwords?|passwd|pwd|senhas?|passphrase)
        | (?:secret(?:[_\-]?(?:access[_\-]?)?key)?|token|(?:api|access|private)[_\-]?key)
    )[0-9]{0,3}["'`\])]?
    [ \t]{0,20}(?P<sign>:=|=>|={1,3}|:)[ \t]{0,20}
    (?:
        (?P<quote>["'`])(?P<quoted>[^"'`\r\n]{3,}+)(?P=quote)
        | (?P<bare>[^\s"'`,;(){}\[\]<>$]{5,}+)(?![(\[])
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_PLACEHOLDER: Final = re.compile(
    r"(?:\$\{|\$\(|\{\{|<|%\(|%[A-Z_]+%).*|(.)\1*|\[redacted:.*|(?i:your[ _\-].*|example.*)", re.DOTALL
)
_ROUNDS: Final = 16


class SecretRedactor:
    """An :class:`edge.ports.Redactor`. Time grows with the text, whatever it holds."""

    def redact(self, text: str) -> Redacted:
        found: Counter[str] = Counter()
        if "private>" in text or "PRIVATE>" in text or "rivate>" in text:
            text = _without_private(text, found)
        for _ in range(_ROUNDS):  # taking one secret out may lay open the beginning of another
            redacted = self._once(text, found)
            if redacted == text:
                break
            text = redacted
        return Redacted(text, dict(found))

    @staticmethod
    def _once(text: str, found: Counter[str]) -> str:
        if "PRIVATE KEY" in text or "PuTTY-User-Key" in text:
            text = _without_key_blocks(text, found)
        longest = max(map(len, text.split()), default=0)
        if "://" in text or (longest >= LEAST and any(marker in text for marker in MARKERS)):
            text = _without_shapes(text, OWN, found)
        if longest >= LEAST and _may_hold_borrowed(text, longest):
            text = _without_shapes(text, borrowed(), found)
        lowered = text.lower()
        if any(word in lowered for word in _KEYWORDS):
            text = _ASSIGNED.sub(_assigned(found), text)
        return text


def token(kind: str) -> str:
    """What stands in place of a secret of this kind."""
    return f"[redacted:{kind}]"


def _without_private(text: str, found: Counter[str]) -> str:
    """The text without what stands between private tags, nested ones too, unclosed to the end.

    A space is left where words would run together: dropping must not make a new tag.
    """
    kept: list[str] = []
    at = depth = 0
    for tag in _PRIVATE.finditer(text):
        if tag[1]:
            if depth:
                depth -= 1
                if not depth:
                    at = tag.end()
            continue
        if not depth:
            kept.append(text[at : tag.start()])
            found["private"] += 1
        depth += 1
    if not depth:
        kept.append(text[at:])
    out = ""
    pieces = []
    for piece in kept:
        if out and piece and not out[-1].isspace() and not piece[0].isspace():
            pieces.append(" ")
        pieces.append(piece)
        out = piece or out
    return "".join(pieces)


def _without_key_blocks(text: str, found: Counter[str]) -> str:
    ends = [(end.start(), end.end()) for end in _BLOCK_END.finditer(text)]
    kept: list[str] = []
    at = nth = 0
    for begin in _BLOCK_BEGIN.finditer(text):
        if begin.start() < at:
            continue
        while nth < len(ends) and ends[nth][0] < begin.end():
            nth += 1
        if nth < len(ends) and ends[nth][0] - begin.end() <= _BLOCK_MAX:
            stop = ends[nth][1]
        else:
            lines = _BLOCK_LINES.match(text, begin.end())
            stop = lines.end() if lines else begin.end()
        kept.extend((text[at : begin.start()], token("private-key")))
        found["private-key"] += 1
        at = stop
    kept.append(text[at:])
    return "".join(kept)


def _may_hold_borrowed(text: str, longest: int) -> bool:
    """Whether a marker stands in the text that goes with a word as long as its longest."""
    return any(
        longest >= least and any(marker in text for marker in markers) for least, markers in LONG_MARKERS
    )


def _without_shapes(text: str, shapes: tuple[Shape, ...], found: Counter[str]) -> str:
    for shape in shapes:
        if any(marker in text for marker in shape.markers):
            text = shape.pattern.sub(_taken_out(shape, found), text)
    return text


def _taken_out(shape: Shape, found: Counter[str]) -> Callable[[re.Match[str]], str]:
    group = int(shape.grouped)

    def replaced(match: re.Match[str]) -> str:
        if "[redacted:" in match[group]:
            return match[0]
        found[shape.kind] += 1
        begin, end = match.start(group) - match.start(), match.end(group) - match.start()
        return match[0][:begin] + token(shape.kind) + match[0][end:]

    return replaced


def _assigned(found: Counter[str]) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        if match["key"] is None:
            return match[0]  # a token: what it names is no key
        value = match["quoted"] or match["bare"]
        if not _is_secret(value, bool(match["pass"]), match["quoted"] is not None):
            return match[0]
        kind = "password" if match["pass"] else "secret"
        found[kind] += 1
        begin = match.start("quoted" if match["quoted"] is not None else "bare") - match.start()
        return match[0][:begin] + token(kind) + match[0][begin + len(value) :]

    return replaced


def _is_secret(value: str, is_password: bool, is_quoted: bool) -> bool:
    """Whether an assigned value is one, and not a word of prose, a placeholder or code."""
    if _PLACEHOLDER.fullmatch(value) or "[redacted:" in value:
        return False
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    if is_quoted and is_password:
        return True
    if any(c.isspace() for c in value):
        return False
    if is_quoted:
        return len(value) >= 8 and (has_digit or len(value) >= 20)
    if value.startswith(("os.", "process.", "self.", "env.", "config.", "settings.", "/", "./", "http")):
        return False
    special = any(not c.isalnum() and c not in "._-/" for c in value)
    return has_letter and (has_digit or (is_password and special))
