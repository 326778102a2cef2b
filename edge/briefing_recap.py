"""The Briefing's Recap: the last artefatos, each beside the sessions it has to do with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from edge.briefing_knowledge import Line, quoted
from edge.domain import corpus
from edge.domain.corpus import Artefato
from edge.domain.language import Lang, first_line
from edge.ports import Queries, RecentEpisode
from edge.recap import ARTEFATOS, COUNTED, DAYS, Relations

GIST_SHOWN: Final = 60
PROSE_TIER: Final = "hypothesis"
"""What a model says of the lines is no surer than what it says of sessions."""

_T: Final[dict[str, dict[Lang, str]]] = {
    "impact": {
        "en": "proposed {proposes}: {accepted} accepted, {rejected} gone, {open} open",
        "pt": "propôs {proposes}: {accepted} aceites, {rejected} retiradas, {open} em aberto",
    },
    "related": {"en": "has to do with {episodes}", "pt": "tem a ver com {episodes}"},
    "unrelated": {
        "en": "not related to what you did in the last {days} days",
        "pt": "sem relação com o que fez nos últimos {days} dias",
    },
    "no atividade": {
        "en": "no session of the last {days} days has been read to relate it to",
        "pt": "nenhuma sessão dos últimos {days} dias foi lida a que o relacionar",
    },
    "looked at": {
        "en": "looked at: the newest {looked_at} of {there} episodes of the last {days} days",
        "pt": "vistos: os {looked_at} episódios mais recentes dos {there} dos últimos {days} dias",
    },
    "looked at of many": {
        "en": "looked at: the newest {looked_at} of more than {many} episodes of the last {days} days",
        "pt": "vistos: os {looked_at} episódios mais recentes de mais de {many} dos últimos {days} dias",
    },
    "prose": {"en": "in the words of {by}: {text}", "pt": "nas palavras de {by}: {text}"},
    "why": {"en": "why: {why}", "pt": "porquê: {why}"},
    "no why": {"en": "published without its why", "pt": "publicado sem o seu porquê"},
}


def lines(queries: Queries, related: Relations, lang: Lang) -> list[Line]:
    """The section's lines, the latest artefato first; before them, where not all episodes of those
    days were looked at, how many were."""
    recent = queries.artefatos(last=ARTEFATOS)[::-1]
    named = dict.fromkeys(id_ for ids in related.episodes.values() for id_ in ids)
    told = {episode.id: episode for episode in queries.told_of(list(named))} if named else {}
    published = [_published(one, queries, related, told, lang) for one in recent]
    return [*_bound(related, lang), *published] if published else []


class Told(Protocol):
    """A line as it is told of: whatever it is made of, the events it came from."""

    @property
    def events(self) -> list[str]: ...


def in_words(recap: Sequence[Told], by: str, text: str, lang: Lang) -> Line:
    """What a model says of the Recap's lines, which came from whatever they came from."""
    said = _T["prose"][lang].format(by=by, text=text)
    events = dict.fromkeys(event for line in recap for event in line.events)
    return Line(f"[{PROSE_TIER}] {said}", PROSE_TIER, list(events))


def _bound(related: Relations, lang: Lang) -> list[Line]:
    if related.there <= related.looked_at:
        return []
    which = "looked at" if related.there <= COUNTED else "looked at of many"
    said = _T[which][lang].format(looked_at=related.looked_at, there=related.there, many=COUNTED, days=DAYS)
    return [Line(said, None, [])]


def _published(
    artefato: Artefato,
    queries: Queries,
    related: Relations,
    told: Mapping[str, RecentEpisode],
    lang: Lang,
) -> Line:
    intent = artefato["intent"]
    why = _T["why"][lang].format(why=first_line(intent, 200)) if intent else _T["no why"][lang]
    events = [artefato["event"], *([artefato["kernel_event"]] if artefato["kernel_event"] else [])]
    title = first_line(artefato["title"], 120)
    said = [f"**{title}** ({artefato['slug']}, {artefato['at'][:10]}) — {why}"]
    steers = [queries.item(id_) for id_ in corpus.proposal_ids(artefato)]
    if steers:
        impact = corpus.impact(item["tier"] if item else None for item in steers)
        said.append(_T["impact"][lang].format(**impact))
        events += [item["event"] for item in steers if item]
    episodes = [told[id_] for id_ in related.episodes.get(artefato["slug"], ()) if id_ in told]
    said.append(_relation(episodes, related, lang))
    events += [event for episode in episodes for event in episode.events]
    return Line("; ".join(said), None, list(dict.fromkeys(events)))


def _relation(episodes: Sequence[RecentEpisode], related: Relations, lang: Lang) -> str:
    if not episodes:
        return _T["unrelated" if related.looked_at else "no atividade"][lang].format(days=DAYS)
    return _T["related"][lang].format(episodes=", ".join(map(_episode, episodes)))


def _episode(episode: RecentEpisode) -> str:
    project = (episode.project or "").rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    where = f" {quoted(project)}" if project else ""
    gist = f" “{first_line(quoted(episode.gist), GIST_SHOWN)}”" if episode.gist.strip() else ""
    return f"{episode.at[:10]}{where}{gist}"
