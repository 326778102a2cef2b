"""What a sentence says of two things it names: a small grammar of relations, English and Portuguese.

A sentence is turned into folded words with ``#n`` where its n-th mention stands and ``~`` where
something unnamed stood in quotes; patterns go over that. Between a verb and its name only a few
plain words may stand, so a pattern never crosses a clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from adapters.graph.mentions import Mention
from adapters.graph.prose import MAX_SENTENCE, Sentence
from edge.domain.language import fold

_STOP: Final = (
    "not|nao|nem|never|nunca|without|sem|if|se|but|mas|and|e|or|ou|que|which|who|when|quando|while|enquanto|because"
    "|porque|then|depois|before|antes|after|so|unless|until|ate|instead|para|than|n't"
)
_WORD: Final = rf"(?:(?!(?:{_STOP}) )[\w'][\w'-]* )"
_GAP: Final = _WORD + "{0,4}?"
_A: Final = r"#(?P<a>\d+) "
_B: Final = r"#(?P<b>\d+) "
_MORE: Final = re.compile(
    r"(?:(?:,|and|e|as well as|bem como) ){1,2}(?:(?:o|a|os|as|the) )?#(\d+) "
    r"(?=[,;.:–—]|$|(?:and|e|for|in|to|as|with|on|from|by|para|em|no|na|como|com|por|de|do|da) )"
)
"""Further members of a list; what a verb follows is the subject of another clause instead."""

_WE: Final = r"(?:we|i) (?:have |'ve |will |'ll |now |just |also |already |all ){0,2}|let's |lets |vamos |nos |a gente |ja |agora |ok "


class Pattern(NamedTuple):
    relation: str
    regex: re.Pattern[str]
    triggers: tuple[str, ...]
    """One of these stands in every sentence the pattern can match."""
    contradicts: bool = False
    turned: bool = False
    """The second name is the source."""
    implied: bool = False
    """The source is the project the operator works in; only the operator's own words count."""
    needs: tuple[str, str] | None = None
    """Labels of source and target."""


class Found(NamedTuple):
    """One relation between two mentions of one sentence; no source is the project."""

    source: Mention | None
    relation: str
    target: Mention
    contradicts: bool


def _between(relation: str, verbs: str, triggers: str, **more: bool) -> Pattern:
    """``A <verb> B``; where A stands may be said between."""
    regex = re.compile(
        rf" {_A}(?:(?:in|em|no|na|from|of|do|da|de) #\d+ )?{_WORD}{{0,3}}?(?:{verbs}) {_GAP}{_B}"
    )
    return Pattern(relation, regex, tuple(triggers.split()), **more)


def _pair(relation: str, before: str, middle: str, triggers: str, **more: bool) -> Pattern:
    """``<before> A <middle> B``."""
    regex = re.compile(rf" (?:{before}) {_GAP}{_A}{_GAP}(?:{middle}) {_GAP}{_B}")
    return Pattern(relation, regex, tuple(triggers.split()), **more)


def _ours(relation: str, verbs: str, triggers: str, **more: bool) -> Pattern:
    """``<we verb> B``: said of the project."""
    return Pattern(
        relation, re.compile(rf" (?:{verbs}) {_GAP}{_B}"), tuple(triggers.split()), implied=True, **more
    )


_INSTEAD: Final = r"instead of|em vez d[eoa]s?|ao inves d[eoa]s?|em lugar d[eoa]s?|no lugar d[eoa]s?"

