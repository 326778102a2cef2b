"""What the wiki says of its own, in both languages, and how its pages are told from others."""

from __future__ import annotations

from typing import Final, Literal

from edge.domain.language import Lang

VERSION: Final = 1
"""Of how pages look; other code writes them anew."""

Word = Literal[
    "wiki",
    "about",
    "direction",
    "sources",
    "clusters",
    "no clusters",
    "artefatos",
    "no artefatos",
    "counts",
    "cluster id",
    "entities",
    "hubs",
    "facts",
    "support",
    "more",
    "related",
    "distilled in",
    "set",
    "proposed",
    "expired",
    "none",
    "steer kind",
    "until",
    "from comment",
    "from artefato",
    "published",
    "voted up",
    "voted down",
    "why",
    "no why",
    "proposes",
    "cites",
    "distills",
    "text",
    "curated sources",
    "cited",
]

_WORDS: Final[dict[Word, tuple[str, str]]] = {
    # name: (English, Portuguese)
    "wiki": ("Wiki", "Wiki"),
    "about": (
        "What edge knows, what was decided and what was published. edge keeps these pages; a file of"
        " your own beside them is left alone.",
        "O que o edge sabe, o que foi decidido e o que foi publicado. O edge mantém estas páginas; um"
        " ficheiro seu ao lado delas fica como está.",
    ),
    "direction": ("Direction", "Direction"),
    "sources": ("Sources", "Fontes"),
    "clusters": ("Knowledge", "Conhecimento"),
    "no clusters": ("No cluster of facts has formed yet.", "Nenhum cluster de factos se formou ainda."),
    "artefatos": ("Artefatos", "Artefatos"),
    "no artefatos": ("No artefato is published yet.", "Nenhum artefato publicado ainda."),
    "counts": ("entities {entities}, facts {facts}", "entidades {entities}, factos {facts}"),
    "cluster id": ("Cluster {id}", "Cluster {id}"),
    "entities": ("Entities", "Entidades"),
    "hubs": ("Also named, and in no cluster: {names}", "Também referidos, e em cluster nenhum: {names}"),
    "facts": ("Facts", "Factos"),
    "support": ("episodes {n}", "episódios {n}"),
    "more": ("and {n} more", "e mais {n}"),
    "related": ("Related", "Relacionados"),
    "distilled in": ("Distilled in", "Destilado em"),
    "set": ("Set", "Definido"),
    "proposed": ("Proposed", "Proposto"),
    "expired": ("Expired", "Expirado"),
    "none": ("None.", "Nada."),
    "steer kind": ("{kind}, {id}", "{kind}, {id}"),
    "until": ("until {date}", "até {date}"),
    "from comment": ("from comment {id}", "do comentário {id}"),
    "from artefato": ("proposed by {link}", "proposto por {link}"),
    "published": ("published {date}, revision {n}, {slug}", "publicado {date}, revisão {n}, {slug}"),
    "voted up": ("voted up", "voto a favor"),
    "voted down": ("voted down", "voto contra"),
    "why": ("Why", "Porquê"),
    "no why": ("Published without its why.", "Publicado sem o seu porquê."),
    "proposes": ("Proposes", "Propõe"),
    "cites": ("Cites", "Cita"),
    "distills": ("Distills", "Destila"),
    "text": ("Text", "Texto"),
    "curated sources": ("Curated", "Curadas"),
    "cited": ("Cited", "Citadas"),
}


def word(name: Word, lang: Lang) -> str:
    english, portuguese = _WORDS[name]
    return portuguese if lang == "pt" else english


def mark(name: str) -> str:
    """The first line of a page of that name: by it edge knows the page for its own."""
    return f"<!-- edge:wiki {name}: edge writes this page anew; without this line it is yours -->"
