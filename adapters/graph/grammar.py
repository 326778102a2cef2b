"""The relations the rule reading knows, and how English and Portuguese say them.

Patterns are over folded words with one space between, ``#n`` standing for the n-th thing a
sentence names. What may stand between a verb and a name is a few plain words (:data:`GAP`), so
that no pattern reaches over the border of a clause. The first pattern that fits a place has it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, NamedTuple

_STOP: Final = (
    "not|nao|nem|never|nunca|without|sem|if|se|but|mas|and|e|or|ou|que|which|who|when|quando|while|enquanto"
    "|because|porque|then|depois|before|antes|after|so|unless|until|ate|instead|para|than|n't"
)
WORD: Final = rf"(?:(?!(?:{_STOP}) )[\w'][\w'-]* )"
GAP: Final = WORD + "{0,4}?"
_A: Final = r"#(?P<a>\d+) "
_B: Final = r"#(?P<b>\d+) "
_PLACE: Final = r"(?:(?:in|em|no|na|from|of|do|da|de) #\d+ )?"
_IN: Final = "(?:in|em|no|na)"
_TO: Final = "(?:to|into|onto|over to|para|pro|pra)"
_OF: Final = "d[eoa]s?"
_BY: Final = "(?:por|pel[oa])"
_BEING: Final = "(?:e |sao |foi |foram |esta |estao )?"
"""``é`` is folded to ``e``, which else is where a clause ends."""
_ON: Final = "(?:on|in|em|no|na)"
_PART: Final = (
    "(?:the|our|o|a|os|as|nosso|nossa) (?:frontend|front-end|backend|back-end|api|ci|app|site|website|server"
    "|service|project|queue|database|worker|pipeline|deploy|build|tests?|dashboard|bot|cli|codebase"
    "|aplicacao|servidor|servico|projet[oa]|projecto|fila|base de dados|banco|testes|painel)"
)
"""A part of the project that goes by what it is; what is said of it is said of the project."""
_INSTEAD: Final = r"(?:instead of|em vez d[eoa]s?|ao inves d[eoa]s?|em lugar d[eoa]s?|no lugar d[eoa]s?)"
_INSTEADS: Final = (" instead ", " em ", " ao ", " no ")


class Pattern(NamedTuple):
    """One way to say one relation."""

    relation: str
    regex: re.Pattern[str]
    triggers: tuple[str, ...]
    """One of these stands in every sentence the pattern fits: words, or how one begins."""
    contradicts: bool = False
    turned: bool = False
    """The second name is the source."""
    implied: bool = False
    """The source is the project the operator works in; only the operator's own words count."""
    source: str = ""
    target: str = ""
    """The labels source and target must have."""


def _alternatives(verbs: str) -> list[str]:
    """The alternatives of a pattern, those inside groups left alone."""
    out, depth = [""], 0
    for char in verbs:
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            out.append("")
        else:
            out[-1] += char
    return out


def _triggers(verbs: str) -> tuple[str, ...]:
    """How what the verbs match may begin, as far as it is plain letters, after the space before it."""
    out: list[str] = []
    for verb in _alternatives(verbs):
        if verb.startswith("(?:"):
            ends = [i for i in range(len(verb)) if verb.count("(", 0, i + 1) == verb.count(")", 0, i + 1)]
            group, rest = verb[3 : ends[0]], verb[ends[0] + 1 :]
            out += _triggers(group)
            if rest[:1] in ("?", "{"):
                out += _triggers(rest.lstrip("?{0123456789,}"))
        else:
            plain = re.match(r"[a-z' ]*", verb)
            literal = plain[0] if plain else ""
            out.append(" " + (literal[:-1] if verb[len(literal) :][:1] in ("?", "{", "*") else literal))
    return tuple(dict.fromkeys(out))


def _between(relation: str, *verbs: str, **more: Any) -> Pattern:
    """``A <verb> B``; where A stands may be said between."""
    said = "|".join(verbs)
    regex = re.compile(rf" {_A}{_PLACE}{WORD}{{0,3}}?(?:{said}) {GAP}{_B}")
    return Pattern(relation, regex, _triggers(said), **more)


def _pair(relation: str, before: str, middle: str, **more: Any) -> Pattern:
    """``<before> A <middle> B``."""
    regex = re.compile(rf" (?:{before}) {GAP}{_A}{GAP}(?:{middle}) {GAP}{_B}")
    return Pattern(relation, regex, _triggers(before), **more)


