"""What to run about each thing that the health strip finds wanting."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import Final, NamedTuple

from edge.domain.events import Data


class Remedy(NamedTuple):
    """``item`` names what is wanting, ``n`` how much of it there is, ``run`` the command that helps."""

    item: str
    n: int
    run: str


NAMED: Final[dict[str, tuple[str, str]]] = {
    "naked": ("Acts without a receipt", "Atos sem recibo"),
    "unfinished": ("A run to finish", "Um grill por terminar"),
    "projection-lag": ("Events not folded yet", "Eventos ainda não dobrados"),
    "knowledge-failing": (
        "Episodes that could not be extracted",
        "Episódios que não se puderam extrair",
    ),
    "knowledge-set-aside": ("Episodes set aside", "Episódios postos de lado"),
    "knowledge-lag": ("Episodes not extracted yet", "Episódios ainda não extraídos"),
    "contested": ("Contested statements", "Afirmações contestadas"),
    "graph-away": ("The graph does not answer", "O grafo não responde"),
    "graph-lag": ("Results the graph lacks", "Resultados que faltam ao grafo"),
    "forgetting": ("Still holding what is forgotten", "Ainda guardam o que foi esquecido"),
    "duplicate-resolved": ("Chats closed twice alike", "Conversas fechadas duas vezes igual"),
    "conflicting-resolved": ("Chats closed in two ways", "Conversas fechadas de duas maneiras"),
    "orphan-resolved": ("Closes of no comment", "Fechos sem comentário"),
    "dangling-direction": ("Closes without their steer", "Fechos sem o seu steer"),
    "half-close": ("Steers without their close", "Steers sem o seu fecho"),
    "provenance-mismatch": ("Steers that name another comment", "Steers que nomeiam outro comentário"),
    "direction-conflict": ("Steers edited from the same state", "Steers editados a partir do mesmo"),
    "kernel-debt": ("Artefatos without their why", "Artefatos sem o seu porquê"),
    "quarantined-event": ("Events that could not be folded", "Eventos que não se puderam dobrar"),
    "log-changed": ("The log is another", "O log é outro"),
}
"""What each item is called: in English, in Portuguese."""

_OF_ERRORS: Final = {
    "duplicate-resolved": "edge voz show {id}",
    "conflicting-resolved": "edge voz show {id}",
    "orphan-resolved": "edge voz show {id}",
    "dangling-direction": "edge voz show {id}",
    "half-close": "edge voz show {id}",
    "provenance-mismatch": "edge voz show {id}",
    "direction-conflict": "edge direction show {id}",
    "kernel-debt": "{close} --slug {id} --artefato FILE --intent WHY --republish",
    "quarantined-event": "edge rebuild",
    "log-changed": "edge rebuild",
}


def remedies(strip: Data) -> list[Remedy]:
    """In the order of the strip; none where nothing is wanting."""
    knowledge, graph = strip["knowledge"], strip["graph"]
    close = _closing(strip["open_dispatches"])
    found = [
        Remedy("naked", strip["naked"], close),
        *(Remedy("unfinished", 1, f"edge grill show {quote(run)}") for run in strip["unfinished_runs"]),
        Remedy("projection-lag", strip["projection_lag"], "edge status"),
        Remedy("knowledge-failing", (knowledge["failing"] or {}).get("episodes", 0), "edge doctor"),
        Remedy("knowledge-set-aside", len(knowledge["set_aside"]), "edge rebuild knowledge --re-extract"),
        Remedy("knowledge-lag", strip["knowledge_lag"], "edge worker" if strip["open_dispatches"] else close),
        Remedy("contested", knowledge["contested"], "edge knowledge list --tier contested"),
        Remedy("graph-away", int(bool(graph and graph["said"])), "edge doctor"),
        Remedy("graph-lag", graph["lag"] if graph else 0, "edge worker"),
        Remedy("forgetting", len(strip["forgetting"]), "edge doctor"),
        *(_of_error(error, knowledge["set_aside"], close) for error in strip["errors"]),
    ]
    return [remedy for remedy in found if remedy.n]


def _closing(dispatches: Sequence[str]) -> str:
    """How to close a dispatch, the latest of those that are open: `edge close` alone would not know
    which of several, nor close one that is not there."""
    if not dispatches:
        return "edge open beat && edge close"
    return "edge close" if len(dispatches) == 1 else f"edge close {quote(dispatches[-1])}"


def _of_error(error: Data, set_aside: list[str], close: str) -> Remedy:
    """An episode set aside is named among the quarantined, and has a remedy of its own."""
    kind, ids = str(error["kind"]), list(error["ids"])
    n = 1 if kind == "log-changed" else len(set(ids) - set(set_aside))
    return Remedy(kind, n, _OF_ERRORS[kind].format(id=quote(str(ids[0])) if ids else "", close=close))