PATTERNS: Final = (
    # what has ended or was replaced: first, since the plain patterns must not see these
    _between(
        "USES",
        r"no longer (?:uses?|needs?|relies on|requires?)|stopped using|ja nao (?:usa|utiliza|precisa d[eoa])m?"
        r"|deix(?:a|am|ou|aram|amos) de (?:usar|utilizar|precisar d[eoa])|nao (?:usa|utiliza)m? mais",
        "longer stopped nao deix",
        contradicts=True,
    ),
    _between(
        "DEPENDS_ON",
        r"no longer depends? on|ja nao dependem? d[eoa]|deix(?:a|am|ou|aram) de depender d[eoa]|nao dependem? mais d[eoa]",
        "longer nao deix",
        contradicts=True,
    ),
    Pattern(
        "USES",
        re.compile(rf" {_A}(?:does not|doesn't|do not|don't) (?:use|need) {_GAP}{_B}(?:any ?more|any longer) "),
        ("any",),
        contradicts=True,
    ),
    Pattern(
        "PART_OF",
        re.compile(rf" {_A}(?:is no longer|ja nao esta|ja nao fica) (?:part of|in|inside|em|no|na) {_GAP}{_B}"),
        ("longer", "nao"),
        contradicts=True,
    ),
    _pair("REPLACES", r"replac(?:ed|es?|ing)|swap(?:ped|ping)?|substitut(?:ed?|ing)", "with|by|for", "replac swap substitut",
          contradicts=True, turned=True),
    _pair("REPLACES", r"troc\w{1,6}|substitu\w{1,6}", "por|pel[oa]", "troc substitu", contradicts=True, turned=True),
    _pair("REPLACES", rf"(?:switch|migrat|mov|chang)\w{{0,4}} {_GAP}from", "to|over to", "from", contradicts=True, turned=True),
    _pair("REPLACES", rf"(?:migr|pass|mud|troc)\w{{1,6}} {_GAP}d[eoa]s?", "para|pr[oa]", "para pro pra", contradicts=True,
          turned=True),
    Pattern("REPLACES", re.compile(rf" {_A}{_GAP}(?:{_INSTEAD}) {_GAP}{_B}"),
            ("instead", "em vez", "inves", "lugar"), contradicts=True),
    Pattern("REPLACES", re.compile(rf" (?:{_INSTEAD}) {_GAP}{_B}, (?:{_WORD}{{0,5}}?){_A}"),
            ("instead", "em vez", "inves", "lugar"), contradicts=True),
    _between("REPLACES", r"replaces|replaced|supersedes|superseded|substitui|substituiu|took over from|veio substituir",
             "replace supersede substitu took", contradicts=True),
    _between("REPLACES", r"(?:was|is|were|got|has been|foi|e|foram) (?:replaced by|replaced with|substituid[oa] (?:por|pel[oa])"
             r"|trocad[oa] (?:por|pel[oa]))", "replaced substituid trocad", contradicts=True, turned=True),
    _ours("USES", rf"(?:{_WE})?(?:no longer use|stopped using|dropped|ditched|got rid of|ja nao usamos|ja nao uso"
          r"|deixamos de usar|deixei de usar|nao usamos mais|largamos|abandonamos)",
          "longer stopped dropped ditched rid nao deix largamos abandonamos", contradicts=True),
    # what is preferred and decided
    _pair("PREFERRED_OVER", r"prefer(?:s|red)?", "over|to|rather than", "prefer"),
    _pair("PREFERRED_OVER", r"chose|choose|picked|favou?r(?:ed)?", "over|rather than", "chose choose picked favo"),
    _pair("PREFERRED_OVER", r"prefir[oa]|preferimos|prefere|preferi", "a|ao|em detrimento d[eoa]|antes de", "prefer prefir"),
    _pair("PREFERRED_OVER", r"escolhemos|escolhi|escolheu", "em detrimento d[eoa]|e nao", "escolh"),
    _ours("DECIDED_FOR", r"(?:we|i) (?:have |'ve )?(?:decided (?:on|for|to use|to go with)|chose|settled on|went with|picked|opted for)"
          r"|(?:we are|we're|let's|lets) (?:going|go) with|decidimos(?: usar| por| pel[oa])?|decidi(?: usar| por| pel[oa])?"
          r"|escolhemos|escolhi|ficamos com|optamos por|optei por|fica decidido",
          "decid chose settled went picked opted go with escolh ficamos opt"),
    _ours("USES", r"(?:we|i) (?:now |will |'ll |already |also |still ){0,2}use|(?:we're|we are) (?:now )?using|(?:let's|lets) use"
          r"|vamos (?:passar a )?(?:usar|utilizar)|(?:nos |ja |agora )?(?:usamos|utilizamos)|pass(?:amos|ei) a usar"
          r"|(?:we|i) (?:switched|moved|migrated) to|(?:mudamos|migramos|passamos) para",
          "use using usa util switched moved migrated mud migr pass"),
    Pattern("USES", re.compile(rf"^ (?:(?:ok|please|por favor|sim|yes|now|agora|and|e) |, ){{0,2}}(?:use|usa|usem|utiliza) {_GAP}{_B}"),
            ("us", "utiliza"), implied=True),
    # how things are made of each other
    _between("DEPENDS_ON", r"depends? on|dependen[dt] on|relies on|rely on|requires|dependem? d[eoa]s?|assentam? em|requerem?|exigem?"
             r"|precisam? d[eoa]s?", "depend rel requ assent exige precisa"),
    _between("USES", r"uses|is using|are using|now using|use|usam?|utilizam?|esta a usar|estao a usar|esta usando|pass(?:ou|a|am|aram) a usar"
             r"|recorre a", "use using usa util usar recorre"),
    _between("USES", r"(?:is|are|e|sao) (?:used by|used in|used from|usad[oa]s? (?:por|pel[oa]|em|n[oa])|utilizad[oa]s? (?:por|pel[oa]))",
             "used usad utilizad", turned=True),
    _between("CALLS", r"calls|invokes|chamam?|invocam?|now calls", "call invoke chama invoca"),
    _between("RUNS_ON", r"(?:runs|running|run|deployed|hosted|deploys) (?:on|in|to|under)|(?:corre|roda|esta alojad[oa]) (?:em|no|na|sobre)",
             "run deploy host corre roda alojad"),
    _between("BUILT_WITH", r"(?:built|written|made|created|implemented) (?:with|in|using|on)|(?:escrit|feit|constru)\w{1,4} (?:em|com)",
             "built written made created implemented escrit feit constru"),
    _between("BASED_ON", r"(?:is )?(?:based on|built on top of|derived from)|(?:basead[oa]|assente) (?:em|no|na)", "based built derived basead assente"),
    _between("CONNECTS_TO", r"(?:connects?|talks?|linked|integrates?|bound) (?:to|with)|(?:liga|conecta|integra)(?:-se|m-se)? (?:ao?|com|no|na)"
             r"|falam? com", "connect talk link integra bound liga conecta fala"),
    _between("READS_FROM", r"(?:reads?|fetch(?:es)?|loads?|pulls?|imports?|gets? \w+) from|fetches|le d[eoa]|carrega d[eoa]|importa d[eoa]",
             "read fetch load pull import get le carrega"),
    _between("WRITES_TO", r"(?:writes?|sends?|publish(?:es)?|pushes|saves?|logs?|exports?) (?:\w+ )?(?:to|into)"
             r"|(?:escreve|envia|publica|grava|guarda|exporta) (?:para|em|no|na|a|ao)",
             "write send publish push save log export escreve envia publica grava guarda"),
    _between("STORED_IN", r"(?:is|are|was|were|gets?)? ?(?:stored|kept|saved|persisted) (?:in|on|to)|(?:esta|e|fica|ficam) (?:guardad|gravad)[oa]s? (?:em|no|na)",
             "stored kept saved persisted guardad gravad"),
    _between("PART_OF", r"(?:is|are) (?:a |now )?(?:part of|in|inside|under)|belongs to|lives in|(?:is )?(?:defined|implemented|declared|exported) (?:in|from|by)"
             r"|faz parte d[eoa]|pertence a|ao? pertence|(?:esta|fica|vive|mora) (?:em|no|na|dentro d[eoa])|(?:esta )?definid[oa] (?:em|no|na)",
             "part in inside under belong lives defined implemented declared exported parte pertence esta fica vive mora definid"),
    _between("IMPLEMENTS", r"implements|extends|inherits from|subclasses|implementa|estende|herda d[eoa]", "implement extend inherit subclass estende herda"),
    # what became of things
    _pair("RENAMED_TO", r"renam\w{1,3}|renome\w{1,5}", "to|as|into|para|como", "renam renome"),
    _between("RENAMED_TO", r"(?:was |is now |is |foi )?(?:renamed|called|renomead[oa]) (?:to|para)|passou a chamar-se", "renam renome chamar"),
    _pair("MOVED_TO", r"mov(?:e|ed|ing)|migrat(?:e|ed|ing)|extract(?:ed)?|port(?:ed)?", "to|into|onto|over to", "mov migrat extract port"),
    _pair("MOVED_TO", r"mov(?:e|i|emos|er)|mud(?:a|ei|amos|ar)|migr(?:a|ei|amos|ar)|pass(?:a|ei|amos|ar)|extrai\w{0,3}", "para|pr[oa]", "mov mud migr pass extrai"),
    _between("MOVED_TO", r"(?:moved|migrated|was moved|has moved|goes|passou|mudou|migrou|foi movid[oa]) (?:to|into|para)", "moved migrated goes pass mud migr movid"),
    _pair("FIXED_IN", r"fix(?:ed)?|resolved|corrigi\w{0,3}|resolvi\w{0,3}|resolveu", "in|em|no|na", "fix resol corrigi"),
    _between("FIXED_IN", r"(?:is |was |foi |ficou |esta )?(?:fixed|resolved|corrigid[oa]|resolvid[oa]) (?:in|by|with|em|no|na|com)", "fix resol corrigid"),
    _between("FAILS_WITH", r"(?:fails?|failed|failing|crash(?:es|ed)?|breaks|errors) (?:with|on|in|under|against)|throws|raises|returns a"
             r"|(?:falha|falhou|rebenta|parte|crasha) (?:com|em|no|na)|lanca|da erro (?:com|em|no|na)",
             "fail crash break error throw raise return falh rebenta parte crasha lanca erro"),
    _between("BREAKS", r"breaks|broke|blocks|conflicts with|parte|partiu|bloqueia|estraga|entra em conflito com", "break broke block conflict part bloque estraga"),
    _between("CAUSED_BY", r"(?:is |was |e |foi )?(?:caused by|due to|causad[oa] (?:por|pel[oa])|por causa d[eoa])", "cause due causad"),
    _pair("ADDED_TO", r"add(?:ed)?|adicion\w{1,4}|acrescent\w{1,4}|junt(?:ei|amos|a)", "to|into|a|ao|as?", "add adicion acrescent junt"),
    _between("WORKS_ON", r"(?:works|is working|worked) on|maintains|owns|trata d[eoa]|trabalha (?:em|no|na|com)|mantem|cuida d[eoa]", "work maintain own trata trabalha mantem cuida")
    ._replace(needs=("Person", "")),
    _between("PREFERS", r"prefers|likes|wants|insists on|prefere|gosta d[eoa]|quer", "prefer like want insist gosta quer")._replace(needs=("Person", "")),
    Pattern("PART_OF", re.compile(rf" {_A}(?:\w+ )?(?:in|at|em|no|na) {_B}"), (" in ", " at ", " em ", " no ", " na "),
            needs=("Code", "File")),
)  # fmt: skip