def _ours(relation: str, *verbs: str, **more: Any) -> Pattern:
    """``<we verb> B``: said of the project."""
    said = "|".join(verbs)
    return Pattern(relation, re.compile(rf" (?:{said}) {GAP}{_B}"), _triggers(said), implied=True, **more)


_ENDED: Final = (
    _between(
        "USES",
        "no longer (?:uses?|needs?|requires?)|stopped using",
        f"ja nao (?:usa|utiliza|precisa {_OF})m?|nao (?:usa|utiliza)m? mais",
        f"deix(?:a|am|ou|aram|amos) de (?:usar|utilizar|precisar {_OF})",
        contradicts=True,
    ),
    _between(
        "DEPENDS_ON",
        "no longer (?:depends? on|relies on)",
        f"ja nao dependem? {_OF}|nao dependem? mais {_OF}|deix(?:a|am|ou|aram) de depender {_OF}",
        contradicts=True,
    ),
    Pattern(
        "USES",
        re.compile(rf" {_A}(?:do|does)(?: not|n't) (?:use|need) {GAP}{_B}(?:any ?more|any longer) "),
        (" any",),
        contradicts=True,
    ),
    _between(
        "PART_OF",
        "is no longer (?:part of|in|inside)",
        f"ja nao (?:esta|fica|vive) {_IN}",
        contradicts=True,
    ),
    _ours(
        "USES",
        "no longer use|stopped using",
        "(?:we|i)(?:'ve| have)? (?:dropped|ditched|got rid of)(?! support)",
        "(?:let's|lets) (?:drop|ditch)|stop using",
        "ja nao usamos|ja nao uso|nao usamos mais|deixamos de usar|deixei de usar|largamos|abandonamos",
        "(?:deixa|deixem|para|parem) de usar|nao (?:uses|usem|usar) mais",
        contradicts=True,
    ),
    Pattern(
        "USES",
        re.compile(rf" (?:we )?(?:do not|don't) use {GAP}{_B}(?:any ?more|any longer) "),
        (" any",),
        contradicts=True,
        implied=True,
    ),
    _ours(
        "USES",
        f"{_PART} (?:no longer uses?|no longer needs?|ja nao usa|deixou de usar|nao usa mais)",
        contradicts=True,
    ),
    _ours(
        "DEPENDS_ON",
        f"{_PART} (?:no longer depends? on|ja nao depende {_OF}|deixou de depender {_OF})",
        contradicts=True,
    ),
)
"""What has ended: before the plain patterns, which must not see what these take."""

_REPLACED: Final = (
    _pair(
        "REPLACES",
        "replac(?:ed?|es|ing)|swap(?:ped|ping)?|substitut(?:ed?|ing)",
        "with|by|for",
        contradicts=True,
        turned=True,
    ),
    _pair("REPLACES", r"troc\w{1,6}|substitu\w{1,6}", _BY, contradicts=True, turned=True),
    _pair(
        "REPLACES",
        rf"(?:switch|migrat|mov|chang)\w{{0,4}} {GAP}from",
        _TO,
        contradicts=True,
        turned=True,
    ),
    _pair(
        "REPLACES",
        rf"(?:migr|pass|mud|troc)\w{{1,6}} {GAP}{_OF}",
        _TO,
        contradicts=True,
        turned=True,
    ),
    Pattern("REPLACES", re.compile(rf" {_A}{GAP}{_INSTEAD} {GAP}{_B}"), _INSTEADS, contradicts=True),
    Pattern(
        "REPLACES", re.compile(rf" {_INSTEAD} {GAP}{_B}, {WORD}{{0,5}}?{_A}"), _INSTEADS, contradicts=True
    ),
    _between(
        "REPLACES",
        f"(?:replaced|superseded) by|{_BEING}substituid[oa]s? {_BY}|{_BEING}trocad[oa]s? {_BY}",
        contradicts=True,
        turned=True,
    ),
    _between(
        "REPLACES",
        "replaces|replaced|supersede[sd]|took over from|substitui|substituiu|veio substituir",
        contradicts=True,
    ),
)

