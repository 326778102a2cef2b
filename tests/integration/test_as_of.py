"""Everything as of a position or a time: the same folds over less of the log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from edge.domain.refusal import Refused
from edge.init import initialise
from edge.settings import Settings
from edge.wiring import Edge
from tests.support.sessions import write_talks


@contextmanager
def opened(home: Path) -> Iterator[Edge]:
    with closing(Edge.at_home(home)) as edge:
        yield edge


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, "2026-11-20T12:00:00Z")


def at(monkeypatch: pytest.MonkeyPatch, now: str) -> None:
    monkeypatch.setenv("EDGE_NOW", now)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    initialise(Settings(tmp_path / "home", "g"))
    return tmp_path / "home"


def test_at_a_position_everything_is_as_it_was_then(home: Path) -> None:
    with opened(home) as edge:
        one = edge.voz.comment("one")
        edge.voz.comment("two")
        steered = edge.steering.set_({"title": "x", "body": "x", "kind": "phase"}, None, None)
        edge.steering.drop(steered.id, "done")
        edge.voz.withdraw(one.id)

        def then(position: int) -> tuple[Any, ...]:
            known = edge.at(str(position))
            chats = [(c["body"], c["closed_by"]) for c in known.chats()]
            return chats, [i["title"] for i in known.items()], known.position()

        assert then(one.position) == ([("one", None)], [], one.position)
        assert then(steered.position) == ([("one", None), ("two", None)], ["x"], steered.position)
        assert then(edge.log.head())[0] == [("one", "dead_lettered"), ("two", None)]
        assert then(0) == ([], [], 0)
        with pytest.raises(Refused, match="no position"):
            then(edge.log.head() + 1)


def test_at_a_position_inside_an_append_the_append_is_not_seen(home: Path) -> None:
    with opened(home) as edge:
        comment = edge.voz.comment("Testes primeiro, sempre")
        run = edge.grill.start("attended", 8, 12_000).run["run_id"]
        entry = {"comment_id": comment.id, "decision": "fold", "reply": "Feito", "steer": {"title": "x"}}
        edge.grill.close(run, {"chats": [{**entry, "ambiguous": False, "evidence": []}]}, "operator")
        close = [e for e in edge.log.read(edge.streams.chat(comment.id)) if e.actor == "grill"]
        assert [e.metadata["batch"] for e in close] == [[0, 3], [1, 3], [2, 3]]
        for inside in close[:-1]:
            known = edge.at(str(inside.position))
            assert [(c["reply"], c["closed_by"]) for c in known.chats()] == [(None, None)]
            assert known.items() == []
        whole = edge.at(str(close[-1].position))
        assert [(c["reply"], c["closed_by"]) for c in whole.chats()] == [("Feito", "resolved")]
        assert [i["title"] for i in whole.items()] == ["x"]


def test_a_time_means_all_before_the_first_event_recorded_later(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for now, body in [
        ("2026-11-01T10:00:00Z", "one"),
        ("2026-11-02T10:00:00Z", "two"),
        ("2026-11-01T09:00:00Z", "the clock ran back"),
        ("2026-11-03T10:00:00Z", "three"),
    ]:
        at(monkeypatch, now)
        with opened(home) as edge:
            edge.voz.comment(body)

    def then(edge: Edge, when: str) -> list[str]:
        return [c["body"] for c in edge.at(when).chats()]

    with opened(home) as edge:
        assert then(edge, "2026-11-01T09:30:00Z") == []
        assert then(edge, "2026-11-01T10:00:00Z") == ["one"]
        assert then(edge, "2026-11-02") == ["one"]  # midnight, in the operator's zone
        assert then(edge, "2026-11-02T10:00:00+00:00") == ["one", "two", "the clock ran back"]
        assert then(edge, "2026-11-02T12:00:00+02:00") == ["one", "two", "the clock ran back"]
        assert then(edge, "2027-01-01") == ["one", "two", "the clock ran back", "three"]


def test_a_presented_briefing_comes_back_as_it_was_shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(home) as edge:
        edge.voz.comment("Devemos medir")
        shown = edge.dispatches.open(
            "report", None, "operator", lambda _: None, lambda _: None, edge.briefing
        ).briefing
        position = next(e.position for e in edge.log.read_all(types=["briefing.presented"]))
    at(monkeypatch, "2026-12-20T12:00:00Z")
    with opened(home) as edge:
        edge.voz.comment("E mais isso")
        data, note = edge.briefing_at(str(position))
        assert (data["text"], data["recomputed"], note) == (shown.text, False, "")
        again, said = edge.briefing_at(str(edge.log.head()))
        assert again["recomputed"] is True
        assert "recomputed" in said
        assert "E mais isso" in again["text"]


def test_a_past_briefing_calls_nothing_never_swept_that_was(tmp_path: Path) -> None:
    initialise(Settings(tmp_path / "home", "g", root=str(tmp_path / "store")))
    write_talks(tmp_path / "store")
    with opened(tmp_path / "home") as edge:
        before = edge.log.head()
        edge.sweep()
        assert "never swept" in edge.briefing_at(str(before))[0]["text"]
        assert "last sweep not on record" in edge.briefing_at(str(edge.log.head()))[0]["text"]
        assert f"last sweep {edge.health()['last_sweep']}" in edge.briefing().text