_NO: Final = re.compile(
    r" (?:not|nao|nem|never|nunca|without|sem|cannot|can't|won't|don't|doesn't|didn't|isn't|aren't|wasn't|wouldn't"
    r"|shouldn't|no|nenhum|nenhuma|nothing|nada|neither|none|jamais|hardly) "
)
_MAYBE: Final = re.compile(
    r" (?:if|would|could|might|may|maybe|perhaps|should|ought|whether|suppose|imagine|unless|probably|possibly|seems?"
    r"|appears?|consider(?:ing)?|considera(?:r|mos)?|propose|suggest|sugiro|proponho|talvez|se|(?<!nesse )(?<!neste )(?<! no )caso|poderia(?:mos)?|podia(?:mos)?"
    r"|deveria(?:mos)?|devia(?:mos)?|devemos|podemos|seria|provavelmente|parece|acho|think|guess|wonder(?:ing)?|e\.g\.|p\. ex\."
    r"|fosse|tivesse|usasse|trocasse|mudasse|migrasse|\w{2,12}ssemos|can|example|exemplo|was going to|ia|iamos|planned"
    r"|apparently|supposedly|alegadamente|rumou?r) "
)
_PLANS: Final = re.compile(
    r" (?:i'll|i will|let me|i'm going to|i am going to|i need to|i could|we could|we can|you can|you could|to use|you'll|you should|you need"
    r"|you may|you might|vou|deixa-me|preciso de|posso|podes|pode|vamos|next|now to|would you|queres|want me|going to|will) "
)
_BREAKS: Final = re.compile(r" (?:;|:|–|—|-|\.|but|mas|porem|however|although|embora|though) ")
_TOOLS: Final = ("Tool", "Concept", "Project")


