"""What the last artefatos have to do with the last sessions: pairs judged by hand, in both languages."""

from __future__ import annotations

import pytest

from edge.domain.likeness import cosine, pieces, weighed
from edge.ports import RecentEpisode
from edge.recap import ALIKE
from tests.support.recap_pairs import Told, found, whole

SESSIONS = {
    "retries": "Trocou as novas tentativas do courier por backoff com jitter; the retry budget is 3",
    "invoices": "A fatura em PDF saía sem o IVA; corrigiu o arredondamento das linhas da fatura",
    "search": "Accents are folded in the search index so that decisao finds decisão",
    "deploy": "The deploy pipeline builds once and promotes the same image to production",
    "onboarding": "Escreveu o guia de integração para quem entra na equipa, com os primeiros passos",
    "parser": "The CSV importer skips broken lines and reports their numbers instead of stopping",
    "login": "As sessões de login expiram ao fim de 12 horas; tokens are rotated on every request",
    "charts": "Desenhou o gráfico de vendas por semana em SVG, sem bibliotecas",
}
ARTEFATOS = {
    "retries": "Retries with jitter when the queue of courier is full, so that retry budgets are chosen",
    "invoices": "Arredondamento do IVA nas faturas: porque as linhas somam mal",
    "search": "Folding accents in a search index: what decisão and decisao cost",
    "deploy": "Build once, promote the image: deploys that can be rolled back",
    "onboarding": "Primeiros passos da equipa: um guia de integração que se lê num dia",
    "parser": "Importing CSV with broken lines: report the line numbers, never stop",
    "login": "Quanto tempo deve durar uma sessão de login, e quando rodar tokens",
    "charts": "Gráficos em SVG sem bibliotecas: vendas por semana",
}


def alike() -> dict[tuple[str, str], float]:
    texts = [*ARTEFATOS.values(), *SESSIONS.values()]
    vectors = weighed([pieces(text) for text in texts])
    names = list(ARTEFATOS)
    return {
        (one, other): cosine(vectors[n], vectors[len(names) + m])
        for n, one in enumerate(names)
        for m, other in enumerate(SESSIONS)
    }


def test_what_belongs_together_is_told_from_what_does_not() -> None:
    found = {pair for pair, score in alike().items() if score >= ALIKE}
    related = {(name, name) for name in ARTEFATOS}
    assert found == related


@pytest.mark.parametrize("name", list(ARTEFATOS))
def test_each_artefato_is_most_like_the_session_it_is_about(name: str) -> None:
    scores = {other: score for (one, other), score in alike().items() if one == name}
    assert max(scores, key=lambda other: scores[other]) == name


def test_likeness_is_a_cosine() -> None:
    one, other, empty = weighed([pieces("retry with jitter"), pieces("retries, jitter"), pieces("a b")])
    assert cosine(one, one) == pytest.approx(1)
    assert cosine(one, other) == pytest.approx(cosine(other, one))
    assert 0 < cosine(one, other) < 1
    assert (cosine(one, empty), empty) == (0, {})


@pytest.mark.parametrize(
    ("project", "related"),
    [
        (None, True),
        ("/home/op/loja", True),
        ("/home/op/courier-old", True),
        ("/home/op/courier", False),
        ("/home/op/courier/src", False),
        ("C:\\work\\Courier\\", False),
    ],
)
def test_a_name_relates_unless_it_is_that_of_the_project_the_session_was_in(
    project: str | None, related: bool
) -> None:
    artefato = next(told for told in whole().artefatos if told.name == "upload-retries")
    at = "2026-11-20T09:00:00Z"
    episode = RecentEpisode("s", at, "s", project, "Quem pagou a quota?", ["courier"], ["s"])
    assert found([artefato], [Told("s", "pt", episode)], ALIKE) == (
        {("upload-retries", "s")} if related else set()
    )