_DECIDED: Final = (
    _pair("PREFERRED_OVER", "prefer(?:s|red)?", "over|to|rather than"),
    _pair("PREFERRED_OVER", "chose|choose|picked|favou?r(?:ed)?", "over|rather than"),
    _pair("PREFERRED_OVER", "prefir[oa]|preferimos|prefere|preferi", f"a|ao|em detrimento {_OF}|antes de"),
    _pair("PREFERRED_OVER", "escolhemos|escolhi|escolheu", f"em detrimento {_OF}|e nao"),
    _ours(
        "DECIDED_FOR",
        "decided (?:on|for|to use|to go with)|settled on|opted for",
        "(?:we|i) (?:chose|picked|went with)|(?:let's|lets|we|we're|we are) (?:going |go )with",
        f"decidimos(?: usar| {_BY})?|decidi(?: usar| {_BY})?|escolhemos|escolhi|ficamos com",
        "opt(?:amos|ei) por",
    ),
    _ours(
        "USES",
        "(?:we|i) (?:now |will |also |already |still ){0,2}use|(?:we're|we are) (?:now )?using",
        "(?:let's|lets) use",
        "(?:we|i)(?:'ve| have)? (?:now )?(?:switched|moved|migrated) to",
        "vamos (?:passar a )?(?:usar|utilizar)|usamos|utilizamos|pass(?:amos|ei) a usar",
        "(?:mudamos|migramos|passamos) para",
        "(?:(?:let's|lets|we|we'll) )?switch to|(?:let's|lets|we|we'll) (?:keep|stick with|stay with)",
        "from now on (?:we )?use|(?:vamos|queremos) manter|mantemos|continuamos com|a gente usa|vamos de",
        f"passa a usar|{_PART} (?:now )?(?:uses|usa|utiliza)",
    ),
    _ours("DEPENDS_ON", f"{_PART} (?:now )?(?:depends on|relies on|needs|depende {_OF}|precisa {_OF})"),
    _ours("RUNS_ON", f"{_PART} (?:now )?(?:runs|is deployed|is hosted|corre|roda) {_ON}"),
    _ours(
        "BUILT_WITH", f"{_PART} (?:is |e |esta )?(?:written in|built with|escrit[oa] em|feit[oa] (?:em|com))"
    ),
    Pattern(
        "USES",
        re.compile(
            r"^ (?:(?:ok|please|por favor|sim|yes|now|agora|and|e|so) |, ){0,2}"
            rf"(?:use|usa|usem|utiliza) {GAP}{_B}"
        ),
        (" us", " utiliza"),
        implied=True,
    ),
)

_MADE: Final = (
    _between(
        "DEPENDS_ON",
        "depends? on|dependen[dt] on|relies on|rely on|requires",
        f"dependem? {_OF}|assentam? em|requerem?|exigem?|precisam? {_OF}",
    ),
    _between(
        "USES",
        "uses|(?:is|are|now) using|use|usam?|utilizam?|(?:esta|estao) (?:a usar|usando)",
        "pass(?:ou|a|am|aram) a usar|recorre a",
    ),
    _between("USES", f"used (?:by|in|from)|{_BEING}(?:usad|utilizad)[oa]s? (?:{_BY}|{_IN})", turned=True),
    _between("CALLS", "calls|invokes|chamam?|invocam?"),
    _between(
        "RUNS_ON",
        "(?:runs|running|run|deployed|hosted|deploys) (?:on|in|under)|deployed to",
        f"(?:corre|roda|esta alojad[oa]) (?:{_IN}|sobre)",
    ),
    _between(
        "BUILT_WITH",
        "(?:built|written|made|created|implemented) (?:with|using)|written in|built on",
        f"{_BEING}(?:escrit|feit|construid)[oa]s? (?:em|com)",
    ),
    _pair(
        "BUILT_WITH",
        "created?|built|build|rebuilt|wrote|write|cri(?:a|ei|amos|ad[oa])|escrevi",
        "with|using|in|on|com|em",
        target="Tool",
    ),
    _pair(
        "MADE_FOR",
        r"created|added|wrote|built|made|criei|criamos|adicionei|escrevi|fiz",
        "for|para",
    ),
    _between("BASED_ON", f"based on|built on top of|derived from|{_BEING}basead[oa]s? {_IN}|assente {_IN}"),
    _between(
        "CONNECTS_TO",
        "connects? (?:to|with)|talks? to|linked to|integrates? with|bound to",
        f"(?:liga|conecta|integra)(?:-se|m-se)? (?:ao?|com|{_IN})|falam? com",
    ),
    _between(
        "READS_FROM",
        "reads? from|fetches|fetch from|loads? from|pulls? from|imports? from",
        f"le {_OF}|carrega {_OF}|importa {_OF}",
    ),
    _between(
        "WRITES_TO",
        r"writes? (?:\w+ )?to|sends? (?:\w+ )?to",
        r"publish(?:es)? to|pushes to|saves? to|logs? to|exports? to",
        f"(?:escreve|envia|publica|grava|guarda|exporta) (?:para|{_IN}|ao?)",
    ),
    _between(
        "STORED_IN", f"(?:stored|kept|saved|persisted) (?:in|on|to)|{_BEING}(?:guardad|gravad)[oa]s? {_IN}"
    ),
    _between(
        "PART_OF",
        "(?:is|are) (?:a |now )?(?:part of|in|inside|under)|belongs to|lives in",
        "(?:defined|implemented|declared|exported) (?:in|from|by)",
        f"faz parte {_OF}|pertence ao?|(?:esta|fica|vive|mora) (?:{_IN}|dentro {_OF})",
        f"{_BEING}definid[oa]s? {_IN}",
    ),
    _between("IMPLEMENTS", f"implements|extends|inherits from|implementa|estende|herda {_OF}"),
)