def in_words(sentence: Sentence, mentioned: Sequence[Mention]) -> str:
    """The sentence as patterns see it."""
    pieces: list[str] = [" "]
    at = 0
    for number, mention in enumerate(mentioned):
        if mention.start < at:
            continue
        pieces += [_words(sentence.text[at : mention.start]), f"#{number} "]
        at = mention.end
    pieces.append(_words(sentence.text[at:]))
    return "".join(pieces)


_UNNAMED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»")


def _words(text: str) -> str:
    unquoted = _UNNAMED.sub(" ~ ", text) if any(c in text for c in '`"“«') else text
    found = re.findall(r"[\w']+(?:-[\w']+)*|[,;:–—.~-]", fold(unquoted).replace("’", "'"))
    return " ".join(found) + " " if found else ""


def found_in(sentence: Sentence, mentioned: Sequence[Mention], *, has_project: bool) -> Iterator[Found]:
    """The relations one sentence states; none of a question, a plan, a guess, or a denial."""
    least = 1 if has_project and sentence.by_operator else 2
    if len(mentioned) < least or sentence.asks or len(sentence.text) > MAX_SENTENCE:
        return
    words = in_words(sentence, mentioned)
    if not sentence.by_operator and _PLANS.search(words):
        return
    taken: list[tuple[int, int]] = []
    for pattern in PATTERNS:
        if pattern.implied and not (has_project and sentence.by_operator):
            continue
        if not any(trigger in words for trigger in pattern.triggers):
            continue
        for match in pattern.regex.finditer(words):
            if any(match.start() < end and begin < match.end() for begin, end in taken):
                continue
            if not _is_stated(words, match, pattern):
                continue
            pairs = list(_pairs(pattern, match, words, mentioned))
            if pairs:
                taken.append((match.start() + 1, match.end() - 1))
                yield from pairs


