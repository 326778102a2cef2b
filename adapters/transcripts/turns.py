"""Whose words a record holds: the operator's, a command of the operator's, the assistant's, nobody's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from adapters.transcripts.records import Record
from edge.domain.episodes import BRIEFING_BEGIN, BRIEFING_END, MODEL_CALL_MARK
from edge.domain.language import clean
from edge.ports_transcripts import Role

_MACHINE_FLAGS: Final = (
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isSidechain",
    "isApiErrorMessage",
    "sourceToolUseID",
    "sourceToolAssistantUUID",
    "turnCompanion",
    "planContent",
)
_MACHINE_STARTS: Final = (
    "<local-command-",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification",
    "<system-reminder",
    "<teammate-message",
    "<user-prompt-submit-hook",
    "Caveat: The messages below",
    "This session is being continued from a previous conversation",
)
_PLAN_START: Final = "Implement the following plan:"
_INTERRUPTED: Final = re.compile(r"\[Request interrupted by user[^\]\n]{0,80}\]")
_COMMAND_STARTS: Final = ("<command-name>", "<command-message>", "<command-args>", "<command-contents>")
_SHELL: Final = "<bash-input>"
_MEMORY: Final = "<user-memory-input>"
_FRAME_OPEN: Final = re.compile(r"<(ide_\w{1,40}|system-reminder)>")
_FRAME_CLOSE: Final = re.compile(r"</(ide_\w{1,40}|system-reminder)>\Z")
_WORD: Final = re.compile(r"\w")
MAX_NAME: Final = 4096
"""Characters of an id or a directory; a longer one is none."""
NOTICE_START: Final = "<task-notification"


class Words(NamedTuple):
    role: Role
    text: str


def is_prompt(record: Record) -> bool:
    """Whether a user record is something the operator (or a program in their place) sent."""
    if any(record.get(flag) for flag in _MACHINE_FLAGS) or record.get("toolUseResult") is not None:
        return False
    kind = origin_kind(record)
    if kind is None:
        return not record.get("agentId") and record.get("promptSource") != "system"
    return kind == "human"


def origin_kind(record: Record) -> str | None:
    """Who a prompt came from, where the record says so."""
    origin = record.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else origin
    return kind if isinstance(kind, str) and kind else None


def prompt_words(record: Record) -> Words | None:
    """The words of a prompt; None where there are none, or a program composed them."""
    message = record.get("message")
    if not isinstance(message, dict) or message.get("role", "user") != "user":
        return None
    content = message.get("content")
    if is_tool_result(content):
        return None
    return words_in(content, typed=record.get("promptSource") == "typed")


def words_in(content: Any, *, typed: bool = False) -> Words | None:
    """The operator's words in a prompt's content: a text, or a list of blocks."""
    commands: list[str] = []
    said: list[str] = []
    is_command = False
    for piece in texts(content):
        text = without_frames(without_briefing(piece))
        if text.startswith((*_COMMAND_STARTS, _SHELL, _MEMORY)):
            is_command = True
            commands.append(_command_words(text))
        elif text and not _is_machine_text(text, typed):
            said.append(text)
    # beside a command's own wrapper stands what the command expands to, which nobody typed
    role: Role = "command" if is_command else "operator"
    text = "\n\n".join(t for t in (commands if is_command else said) if t)
    if not text or (is_command and not _WORD.search(text)):
        return None
    return Words(role, text)


def assistant_words(record: Record) -> Words | None:
    """What the agent said to the operator: text, not thinking, tools or errors of the program."""
    message = record.get("message")
    if not isinstance(message, dict) or record.get("isApiErrorMessage") or record.get("isMeta"):
        return None
    if message.get("model") == "<synthetic>":
        return None
    said = [without_briefing(piece).strip() for piece in texts(message.get("content"))]
    text = "\n\n".join(piece for piece in said if piece)
    return Words("assistant", text) if text else None


def texts(content: Any) -> Iterator[str]:
    """The text blocks of a message's content, whatever its shape."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, str):
                yield block
            elif isinstance(block, dict) and block.get("type") == "text":
                text = block.get("text")
                if isinstance(text, str):
                    yield text


def is_tool_result(content: Any) -> bool:
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content
    )


def is_model_call(content: Any) -> bool:
    """Whether edge itself wrote this prompt, to ask a model; one that only quotes its mark is not."""
    return next(texts(content), "").lstrip().startswith(MODEL_CALL_MARK)


def moment(record: Record) -> str | None:
    """The record's time, where it is one."""
    ts = record.get("timestamp")
    if not isinstance(ts, str):
        return None
    try:
        datetime.fromisoformat(ts)
    except ValueError:
        return None
    return ts


def filled(value: Any) -> str | None:
    """The value, where it is a text that says something and may stand for an id or a directory."""
    return clean(value) if isinstance(value, str) and 0 < len(value) <= MAX_NAME else None


def without_briefing(text: str) -> str:
    """The text without what edge injected; an unclosed injection reaches to the end."""
    begin = text.find(BRIEFING_BEGIN)
    if begin < 0:
        return text
    kept, at = [], 0
    while begin >= 0:
        kept.append(text[at:begin])
        close = text.find(BRIEFING_END, begin)
        if close < 0:
            return "".join(kept)
        at = close + len(BRIEFING_END)
        begin = text.find(BRIEFING_BEGIN, at)
    kept.append(text[at:])
    return "".join(kept)


def without_frames(text: str) -> str:
    """The text, trimmed, without the blocks an editor or the program put around it."""
    begin, end = _trim(text, 0, len(text))
    while begin < end and text.startswith("<ide_", begin):
        opened = _FRAME_OPEN.match(text, begin, end)
        close = f"</{opened[1]}>" if opened else ""
        at = text.find(close, begin, end) if opened else -1
        if at < 0:
            return ""
        begin, end = _trim(text, at + len(close), end)
    while begin < end and text.endswith(">", begin, end):
        closed = _FRAME_CLOSE.search(text, max(begin, end - 60), end)
        at = text.rfind(f"<{closed[1]}>", begin, end) if closed else -1
        if at <= begin:
            break
        begin, end = _trim(text, begin, at)
    return text[begin:end]


def _trim(text: str, begin: int, end: int) -> tuple[int, int]:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    return begin, end


def _is_machine_text(text: str, typed: bool) -> bool:
    if text.startswith(_MACHINE_STARTS) or _INTERRUPTED.fullmatch(text):
        return True
    return text.startswith(_PLAN_START) and not typed


def _command_words(text: str) -> str:
    """What the operator typed of a command: its arguments, the shell line, the note."""
    for tag in ("bash-input", "user-memory-input", "command-args"):
        begin = text.find(f"<{tag}>")
        if begin >= 0:
            begin += len(tag) + 2
            end = text.find(f"</{tag}>", begin)
            return text[begin : end if end >= 0 else len(text)].strip()
    return ""
