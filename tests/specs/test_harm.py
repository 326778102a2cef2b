"""What a comment directs, in Portuguese and English, and how much harm leaving it would do."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest

from edge.domain import grill
from edge.domain.chat import Chat
from edge.domain.harm import CONTRADICT, ENDORSE, STEER, harm_of, intent_of, thanks_in
from edge.domain.language import fold, language_of, tokens
from tests.specs.given import chat
from tests.support.facts import answered, asked, commented

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


# -- intent --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        # contradict
        ("Isso não é verdade", "contradict"),
        ("NÃO CONCORDO com o segundo ponto", "contradict"),
        ("Está errado.", "contradict"),
        ("Pare de usar mocks", "contradict"),
        ("That’s wrong", "contradict"),
        ("That's wrong", "contradict"),
        ("We should no longer cache this", "contradict"),  # before steer
        ("Don't use threads here", "contradict"),
        ("I disagree", "contradict"),
        # steer
        ("Devemos testar antes", "steer"),
        ("A partir de agora, testes primeiro", "steer"),
        ("Foque em segurança", "steer"),
        ("Evite dependências", "steer"),
        ("From now on write tests first", "steer"),
        ("You should look at the retries", "steer"),
        ("Prioritise the tests", "steer"),
        ("Never deploy on Friday", "steer"),
        # ask
        ("Qual é o prazo?", "ask"),
        ("onde está o relatório", "ask"),
        ("How does the cache work", "ask"),
        ("Done?", "ask"),
        # endorse
        ("Obrigado!", "endorse"),
        ("Ótimo trabalho", "endorse"),
        ("great, thanks", "endorse"),
        # nothing
        ("O relatório chegou ontem", None),
        ("The report arrived yesterday", None),
        ("", None),
        ("漢字 だけ", None),
    ],
)
def test_what_a_comment_directs(text: str, intent: str | None) -> None:
    assert intent_of(text) == intent


@pytest.mark.parametrize(
    "text", ["musta", "useful", "userland", "wronged", "falsework", "certos", "legalese"]
)
def test_only_whole_words_count(text: str) -> None:
    assert intent_of(f"the {text} thing") is None


def test_phrases_count_only_in_a_row() -> None:
    assert intent_of("em vez de mocks") == "steer"
    assert intent_of("em outra vez de novo") is None


@pytest.mark.parametrize(
    ("table", "intent"), [(CONTRADICT, "contradict"), (STEER, "steer"), (ENDORSE, "endorse")]
)
def test_every_phrase_of_the_table_means_its_intent_with_any_case(
    table: tuple[str, ...], intent: str
) -> None:
    for phrase in table:
        assert intent_of(phrase.upper()) == intent, phrase


@pytest.mark.parametrize("text", ["Não é isso", "Precisa de atenção", "Ótimo", "Incluir a decisão é urgente"])
def test_accents_are_folded_however_they_were_typed(text: str) -> None:
    typed = {text, fold(text), unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text)}
    assert len({intent_of(t) for t in typed}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Obrigado!",
        "muito obrigada",
        "Valeu, ficou ótimo!",
        "Thanks!",
        "thank you so much",
        "Great work, thanks",
        "perfeito",
    ],
)
def test_thanks_and_nothing_else_is_thanks(text: str) -> None:
    assert thanks_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "Obrigado, mas falta o prazo",
        "Thanks, but the retries fail",
        "Thanks! Could you add a chart?",
        "obrigado, devemos testar",
        "Thanks for the wrong numbers",
        "",
        "O relatório",
        "very",
    ],
)
def test_thanks_with_something_to_answer_is_not(text: str) -> None:
    assert thanks_in(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Você deve testar isso antes", "pt"),
        ("You should test this before", "en"),
        ("não", "pt"),
        ("Devemos testar", "pt"),
        ("Prefira testes pequenos", "pt"),
        ("Discordo", "pt"),
        ("Prefer small tests", "en"),
        ("Wrong again", "en"),
        ("漢字", None),
        ("ok", None),
    ],
)
def test_the_language_of_a_comment(text: str, language: str | None) -> None:
    assert language_of(text, "pt") == (language or "pt")
    assert language_of(text, "en") == (language or "en")


@pytest.mark.parametrize(("text", "estimate"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("漢字", 2)])
def test_a_token_is_four_bytes_rounded_up(text: str, estimate: int) -> None:
    assert tokens(text) == estimate


# -- harm ----------------------------------------------------------------------------------------


def harm(
    body: str = "The report arrived", own: int = 0, days: float = 0, **more: bool
) -> tuple[int, list[str]]:
    said = {"answered": False, "targets_newest": False} | more
    found = harm_of(own=own, body=body, at=NOW - timedelta(days=days), now=NOW, **said)
    return found.value, found.reasons


def test_a_plain_comment_does_no_harm_and_gives_no_reason() -> None:
    assert harm() == (0, [])


def test_every_point_has_its_reason() -> None:
    value, reasons = harm("Isso está errado", own=7, days=3.5, answered=True, targets_newest=True)
    assert value == 7 + 30 + 20 + 15 + 3
    assert len(reasons) == 5
    assert [int(r.rpartition("+")[2]) for r in reasons] == [7, 30, 20, 15, 3]


@pytest.mark.parametrize(
    ("body", "points"),
    [("That's wrong", 30), ("Devemos testar", 10), ("Why?", 0), ("Thanks", 0)],
)
def test_only_a_contradiction_or_a_steer_adds_by_its_words(body: str, points: int) -> None:
    assert harm(body)[0] == points


@pytest.mark.parametrize(
    ("days", "points"),
    [(0.99, 0), (1, 1), (13.9, 13), (14, 14), (15, 14), (400, 14), (-2, 0)],
)
def test_age_adds_one_a_full_day_and_at_most_fourteen(days: float, points: int) -> None:
    assert harm(days=days)[0] == points


# -- the batch -----------------------------------------------------------------------------------


def chats(*harms: int, body: str = "x") -> list[Chat]:
    """Chats in log order, each with this urgency of the operator's own."""
    states = [chat(commented(f"c{n}", body, harm=own), id_=f"c{n}").state for n, own in enumerate(harms)]
    for position, state in enumerate(states, 1):
        state["position"] = position
    return states


