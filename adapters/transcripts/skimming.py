"""Which lines need not be parsed: most of a transcript is what tools were told and answered.

Only a line that is surely one whole record, and surely holds nobody's words and no sign, is
passed over. Whatever is spaced, ordered or damaged otherwise is parsed.
"""

from __future__ import annotations

import re
from typing import Final

_TYPE: Final = re.compile(rb'"type"\s*:\s*"([A-Za-z_\-]{1,40})"')
_TELLING: Final = frozenset(
    (
        *(b"user", b"assistant", b"system", b"attachment", b"queue-operation"),
        *(b"permission-mode", b"file-history-snapshot", b"file-history-delta"),
    )
)
_BODY: Final = frozenset((b"tool_use", b"thinking", b"redacted_thinking"))


def is_idle(content: bytes) -> bool:
    """Whether the line holds nothing that the sweep would want."""
    if not (content.startswith(b"{") and content.endswith(b"}")):
        return False
    types = _TYPE.findall(content)
    telling = [kind for kind in types if kind in _TELLING]
    if not telling:
        return bool(types)
    if len(telling) > 1 or b"}{" in content or b"\0" in content:
        return False  # perhaps two records on one line
    inside = types[types.index(telling[0]) + 1 :]  # else it may be what is left of another record
    if telling[0] == b"user":
        return b"tool_result" in inside
    if telling[0] == b"assistant":
        return b"text" not in types and not _BODY.isdisjoint(inside)
    return False
