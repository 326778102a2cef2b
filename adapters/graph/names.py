"""Which of the things mentioned an episode is about: weighed by who named them, how often, and how."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from adapters.graph.lexicon import GENERIC_FILES
from adapters.graph.mentions import Known, Mention
from adapters.graph.prose import Sentence

MAX_NAMES: Final = 20

_DUMP: Final = 10
"""A turn that names more than this lists what there is; what only it names once is not spoken of."""
_OPERATOR, _ASSISTANT, _MOST = 3.0, 1.0, 4
_RELATED: Final = 2.0
_KIND: Final = {"known": 4.0, "project": 4.0, "tech": 2.0, "file": 1.5, "code": 1.0, "site": 0.5}

Said = Sequence[tuple[Sentence, list[Mention]]]


@dataclass
class Thing:
    """Everything an episode says of one name."""

    mention: Mention
    """How it is shown: the most telling of its mentions."""
    operator: int = 0
    assistant: int = 0
    certain: bool = False
    """Somewhere it stands where a capital letter means something."""
    code: bool = False
    turns: Counter[int] = field(default_factory=Counter)
    paths: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)

    @property
    def often(self) -> int:
        return self.operator + self.assistant

    def weight(self) -> float:
        said = _OPERATOR * min(self.operator, _MOST) + _ASSISTANT * min(self.assistant, _MOST)
        return said + max(_KIND.get(kind, 0.0) for kind in self.kinds)


class Things:
    """The names of one episode: every mention taken in once, then chosen from."""

    def __init__(self, said: Said, known: Known) -> None:
        self._project = known.project
        self._known = known
        self._things: dict[str, Thing] = {}
        for sentence, mentioned in said:
            for mention in mentioned:
                self._add(sentence, mention)
        self._same = self._aliases()
        for key, other in self._same.items():
            self._unite(self._things[other], self._things.pop(key))
        named = Counter(turn for thing in self._things.values() for turn in thing.turns)
        self._dumps = {turn for turn, count in named.items() if count > _DUMP}
        self._names = self._shown()

    def key(self, mention: Mention) -> str:
        """The key of the thing a mention is of."""
        return self._same.get(mention.key, mention.key)

    def name(self, key: str) -> str:
        return self._names[key]

    def label(self, key: str) -> str:
        return self._things[key].mention.label

    def may_be_named(self, key: str) -> bool:
        """Whether a thing may be an entity of this episode, if only for what is said of it."""
        thing = self._things.get(key)
        return thing is not None and self._is_a_name(thing)

    def chosen(self, related: Counter[str]) -> list[str]:
        """The keys of the things the episode is about, at most :data:`MAX_NAMES`, as they came up.

        Of what only a list names, once, a relation must tell something.
        """
        good = [
            key
            for key, thing in self._things.items()
            if self._is_a_name(thing) and (related[key] or not self._is_listed(thing))
        ]
        place = {key: at for at, key in enumerate(good)}
        good.sort(key=lambda k: (-self._things[k].weight() - _RELATED * min(related[k], 3), place[k]))
        return sorted(good[:MAX_NAMES], key=place.__getitem__)

    # -- taking in --------------------------------------------------------------------------

    def _add(self, sentence: Sentence, mention: Mention) -> None:
        if not mention.key:
            return
        thing = self._things.setdefault(mention.key, Thing(mention))
        if sentence.by_operator:
            thing.operator += 1
        else:
            thing.assistant += 1
        thing.certain = thing.certain or not mention.opener
        thing.code = thing.code or mention.code
        thing.turns[sentence.turn] += 1
        thing.kinds.add(mention.kind)
        if mention.path:
            thing.paths.add(mention.path)
        if thing.mention.kind in ("plain", "quote", "capital") and mention.kind not in ("plain", "quote"):
            better = mention.label if mention.label != "Concept" else thing.mention.label
            thing.mention = thing.mention._replace(kind=mention.kind, label=better, name=mention.name)

    @staticmethod
    def _unite(thing: Thing, other: Thing) -> None:
        thing.operator += other.operator
        thing.assistant += other.assistant
        thing.certain = thing.certain or other.certain
        thing.code = thing.code or other.code
        thing.turns.update(other.turns)
        thing.paths |= other.paths
        thing.kinds |= other.kinds

    def _aliases(self) -> dict[str, str]:
        """Short names of what is also named whole: ``Silva`` of one ``Ana Silva``, ``run`` of ``job.run``."""
        whole: dict[str, set[str]] = defaultdict(set)
        for key, thing in self._things.items():
            if thing.mention.kind in ("capital", "known") and " " in key and thing.certain:
                for word in (key.split()[0], key.split()[-1]):
                    whole[word].add(key)
            elif thing.mention.kind == "code" and "." in key:
                whole[key.rpartition(".")[2]].add(key)
        out: dict[str, str] = {}
        for short, longer in whole.items():
            thing_or_none = self._things.get(short)
            if thing_or_none is None or thing_or_none.mention.kind not in ("capital", "code"):
                continue
            more = sum(self._things[key].often for key in longer)
            is_part = (
                thing_or_none.mention.label in ("Person", "Code") or more * len(longer) >= thing_or_none.often
            )
            if len(longer) == 1 and is_part:
                out[short] = next(iter(longer))
            elif thing_or_none.mention.kind == "capital" and is_part:
                del self._things[short]  # a part of several names, and none by itself
        return out

    # -- choosing ---------------------------------------------------------------------------

    @staticmethod
    def _is_a_name(thing: Thing) -> bool:
        kinds = thing.kinds
        if kinds & {"known", "project"} or (thing.often > 1 and kinds - {"capital", "quote", "plain"}):
            return True
        if kinds == {"plain"}:
            return thing.often > 1 or thing.operator > 0
        if kinds <= {"quote", "plain"}:
            return thing.often > 1 or (thing.operator > 0 and thing.mention.name[:1].isupper())
        if kinds <= {"capital", "quote", "plain"}:
            return thing.certain and (thing.operator > 0 or thing.often > 1)
        return thing.operator > 0 or thing.code or thing.mention.kind in ("tech", "file")

    def _is_listed(self, thing: Thing) -> bool:
        """Whether it is named once, and in a turn that names a great many things."""
        return (
            thing.often == 1
            and not thing.kinds & {"known", "project"}
            and all(turn in self._dumps for turn in thing.turns)
        )

    # -- showing ----------------------------------------------------------------------------

    def _shown(self) -> dict[str, str]:
        shown: dict[str, str] = {}
        for key, thing in self._things.items():
            shown[key] = thing.mention.name
            if thing.mention.kind == "file":
                shown[key] = _file_name(thing.mention.name, thing.paths, self._project)
                shown[key] = self._known(shown[key]) or shown[key]
        return shown


def _file_name(name: str, paths: Collection[str], project: str | None) -> str:
    """A file's name with as much of its path as it takes to know it again."""
    stem = name.partition(".")[0].casefold() or name.casefold()
    if stem not in GENERIC_FILES:
        return name
    above = sorted({path.split("/")[-2] for path in paths if "/" in path})
    if above:
        return f"{above[0]}/{name}"
    return f"{project}/{name}" if project else name