def _is_stated(words: str, match: re.Match[str], pattern: Pattern) -> bool:
    """Whether the clause says so outright."""
    if _MAYBE.search(words[: match.end()]):
        return False
    if pattern.contradicts:
        before = words[: match.start() + 1]
        clause = before[_last_break(before) :]
        return not _NO.search(clause) or match.start() == 0
    clause = words[_last_break(words[: match.start() + 1]) : match.end()]
    return not _NO.search(clause)


def _last_break(words: str) -> int:
    last = 0
    for found in _BREAKS.finditer(words):
        last = found.end() - 1
    return last


def _pairs(
    pattern: Pattern, match: re.Match[str], words: str, mentioned: Sequence[Mention]
) -> Iterator[Found]:
    target = mentioned[int(match["b"])]
    if pattern.implied:
        if target.label in _TOOLS and target.kind != "plain":
            yield Found(None, pattern.relation, target, pattern.contradicts)
        return
    source = mentioned[int(match["a"])]
    if pattern.turned:
        source, target = target, source
    if not _fits(pattern, source, target):
        return
    yield Found(source, pattern.relation, target, pattern.contradicts)
    if pattern.turned or pattern.contradicts:
        return
    at = match.end()
    while more := _MORE.match(words, at):
        yield Found(source, pattern.relation, mentioned[int(more[1])], pattern.contradicts)
        at = more.end()


def _fits(pattern: Pattern, source: Mention, target: Mention) -> bool:
    if not pattern.needs:
        return True
    return all(
        want in ("", got) for want, got in zip(pattern.needs, (source.label, target.label), strict=True)
    )
