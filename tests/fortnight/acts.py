"""What can happen in the fortnight, as data; every ``at`` is a time of the operator's wall clock.

Steers are named by their titles, comments by their keys, sessions by labels of their own, sources
by the names of :data:`SPELLINGS`: the script says nothing that only the product could know.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final, Literal, NamedTuple
from uuid import NAMESPACE_DNS, uuid5

ZONE: Final = "America/Sao_Paulo"
OFFSET: Final = timezone(timedelta(hours=-3))
"""What that zone is all year round."""


def session_id(label: str) -> str:
    return str(uuid5(NAMESPACE_DNS, f"{label}.fortnight.example"))


_SHA: Final = "4be1c0d97a3355f0e2b18c6d9a7f40213c5e86bb"
SPELLINGS: Final[dict[str, list[str]]] = {
    # the normal form, worked out by hand, then other ways of writing the same
    "replay": [
        "https://brume.example/docs/replay",
        "HTTPS://Brume.Example:443/docs/replay/",
        "https://brume.example/docs/replay?utm_source=letter&utm_medium=mail#night",
    ],
    "rega": [
        "https://pomar.example/rega?lang=pt",
        "https://POMAR.example/rega/?lang=pt&fbclid=abc",
        "  https://pomar.example:443/rega?lang=pt#tabela ",
    ],
    "knots": [
        "https://tear.example/knots%2Fdeep",
        "https://tear.example/knots%2fdeep/",
        "https://Tear.example/knots%2fdeep?gclid=1",
    ],
    "almanac": ["Almanaque da Barra, 1931", " Almanaque  da Barra,\t1931 "],
    "ferry": ["http://quilha.example", "HTTP://quilha.example:80/", "http://Quilha.example/?"],
    "winds": ["https://winds.example:8443/rose", "https://WINDS.example:8443/rose/"],
    "pruning": ["https://lasca.example/prune?depth=2", "https://lasca.example/prune/?depth=2#why"],
    "frames commit": [f"commit:{_SHA}", _SHA.upper(), f"COMMIT:{_SHA[:20].upper()}{_SHA[20:]}"],
    "frames session": [f"session:{session_id('frames-1')}", session_id("frames-1").upper()],
    "rega session": [
        f"session:{session_id('rega-1')}",
        f"SESSION:{session_id('rega-1').upper()}",
        session_id("rega-1"),
    ],
}


class Cite(NamedTuple):
    """A source as an artefato cites it; ``spelling`` is one of its ways of being written."""

    source: str
    spelling: int = 0
    relevant: bool = False
    kind: Literal["mundo", "atividade"] = "mundo"


class Steer(NamedTuple):
    title: str
    body: str
    kind: str = "priority"
    expires: str | None = None
    supersedes: str | None = None
    """The title of the steer it takes the place of."""


class Artefato(NamedTuple):
    """``about``: the sessions it is about, of whatever day, as a person would say who read both."""

    slug: str
    title: str
    body: str
    cites: tuple[Cite, ...] = ()
    proposes: tuple[Steer, ...] = ()
    distills: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    republish: bool = False


class Session(NamedTuple):
    """Something said to a coding agent. ``said``: a turn a line, ``>`` the operator's, ``<`` the agent's.

    ``goes_on``: the session it is a later part of, in the same file. ``copies``: the one whose
    records its own file begins with. Of a ``program``, nobody was there.
    """

    at: str
    label: str
    project: str
    said: str
    program: bool = False
    goes_on: str | None = None
    copies: str | None = None

    def turns(self) -> list[tuple[str, str]]:
        lines = [line.strip() for line in self.said.strip().splitlines()]
        return [(line[0], line[1:].strip()) for line in lines]


class Open(NamedTuple):
    at: str
    kind: str = "report"


class Close(NamedTuple):
    """``answered``: keys of comments that this dispatch answers."""

    at: str
    intent: str
    artefato: Artefato | None = None
    answered: tuple[str, ...] = ()


class Comment(NamedTuple):
    at: str
    key: str
    text: str
    on: str | None = None
    harm: int = 0


class Vote(NamedTuple):
    at: str
    slug: str
    value: Literal["up", "down", "clear"]


class Answer(NamedTuple):
    at: str
    key: str
    text: str


class Withdraw(NamedTuple):
    at: str
    key: str


class Decision(NamedTuple):
    """What a grill decides of a chat. ``asked``: a question and its answer, put to the operator there."""

    key: str
    do: Literal["reply", "acknowledge", "fold", "retire", "park"]
    says: str = ""
    """The reply, the question of a park, or the title of the steer a retire takes out."""
    steer: Steer | None = None
    asked: tuple[str, str] | None = None


class Curation(NamedTuple):
    """What an attended grill curates besides: a proposal set or dropped, or a source."""

    do: Literal["set", "drop", "source"]
    what: str
    says: str = ""


class Grill(NamedTuple):
    """Attended. ``decides``: what it must load, in the order of its harm; ``most``: the cap of chats."""

    at: str
    decides: tuple[Decision, ...]
    curates: tuple[Curation, ...] = ()
    most: int = 8


class Rules(NamedTuple):
    """An unattended grill by rules alone: what they must make of what it loads, in the order of harm."""

    at: str
    decides: tuple[Decision, ...]


class Propose(NamedTuple):
    at: str
    steer: Steer


class Set(NamedTuple):
    at: str
    steer: Steer


class Accept(NamedTuple):
    at: str
    title: str


class Drop(NamedTuple):
    at: str
    title: str
    reason: str


class Curate(NamedTuple):
    at: str
    source: str
    opinion: str
    spelling: int = 0


class Retire(NamedTuple):
    at: str
    source: str
    reason: str
    spelling: int = 0


class Promote(NamedTuple):
    """The statement that holds these words is the operator's own from then on."""

    at: str
    words: str


class Forget(NamedTuple):
    at: str
    label: str


class Imported(NamedTuple):
    """Comments of an older log, (id, text, target), recorded on the day before the fortnight."""

    at: str
    comments: tuple[tuple[str, str, str | None], ...]


Happening = (
    Session
    | Open
    | Close
    | Comment
    | Vote
    | Answer
    | Withdraw
    | Grill
    | Rules
    | Propose
    | Set
    | Accept
    | Drop
    | Curate
    | Retire
    | Promote
    | Forget
    | Imported
)


class Day(NamedTuple):
    """A day in the order of its clock; at ``LOOKED`` of its evening everything is looked at."""

    day: date
    happens: tuple[Happening, ...]

    def when(self, at: str) -> datetime:
        return datetime.combine(self.day, time.fromisoformat(at), OFFSET).astimezone(UTC)

    @property
    def looked_at(self) -> datetime:
        return self.when(LOOKED)


LOOKED: Final = "23:40"
