"""What is forgotten is nowhere any more, what is left stands as it stood, live and rebuilt alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from edge.admitting import in_project
from edge.domain.events import Event
from edge.domain.refusal import Misused, Refused, Unreachable
from edge.extraction import Trouble
from edge.forget import Target
from edge.health import STOPPED
from edge.init import initialise
from edge.settings import Settings
from edge.wiring import Edge
from projections.chats import Chats
from projections.extraction_queue import note, troubles
from tests.support.esdb.process import EventStoreProcess
from tests.support.house import dump, folded
from tests.support.memories import (
    ARTEFATO,
    COMMENT,
    KEPT_COMMENT,
    OTHER,
    PROPOSED,
    REPLY,
    SESSION,
    SLUG,
    STEER,
    Memories,
    found_in,
    present_sessions,
    with_memories,
)

Choice = Callable[[Edge, Memories], Target]


@pytest.fixture(scope="module")
def eventstoredb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStoreProcess]:
    with EventStoreProcess(tmp_path_factory.mktemp("esdb") / "esdb.db") as server:
        yield server


@pytest.fixture(params=["embedded", "eventstoredb"])
def edge(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Edge]:
    uri = None
    if request.param == "eventstoredb":
        server: EventStoreProcess = request.getfixturevalue("eventstoredb")
        server.tell(reset=True)
        uri = server.uri
    (tmp_path / "transcripts").mkdir()
    initialise(Settings(tmp_path / "home", "g", root=str(tmp_path / "transcripts"), log=uri))
    with closing(Edge.at_home(tmp_path / "home")) as opened:
        yield opened


def logged(edge: Edge) -> str:
    """All words a reader of the streams can come by."""
    streams = dict.fromkeys(event.stream for event in edge.log.read_all())
    return json.dumps([e.data for stream in streams for e in edge.log.read(stream)])


def answered(edge: Edge) -> str:
    """All the read models answer."""
    known = edge.current()
    models = [list(known.chats()), known.items(), known.artefatos(), known.breadcrumb(), known.last_run()]
    return json.dumps([models, edge.health(), edge.briefing().as_json(), known.open_acts("vote")])


def assert_forgotten(edge: Edge, *canaries: str) -> None:
    for canary in canaries:
        assert canary not in logged(edge), canary
        assert canary not in answered(edge), canary
        assert found_in(edge.settings.home, canary) == []
    assert_rebuilt_alike(edge)
    assert edge.forgetting.pending() == []
    assert edge.health()["errors"] == []
    if edge.settings.log is None:
        assert edge.embedded_log.verify() == []


def assert_rebuilt_alike(edge: Edge) -> None:
    edge.current()
    live = dump(edge.store.connection)
    assert live == dump(folded(edge.log, edge.log_id).connection)


# -- a session ------------------------------------------------------------------------------


def test_a_session_is_gone_with_what_was_extracted_and_what_quoted_it(edge: Edge) -> None:
    with_memories(edge)
    present_sessions(edge)
    told = edge.forgetting.forget(edge.forgetting.session("s1"))
    assert told.streams[0][0] == "episode-g.s1"
    assert any(stream.startswith("extraction-g.") for stream, _ in told.streams)
    assert any(stream.startswith("dispatch-g.quotes") for stream, _ in told.streams)
    assert told.cited_by == [SLUG, "other"]
    assert told.pending == []
    assert_forgotten(edge, SESSION)
    assert OTHER in logged(edge)
    edge.rebuild()
    assert_forgotten(edge, SESSION)
    assert edge.sweep()["turns"] == 0  # the transcript is there still, and is taken in no more


def test_a_forgotten_session_stays_forgotten_in_a_copy_of_it(edge: Edge) -> None:
    with_memories(edge)
    edge.forgetting.forget(edge.forgetting.session("s1"))
    root = Path(edge.settings.root or "") / "projects" / "p"
    copy = (root / "s1.jsonl").read_text().replace('"sessionId": "s1"', '"sessionId": "s9"')
    (root / "s9.jsonl").write_text(copy)
    edge.rebuild()
    assert edge.sweep()["turns"] == 0
    for file in edge.settings.home.glob("read.db*"):
        assert SESSION.encode() not in file.read_bytes()


def test_an_extraction_still_to_be_made_meets_the_end_of_it(edge: Edge) -> None:
    with_memories(edge)
    captured = next(e for e in edge.log.read_all(types=["episode.captured"]) if e.stream.endswith("s1"))
    edge.forgetting.forget(edge.forgetting.session("s1"))
    (end,) = edge.log.read(edge.streams.extraction(captured.id))
    assert end.type == "extraction.forgotten"


def test_a_project_is_forgotten_with_all_below_it(edge: Edge) -> None:
    with_memories(edge)
    target = edge.forgetting.project("/home/ana/loja")
    assert target.sessions == ("s1", "s3")
    told = edge.forgetting.forget(target)
    assert {s for s, _ in told.streams if s.startswith("episode")} == {"episode-g.s1", "episode-g.s3"}
    assert_forgotten(edge, SESSION)
    assert [c.session for c in edge.forgetting._index.sessions()] == ["s2"]
    with pytest.raises(Refused, match="no session of project"):
        edge.forgetting.project("/home/ana/loja")


# -- a comment ------------------------------------------------------------------------------


def test_a_comment_is_gone_and_the_steer_it_became_stays(edge: Edge) -> None:
    given = with_memories(edge)
    before = edge.current().item(given.steer)
    assert before is not None
    told = edge.forgetting.forget(edge.forgetting.comment(given.comment))
    assert told.steers == [given.steer]
    assert {s.partition("-")[0] for s, _ in told.streams} == {"voz", "grill"}
    for words in (f"{COMMENT} folds", f"{REPLY} done"):
        assert_forgotten(edge, words)
    after = edge.current().item(given.steer)
    assert after is not None
    said = ("id", "tier", "title", "body", "kind", "supersedes", "origin_comment_id")
    assert [after[name] for name in said] == [before[name] for name in said]  # type: ignore[literal-required]
    superseded = edge.current().item(given.retired)
    assert superseded is None or superseded["tier"] == "gone"
    assert given.comment not in [c["comment_id"] for c in edge.current().chats()]
    with pytest.raises(Refused, match="was forgotten, with a chat"):
        edge.grill.load(given.run)


def test_a_steer_taken_out_by_a_forgotten_chat_stays_out(edge: Edge) -> None:
    given = with_memories(edge)
    run = edge.grill.start("attended", 8, 12_000).run
    chats = [
        {"comment_id": c["comment_id"], "decision": "retire", "direction_id": given.steer}
        if c["comment_id"] == given.open_comment
        else {"comment_id": c["comment_id"], "decision": "acknowledge"}
        for c in run["loaded"]
    ]
    plan = {"chats": [{**chat, "ambiguous": False, "evidence": ["x"]} for chat in chats]}
    edge.grill.close(run["run_id"], plan, "operator")
    told = edge.forgetting.forget(edge.forgetting.comment(given.open_comment))
    assert told.steers == [given.steer]
    assert_forgotten(edge, f"{COMMENT} open")
    assert given.steer not in [i["id"] for i in edge.current().items()]


def test_an_open_dispatch_goes_on_after_its_briefing_was_forgotten(edge: Edge) -> None:
    given = with_memories(edge)
    edge.forgetting.forget(edge.forgetting.comment(given.open_comment))
    assert_forgotten(edge, f"{COMMENT} open")
    assert edge.current().open_dispatches() == [given.dispatch]
    dispatch = edge.current().dispatch(given.dispatch)
    assert dispatch is not None
    assert (dispatch["kind"], dispatch["theme"], dispatch["origin"]) == ("report", "theme", "operator")
    closed = edge.dispatches.close(given.dispatch, "why", None, {})
    assert closed.naked == []
    assert edge.current().open_dispatches() == []
    assert_rebuilt_alike(edge)


def test_a_forgotten_briefing_is_said_to_be_and_computed_anew(edge: Edge) -> None:
    given = with_memories(edge)
    shown = [e.position for e in edge.log.read_all(types=["briefing.presented"])][-1]
    edge.forgetting.forget(edge.forgetting.comment(given.open_comment))
    data, note = edge.briefing_at(str(shown))
    assert "was forgotten" in note
    assert f"{COMMENT} open" not in json.dumps(data)
    assert KEPT_COMMENT in data["text"]


def test_as_of_before_it_was_forgotten_it_is_not_there_either(edge: Edge) -> None:
    given = with_memories(edge)
    before = edge.log.head()
    edge.forgetting.forget(edge.forgetting.comment(given.comment))
    then = edge.at(str(before))
    assert given.comment not in [c["comment_id"] for c in then.chats()]
    assert then.errors() == []


def test_nothing_more_is_said_under_a_forgotten_comment(edge: Edge) -> None:
    given = with_memories(edge)
    keyed = edge.voz.comment("with a key", key="k").id
    edge.forgetting.forget(edge.forgetting.comment(keyed))
    head = edge.log.head()
    with pytest.raises(Refused, match="was forgotten"):
        edge.voz.comment("with a key", key="k")
    with pytest.raises(Refused, match="no act"):
        edge.voz.withdraw(keyed)
    assert edge.log.head() == head
    assert edge.forgetting.comment(keyed).roots == ()
    assert given.open_comment in [c["comment_id"] for c in edge.current().chats("open")]


# -- an artefato ----------------------------------------------------------------------------


def test_an_artefato_is_gone_with_its_votes_and_what_was_only_proposed(edge: Edge) -> None:
    given = with_memories(edge)
    edge.forgetting.forget(edge.forgetting.artefato(SLUG))
    assert_forgotten(edge, ARTEFATO, f"{PROPOSED} {SLUG}")
    known = edge.current()
    assert [a["slug"] for a in known.artefatos()] == ["other"]
    assert known.item(given.proposal) is None
    promoted = known.item(given.promoted)
    assert promoted is not None
    assert (promoted["tier"], promoted["title"], promoted["from_artefato"]) == (
        "set",
        f"promoted {SLUG}",
        SLUG,
    )
    assert known.vote_on(SLUG) == 0
    assert [c["target_ref"] for c in known.chats() if c["body"] == KEPT_COMMENT] == [SLUG]
    assert STEER in [i["title"] for i in known.items()]
    with pytest.raises(Refused, match="no artefato"):
        edge.voz.comment("on it", on=SLUG)


def test_nothing_is_published_under_a_forgotten_slug(edge: Edge) -> None:
    from edge.dispatch import Artefact

    given = with_memories(edge)
    edge.forgetting.forget(edge.forgetting.artefato(SLUG))
    said = Artefact({"slug": SLUG, "title": "x", "body": "x"}, republish=True)
    with pytest.raises(Refused, match="was forgotten"):
        edge.dispatches.close(given.dispatch, "why", said, {})


# -- again, nothing, too much ------------------------------------------------------------------


CHOICES: dict[str, Choice] = {
    "session": lambda edge, _: edge.forgetting.session("s1"),
    "project": lambda edge, _: edge.forgetting.project("loja"),
    "comment": lambda edge, given: edge.forgetting.comment(given.comment),
    "artefato": lambda edge, _: edge.forgetting.artefato(SLUG),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_told_first_nothing_is_written_and_what_goes_is_what_was_told(edge: Edge, choice: str) -> None:
    given = with_memories(edge)
    target = CHOICES[choice](edge, given)
    head = edge.log.head()
    told = edge.forgetting.told(target)
    assert edge.log.head() == head
    done = edge.forgetting.forget(target)
    assert done == told
    head = edge.log.head()
    again = edge.forgetting.forget(target)
    assert again.pending == []
    assert edge.log.head() == head
    assert_rebuilt_alike(edge)


def test_what_is_not_there_is_refused_and_what_is_ambiguous_is_not_guessed(edge: Edge) -> None:
    with_memories(edge)
    for name in (edge.forgetting.session, edge.forgetting.comment, edge.forgetting.artefato):
        with pytest.raises(Refused):
            name("nosuch")
    with pytest.raises(Misused, match="more than one session: s1, s2, s3"):
        edge.forgetting.session("s")
    edge.forgetting.forget(edge.forgetting.session("s1"))
    assert edge.forgetting.session("s1").roots == ()


# -- what is beside the log --------------------------------------------------------------------


class Away:
    """Something that keeps what was made of the log, and is not always there."""

    name = "neo4j"

    def __init__(self) -> None:
        self.away = True
        self.told: list[int] = []

    def follow(self, after: int) -> None:
        if self.away:
            raise Unreachable("neo4j does not answer")
        self.told.append(after)


def test_what_could_not_let_go_of_it_is_named_until_it_has(edge: Edge) -> None:
    given, away = with_memories(edge), Away()
    edge.__dict__["follow_ups"] = (*edge.follow_ups, away)
    told = edge.forgetting.forget(edge.forgetting.session("s1"))
    assert [(p.name, p.code) for p in told.pending] == [("neo4j", 4)]
    strip = edge.health()
    assert (strip["forgetting"], strip["degraded"]) == (["neo4j"], True)
    edge.forgetting.forget(edge.forgetting.comment(given.comment))
    assert edge.health()["forgetting"] == ["neo4j"]
    away.away = False
    assert edge.finish_forgetting() == []
    assert away.told == [0]
    assert edge.health()["forgetting"] == []
    edge.finish_forgetting()
    assert away.told == [0]


def test_a_read_store_deleted_meanwhile_changes_nothing(edge: Edge) -> None:
    given = with_memories(edge)
    edge.forgetting.forget(edge.forgetting.comment(given.comment))
    expected = dump(edge.store.connection)
    edge.close()
    for file in edge.settings.home.glob("read.db*"):
        file.unlink()
    with closing(Edge.at_home(edge.settings.home)) as again:
        assert again.finish_forgetting() == []
        assert dump(again.store.connection) == expected


def test_what_was_said_of_an_event_that_could_not_be_folded_goes_too(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    comment = edge.voz.comment("fine").id
    apply = Chats.apply

    def poisoned(model: Chats, event: Event) -> None:
        if event.type == "voz.reply":
            raise ValueError(f"cannot take {event.data['body']}")
        apply(model, event)

    monkeypatch.setattr(Chats, "apply", poisoned)
    run = edge.grill.start("attended", 8, 12_000).run["run_id"]
    said = {"comment_id": comment, "decision": "reply", "reply": "canary", "evidence": ["x"]}
    edge.grill.close(run, {"chats": [said]}, "operator")
    assert [e["kind"] for e in edge.health()["errors"]] == ["quarantined-event"]
    assert found_in(edge.settings.home, "canary") != []
    edge.forgetting.forget(edge.forgetting.comment(comment))
    assert edge.health()["errors"] == []
    assert found_in(edge.settings.home, "canary") == []


def test_what_a_failing_model_said_of_an_episode_goes_too(edge: Edge) -> None:
    with_memories(edge)
    edge.current().note(STOPPED, "unreachable: it ended with code 1: quoted prompt")
    note(edge.store.connection, "another", Trouble(1, "2026-12-01T00:00:00.000Z", "no answer: quoted prompt"))
    assert found_in(edge.settings.home, "quoted prompt") != []
    edge.forgetting.forget(edge.forgetting.session("s1"))
    assert edge.health()["knowledge"]["stopped"] is None
    assert troubles(edge.store.connection)["another"].attempts == 1
    assert found_in(edge.settings.home, "quoted prompt") == []


@pytest.mark.parametrize("begins", ["rebuild-", ".restore-"])
def test_copies_that_were_left_lying_go_and_those_in_use_stay(edge: Edge, begins: str) -> None:
    given, home = with_memories(edge), edge.settings.home
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (home / "read.damaged").write_text(SESSION)
    for number in (gone.pid, os.getpid()):
        place = home / f"{begins}{number}-x"
        place.mkdir()
        (place / "read.db").write_text(f"of {number}")
    edge.forgetting.forget(edge.forgetting.comment(given.comment))
    assert not (home / "read.damaged").exists()
    assert [p.name for p in home.glob(f"{begins}*")] == [f"{begins}{os.getpid()}-x"]


@pytest.mark.parametrize(
    ("project", "cwd", "inside"),
    [
        ("/home/ana/loja", "/home/ana/loja", True),
        ("/home/ana/loja/", "/home/ana/loja/api", True),
        ("/home/ana/loja", "/home/ana/lojas", False),
        ("loja", "/home/ana/loja/api", True),
        ("loja", "/home/ana/lojas", False),
        ("loja", None, False),
    ],
)
def test_a_project_is_named_as_only_and_exclude_name_it(project: str, cwd: str | None, inside: bool) -> None:
    assert in_project(project, cwd) is inside
