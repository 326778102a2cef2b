"""What rules read in an episode: a stand-in that knows ``[[Name]] relation [[Name]]`` lines only.

To be replaced by the real reading; its names are the interface.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from edge.domain.events import Data

_LINE: Final = re.compile(r"\[\[(.+?)\]\] +(not +)?(\w+) +\[\[(.+?)\]\]")


class Named(NamedTuple):
    """Something an episode speaks of; ``label`` is one of ``Person``, ``Project``, ``Tool`` …"""

    name: str
    label: str


class Related(NamedTuple):
    """One statement between two names. ``contradicts``: the words say that it was otherwise before."""

    source: str
    relation: str
    target: str
    statement: str
    valid_at: str | None
    contradicts: bool


class Read(NamedTuple):
    """The reading of an episode; ``gist`` in a line or two."""

    names: tuple[Named, ...]
    relations: tuple[Related, ...]
    gist: str


def read(turns: Sequence[Data], known: Callable[[str], str | None]) -> Read:
    """The reading of the turns. ``known`` gives the name by which a normalised name is known."""
    names: dict[str, Named] = {}
    relations: list[Related] = []
    for turn in turns:
        for source, negated, relation, target in _LINE.findall(turn["text"]):
            for name in (source, target):
                names.setdefault(name, Named(name, "Concept"))
            statement = f"{source} {negated}{relation} {target}"
            relations.append(Related(source, relation, target, statement, turn.get("ts"), bool(negated)))
    gist = turns[0]["text"][:100] if turns else ""
    return Read(tuple(names.values()), tuple(relations), gist)
