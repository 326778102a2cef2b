"""The read models a store holds, in the order they are written."""

from __future__ import annotations

from typing import Final

from projections.chats import Chats, Votes
from projections.corpus import Corpus
from projections.direction import Direction
from projections.episodes import Episodes
from projections.forgotten import Forgotten
from projections.health import Health
from projections.knowledge import Knowledge
from projections.model import ReadModel
from projections.runs import Dispatches, Runs
from projections.sources import Sources

MODELS: Final[tuple[type[ReadModel], ...]] = (
    Chats,
    Votes,
    Direction,
    Corpus,
    Sources,
    Runs,
    Dispatches,
    Episodes,
    Knowledge,
    Health,
    Forgotten,
)
