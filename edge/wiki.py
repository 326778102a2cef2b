"""The wiki: what is known, decided and published, as Markdown pages that lead to each other.

Pages follow from the read models and the day (a steer may expire today). Every text in them is
quoted, so that nothing a session said can become a link, an image or HTML in a reader.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Final, NamedTuple

from edge.clusters import derived_summary
from edge.domain import direction
from edge.domain.corpus import Artefato
from edge.domain.events import Data
from edge.domain.language import Lang
from edge.domain.refs import normal
from edge.domain.sources import Ranked
from edge.markdown import block, code, inline, link, prose
from edge.ports import Queries
from edge.ports_knowledge import ClusterView
from edge.summaries import content_of
from edge.wiki_words import Word, mark, word

FACTS_SHOWN: Final = 200
CITED_SHOWN: Final = 200
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


class _Known(NamedTuple):
    """Everything the pages are made of, read in one snapshot."""

    lang: Lang
    steers: Mapping[str, list[Data]]
    artefatos: Sequence[Artefato]
    bodies: Mapping[str, str]
    votes: Mapping[str, int]
    sources: Sequence[Ranked]
    clusters: Sequence[ClusterView]
    labels: Mapping[str, str]
    summaries: Mapping[str, str]

    def says(self, name: Word, **filled: object) -> str:
        return word(name, self.lang).format(**filled)


def pages(
    queries: Queries, summaries: Mapping[str, str], now: datetime, zone: tzinfo, lang: Lang
) -> dict[str, str]:
    """Every page by its name below the wiki's directory; ``summaries`` by what they were written from."""
    with queries.snapshot():
        artefatos, clusters = queries.artefatos(), queries.clusters().views()
        known = _Known(
            lang,
            direction.listed(queries.items(), now, zone),
            artefatos,
            {a["slug"]: queries.artefato_body(a["slug"]) or "" for a in artefatos},
            {a["slug"]: queries.vote_on(a["slug"]) for a in artefatos},
            queries.sources(now),
            clusters,
            {view.id: view.label for view in clusters},
            summaries,
        )
    found = {"index.md": _index(known), "direction.md": _direction(known), "sources.md": _sources(known)}
    found |= {_cluster_page(view.id): _cluster(view, known) for view in known.clusters}
    found |= {_artefato_page(a["slug"]): _artefato(a, known) for a in known.artefatos}
    return {name: f"{mark(name)}\n{text}\n" for name, text in found.items()}


# -- names ------------------------------------------------------------------------------------


def _artefato_page(slug: str) -> str:
    safe = slug if _SLUG.fullmatch(slug) else f"x-{hashlib.sha256(slug.encode()).hexdigest()[:16]}"
    return f"artefatos/{safe}.md"


def _cluster_page(id_: str) -> str:
    return f"clusters/{id_}.md"


# -- pages ------------------------------------------------------------------------------------


def _index(known: _Known) -> str:
    parts = [f"# {known.says('wiki')}", known.says("about")]
    parts.append(
        _list([link(known.says("direction"), "direction.md"), link(known.says("sources"), "sources.md")])
    )
    parts.append(f"## {known.says('clusters')}")
    parts.append(_list([_to_cluster(view, known) for view in known.clusters]) or known.says("no clusters"))
    parts.append(f"## {known.says('artefatos')}")
    newest_first = list(reversed(known.artefatos))
    parts.append(_list([_to_artefato(a) for a in newest_first]) or known.says("no artefatos"))
    return "\n\n".join(parts)


def _to_cluster(view: ClusterView, known: _Known) -> str:
    counts = known.says("counts", entities=len(view.entities), facts=view.told)
    return f"{link(view.label, _cluster_page(view.id))} ({counts})"


def _to_artefato(artefato: Artefato, up: str = "") -> str:
    return f"{link(artefato['title'], up + _artefato_page(artefato['slug']))} ({artefato['at'][:10]})"


def _cluster(view: ClusterView, known: _Known) -> str:
    parts = [_back(known), f"# {inline(view.label)}"]
    parts.append(inline(known.summaries.get(content_of(view, known.lang)) or derived_summary(view)))
    parts.append(known.says("cluster id", id=code(view.id)))
    parts.append(f"## {known.says('entities')}")
    parts.append(_list([inline(name, 200) for _, name in view.entities]))
    if view.hubs:
        names = ", ".join(inline(name, 200) for _, name in view.hubs)
        parts.append(known.says("hubs", names=names))
    parts.append(f"## {known.says('facts')}")
    shown = [
        f"\\[{fact.tier}\\] {inline(fact.statement)} ({told}, {code(fact.id)})"
        for fact in view.facts[:FACTS_SHOWN]
        for told in [known.says("support", n=fact.episodes)]
    ]
    if view.told > FACTS_SHOWN:
        shown.append(known.says("more", n=view.told - FACTS_SHOWN))
    parts.append(_list(shown))
    related = [link(known.labels[id_], f"{id_}.md") for id_ in view.related if id_ in known.labels]
    if related:
        parts += [f"## {known.says('related')}", _list(related)]
    distilled = [a for a in known.artefatos if view.id in map(_distilled, a["distills"])]
    if distilled:
        parts += [f"## {known.says('distilled in')}", _list([_to_artefato(a, "../") for a in distilled])]
    return "\n\n".join(parts)


