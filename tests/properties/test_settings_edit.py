"""Settings are edited as text: one entry goes in, the same comes out, and every other byte stays."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from adapters.claude_code import settings
from adapters.claude_code.positions import BOM, parsed, value_of
from edge.domain.refusal import Refused

ENTRY = {"matcher": "startup|resume", "hooks": [{"type": "command", "command": "edge «ã»", "timeout": 5}]}
OTHER = {"hooks": [{"type": "command", "command": "edge of another home"}]}


AS_LONG_AS_IT_TAKES = profile(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def ours(hook: object) -> bool:
    return isinstance(hook, dict) and hook.get("command") == "edge «ã»"


def others(hook: object) -> bool:
    return isinstance(hook, dict) and hook.get("command") == "edge of another home"


# -- settings as people and programs write them -----------------------------------------------

NEWLINES = st.sampled_from(["\n", "\r\n", "\n\n", "\n\t", "\n  ", "\r\n    "])
SPACE = st.lists(st.one_of(st.sampled_from(["", " ", "\t", "  "]), NEWLINES), max_size=2).map("".join)
COMMENT = st.sampled_from(["/* , } ] */", '// " { [\n', "/***/", "//\r\n"])
GAP = st.one_of(SPACE, SPACE, SPACE, st.tuples(SPACE, COMMENT, SPACE).map("".join))
SCALAR = st.sampled_from(
    ["1", "-0.5e+10", "true", "null", '""', '"a"', '"\\u00e9\\n\\"}"', '"\u2028é漢"', '"hooks"']
)


def spelled(name: str) -> st.SearchStrategy[str]:
    """A name in quotes, as it is or with its first sign escaped."""
    return st.sampled_from([f'"{name}"', f'"\\u{ord(name[0]):04x}{name[1:]}"'])


@st.composite
def members(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    parts = draw(st.lists(inside, max_size=3))
    return ",".join(f"{draw(GAP)}{part}{draw(GAP)}" for part in parts) if parts else draw(GAP)


def array(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return members(inside).map(lambda text: f"[{text}]")


def an_object(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return members(inside).map(lambda text: f"{{{text}}}")


@st.composite
def member(draw: st.DrawFn, name: st.SearchStrategy[str], value: st.SearchStrategy[str]) -> str:
    return f"{draw(name)}{draw(GAP)}:{draw(GAP)}{draw(value)}"


NAMES = st.sampled_from(['"model"', '"env"', '"a\\tb"', '"é"', '"Stop"'])
VALUE = st.recursive(
    SCALAR, lambda inside: st.one_of(array(inside), an_object(member(NAMES, inside))), max_leaves=4
)
THEIRS = an_object(member(spelled("hooks"), array(an_object(member(st.just('"command"'), SCALAR)))))
EVENTS = array(st.one_of(THEIRS, VALUE))
HOOKS = an_object(st.one_of(member(NAMES, VALUE), member(spelled("SessionStart"), EVENTS)))
ROOT = an_object(st.one_of(member(NAMES, VALUE), member(spelled("hooks"), HOOKS)))


@st.composite
def texts(draw: st.DrawFn) -> str:
    bom = draw(st.sampled_from(["", "", BOM]))
    return bom + draw(st.one_of(SPACE, st.tuples(GAP, ROOT, GAP).map("".join)))


# -- the properties ---------------------------------------------------------------------------


@AS_LONG_AS_IT_TAKES
@given(texts())
def test_taken_out_it_is_what_it_was(text: str) -> None:
    after = settings.inserted(text, ENTRY)
    assert settings.hooks(after, ours) == ["edge «ã»"]
    assert settings.removed(after, ours) == text


@AS_LONG_AS_IT_TAKES
@given(texts())
def test_taken_out_beside_another_it_is_what_it_was(text: str) -> None:
    with_other = settings.inserted(text, OTHER)
    after = settings.inserted(with_other, ENTRY)
    assert settings.removed(after, ours) == with_other
    one_left = settings.removed(after, others)
    assert one_left is not None
    assert settings.hooks(one_left, ours) == ["edge «ã»"]
    assert settings.hooks(one_left, others) == []


@AS_LONG_AS_IT_TAKES
@given(texts())
def test_only_the_entry_is_new_and_it_stands_first(text: str) -> None:
    before, after = _value(text), _value(settings.inserted(text, ENTRY))
    events = before.setdefault("hooks", {}).setdefault("SessionStart", [])
    events.insert(0, ENTRY)
    assert after == before


@AS_LONG_AS_IT_TAKES
@given(texts())
def test_what_was_there_is_still_there_in_one_piece_or_two(text: str) -> None:
    after = settings.inserted(text, ENTRY)
    assert any(after.startswith(text[:at]) and after.endswith(text[at:]) for at in range(len(text) + 1))


@AS_LONG_AS_IT_TAKES
@given(texts(), st.integers(0, 10_000))
def test_a_text_cut_off_is_refused_or_edited_as_any_other(text: str, at: int) -> None:
    cut = text[: at % (len(text) + 1)]
    try:
        after = settings.inserted(cut, ENTRY)
    except Refused:
        return
    assert settings.removed(after, ours) == cut


@AS_LONG_AS_IT_TAKES
@given(st.text(max_size=40))
def test_any_other_text_is_refused_or_edited_as_any_other(text: str) -> None:
    try:
        after = settings.inserted(text, ENTRY)
    except Refused:
        return
    assert settings.removed(after, ours) == text


@AS_LONG_AS_IT_TAKES
@given(
    st.recursive(
        st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.text(), st.lists, max_leaves=9
    )
)
def test_it_reads_json_as_json_does(value: Any) -> None:
    text = json.dumps({"x": value})
    node = parsed(text)
    assert node is not None
    assert value_of(node) == {"x": value}


def _value(text: str) -> Any:
    """The settings' value, read by :mod:`json` once the comments are out."""
    bare = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', lambda m: m[1] or " ", text.removeprefix(BOM))
    return json.loads(bare) if bare.strip() else {}


