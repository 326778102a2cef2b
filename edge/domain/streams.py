"""Stream names ``<category>-<group>.<id>`` and the character sets of the ids in them.

The first ``-`` ends the category, so a category never holds one. Everything that names a
stream calls this module; a malformed id raises :class:`~edge.domain.refusal.Refused`.
"""

from __future__ import annotations

import re
from typing import Final

from edge.domain.refusal import Refused

GROUP: Final = re.compile(r"[a-z0-9_]{1,32}")
SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
ACT_ID: Final = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
ITEM_ID: Final = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}")

_KINDS: Final = {
    "slug": (SLUG, "lower-case letters, digits and '-', at most 80"),
    "act": (ACT_ID, "lower-case letters, digits and '_', at most 64"),
    "item": (ITEM_ID, "lower-case letters, digits, '_', '.' and '-', at most 100"),
}


def check_group(group: str) -> str:
    if not GROUP.fullmatch(group):
        raise Refused(
            f"group {group!r} is not a valid name",
            hint="use 1 to 32 of a-z, 0-9 and '_'",
        )
    return group


def _checked(value: object, kind: str, what: str) -> str:
    pattern, allowed = _KINDS[kind]
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise Refused(f"{what} {value!r} is not a valid id", hint=f"use {allowed}")
    return value


def check_slug(value: object) -> str:
    return _checked(value, "slug", "slug")


def check_act_id(value: object, what: str = "id") -> str:
    return _checked(value, "act", what)


def check_item_id(value: object, what: str = "id") -> str:
    return _checked(value, "item", what)


def category(stream: str) -> str:
    """The category a stream belongs to: what stands before the first ``-``."""
    return stream.partition("-")[0]


class Streams:
    """The stream names of one group."""

    def __init__(self, group: str) -> None:
        self.group = check_group(group)

    def _name(self, category: str, id_: str) -> str:
        return f"{category}-{self.group}.{id_}"

    @property
    def log(self) -> str:
        return f"log-{self.group}"

    def chat(self, comment_id: str) -> str:
        return self._name("voz", check_act_id(comment_id, "comment"))

    def votes(self, slug: str) -> str:
        return self._name("voz", f"votes.{check_slug(slug)}")

    def direction(self, direction_id: str) -> str:
        return self._name("direction", check_item_id(direction_id, "direction id"))

    def artefato(self, slug: str) -> str:
        return self._name("artefato", check_slug(slug))

    def episode(self, key: str) -> str:
        """``key`` is the transcript's stem, ``<stem>.<agent>`` or ``<stem>.<hash>``."""
        return self._name("episode", key)

    def extraction(self, episode_id: str) -> str:
        return self._name("extraction", episode_id)

    def grill(self, run_id: str) -> str:
        return self._name("grill", check_act_id(run_id, "run"))

    def dispatch(self, dispatch_id: str) -> str:
        return self._name("dispatch", check_act_id(dispatch_id, "dispatch"))

    def source(self, ref_hash: str) -> str:
        return self._name("source", check_act_id(ref_hash, "source"))

    def knowledge(self, item_id: str) -> str:
        return self._name("knowledge", check_item_id(item_id, "knowledge id"))

    def imported(self, subject: str) -> str:
        """Where an import keeps what no category takes."""
        return self._name("import", subject)
