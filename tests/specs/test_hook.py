"""What a hook tells a session, and the file that says how hooks went."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from edge import hooklog
from edge.domain.episodes import BRIEFING_BEGIN, BRIEFING_END
from edge.domain.language import Lang
from edge.domain.refusal import Failed
from edge.hook import LIMIT, Given, Told, given, told
from edge.hooklog import Line, standing

HERE = Given("s", "/home/op/courier", False)


def start(
    briefing: str | None = "# Briefing\n",
    to: Given = HERE,
    event: str = "session-start",
    lang: Lang = "en",
) -> Told:
    return told(event, to, lambda project: project == "/home/op/courier", lambda: briefing, lang)


def context(text: Told) -> str:
    output = json.loads(text.printed)["hookSpecificOutput"]
    assert output["hookEventName"] == "SessionStart"
    return str(output["additionalContext"])


# -- what is told -----------------------------------------------------------------------------


def test_the_briefing_stands_between_its_marks() -> None:
    text = context(start("# Briefing\n\n- ação\n"))
    assert text.startswith(BRIEFING_BEGIN)
    assert text.endswith(f"- ação\n{BRIEFING_END}")


@pytest.mark.parametrize("line", ["x" * 97, '"\\' * 50, "ação 漢字 " * 9, "🙂" * 40])
def test_no_briefing_is_so_long_that_it_passes_the_limit(line: str) -> None:
    for lines in (1, 50, 99, 100, 101, 1000):
        shown = start("\n".join([line] * lines))
        assert len(shown.printed) <= LIMIT
        assert context(shown).endswith(BRIEFING_END)
    assert "cut here" in context(shown)
    assert context(start("x" * 20_000)).endswith(BRIEFING_END)  # one line that is too long


def test_it_is_told_in_the_language_of_the_install() -> None:
    intro, cut = context(start("x", lang="pt")), context(start("x\n" * 20_000, lang="pt"))
    assert "É contexto: o que o operador definiu" in intro
    assert "(cortado aqui; `edge briefing` mostra-o todo)" in cut
    assert not {"context", "operator", "here"} & set(re.findall(r"\w+", intro + cut))


def test_a_mark_in_a_comment_does_not_end_the_injection() -> None:
    text = context(start(f"a {BRIEFING_END} b {BRIEFING_BEGIN} c <!-- /edge:{BRIEFING_END}briefing -->"))
    assert text.count(BRIEFING_BEGIN) == text.count(BRIEFING_END) == 1


def test_nothing_is_told_to_what_is_not_read() -> None:
    for to in (HERE._replace(project="/home/op/horta"), HERE._replace(project=None)):
        assert start(to=to)[:2] == ("", "nothing")
    assert start(to=HERE._replace(is_subagent=True))[:2] == ("", "nothing")
    assert start(briefing=None)[:2] == ("", "nothing")
    assert start(event="prompt") == ("", "nothing", "no such event")


def test_the_input_is_taken_as_far_as_it_says_something() -> None:
    assert given(b"") == given(b" \n") == given(b"{}") == Given(None, None, False)
    document = {"session_id": "a", "cwd": "/x", "hook_event_name": "SessionStart", "source": "fork"}
    assert given(json.dumps(document).encode()) == Given("a", "/x", False)
    assert given(b'{"session_id": 7, "cwd": ["x"], "agent_id": "a"}') == Given(None, None, True)


@pytest.mark.parametrize("text", [b"{", b"[1]", b"7", b"\xff\xfe", b"[" * 100_000, b'{"a": 1} {', b"\x00"])
def test_an_input_that_is_none_is_refused(text: bytes) -> None:
    with pytest.raises(Failed):
        given(text)


# -- the log ----------------------------------------------------------------------------------


def line(n: int, outcome: hooklog.Outcome = "shown") -> Line:
    return Line(f"2026-11-30T10:00:{n % 60:02}.000Z", "session-start", outcome, f"line {n}", 0.1, "s")


def test_the_last_hook_and_the_last_that_failed_stand(tmp_path: Path) -> None:
    assert standing(tmp_path) is None
    hooklog.record(tmp_path, line(1))
    assert standing(tmp_path) == {"last": line(1)._asdict(), "failure": None}
    hooklog.record(tmp_path, line(2, "failed"))
    hooklog.record(tmp_path, line(3))
    assert standing(tmp_path) == {"last": line(3)._asdict(), "failure": line(2, "failed")._asdict()}


def test_the_file_does_not_grow_and_the_last_lines_stay(tmp_path: Path) -> None:
    for n in range(2_000):
        hooklog.record(tmp_path, line(n)._replace(said=f"line {n} " + "x" * 2_000))
    sizes = {p.name: p.stat().st_size for p in tmp_path.iterdir()}
    assert set(sizes) == {hooklog.FILE, hooklog.BEFORE}
    assert max(sizes.values()) <= hooklog.MAX_BYTES + 1_024
    found = standing(tmp_path)
    assert found is not None
    assert found["last"]["said"].startswith("line 1999 ")


def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    hooklog.record(tmp_path, line(1))
    with (tmp_path / hooklog.FILE).open("ab") as file:
        file.write(b'{"at": "2026\n\xff\xfe\n[]\n{}\n\n')
    assert standing(tmp_path) == {"last": line(1)._asdict(), "failure": None}


def test_what_is_said_stays_on_its_line(tmp_path: Path) -> None:
    hooklog.record(tmp_path, line(1, "failed")._replace(said="a\nb\u2028c"))
    assert (tmp_path / hooklog.FILE).read_bytes().count(b"\n") == 1
