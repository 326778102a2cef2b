"""One entry put into Claude Code's settings, and taken out again, as an edit of their text.

Whatever was there stays, byte for byte: the entry goes in as one piece, in front of what stands in
its list. Taken out, the text is what it was before, for the piece tells by itself what was made for
it: brackets made here have white space after them, while into brackets that were there and empty it
goes without any.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from adapters.claude_code.positions import BLANK, Member, Node, is_blank, last, parsed, value_of
from edge.domain.events import Data
from edge.domain.refusal import Refused

HOOKS: Final = "hooks"
EVENT: Final = "SessionStart"
_INDENT: Final = "  "

Ours = Callable[[object], bool]
"""Whether a hook, an object with its `command`, is the one that was put in."""


def hooks(text: str, is_ours: Ours) -> list[str]:
    """The commands that are ours, as they stand. Refused where the settings have another shape."""
    event = _event(_root(text))
    found = [
        value_of(hook.node) for item in (event.members if event else ()) for hook in _hooks_of(item.node)
    ]
    return [hook["command"] for hook in found if is_ours(hook)]


def inserted(text: str | None, entry: Data) -> str:
    """The settings with the entry; ``text`` None where there is no file yet."""
    if text is None:
        return inserted("", entry) + "\n"
    root = _root(text)
    if root is None:
        return text + _rendered({HOOKS: {EVENT: [entry]}}, "", _INDENT, _newline(text))
    hooks = last(root, HOOKS)
    if hooks is None:
        return _put(text, root, root, HOOKS, {EVENT: [entry]})
    event = last(hooks.node, EVENT)
    if event is None:
        return _put(text, root, hooks.node, EVENT, [entry])
    return _put(text, root, event.node, None, entry)


def removed(text: str, is_ours: Ours) -> str | None:
    """The settings without the entries that run such a command; None: there was no file before them."""
    now: str | None = text
    while now is not None:
        found = _ours(now, is_ours)
        if found is None:
            return now
        now = _without(now, found, is_ours)
    return None


# -- finding ----------------------------------------------------------------------------------


def _root(text: str) -> Node | None:
    """The settings' own object, its shape checked as far as the event's list; None in a blank text."""
    root = parsed(text)
    if root is None:
        return None
    _expect(root, "object", "the settings are")
    hooks = last(root, HOOKS)
    if hooks is not None:
        _expect(hooks.node, "object", f'"{HOOKS}" is')
        event = last(hooks.node, EVENT)
        if event is not None:
            _expect(event.node, "array", f'"{EVENT}" is')
    return root


def _expect(node: Node, kind: str, what: str) -> None:
    if node.kind != kind:
        raise Refused(f"{what} no {'object' if kind == 'object' else 'list'}")


def _event(root: Node | None) -> Node | None:
    hooks = last(root, HOOKS) if root else None
    event = last(hooks.node, EVENT) if hooks else None
    return event.node if event else None


def _ours(text: str, is_ours: Ours) -> int | None:
    """Which item of the event's list holds the command."""
    event = _event(_root(text))
    for nth, item in enumerate(event.members if event else ()):
        if any(is_ours(value_of(hook.node)) for hook in _hooks_of(item.node)):
            return nth
    return None


def _hooks_of(entry: Node) -> tuple[Member, ...]:
    hooks = last(entry, HOOKS) if entry.kind == "object" else None
    return hooks.node.members if hooks and hooks.node.kind == "array" else ()


# -- taking out -------------------------------------------------------------------------------


def _without(text: str, nth: int, is_ours: Ours) -> str | None:
    root = _root(text)
    event = _event(root)
    assert root is not None
    assert event is not None
    item = event.members[nth]
    entry = value_of(item.node)
    for before in _before(text, root):
        if inserted(before, entry) == text:
            return before
    # Somebody has moved things since, so what stood here first is not known any more: the entry goes,
    # and what is then empty stays.
    hooks = _hooks_of(item.node)
    theirs = [hook for hook in hooks if not is_ours(value_of(hook.node))]
    if not theirs:
        return _cut(text, event.members, nth)
    ours = next(n for n, hook in enumerate(hooks) if hook not in theirs)
    return _cut(text, hooks, ours)


def _before(text: str, root: Node) -> Iterator[str | None]:
    """The texts this one may have been made of: most was made for it in the first, least in the last."""
    yield None
    if is_blank(text[: root.start]):
        yield text[: root.start]
    hooks = last(root, HOOKS)
    assert hooks is not None
    event = last(hooks.node, EVENT)
    assert event is not None
    for container, member in ((root, hooks), (hooks.node, event), (event.node, event.node.members[0])):
        if container.members[0] == member:
            end = member.node.end if member.comma is None else member.comma + 1
            yield text[: container.start + 1] + text[end:]


def _cut(text: str, members: tuple[Member, ...], nth: int) -> str:
    """The text without one member and one comma beside it."""
    member = members[nth]
    if member.comma is not None:
        return text[: member.start] + text[member.comma + 1 :]
    text = text[: member.start] + text[member.node.end :]
    comma = members[nth - 1].comma if nth else None
    return text if comma is None else text[:comma] + text[comma + 1 :]


# -- putting in -------------------------------------------------------------------------------


def _put(text: str, root: Node, container: Node, key: str | None, value: Any) -> str:
    """The text with one more member, in front of the others."""
    at, newline = container.start + 1, _newline(text)
    lead = _space_from(text, at)
    in_lines = "\n" in (lead if container.members else text)
    if container.members:
        indent = _indent(lead) if in_lines else ""
        lead = newline + indent if in_lines else lead
    else:
        lead, indent = "", _indent_of_line(text, container.start)
    unit = _indent(_space_from(text, root.start + 1)) or _INDENT
    made = _rendered(value, indent, unit, newline if in_lines else None)
    if key is not None:
        made = f"{json.dumps(key)}: {made}"
    return text[:at] + lead + made + ("," if container.members else "") + text[at:]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _space_from(text: str, at: int) -> str:
    end = at
    while end < len(text) and text[end] in BLANK:
        end += 1
    return text[at:end]


def _indent(space: str) -> str:
    """What stands before the first sign of the line that some white space leads to."""
    return space.rpartition("\n")[2].replace("\r", "") if "\n" in space else ""


def _indent_of_line(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    return _space_from(text, begin)[: at - begin].replace("\r", "") if begin else ""


def _rendered(value: Any, indent: str, unit: str, newline: str | None) -> str:
    """A value as JSON, in lines or (``newline`` None) in one; white space after every bracket."""
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    inner = indent + unit
    lead, close = (newline + inner, newline + indent) if newline else (" ", " ")
    if isinstance(value, dict):
        parts = [f"{json.dumps(k)}: {_rendered(v, inner, unit, newline)}" for k, v in value.items()]
        return "{" + ",".join(lead + part for part in parts) + close + "}"
    return "[" + ",".join(lead + _rendered(v, inner, unit, newline) for v in value) + close + "]"
