"""Closed questions: which option an answer chooses, in Portuguese and English."""

from __future__ import annotations

import pytest

from edge.domain.questions import chosen

YES_NO = [{"key": "yes", "label": "sim"}, {"key": "no", "label": "não"}]
STEERS = [
    {"key": "1", "label": "Testes primeiro"},
    {"key": "2", "label": "Cache menos"},
    {"key": "none", "label": "nenhum"},
]


def key(answer: str, options: list[dict[str, str]]) -> str | None:
    found = chosen(answer, options)
    return found["key"] if found else None


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "Yes.",
        "SIM",
        "sim, por favor",
        "claro",
        "ok",
        "pode",
        "y",
        " s ",
        "yeah go ahead",
    ],
)
def test_a_yes_is_a_yes_in_both_languages(answer: str) -> None:
    assert key(answer, YES_NO) == "yes"


@pytest.mark.parametrize("answer", ["no", "Não", "nao", "n", "nope", "Não, obrigado", "NÃO!"])
def test_a_no_is_a_no_in_both_languages(answer: str) -> None:
    assert key(answer, YES_NO) == "no"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "  ",
        "?",
        "maybe",
        "talvez",
        "depois vejo",
        "I said yes",
        "sim e não",
        "yes or no",
        "não, sim",
        "漢字",
    ],
)
def test_what_chooses_none_or_both_chooses_nothing(answer: str) -> None:
    assert key(answer, YES_NO) is None


@pytest.mark.parametrize(
    "answer",
    ["Sim, mas com cuidado", "yes, but only for Python", "não sei", "no idea", "no, wait", "sim?", "ok?"],
)
def test_a_doubt_a_condition_or_a_question_back_chooses_nothing(answer: str) -> None:
    options = [{"key": "yes", "label": "sim"}, {"key": "no", "label": "não"}]
    assert chosen(answer, options) is None


@pytest.mark.parametrize(
    ("answer", "chose"),
    [
        ("1", "1"),
        ("o primeiro", "1"),
        ("primeiro", "1"),
        ("first", "1"),
        ("Um", "1"),
        ("2.", "2"),
        ("2 please", "2"),
        ("segunda", "2"),
        ("Testes primeiro", "1"),  # a whole label
        ("cache menos", "2"),
        ("nenhum", "none"),
        ("None of them", "none"),
        ("não", "none"),
        ("1 ou 2", None),
        ("1 and 2", None),
        ("3", None),
        ("12", None),
        ("testes", None),  # a part of a label
    ],
)
def test_a_steer_is_chosen_by_number_ordinal_or_its_whole_title(answer: str, chose: str | None) -> None:
    assert key(answer, STEERS) == chose


def test_without_options_nothing_is_chosen() -> None:
    assert chosen("yes", []) is None
    assert chosen("yes", [{}]) is None