def _distilled(ref: str) -> str:
    """The cluster an artefato says it distills, also where it is written ``cluster:ID``."""
    return ref.removeprefix("cluster:")


def _direction(known: _Known) -> str:
    parts = [_back(known, ""), f"# {known.says('direction')}"]
    tiers: tuple[tuple[str, Word], ...] = (("set", "set"), ("proposed", "proposed"), ("expired", "expired"))
    for tier, name in tiers:
        parts.append(f"## {known.says(name)}")
        parts += [_steer(steer, known) for steer in known.steers[tier]] or [known.says("none")]
    return "\n\n".join(parts)


def _steer(steer: Data, known: _Known) -> str:
    told = [known.says("steer kind", kind=inline(steer["kind"]), id=code(steer["id"]))]
    if steer["expires_at"]:
        told.append(known.says("until", date=inline(steer["expires_at"])))
    if steer["origin_comment_id"]:
        told.append(known.says("from comment", id=code(steer["origin_comment_id"])))
    published = {a["slug"]: a for a in known.artefatos}
    if steer.get("from_artefato") in published:
        told.append(known.says("from artefato", link=_to_artefato(published[steer["from_artefato"]])))
    return f"### {inline(steer['title'])}\n\n{prose(steer['body'])}\n\n{_list(told)}"


def _artefato(artefato: Artefato, known: _Known) -> str:
    slug = artefato["slug"]
    parts = [_back(known), f"# {inline(artefato['title'])}"]
    vote = known.votes[slug]
    told = [known.says("published", date=artefato["at"][:10], n=artefato["revision"], slug=code(slug))]
    if vote:
        told.append(known.says("voted up" if vote > 0 else "voted down"))
    parts.append(_list(told))
    parts += [f"## {known.says('why')}", prose(artefato["intent"] or known.says("no why"))]
    if artefato["proposes"]:
        proposed = [
            f"**{inline(str(p.get('title', '')))}**: {inline(str(p.get('body', '')))}"
            for p in artefato["proposes"]
        ]
        parts += [f"## {link(known.says('proposes'), '../direction.md')}", _list(proposed)]
    if artefato["cites"]:
        cited = [
            f"{inline(str(cite.get('ref', '')))} ({inline(str(cite.get('kind', '')))})"
            for cite in artefato["cites"]
        ]
        parts += [f"## {link(known.says('cites'), '../sources.md')}", _list(cited)]
    if artefato["distills"]:
        parts += [
            f"## {known.says('distills')}",
            _list([_cluster_ref(r, known.labels) for r in artefato["distills"]]),
        ]
    parts += [f"## {known.says('text')}", block(known.bodies[slug])]
    return "\n\n".join(parts)


def _cluster_ref(ref: str, labels: Mapping[str, str]) -> str:
    id_ = _distilled(ref)
    return link(labels[id_], f"../{_cluster_page(id_)}") if id_ in labels else inline(ref)


def _sources(known: _Known) -> str:
    parts = [_back(known, ""), f"# {known.says('sources')}", f"## {known.says('curated sources')}"]
    curated = [f"{inline(s.ref)}: {inline(s.opinion or '')}" for s in known.sources if s.opinion]
    parts.append(_list(curated) or known.says("none"))
    cited: dict[str, list[Artefato]] = {}
    for artefato in known.artefatos:
        for ref in dict.fromkeys(normal(str(cite.get("ref", ""))) for cite in artefato["cites"]):
            cited.setdefault(ref, []).append(artefato)
    shown = [s for s in known.sources if s.ref in cited]
    lines = [
        f"{inline(s.ref)} ({s.score:.2f}): {', '.join(map(_to_artefato, cited[s.ref]))}"
        for s in shown[:CITED_SHOWN]
    ]
    if len(shown) > CITED_SHOWN:
        lines.append(known.says("more", n=len(shown) - CITED_SHOWN))
    parts += [f"## {known.says('cited')}", _list(lines) or known.says("none")]
    return "\n\n".join(parts)


def _back(known: _Known, up: str = "../") -> str:
    return link(known.says("wiki"), f"{up}index.md")


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