_BECAME: Final = (
    _pair("RENAMED_TO", r"renam\w{1,3}|renome\w{1,5}", f"{_TO}|as|como"),
    _between("RENAMED_TO", "renamed to|now called|passou a chamar-se"),
    _pair("MOVED_TO", "mov(?:e|ed|ing)|migrat(?:e|ed|ing)|extract(?:ed)?|port(?:ed)?", _TO),
    _pair(
        "MOVED_TO",
        r"mov(?:i|emos|er)|mud(?:a|ei|amos|ar)|migr(?:a|ei|amos|ar)|pass(?:a|ei|amos|ar)|extrai\w{0,3}",
        _TO,
    ),
    _between(
        "MOVED_TO",
        f"moved {_TO}|migrated {_TO}|passou {_TO}|mudou {_TO}|migrou {_TO}|{_BEING}movid[oa]s? {_TO}",
    ),
    _pair("FIXED_IN", r"fix(?:ed)?|resolved|corrigi\w{0,3}|resolvi\w{0,3}|resolveu", _IN),
    _between("FIXED_IN", f"{_BEING}(?:fixed|resolved|corrigid[oa]|resolvid[oa]) {_IN}"),
    _between(
        "FAILS_WITH",
        "fail(?:s|ed|ing)? (?:with|on|in|under)|crash(?:es|ed) (?:with|on|in)|errors with|throws|raises",
        f"(?:falha|falhou|rebenta|crasha) (?:com|{_IN})|lanca|da erro (?:com|{_IN})",
    ),
    _between("BREAKS", "breaks|broke|blocks|conflicts with|bloqueia|estraga|entra em conflito com"),
    _between("CAUSED_BY", f"caused by|due to|{_BEING}causad[oa]s? {_BY}|por causa {_OF}"),
    _pair("ADDED_TO", r"add(?:ed)?|adicion\w{1,4}|acrescent\w{1,4}|junt(?:ei|amos|a)", "to|into|ao?|as?"),
    _between(
        "WORKS_ON",
        "works on|working on|worked on|maintains|owns",
        f"(?:is )?responsible for|(?:e )?responsavel {_BY}",
        f"trata {_OF}|trabalha (?:{_IN}|com)|mantem|cuida {_OF}",
        source="Person",
    ),
    _between("PREFERS", f"prefers|likes|wants|insists on|prefere|gosta {_OF}|quer", source="Person"),
    Pattern(
        "PART_OF",
        re.compile(rf" {_A}(?:\w+ )?(?:in|at|em|no|na) {_B}"),
        (" in ", " at ", " em ", " no ", " na "),
        source="Code",
        target="File",
    ),
)

PATTERNS: Final[tuple[Pattern, ...]] = _ENDED + _REPLACED + _DECIDED + _MADE + _BECAME


@lru_cache(maxsize=4096)
def suggested_by(word: str) -> frozenset[int]:
    """The places in :data:`PATTERNS` of those a sentence with this word in it may fit."""
    return frozenset(
        number
        for number, pattern in enumerate(PATTERNS)
        for first, space, _ in (trigger[1:].partition(" ") for trigger in pattern.triggers)
        if word == first or (not space and word.startswith(first))
    )
