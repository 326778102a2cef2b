"""A log with forgotten streams carried elsewhere: nothing forgotten travels, and what ended stays ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from edge.domain.events import Event
from edge.envelopes import import_envelopes
from edge.exchange import Tally, exported
from edge.init import initialise
from edge.lines import lines_of
from edge.settings import Settings
from edge.wiring import Edge
from tests.support.esdb.process import EventStoreProcess
from tests.support.house import dump, folded
from tests.support.memories import ARTEFATO, COMMENT, SESSION, SLUG, found_in, with_memories


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db", "--links") as server:
        yield server


def home(place: Path, log: str | None = None) -> Edge:
    (place.parent / "transcripts").mkdir(exist_ok=True)
    initialise(Settings(place, "g", root=str(place.parent / "transcripts"), log=log))
    return Edge.at_home(place)


def moved(source: Edge, target: Edge, file: Path) -> Tally:
    file.write_text("".join(line + "\n" for line in exported(source.log)), "utf-8")
    with file.open("rb") as stream:
        tally = import_envelopes(target.journal, lines_of(stream))
    assert target.finish_forgetting() == []
    return tally


def forgets(edge: Edge) -> tuple[str, ...]:
    """Forget one of each; the words that are nowhere then."""
    given = with_memories(edge)
    forgetting = edge.forgetting
    for target in (
        forgetting.session("s1"),
        forgetting.comment(given.comment),
        forgetting.comment(given.open_comment),
        forgetting.artefato(SLUG),
    ):
        assert forgetting.forget(target).pending == []
    return SESSION, ARTEFATO, f"{COMMENT} folds", f"{COMMENT} open"


def content(edge: Edge) -> list[Event]:
    """Every event that counts, without its place."""
    return [e._replace(position=0, revision=0) for e in edge.log.read_all() if e.type != "log.created"]


def assert_derived(edge: Edge) -> None:
    edge.current()
    assert dump(edge.store.connection) == dump(folded(edge.log, edge.log_id).connection)
    assert edge.health()["errors"] == []


def test_there_and_back_what_was_forgotten_stays_so(server: EventStoreProcess, tmp_path: Path) -> None:
    server.tell(reset=True)
    with (
        closing(home(tmp_path / "file")) as file,
        closing(home(tmp_path / "server", server.uri)) as on_server,
        closing(home(tmp_path / "back")) as back,
    ):
        gone = forgets(file)
        there = moved(file, on_server, tmp_path / "there.jsonl")
        assert (there.refusals, there.known) == (0, 0)
        assert content(on_server) == content(file)
        again = moved(file, on_server, tmp_path / "again.jsonl")
        assert (again.refusals, again.imported) == (0, 0)
        returned = moved(on_server, back, tmp_path / "back.jsonl")
        assert (returned.refusals, returned.known) == (0, 0)
        assert content(back) == content(file)
        assert back.embedded_log.verify() == []
        for edge in (on_server, back):
            assert_derived(edge)
            assert edge.sweep()["turns"] == 0
        for words in gone:
            assert found_in(tmp_path / "there.jsonl", words) == []
            assert words not in (tmp_path / "there.jsonl").read_text()


def test_an_export_of_a_server_not_yet_scavenged_holds_nothing_forgotten(
    server: EventStoreProcess, tmp_path: Path
) -> None:
    server.tell(reset=True)
    with closing(home(tmp_path / "server", server.uri)) as edge, closing(home(tmp_path / "file")) as file:
        gone = forgets(edge)
        shown = json.dumps([event.data for event in edge.log.read_all()])
        assert all(words in shown for words in gone)  # the server's own way, until it is scavenged
        assert moved(edge, file, tmp_path / "out.jsonl").refusals == 0
        out = (tmp_path / "out.jsonl").read_text()
        assert not any(words in out for words in gone)
        assert_derived(file)
        server.tell(scavenge=True)
        shown = json.dumps([event.data for event in edge.log.read_all()])
        assert not any(words in shown for words in gone)
        edge.rebuild()
        assert_derived(edge)


def test_a_log_that_took_in_an_older_export_forgets_with_the_newer(tmp_path: Path) -> None:
    """Forgotten between two moves: the second takes it out on the other side too."""
    with closing(home(tmp_path / "one")) as one, closing(home(tmp_path / "two")) as two:
        given = with_memories(one)
        assert moved(one, two, tmp_path / "before.jsonl").refusals == 0
        assert given.comment in [c["comment_id"] for c in two.current().chats()]
        for target in (one.forgetting.comment(given.comment), one.forgetting.session("s1")):
            one.forgetting.forget(target)
        tally = moved(one, two, tmp_path / "after.jsonl")
        assert tally.refusals == 0
        assert given.comment not in [c["comment_id"] for c in two.current().chats()]
        for words in (SESSION, f"{COMMENT} folds"):
            assert found_in(two.settings.home, words) == []
        assert_derived(two)
        assert two.embedded_log.verify() == []
        assert [i["title"] for i in two.current().items()] == [i["title"] for i in one.current().items()]