# -- by example -------------------------------------------------------------------------------


def test_where_there_was_no_file_there_is_none_after() -> None:
    assert settings.removed(settings.inserted(None, ENTRY), ours) is None
    assert settings.removed(settings.inserted("", ENTRY), ours) == ""


@pytest.mark.parametrize("text", [
    '{"hooks": []}', "[]", '{"hooks": {"SessionStart": {}}}', "null", '{"a": 1,}', "{'a': 1}",
    '{"a": 01}', '{"a": "\t"}', "{} {}", "{", "\ufeff\ufeff{}", "[" * 5000, '{"a": NaN}',
])  # fmt: skip
def test_another_shape_or_no_json_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        settings.inserted(text, ENTRY)


def test_it_is_written_as_the_rest_is() -> None:
    text = '{\n\t"model": "opus", // mine\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}'
    entry = {"hooks": [{"command": "x"}]}
    assert settings.inserted(text, entry) == (
        '{\n\t"model": "opus", // mine\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{\n\t\t\t\t"hooks": [\n'
        '\t\t\t\t\t{\n\t\t\t\t\t\t"command": "x"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t],\n'
        '\t\t"Stop": []\n\t}\n}'
    )


def test_put_in_order_by_somebody_it_still_comes_out_alone() -> None:
    text = json.dumps({"hooks": {"SessionStart": [{"hooks": [{"command": "theirs"}]}, ENTRY]}}, indent=8)
    left = settings.removed(text, ours)
    assert left is not None
    assert _value(left) == {"hooks": {"SessionStart": [{"hooks": [{"command": "theirs"}]}]}}
    shared = json.dumps({"hooks": {"SessionStart": [{"hooks": [*ENTRY["hooks"], {"command": "theirs"}]}]}})
    left = settings.removed(shared, ours)
    assert left is not None
    assert _value(left) == {"hooks": {"SessionStart": [{"hooks": [{"command": "theirs"}]}]}}
