"""JSON with positions: where every member, item and comma of a text stands.

Other people's settings are edited as text, since reading and writing them anew would lose their
comments, their spacing, their doubled keys. Comments are let through as white space; what else is
no JSON is refused, with its line.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, Literal, NamedTuple

from edge.domain.refusal import Refused

BLANK: Final = " \t\r\n"
BOM: Final = "\ufeff"
_DEPTH: Final = 100
_SPACE: Final = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")

Kind = Literal["object", "array", "scalar"]


class Node(NamedTuple):
    """A value and where it stands: ``text[start:end]``."""

    kind: Kind
    start: int
    end: int
    members: tuple[Member, ...] = ()
    value: Any = None
    """Of a scalar; :func:`value_of` gives that of any."""


class Member(NamedTuple):
    """A member of an object, or an item of an array (its key is empty).

    ``comma`` is where the one after it stands, None after the last.
    """

    key: str
    start: int
    node: Node
    comma: int | None


def parsed(text: str) -> Node | None:
    """The one value of a text; None where the text is blank. Refused where it is no JSON."""
    return _Reader(text).whole()


def is_blank(text: str) -> bool:
    return not text.removeprefix(BOM).strip(BLANK)


def value_of(node: Node) -> Any:
    """The value as :mod:`json` would give it; of a doubled key the last."""
    if node.kind == "object":
        return {member.key: value_of(member.node) for member in node.members}
    if node.kind == "array":
        return [value_of(member.node) for member in node.members]
    return node.value


def last(node: Node, key: str) -> Member | None:
    """The member of that name that counts: of a doubled one the last."""
    return next((member for member in reversed(node.members) if member.key == key), None)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = len(BOM) if text.startswith(BOM) else 0

    def whole(self) -> Node | None:
        if is_blank(self._text):
            return None
        self._pass_space()
        node = self._value(0)
        self._pass_space()
        if self._at < len(self._text):
            raise self._refused("something stands after the end")
        return node

    def _value(self, depth: int) -> Node:
        if depth > _DEPTH:
            raise self._refused("it is nested too deeply")
        if self._sees("{"):
            return self._container("object", "}", depth)
        if self._sees("["):
            return self._container("array", "]", depth)
        start = self._at
        if self._sees('"'):
            return Node("scalar", start, self._at, value=self._string())._replace(end=self._at)
        found = _SCALAR.match(self._text, start)
        if found is None:
            raise self._refused("a value is missing")
        self._at = found.end()
        return Node("scalar", start, self._at, value=json.loads(found[0]))

    def _container(self, kind: Kind, closing: str, depth: int) -> Node:
        start, members = self._at, list[Member]()
        self._at += 1
        self._pass_space()
        if not self._sees(closing):
            while True:
                member = self._member(kind, depth)
                members.append(member)
                if member.comma is None:
                    break
        if not self._sees(closing):
            raise self._refused(f"a comma or {closing} is missing")
        self._at += 1
        return Node(kind, start, self._at, tuple(members))

    def _member(self, kind: Kind, depth: int) -> Member:
        start, key = self._at, ""
        if kind == "object":
            if not self._sees('"'):
                raise self._refused("a name in quotes is missing")
            key = self._string()
            self._pass_space()
            if not self._sees(":"):
                raise self._refused("a colon is missing")
            self._at += 1
            self._pass_space()
        node = self._value(depth + 1)
        self._pass_space()
        comma = self._at if self._sees(",") else None
        if comma is not None:
            self._at += 1
            self._pass_space()
        return Member(key, start, node, comma)

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            raise self._refused("a text does not end, or holds what it may not")
        self._at = found.end()
        return str(json.loads(found[0]))

    def _pass_space(self) -> None:
        while found := _SPACE.match(self._text, self._at):
            self._at = found.end()

    def _sees(self, sign: str) -> bool:
        return self._text.startswith(sign, self._at)

    def _refused(self, why: str) -> Refused:
        line = self._text.count("\n", 0, self._at) + 1
        return Refused(f"it is not JSON, line {line}: {why}")
