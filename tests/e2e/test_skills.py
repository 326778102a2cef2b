"""The skills, followed by an agent in its own shell: every command in them is one that works."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adapters.claude_code.skills import NAMES, text_of
from tests.e2e.pages import FENCE
from tests.e2e.test_help import ROOT, taken

BIN = Path(sys.executable).parent
MARK = re.compile(r"`(edge [^`]+)`")


class Agent:
    """An agent's shell: CLAUDECODE is set, and edge is on its PATH. The operator has their own."""

    def __init__(self, place: Path) -> None:
        self.at, self.home = place / "work", place / "home"
        self.at.mkdir()
        store = place / "store"
        store.mkdir()
        path = f"{BIN}:/usr/bin:/bin"
        self.environ = {"PATH": path, "HOME": str(place), "EDGE_HOME": str(self.home), "CLAUDECODE": "1"}
        self.operator("init", "--group", "me", "--store", str(store))

    def operator(self, *words: str) -> Any:
        environ = {name: value for name, value in self.environ.items() if name != "CLAUDECODE"}
        done = subprocess.run(
            ["edge", *words, "--json"], env=environ, cwd=self.at, capture_output=True, check=True
        )  # fmt: skip
        return json.loads(done.stdout)

    def types(self, script: str) -> str:
        done = subprocess.run(
            ["bash", "-euc", script],
            env=self.environ, cwd=self.at, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, f"{script}\n{done.stderr}"
        return done.stdout


def fenced(name: str, language: str) -> list[str]:
    """The fenced blocks of a skill, as installed, their indent taken off."""
    text = re.sub(r"^ {3}", "", text_of(name, "edge"), flags=re.MULTILINE)
    return [fence[3] for fence in FENCE.finditer(text) if fence[2] == language]


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_in_it_is_one_of_edges(name: str) -> None:
    text = text_of(name, "edge")
    lines = [line for block in fenced(name, "sh") for line in block.splitlines()]
    shown = [line.partition(" <<")[0] for line in lines if line.startswith("edge ")]
    for command in [*shown, *MARK.findall(text)]:
        words = shlex.split(command)
        known = ROOT.list_commands(None)
        assert words[1] in known, command
        assert taken([word for word in words if word != "--help"])


@pytest.mark.parametrize("name", NAMES)
def test_its_head_says_what_it_is_and_what_it_may_run(name: str) -> None:
    _, head, body = text_of(name, "/opt/my edge/edge").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == name
    assert 40 < len(fields["description"]) < 1_000
    assert fields["allowed-tools"] == "Bash(/opt/my edge/edge *)"
    assert "{edge}" not in body
    assert len(body.splitlines()) < 120


def test_open_then_close_with_a_report(agent: Agent) -> None:
    comment = agent.operator("voz", "comment", "What do retries cost us?")["comment_id"]
    opened, *lookups = fenced("edge-open", "sh")
    assert "# Briefing" in agent.types(opened)
    for script in lookups:
        agent.types(script)
    _breadcrumb, close, pending = fenced("edge-close", "sh")
    (meta,) = fenced("edge-close", "json")
    (agent.at / "report.json").write_text(meta, "utf-8")
    (agent.at / "report.md").write_text("# What retries cost\n\nLittle.\n", "utf-8")
    assert comment in agent.types(pending)
    said = agent.types(close.strip() + f" --answered {comment}=a-short-name")
    assert "published: a-short-name" in said
    assert "answered: 1" in said
    (proposed,) = agent.operator("direction", "list")["proposed"]
    assert proposed["from_artefato"] == "a-short-name"


def test_open_then_close_with_a_breadcrumb(agent: Agent) -> None:
    agent.types(fenced("edge-open", "sh")[0])
    assert "closed" in agent.types(fenced("edge-close", "sh")[0])


def test_a_grill_from_its_load_to_what_is_left(agent: Agent) -> None:
    plain = agent.operator("voz", "comment", "How many retries are there?")["comment_id"]
    vague = agent.operator("voz", "comment", "Name the sources")["comment_id"]
    start, evidence, close, resume, left = fenced("edge-grill", "sh")
    run = json.loads(agent.types(start))
    assert run["mode"] == "unattended"
    assert {chat["comment_id"] for chat in run["loaded"]} == {plain, vague}
    agent.types(evidence)
    said = agent.types(close.replace("COMMENT2", vague).replace("COMMENT", plain))
    assert f"{plain}  replied" in said
    assert f"{vague}  parked" in said
    parked = agent.types(left)
    assert "only for this one?" in parked
    assert plain not in parked
    assert agent.operator("voz", "show", plain)["reply"].startswith("Three of them")
    again = agent.operator("grill", "start", "--unattended")
    assert again["loaded"] == []
    assert again["awaiting"] == [vague]
    agent.types(resume.strip() + f" {run['run_id']}")


def test_installed_they_name_the_edge_that_is_found(agent: Agent) -> None:
    skill = agent.at / ".claude" / "skills" / "edge-open" / "SKILL.md"
    edge, install = str(BIN / "edge"), "install claude-code --project"
    agent.types(f"edge {install}")
    assert f"Bash(edge --home {agent.home} *)" in skill.read_text("utf-8")
    elsewhere = agent.environ | {"PATH": "/usr/bin:/bin"}
    subprocess.run([edge, *install.split()], env=elsewhere, cwd=agent.at, check=True)
    assert f"Bash({edge} --home {agent.home} *)" in skill.read_text("utf-8")
    agent.types(f"unset EDGE_HOME; edge init --group me; edge {install}")  # the home that is found unnamed
    assert "Bash(edge *)" in skill.read_text("utf-8")