def ids(candidates: list[grill.Candidate]) -> list[str]:
    return [c.chat["comment_id"] for c in candidates]


def test_the_most_harmful_comes_first_and_ties_stand_in_log_order() -> None:
    assert ids(grill.ranked(chats(5, 50, 5, 70), NOW, None)) == ["c3", "c1", "c0", "c2"]


def test_a_parked_chat_is_not_ranked_and_its_answer_ranks_it_higher() -> None:
    parked = chat(commented(), asked()).state
    assert grill.ranked([parked], NOW, None) == []
    (back,) = grill.ranked([chat(commented(), asked(), answered()).state], NOW, None)
    assert back.harm.value == 20


def test_what_targets_the_newest_artefato_comes_before_the_rest() -> None:
    on = chat(commented("c1", "x", target_ref="new"), id_="c1").state
    (ranked,) = grill.ranked([on], NOW, "new")
    assert ranked.harm.value == 15
    (ranked,) = grill.ranked([on], NOW, "newer")
    assert ranked.harm.value == 0


def test_a_batch_stops_at_the_first_that_would_pass_a_cap_and_skips_none() -> None:
    states = chats(9, 8, 7)
    for state, size in zip(states, (40, 400, 4), strict=True):
        state["said"] = [{"type": "voz.comment", "body": "x" * size, "at": ""}]
    ranked = grill.ranked(states, NOW, None)
    assert [c.tokens for c in ranked] == [10, 100, 1]
    assert ids(grill.taken(ranked, 8, 109)) == ["c0"]  # c2 would fit, and is not taken out of turn
    assert ids(grill.taken(ranked, 8, 110)) == ["c0", "c1"]
    assert ids(grill.taken(ranked, 8, 111)) == ["c0", "c1", "c2"]
    assert ids(grill.taken(ranked, 2, 111)) == ["c0", "c1"]


def test_the_first_always_loads() -> None:
    assert ids(grill.taken(grill.ranked(chats(1, 0, body="x" * 8000), NOW, None), 8, 1)) == ["c0"]
    assert grill.taken([], 8, 100) == []


def test_the_tokens_of_a_chat_are_those_of_all_that_was_said_in_it() -> None:
    state = chat(commented(body="x" * 5), asked(question="y" * 4), answered(body="z")).state
    assert grill.size_of(state) == 2 + 1 + 1
