"""Sources: one ref a source, and a score of what happened, worked out here with plain arithmetic."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from random import Random

import pytest

from edge.domain import credit, sources
from edge.domain.events import Event
from edge.domain.refs import kind_of, normal, ref_hash
from edge.domain.sources import Signal

BEGAN = datetime(2026, 6, 1, 12, tzinfo=UTC)
SESSION = "0F8FAD5B-D9CB-469F-A165-70867728950E"


def event(type_: str, days: float = 0, **data: object) -> Event:
    at = (BEGAN + timedelta(days=days)).isoformat()
    return Event(f"e{days}", type_, "dispatch-g.d1", 0, 1, dict(data), {"recorded_at": at})


@pytest.mark.parametrize(
    ("typed", "one"),
    [
        ("  https://Example.ORG/Post/ ", "https://example.org/Post"),
        ("HTTPS://example.org:443/Post#part", "https://example.org/Post"),
        ("https://example.org/Post?utm_source=x&fbclid=1", "https://example.org/Post"),
        ("https://example.org/?q=a&utm_medium=b&p=2", "https://example.org?q=a&p=2"),
        ("https://example.org/caf%c3%a9", "https://example.org/caf%C3%A9"),
        ("http://example.org:8080/", "http://example.org:8080"),
        (f"Session: {SESSION}", f"session:{SESSION.lower()}"),
        (f"session {SESSION}", f"session:{SESSION.lower()}"),
        (SESSION, f"session:{SESSION.lower()}"),
        ("A" * 40, "commit:" + "a" * 40),
        ("commit:DEADBEEF", "commit:deadbeef"),
        ("the  2026\tsurvey", "the 2026 survey"),
        ("https://[half", "https://[half"),
        ("https://example.org/Post #part", "https://example.org/Post"),
        ("https://example.org/Post / ", "https://example.org/Post"),
        ("https://example.org?a=1& ", "https://example.org?a=1"),
        ("https:////Example.org/Post", "https:////Example.org/Post"),
        ("relatório «β»", "relatório «β»"),
    ],
)
def test_one_source_has_one_ref_however_it_was_typed(typed: str, one: str) -> None:
    assert normal(typed) == one
    assert normal(one) == one
    assert ref_hash(typed) == ref_hash(one)


def test_two_sources_stay_two() -> None:
    kept = (
        "https://example.org/a",
        "https://example.org/A",
        "http://example.org/a",
        "https://example.org/a?p=1",
    )
    assert len({normal(ref) for ref in kept}) == 4


def test_what_nobody_cited_is_of_the_kind_its_form_tells() -> None:
    assert [kind_of(normal(ref)) for ref in (SESSION, "commit:1234567", "https://a.example")] == [
        "atividade",
        "atividade",
        "mundo",
    ]


def test_a_weight_halves_in_thirty_days() -> None:
    source = sources.initial("s")
    for days, weight in ((0, 2.0), (30, 1.0), (45, -0.05)):
        signal = Signal("s", "credit", str(days), weight, event("x", days).recorded_at, "e")
        sources.weigh(source, signal)
    now = BEGAN + timedelta(days=60)
    assert sources.score(source["faded"], now) == pytest.approx(2 / 4 + 1 / 2 - 0.05 / 2**0.5, abs=1e-12)


def test_a_weight_recorded_later_than_the_clock_has_not_grown() -> None:
    """As in a replay inside an import that brought older events after newer ones."""
    source = sources.initial("s")
    signals = [
        Signal("s", "cited", str(days), 1.0, event("x", days).recorded_at, f"e{days}") for days in (900, 0)
    ]
    for signal in signals:
        sources.weigh(source, signal)
    now = BEGAN + timedelta(days=30)
    shown = sources.ranked(sources.weighed_by(source, signals, now), signals, now)
    assert shown.score == 1.5
    assert [why["aged"] for why in shown.why] == [1.0, 0.5]


def test_a_signal_taken_back_leaves_nothing() -> None:
    source, signal = sources.initial("s"), Signal("s", "cited", "a", 1.5, event("x").recorded_at, "e")
    sources.weigh(sources.weigh(source, signal), signal, -1)
    assert (source["faded"], source["signals"], source["weights"]["cited"]) == (0.0, 0, 0.0)


def test_weights_centuries_of_digits_apart_are_given_and_taken_back_in_any_order_without_loss() -> None:
    """Against the exact sum of what is left, in fractions."""
    random = Random(7)
    for _ in range(60):
        source = sources.initial("s")
        left: list[Signal] = []
        for n in range(40):
            if left and random.random() < 0.4:
                sources.weigh(source, left.pop(random.randrange(len(left))), -1)
            else:
                days, weight = random.choice([-9_000, 0, 3, 9_000, 20_000]), random.choice([-0.5, 0.1, 2 / 3])
                left.append(Signal("s", "credit", str(n), weight, event("x", days).recorded_at, "e"))
                sources.weigh(source, left[-1])
            each = (Fraction(one.weight * 2 ** sources.half_lives(one.at)) for one in left)
            assert source["faded"] == float(sum(each))


@pytest.mark.parametrize(
    "at", ["", "yesterday", "2026-06-01T12:00:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"]
)
def test_no_recorded_time_of_a_stranger_breaks_a_score(at: str) -> None:
    source = sources.weigh(sources.initial("s"), Signal("s", "cited", "a", 1.0, at, "e"))
    shown = sources.ranked(source, [Signal("s", "cited", "a", 1.0, at, "e")], BEGAN)
    assert shown.score == shown.score  # a number, whatever it is


def test_a_source_is_cited_once_an_artefato_and_more_once_it_is_relevant() -> None:
    state = credit.citing("a")
    first = credit.published(
        state, event("artefato.published", 0, cites=[{"ref": "s"}, {"ref": "s "}, {"ref": "t"}])
    )
    assert [(sign, s.ref, s.weight) for sign, s in first] == [(1, "s", 1.0), (1, "t", 1.0)]
    again = credit.published(state, event("artefato.published", 5, cites=[{"ref": "s", "relevant": True}]))
    assert [(sign, s.ref, s.weight) for sign, s in again] == [(-1, "s", 1.0), (1, "s", 1.5)]
    assert credit.published(state, event("artefato.published", 9, cites=[{"ref": "s"}, {"ref": "t"}])) == []


def test_credit_is_spread_over_what_the_latest_revision_cites() -> None:
    state = credit.citing("a")
    credit.published(state, event("artefato.published", 0, cites=[{"ref": "s"}]))
    credit.published(state, event("artefato.published", 1, cites=[{"ref": "t"}, {"ref": "u"}]))
    given = credit.credited(state, credit.ACCEPTED, "a.1234", event("direction.set", 2))
    assert [(s.ref, s.weight) for _, s in given] == [("t", 1.0), ("u", 1.0)]


def test_a_later_vote_takes_the_place_of_the_one_before() -> None:
    state = credit.citing("a")
    credit.published(state, event("artefato.published", 0, cites=[{"ref": "s"}]))
    source, at = sources.initial("s"), []
    for days, value in ((1, 1), (2, -1), (3, 0), (4, 1)):
        for sign, signal in credit.voted(state, event("voz.vote", days, value=value)):
            sources.weigh(source, signal, sign)
        at.append(source["weights"]["credit"])
    assert at == [0.5, -0.5, 0.0, 0.5]


def test_what_a_briefing_offered_is_used_or_ignored_once_the_dispatch_that_published_closes() -> None:
    offer = credit.offer("d1")
    items = [{"sources": ["https://S.example/", "t"]}, {"text": "x"}, {"sources": ["t", 7]}, "odd"]
    credit.presented(offer, event("briefing.presented", 0, items=items))
    credit.cited_in(offer, event("artefato.published", 1, cites=[{"ref": "https://s.example"}]))
    settled = credit.settled(offer, event("dispatch.closed", 2))
    assert [(s.ref, s.kind, s.weight) for _, s in settled] == [
        ("https://s.example", "used", 0.25),
        ("t", "ignored", -0.05),
    ]
    assert credit.settled(offer, event("dispatch.closed", 3)) == []


def test_a_dispatch_that_published_nothing_says_nothing_of_what_it_was_offered() -> None:
    offer = credit.offer("d1")
    credit.presented(offer, event("briefing.presented", 0, items=[{"sources": ["s"]}]))
    assert credit.settled(offer, event("dispatch.closed", 1)) == []


def test_retiring_needs_an_opinion_to_retire_and_its_reason() -> None:
    source = sources.initial("s")
    for reason, said in ((" ", "its reason"), ("moved", "hold no opinion")):
        with pytest.raises(Exception, match=said):
            sources.retire(source, reason)
