"""How turns become episodes: cuts, cursors, projects, copies, forgetting; and the folds of them."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from edge.domain.cuts import MAX_EPISODE, parts, stored_size
from edge.domain.episodes import counted, queued_id, turn_keys
from edge.domain.events import Draft, Event
from edge.journal import Act
from edge.sweep import stream_key
from tests.support.sweeping import Home, Session


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def chat(name: str = "s1", **envelope: str) -> Session:
    session = Session(name, **envelope)
    session.user("one")
    session.agent("two")
    return session


def captured(home: Home) -> list[Event]:
    return list(home.log.read_all(types=["episode.captured"]))


# -- cuts and cursors ---------------------------------------------------------------------------


def test_a_sessions_new_turns_make_one_episode_that_ends_where_the_file_does(home: Home) -> None:
    path = chat().write(home.root)
    swept = home.sweep()
    (event,) = captured(home)
    assert (swept.sessions, swept.episodes, swept.turns) == (1, 1, 2)
    assert event.stream == "episode-t.s1"
    assert event.data["to"] == path.stat().st_size
    assert event.data["project"] == "/home/ana/loja"
    assert event.metadata["dispatch_id"] == "d1"
    assert home.sweep()[:4] == (0, 0, 0, 0)


def test_episodes_are_cut_where_presence_changes(home: Home) -> None:
    session = Session(entrypoint=None)
    session.user("nobody knows")
    session.user("in the terminal", entrypoint="odd-host")
    session.write(home.root)
    home.sweep()
    session.user("in the terminal", entrypoint="cli")
    session.write(home.root)
    home.sweep()
    assert [e.data["presence"] for e in captured(home)] == ["unknown", "present"]


def test_a_long_turn_goes_on_in_parts_that_each_fit(home: Home) -> None:
    text = "é\x01\n" * 150_000
    session = Session()
    session.user(text)
    session.write(home.root)
    assert home.sweep().turns == 1
    turns = [turn for event in captured(home) for turn in event.data["turns"]]
    assert [turn["part"] for turn in turns] == list(range(1, len(turns) + 1))
    assert "".join(turn["text"] for turn in turns) == text.strip()
    assert all(stored_size(str(e.data)) < MAX_EPISODE * 2 for e in captured(home))
    assert len(home.turns()) == len(turns) > 2


def test_a_secret_across_a_cut_is_seen(home: Home) -> None:
    secret = "ghp_" + "a1B2" * 9
    filler = MAX_EPISODE - 8 * 1024 - 512 - 20
    session = Session()
    session.user("x" * (filler - 1) + " " + secret + " end")
    session.write(home.root)
    swept = home.sweep()
    assert swept.redactions == {"github-token": 1}
    assert secret[:12] not in "".join(turn["text"] for turn in home.turns())


def test_more_than_an_episode_holds_goes_on_in_the_next(home: Home) -> None:
    session = Session()
    for _ in range(5):
        session.agent("y" * 100_000)
    session.write(home.root)
    assert home.sweep()[1:3] == (3, 5)


def test_parts_depend_on_the_text_alone() -> None:
    turn = {"id": "i", "role": "operator", "text": "\x02" * 500_000}
    assert [p["text"] for p in parts(turn)] == [p["text"] for p in parts({**turn, "id": "other"})]
    assert list(parts({**turn, "text": "short"})) == [{**turn, "text": "short"}]


# -- projects and dates -------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["/home/ana/loja", "/home/ana", "loja", "/home/ana/loja/"])
def test_nothing_of_an_excluded_project_is_captured(home: Home, pattern: str) -> None:
    chat().write(home.root)
    swept = home.sweep(exclude=(pattern,))
    assert (swept.turns, swept.excluded) == (0, [{"session": "s1", "reason": "project not included"}])
    assert home.log.head() == 0
    assert home.sweep().turns == 2, "an exclusion is not for ever"


@pytest.mark.parametrize("pattern", ["/home/ana/loj", "loj", "/ana/loja", "/home/ana/loja2"])
def test_a_pattern_is_a_whole_name_or_a_whole_path(home: Home, pattern: str) -> None:
    chat().write(home.root)
    assert home.sweep(exclude=(pattern,)).turns == 2


def test_a_session_that_moves_between_projects_is_judged_turn_by_turn(home: Home) -> None:
    session = Session()
    for cwd in ("/home/ana/loja", "/home/ana/diario", "/home/ana/loja"):
        session.cwd = cwd
        session.user(f"in {cwd}")
        session.queue("enqueue", f"queued in {cwd}")
        session.queue("remove")
        session.agent(f"answer in {cwd}")
    session.write(home.root)
    home.sweep(exclude=("diario",))
    assert len(home.turns()) == 6
    assert not any("diario" in turn["text"] for turn in home.turns())
    assert home.sweep(exclude=("diario",)).turns == 0
    home.sweep(exclude=())
    assert len(home.turns()) == 9


def test_a_queued_prompt_before_any_directory_is_known_waits_for_one(home: Home) -> None:
    session = Session(cwd="/home/ana/diario")
    session.queue("enqueue", "secret thoughts")
    session.queue("remove")
    session.write(home.root)
    assert home.sweep(exclude=("diario",)).turns == 0
    session.user("more", cwd="/home/ana/diario")
    session.write(home.root)
    assert home.sweep(exclude=("diario",)).turns == 0


def test_only_takes_nothing_else_and_needs_to_know_the_project(home: Home) -> None:
    chat("a").write(home.root)
    chat("b", cwd="/home/ana/outra").write(home.root)
    Session("c", cwd=None).write(home.root)
    home.sweep(only=("outra",))
    assert {e.data["project"] for e in captured(home)} == {"/home/ana/outra"}


def test_what_is_older_than_since_is_left_until_asked_for(home: Home) -> None:
    session = chat()
    session.user("much later", timestamp="2026-10-01T00:00:00.000Z")
    session.write(home.root)
    assert home.sweep(since=datetime(2026, 9, 15, tzinfo=UTC)).turns == 1
    assert home.said() == ["much later"]
    assert home.sweep().turns == 2


def test_a_file_not_touched_since_is_not_opened(home: Home) -> None:
    path = chat().write(home.root)
    os.utime(path, (1, 1))
    swept = home.sweep(since=datetime(2026, 1, 1, tzinfo=UTC))
    assert (swept.bytes, swept.excluded[0]["reason"]) == (0, "older than since")
    assert home.sweep().turns == 2


def test_a_project_changes_where_the_session_leaves_it_not_where_it_walks_down(home: Home) -> None:
    session = Session()
    for cwd in ("/home/ana/loja", "/home/ana/loja/src", "/home/ana/loja", "/home/ana/lojas"):
        session.user(f"in {cwd}", cwd=cwd)
    session.write(home.root)
    home.sweep()
    assert [e.data["project"] for e in captured(home)] == ["/home/ana/loja", "/home/ana/lojas"]


def test_a_dry_run_shows_and_writes_nothing(home: Home) -> None:
    chat().write(home.root)
    swept = home.sweep(dry_run=True)
    (shown,) = swept.captured or []
    assert (shown["session"], shown["presence"]) == ("s1", "present")
    assert [(t["role"], t["text"]) for t in shown["turns"]] == [("operator", "one"), ("assistant", "two")]
    assert home.log.head() == 0
    assert "captured" not in home.sweep().as_json()
    assert home.sweep(dry_run=True).captured == []


# -- which file is which --------------------------------------------------------------------------


def test_a_fork_and_a_resume_add_only_what_is_theirs(home: Home) -> None:
    source = chat()
    source.write(home.root)
    home.sweep()
    fork = Session("s2", entrypoint="sdk-cli")
    fork.records = [{**r, "sessionId": "s2", "entrypoint": "sdk-cli"} for r in source.records]
    fork.user("only here", entrypoint="cli")
    fork.write(home.root)
    home.sweep()
    assert home.said() == ["one", "only here"]


def test_history_logged_again_with_new_ids_is_the_same_history(home: Home) -> None:
    session = chat()
    session.records += [{**r, "uuid": f"again-{i}"} for i, r in enumerate(session.records)]
    session.user("new")
    session.write(home.root)
    home.sweep()
    assert home.said() == ["one", "new"]


def test_a_fork_that_keeps_only_the_delivery_of_a_queued_prompt_does_not_say_it_again(home: Home) -> None:
    source = Session()
    source.user("first")
    source.queue("enqueue", "meanwhile")
    source.queue("remove")
    source.write(home.root)
    home.sweep()
    source.attachment("meanwhile")
    source.agent("ok")
    source.write(home.root)
    fork = Session("s2")
    fork.records = [{**r, "sessionId": "s2"} for r in source.records if r["type"] != "queue-operation"]
    fork.user("other end")
    fork.write(home.root)
    home.sweep()
    assert sorted(home.said()) == ["first", "meanwhile", "other end"]


def test_records_without_id_and_time_are_told_apart(home: Home) -> None:
    session = Session()
    for _ in range(2):
        session.add(type="user", message={"role": "user", "content": "push"}, sessionId="s1")
    session.write(home.root)
    home.sweep()
    assert home.said() == ["push", "push"]


def test_a_moved_file_goes_on_in_its_stream(home: Home) -> None:
    session = chat()
    path = session.write(home.root, "before")
    home.sweep()
    moved = home.root / "projects" / "after" / path.name
    moved.parent.mkdir()
    shutil.move(path, moved)
    session.user("after the move")
    moved.write_bytes(session.bytes())
    assert home.sweep().turns == 1
    assert {e.stream for e in captured(home)} == {"episode-t.s1"}


@pytest.mark.parametrize("both_at_once", [True, False])
def test_a_second_file_of_one_name_has_a_stream_of_its_own(home: Home, both_at_once: bool) -> None:
    chat().write(home.root, "b")
    if not both_at_once:
        home.sweep()
    other = Session()
    other.user("another session of that name", uuid="x")
    other.write(home.root, "a")
    home.sweep()
    other.user("and more", uuid="y")
    other.write(home.root, "a")
    home.notes.clear()
    home.sweep()
    assert sorted(home.said()) == ["and more", "another session of that name", "one"]
    streams = [event.stream for event in captured(home)]
    assert len(set(streams)) == 2 and len(streams) == 3


def test_a_file_cut_short_or_written_anew_is_read_from_its_start(home: Home) -> None:
    session = chat()
    session.user("three")
    session.write(home.root)
    home.sweep()
    session.records = session.records[:1]
    session.user("instead", uuid="new-1")
    session.write(home.root)
    home.sweep()
    assert home.said() == ["one", "three", "instead"]
    assert {event.stream for event in captured(home)} == {"episode-t.s1"}


def test_losing_the_notes_costs_a_read_and_nothing_else(home: Home) -> None:
    session = chat()
    session.queue("enqueue", "waiting")
    session.write(home.root)
    home.sweep()
    home.notes.clear()
    assert home.sweep()[1:3] == (0, 0)
    home.notes.clear()
    session.queue("remove")
    session.write(home.root)
    assert home.sweep().turns == 1


def test_a_log_that_was_set_back_is_filled_again(home: Home, tmp_path: Path) -> None:
    chat().write(home.root)
    home.sweep()
    restored = Home(home.root)
    restored.notes = home.notes
    assert restored.sweep().turns == 2


def test_subagents_and_workflow_journals_are_not_opened(home: Home) -> None:
    chat().write(home.root)
    directory = home.root / "projects" / "p"
    for name in ("agent-1.jsonl", "s1/subagents/agent-2.jsonl", "s1/subagents/workflows/wf_1/journal.jsonl"):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chat("other").bytes())
    assert home.sweep().turns == 2


def test_loose_transcripts_are_a_store_too(home: Home) -> None:
    (home.root / "02-any name, really.jsonl").write_bytes(chat().bytes())
    assert home.sweep().turns == 2


def test_a_linked_directory_is_walked_once(home: Home) -> None:
    chat().write(home.root)
    (home.root / "projects" / "loop").symlink_to(home.root)
    outside = home.root.parent / f"{home.root.name}-outside"
    other = Session("s2")
    other.user("elsewhere")
    other.write(outside)
    (home.root / "projects" / "linked").symlink_to(outside / "projects" / "p")
    assert home.sweep().sessions == 2


def test_a_file_that_cannot_be_read_is_named_and_the_others_go_on(home: Home) -> None:
    chat("a").write(home.root)
    gone = home.root / "projects" / "p" / "gone.jsonl"
    gone.symlink_to(home.root / "nowhere")
    (home.root / "projects" / "p" / "dir.jsonl").mkdir()
    swept = home.sweep()
    assert swept.turns == 2


@pytest.mark.parametrize("session", ["a.b", "ação", "x/y", "", "a" * 300, "a~b", "con versa", "\udcff"])
def test_any_file_name_has_a_stream_of_its_own(session: str) -> None:
    key = stream_key(session)
    assert key.isascii() and len(key) < 130 and "." not in key
    assert key != stream_key(session + "_") and stream_key(key) != key


# -- forgetting -----------------------------------------------------------------------------------


def forget(home: Home, permanent: bool) -> None:
    events = list(home.log.read("episode-t.s1"))
    last = events[-1]
    draft = Draft("episode.forgotten", {"to": last.data["to"], "permanent": permanent})
    home.journal.append("episode-t.s1", [draft], last.revision, Act("operator"))


@pytest.mark.parametrize(("permanent", "left"), [(True, []), (False, ["new"])])
def test_what_is_forgotten_is_not_captured_again(home: Home, permanent: bool, left: list[str]) -> None:
    session = chat()
    session.write(home.root)
    home.sweep()
    forget(home, permanent)
    session.user("new")
    session.write(home.root)
    home.notes.clear()
    home.sweep()
    assert home.said() == left


def test_forgetting_a_session_does_not_revive_its_copy(home: Home) -> None:
    session = chat()
    session.write(home.root)
    home.sweep()
    forget(home, permanent=True)
    session.name = "s2"
    session.write(home.root)
    assert home.sweep().turns == 0
    assert home.said() == []


# -- the folds ------------------------------------------------------------------------------------


def test_a_copy_counts_only_where_it_stands_first() -> None:
    one = {"id": "a", "role": "operator", "ts": "2026-01-01T00:00:00Z", "text": "x"}
    relogged = {**one, "id": "b"}
    other = {**one, "id": "c", "text": "y"}
    assert [t["id"] for t, _ in counted([one, relogged, other], lambda _: False)] == ["a", "c"]
    assert [t["id"] for t, _ in counted([relogged, other], set(turn_keys(one)).__contains__)] == ["c"]


def test_turns_without_time_are_told_by_id_alone() -> None:
    one = {"id": "a", "role": "operator", "text": "x"}
    assert len(counted([one, {**one, "id": "b"}], lambda _: False)) == 2


def test_the_same_words_queued_twice_in_an_hour_are_two_turns() -> None:
    turns = [
        {"id": queued_id(ts, "go on"), "role": "operator", "ts": ts, "text": "go on"}
        for ts in ("2026-01-01T00:00:01Z", "2026-01-01T00:10:00Z")
    ]
    assert len(counted(turns, lambda _: False)) == 2


# -- bounds -----------------------------------------------------------------------------------------


def test_what_is_held_back_too_long_is_captured_as_unknown_and_put_right(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.capture.HELD_CHARS", 50)
    session = Session(entrypoint=None)
    for i in range(9):
        session.user(f"prompt {i} " + "x" * 20)
    session.add(type="permission-mode", permissionMode="default", sessionId="s1")
    session.write(home.root)
    home.sweep()
    assert captured(home)[0].data["presence"] == "unknown"
    assert len(home.turns(presence=["present"])) == 9


def test_a_sweep_forgets_its_own_keys_only_to_the_index(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.sweep_run.OWN_KEYS", 3)
    monkeypatch.setattr("edge.capture.BATCH_TURNS", 2)
    source = Session("s1")
    for i in range(8):
        source.user(f"prompt {i}")
    source.write(home.root)
    source.name = "s2"
    source.write(home.root)
    assert home.sweep().turns == 8
    assert len(captured(home)) == 1


def test_a_prompt_queued_in_an_excluded_project_keeps_its_place_and_is_never_given_out(home: Home) -> None:
    session = Session(cwd="/home/ana/diario")
    session.user("private")
    session.queue("enqueue", "private too")
    session.cwd = "/home/ana/loja"
    session.user("public")
    session.queue("enqueue", "public too")
    session.queue("remove")
    session.queue("remove")
    session.attachment("private too")
    session.write(home.root)
    home.sweep(exclude=("diario",))
    assert sorted(home.said()) == ["public", "public too"]
