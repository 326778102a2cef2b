"""Whether somebody was there: what a prompt's own record says, and what the whole session says.

A record that names its entrypoint or its origin decides for itself. Records of older versions
name neither; there only signs of an interactive program, anywhere in the session, tell.
"""

from __future__ import annotations

from typing import Final

from adapters.transcripts.records import Record
from adapters.transcripts.turns import origin_kind
from edge.ports_transcripts import Presence

_ATTENDED: Final = frozenset({"cli", "claude-vscode", "claude-desktop", "remote_mobile"})
_INTERACTIVE_TYPES: Final = frozenset({"permission-mode", "file-history-snapshot", "file-history-delta"})
_INTERACTIVE_FIELDS: Final = ("thinkingMetadata", "todos")


def presence_of(record: Record) -> Presence | None:
    """What the record itself says; None where only the session can tell.

    A fork rewrites the entrypoint of copied lines but not who typed them, so that goes first.
    """
    if origin_kind(record) == "human" or _was_typed(record):
        return "present"
    return _by_entrypoint(record)


def _by_entrypoint(record: Record) -> Presence | None:
    entrypoint = record.get("entrypoint")
    if not isinstance(entrypoint, str):
        return None
    if entrypoint in _ATTENDED:
        return "present"
    return "absent" if entrypoint.startswith("sdk") else None


def _was_typed(record: Record) -> bool:
    return record.get("promptSource") == "typed" or any(name in record for name in _INTERACTIVE_FIELDS)


class Evidence:
    """What a session's records say together about the prompts that do not say it themselves.

    It only ever grows, from unknown over absent to present, so the order of records is no matter.
    """

    def __init__(self, verdict: Presence = "unknown") -> None:
        self.verdict: Presence = verdict

    def weigh(self, record: Record) -> None:
        if self.verdict == "present":
            return
        if self._is_interactive(record):
            self.verdict = "present"
        else:
            self.verdict = _by_entrypoint(record) or self.verdict

    @staticmethod
    def _is_interactive(record: Record) -> bool:
        kind = record.get("type")
        if kind == "system":
            return record.get("subtype") == "turn_duration"
        if isinstance(kind, str) and kind in _INTERACTIVE_TYPES:
            return True
        if kind == "user":
            return origin_kind(record) == "human" or _was_typed(record)
        attachment = record.get("attachment")
        return isinstance(attachment, dict) and origin_kind(attachment) == "human"
