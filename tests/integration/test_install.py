"""edge wired into Claude Code's files and out of them: nothing else of them changes."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from adapters.claude_code import files
from adapters.claude_code.installing import Wiring
from edge.domain.refusal import Failed, Refused

FILES = {
    "missing": None,
    "empty": b"",
    "blank": b" \n\n",
    "object": b"{}",
    "no newline at the end": b'{\n  "model": "opus"\n}',
    "tabs": b'{\n\t"model": "opus",\n\t"env": {}\n}\n',
    "crlf": b'{\r\n  "model": "opus"\r\n}\r\n',
    "bom": b'\xef\xbb\xbf{"model": "opus"}\n',
    "one line": b'{"model":"opus","hooks":{"Stop":[{"hooks":[]}]}}',
    "comments": b'{\n  // mine\n  "model": "opus", /* and */ "env": {} // this\n}\n',
    "doubled": b'{"hooks": {}, "model": "a", "hooks": {"SessionStart": []}}\n',
    "escapes": b'{"h\\u006foks": {"\\u0053essionStart": [ ]}, "caf\\u00e9": "\xc3\xa9"}\n',
    "hooks of others": b'{\n "hooks": {\n  "SessionStart": [\n   {"hooks": [{"command": "x"}]}\n  ]\n }\n}',
}


def wiring(place: Path, edge: str = "/opt/edge", home: str = "/home/op/my edge") -> Wiring:
    return Wiring(place, [edge], Path(home), "edge")


def done(changes: Any) -> list[str]:
    return [change.done for change in changes]


def tree(place: Path) -> dict[str, bytes]:
    return {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_in_and_out_leaves_every_byte(tmp_path: Path, data: bytes | None) -> None:
    place, path = tmp_path / ".claude", tmp_path / ".claude" / "settings.json"
    if data is not None:
        place.mkdir()
        path.write_bytes(data)
        path.chmod(0o640)
    before = tree(tmp_path)
    assert set(done(wiring(place).install())) == {"written"} | ({"changed"} if data is not None else set())
    installed = tree(tmp_path)
    assert set(done(wiring(place).install())) == {"unchanged"}  # again it does nothing
    assert tree(tmp_path) == installed
    wiring(place).uninstall()
    assert tree(tmp_path) == before
    assert place.exists() == (data is not None)
    if data is not None:
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert set(done(wiring(place).uninstall())) <= {"absent", "unchanged"}


def test_the_hook_names_the_edge_and_the_home(tmp_path: Path) -> None:
    wiring(tmp_path).install()
    (entry,) = json.loads((tmp_path / "settings.json").read_bytes())["hooks"]["SessionStart"]
    (hook,) = entry["hooks"]
    assert hook == {
        "type": "command",
        "command": "/opt/edge hook session-start --home '/home/op/my edge'",
        "timeout": 5,
    }


def test_another_edge_on_the_same_home_takes_the_place_of_the_first(tmp_path: Path) -> None:
    wiring(tmp_path).install()
    wiring(tmp_path, "/new/edge").install()
    wiring(tmp_path, home="/other").install()
    entries = json.loads((tmp_path / "settings.json").read_bytes())["hooks"]["SessionStart"]
    assert [e["hooks"][0]["command"].split()[0] for e in entries] == ["/opt/edge", "/new/edge"]
    wiring(tmp_path).uninstall()
    (left,) = json.loads((tmp_path / "settings.json").read_bytes())["hooks"]["SessionStart"]
    assert left["hooks"][0]["command"].endswith("--home /other")


@pytest.mark.parametrize(
    "data", [b"{", b'{"hooks": []}', b"{\xff}", b'{"a": 1,}', b"[]", '{"a": 1}'.encode("utf-16")]
)
def test_a_broken_or_unexpected_file_is_refused_and_nothing_is_written(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "settings.json").write_bytes(data)
    for act in (wiring(tmp_path).install, wiring(tmp_path).uninstall):
        with pytest.raises(Refused, match=r"settings\.json"):
            act()
        assert tree(tmp_path) == {"settings.json": data}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    kept.write_bytes(b"{}")
    place = tmp_path / ".claude"
    place.mkdir()
    (place / "settings.json").symlink_to(kept)
    wiring(place).install()
    assert (place / "settings.json").is_symlink()
    assert b"SessionStart" in kept.read_bytes()
    wiring(place).uninstall()
    assert (place / "settings.json").is_symlink()
    assert kept.read_bytes() == b"{}"


def test_an_edit_in_the_meantime_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"{}")
    found = files.read(path)
    path.write_bytes(b'{"model": "opus"}')
    for data in (b"x", None):
        with pytest.raises(Refused, match="meantime"):
            files.replace(found, data)
    missing = files.read(tmp_path / "other.json")
    (tmp_path / "other.json").write_bytes(b"theirs")
    with pytest.raises(Refused, match="meantime"):
        files.replace(missing, b"x")
    assert tree(tmp_path) == {"settings.json": b'{"model": "opus"}', "other.json": b"theirs"}


def test_skills_changed_by_hand_or_by_others_are_kept(tmp_path: Path) -> None:
    theirs = tmp_path / "skills" / "edge-close" / "SKILL.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("somebody else's")
    wiring(tmp_path).install()
    mine = tmp_path / "skills" / "edge-open" / "SKILL.md"
    edited = mine.read_text("utf-8").replace("three lines", "four lines")
    mine.write_text(edited, "utf-8")
    assert done(wiring(tmp_path).install()) == ["unchanged", "kept", "kept", "unchanged"]
    assert done(wiring(tmp_path).uninstall()) == ["removed", "kept", "kept", "removed"]
    assert mine.read_text("utf-8") == edited
    assert theirs.read_text() == "somebody else's"


def test_skills_of_an_older_edge_are_renewed(tmp_path: Path) -> None:
    wiring(tmp_path).install()
    renamed = wiring(tmp_path)._replace(typed="edge --home /x")
    assert done(renamed.install()) == ["unchanged", "changed", "changed", "changed"]
    assert "Bash(edge --home /x *)" in (tmp_path / "skills" / "edge-open" / "SKILL.md").read_text("utf-8")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_bytes(b"{}")
    tmp_path.chmod(0o500)
    with pytest.raises(Failed, match="cannot be written"):
        wiring(tmp_path).install()


def test_a_directory_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "settings.json").mkdir()
    with pytest.raises(Refused, match="no file"):
        wiring(tmp_path).install()
