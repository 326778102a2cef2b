"""``edge mcp``, driven by the SDK's client and by hand: what its tools do, and what they cannot."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.support.mcp_client import EDGE, Lines, data_of, environment, error_of, with_client
from tests.support.soak import counted, more

NAMES = [
    "briefing",
    "knowledge_search",
    "voz_pending",
    "grill_start",
    "grill_close",
    "publish",
    "propose",
    "why",
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home, store = tmp_path / "home", tmp_path / "store"
    store.mkdir()
    types(home, "init", "--group", "me", "--zone", "UTC", "--store", str(store))
    return home


def types(home: Path, *words: str) -> Any:
    """What the operator types in a terminal of their own."""
    done = subprocess.run(
        [*EDGE, *words, "--json"], env=environment(home), check=True, capture_output=True
    )  # fmt: skip
    return json.loads(done.stdout)


def actors(home: Path) -> dict[str, set[str]]:
    """Who wrote what, by the log."""
    done = subprocess.run([*EDGE, "log", "export"], env=environment(home), check=True, capture_output=True)
    found: dict[str, set[str]] = {}
    for line in done.stdout.splitlines():
        event = json.loads(line)
        found.setdefault(event["metadata"]["actor"], set()).add(event["type"])
    return found


def test_every_tool_says_what_it_is_for_and_what_it_takes(home: Path) -> None:
    async def tools(client: Client) -> Any:
        return (await client.list_tools()).tools

    listed = with_client(home, tools)
    assert [tool.name for tool in listed] == NAMES
    for tool in listed:
        assert tool.description
        schemas = [tool.input_schema, *tool.input_schema.get("$defs", {}).values()]
        for schema in schemas:
            assert schema["additionalProperties"] is False
            for name, field in schema.get("properties", {}).items():
                assert field.get("description"), f"{tool.name}: {name}"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint == (tool.name in (*NAMES[:3], "why"))


def test_a_day_of_an_agents_work(home: Path) -> None:
    asked = types(home, "voz", "comment", "Which of our calls lack a time limit?")["comment_id"]
    steer = types(home, "voz", "comment", "Prefer short reports")["comment_id"]

    async def work(client: Client) -> None:
        async def call(name: str, **given: Any) -> Any:
            return data_of(await client.call_tool(name, given))

        assert "Which of our calls" in (await call("briefing"))["text"]
        pending = await call("voz_pending")
        assert [act["act"] for act in pending["pending"]] == [asked, steer]
        assert (await call("knowledge_search", text="time limit"))["found"] == []

        proposed = await call(
            "propose", title="Limits everywhere", body="Each call has one.", kind="constraint"
        )
        assert proposed["id"].startswith("limits-everywhere-")
        done = await call(
            "publish",
            slug="limits",
            body="# Time limits\n\nAll have one.\n",
            intent="It was asked",
            cites=[{"ref": "limits.py", "kind": "mundo", "relevant": True}],
            proposes=[{"title": "Test the limits", "body": "Every limit has a test."}],
        )
        assert done["published"] == ["limits"]
        assert set(done["receipts"]) == {asked, steer}

        run = await call("grill_start", max_chats=5)
        assert {chat["comment_id"] for chat in run["loaded"]} == {asked, steer}
        assert run["mode"] == "unattended"
        plain = {"ambiguous": False, "evidence": ["limits"]}
        decisions = [
            {
                "comment_id": asked,
                "decision": "reply",
                "reply": "None.",
                **plain,
            },
            {"comment_id": steer, "decision": "park", "question": "Under two pages? yes/no"},
        ]
        for _ in range(2):  # again is a retry
            closed = await call("grill_close", run_id=run["run_id"], chats=decisions)
            assert closed["finished"]
            assert [r["result"] for r in closed["results"]] == ["resolved", "parked"]

    with_client(home, work)
    assert types(home, "voz", "show", asked)["reply"] == "None."
    (parked,) = types(home, "voz", "list", "--parked")
    assert parked["comment_id"] == steer
    (artefato,) = types(home, "artefato", "list")
    assert (artefato["slug"], artefato["title"]) == ("limits", "Time limits")


def test_no_tool_acts_as_the_operator_whatever_the_environment_says(home: Path) -> None:
    comment = types(home, "voz", "comment", "Testes primeiro, sempre")["comment_id"]
    before = actors(home)["operator"]
    attended = types(home, "grill", "start")["run_id"]

    async def tries(client: Client) -> list[str]:
        async def told(name: str, **given: Any) -> str:
            return error_of(await client.call_tool(name, given))

        park = {"comment_id": comment, "decision": "park", "question": "?"}
        guess = {"comment_id": comment, "decision": "acknowledge", "evidence": ["x"]}
        asked = {**park, "asked": [{"question": "?", "answer": "sim"}]}
        said = [
            await told("grill_close", run_id=attended, chats=[park]),
            await told("grill_close", run_id=attended),
            await told("propose", title="a", body="b", actor="operator"),
            await told("publish", slug="a", body="b", intent="c", actor="operator"),
        ]
        run = data_of(await client.call_tool("grill_start", {}))["run_id"]
        for chats in ([guess], [asked], [], [park, park]):
            said.append(await told("grill_close", run_id=run, chats=chats))
        said.append(await told("grill_close", run_id=run, chats=[park], curate=[{"do": "set", "id": "x"}]))
        return said

    said = with_client(home, tries)
    assert "only the operator closes it" in said[0]
    assert all(said)
    assert actors(home)["operator"] == before
    assert types(home, "voz", "show", comment)["state"] == "open"


def test_errors_say_what_why_and_what_to_do(home: Path) -> None:
    async def tries(client: Client) -> dict[str, str]:
        cases: dict[str, tuple[str, dict[str, Any]]] = {
            "no intent": ("publish", {"slug": "a", "body": "b"}),
            "blank intent": ("publish", {"slug": "a", "body": "b", "intent": " "}),
            "bad slug": ("publish", {"slug": "Não é", "body": "b", "intent": "c"}),
            "unknown act": ("publish", {"slug": "a", "body": "b", "intent": "c", "answered": {"x": "a"}}),
            "wrong type": ("knowledge_search", {"text": 7}),
            "blank search": ("knowledge_search", {"text": "  "}),
            "no position": ("briefing", {"at": "99999999"}),
            "no time": ("briefing", {"at": "yesterday"}),
            "no run": ("grill_close", {}),
            "no such run": ("grill_close", {"run_id": "x", "chats": []}),
            "no cap": ("grill_start", {"max_chats": 0}),
            "long title": ("propose", {"title": "x" * 500, "body": "b"}),
            "huge body": ("publish", {"slug": "a", "body": "x" * 600_000, "intent": "c"}),
            "no tool": ("voz_comment", {"text": "x"}),
        }
        return {what: error_of(await client.call_tool(*case)) for what, case in cases.items()}

    said = with_client(home, tries)
    assert "intent" in said["no intent"]
    assert "an artefato needs its why" in said["blank intent"]
    assert "512 KiB" in said["huge body"] or "bytes" in said["huge body"]
    assert said["no tool"].endswith(", ".join(NAMES))
    assert types(home, "artefato", "list") == []
    assert types(home, "direction", "list")["proposed"] == []


def test_an_install_that_is_not_there_is_an_error_of_the_tool(tmp_path: Path) -> None:
    async def tries(client: Client) -> str:
        return error_of(await client.call_tool("briefing", {}))

    assert "`edge init --group NAME` makes one" in with_client(tmp_path / "nowhere", tries)
    assert not (tmp_path / "nowhere").exists()


# -- by hand ----------------------------------------------------------------------------------


def test_it_ends_cleanly_with_its_input_and_on_a_signal(home: Path) -> None:
    lines = Lines(home)
    lines.begin()
    assert lines.end() == (0, b"", b"")
    for number in (signal.SIGTERM, signal.SIGINT):
        lines = Lines(home)
        lines.begin()
        lines.server.send_signal(number)
        lines.server.wait(30)
        assert lines.end() == (0, b"", b"")
    done = subprocess.run([*EDGE, "mcp"], env=environment(home), capture_output=True, check=True, input=b"")
    assert (done.stdout, done.stderr) == (b"", b"")
    closed = f'exec 0<&- 1>&-; "{EDGE[0]}" -m edge mcp'
    assert subprocess.run(["sh", "-c", closed], env=environment(home), check=True, timeout=60)


def test_what_is_asked_last_is_answered_though_the_input_ends(home: Path) -> None:
    lines = Lines(home)
    lines.begin()
    call = {"name": "voz_pending", "arguments": {}}
    lines.say(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call}).encode())
    code, out, err = lines.end()
    assert (code, err) == (0, b"")
    assert json.loads(out)["id"] == 9


def test_a_client_that_stops_reading_is_left(home: Path) -> None:
    lines = Lines(home)
    lines.begin()
    assert lines.server.stdout is not None
    lines.server.stdout.close()
    lines.say(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    assert lines.server.wait(30) == 0
    assert lines.server.stdin is not None
    assert lines.server.stderr is not None
    lines.server.stdin.close()
    with lines.server.stderr as said:
        assert said.read() == b""


MALFORMED = [
    b"{",
    b"[]",
    b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
    b"null",
    b"\xff\xfe\x00",
    b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}',
    b"[" * 100_000,
    b'{"a": ' * 5_000,
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\ud800"}}',
]


def test_what_is_no_message_is_answered_and_the_next_one_too(home: Path) -> None:
    lines = Lines(home)
    lines.begin()
    for line in MALFORMED:
        lines.say(line)
        assert lines.hear(20)["error"]["code"] in (-32700, -32600, -32602), line[:60]
    lines.say(b"\n  \n")
    assert lines.ask(2, "ping")["result"] is not None
    code, out, err = lines.end()
    assert (code, out) == (0, b"")
    assert b"Traceback" not in err


def test_a_message_that_is_too_long_is_refused_by_its_id(home: Path) -> None:
    lines = Lines(home)
    lines.begin()
    long = "x" * (5 * 1024 * 1024)
    call = {"name": "propose", "arguments": {"title": "a", "body": long, "id": 77}}
    lines.say(json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call}).encode())
    assert lines.hear()["id"] == 5
    lines.say(json.dumps({"params": call, "method": "tools/call", "id": "six", "jsonrpc": "2.0"}).encode())
    assert lines.hear()["id"] == "six"
    lines.say(long.encode())
    said = lines.hear()
    assert said["id"] is None
    assert "4,194,304 bytes" in said["error"]["message"]
    assert lines.ask(2, "ping")["result"] is not None
    assert lines.end()[0] == 0


@pytest.mark.repeat(more(1, 5))
def test_any_mutation_of_a_message_leaves_the_server_answering(home: Path, chance: random.Random) -> None:
    lines = Lines(home)
    lines.begin()
    plain = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "propose", "arguments": {"title": "a", "body": "b", "relates_to": ["c"]}},
    }
    junk: list[Any] = [None, True, -1, 1e308, "", "x" * 50_000, [], {}, [[[]]], {"$ref": "#"}, "\u0000\u202e"]
    counted("messages to the MCP server mutated", 300)
    for nth in range(300):
        message = json.loads(json.dumps(plain)) | {"id": nth + 100}
        places = [message, message["params"], message["params"]["arguments"]]
        place = chance.choice(places)
        place[chance.choice([*place, "extra"])] = chance.choice(junk)
        line = bytearray(json.dumps(message).encode())
        if nth % 3 == 0:
            line[chance.randrange(len(line))] = chance.randrange(256)
        lines.say(bytes(line).replace(b"\n", b" "))
        if nth % 20 == 0:
            assert lines.ask(f"still there {nth}", "ping")["result"] is not None
    assert lines.ask("the last", "ping")["result"] is not None
    code, out, err = lines.end()
    assert code == 0
    assert b"Traceback" not in err + out
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())
    assert set(actors(home)) <= {"operator", "dispatch"}


def test_what_is_printed_beside_the_protocol_goes_to_standard_error(home: Path, tmp_path: Path) -> None:
    """A library that prints, by Python or beneath it, on every opening of a home."""
    noisy = tmp_path / "noise"
    noisy.mkdir()
    (noisy / "sitecustomize.py").write_text(
        "import atexit, os, threading\n"
        "import edge.settings as s\n"
        "load = s.load\n"
        "def noisy(*given, **named):\n"
        "    print('printed')\n"
        "    os.write(1, b'written\\n')\n"
        "    os.system('echo from a child')\n"
        "    return load(*given, **named)\n"
        "s.load = noisy\n"
    )
    lines = Lines(home, PYTHONPATH=str(noisy))
    lines.begin()
    said = lines.ask(1, "tools/call", name="voz_pending", arguments={})
    assert said["result"]["isError"] is False
    code, out, err = lines.end()
    assert (code, out) == (0, b"")
    assert b"written" in err
    assert b"from a child" in err
