"""The whole command line, interpreter and all: the loop, the locale, the pipes, what is loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

EDGE = [sys.executable, "-m", "edge"]
HEAVY = ("grpc", "neo4j", "graphiti_core", "openai", "fastapi")
UNNEEDED = ("pydantic", "rich", "detect_secrets", "numpy", "jinja2", "esdbclient")


class Shell:
    """A shell with only what it is given in its environment, and an install on the log at that URI."""

    def __init__(self, place: Path, log: str | None = None, **environ: str) -> None:
        self.home = place / "home"
        kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
        self.environ = kept | {"EDGE_HOME": str(self.home), "EDGE_ACTOR": "operator", **environ}
        store = place / "transcripts"
        store.mkdir(exist_ok=True)
        if not self.home.exists():
            where = ("--log", log) if log else ()
            self.run("init", "--group", "me", "--store", str(store), *where)

    def run(self, *words: str | bytes, code: int = 0, given: bytes = b"") -> bytes:
        done = subprocess.run(
            [*EDGE, *words], env=self.environ, input=given, capture_output=True, check=False
        )
        assert done.returncode == code, done.stderr.decode()
        assert b"Traceback" not in done.stderr
        assert b"\x1b" not in done.stdout + done.stderr  # piped: without colour
        return done.stderr if code else done.stdout

    def json(self, *words: str | bytes, given: bytes = b"") -> Any:
        return json.loads(self.run(*words, "--json", given=given))


def test_from_a_report_to_a_closed_comment(tmp_path: Path, log_uri: str | None) -> None:
    shell = Shell(tmp_path, log_uri)
    study = tmp_path / "study.md"
    study.write_text("# Retentativas\n", "utf-8")
    shell.json("open", "report")
    shell.json("close", "--intent", "saber porquê", "--artefato", str(study), "--slug", "retry-study")
    said = shell.json("voz", "comment", "Devemos limitar as retentativas", "--on", "retry-study")
    asked = shell.json("grill", "run", "--unattended")
    assert [r["result"] for r in asked["results"]] == ["parked"]
    (parked,) = shell.json("voz", "list", "--parked")
    assert parked["questions"][0]["question"].endswith("? sim/não")
    shell.json("voz", "answer", parked["questions"][0]["clarify_id"][:16], "sim")
    folded = shell.json("grill", "run", "--unattended")
    assert [r["outcome"] for r in folded["results"]] == ["folded-to-direction"]
    (steer,) = shell.json("direction", "list")["set"]
    assert steer["origin_comment_id"] == said["comment_id"]
    briefing = shell.run("open", "report").decode()
    assert "Devemos limitar as retentativas" in briefing
    assert shell.json("status")["errors"] == []


def test_accents_and_other_scripts_pass_in_the_poorest_locale(tmp_path: Path, log_uri: str | None) -> None:
    shell = Shell(tmp_path, log_uri, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    body = "Não é ação 漢字 🙂"
    id_ = shell.json("voz", "comment", body)["comment_id"]
    shell.json("voz", "comment", "-", given=body.encode())
    assert [c["body"] for c in shell.json("voz", "list")] == [body, body]
    assert body in shell.run("voz", "show", id_).decode()
    assert body in shell.run("briefing").decode()
    odd = shell.json("voz", "comment", b"caf\xe9")["comment_id"]  # no UTF-8 at all
    assert shell.json("voz", "show", odd)["body"] == "caf\ufffd"
    refused = shell.run("voz", "comment", "ação", "--on", "não", code=3).decode()
    assert "não" in refused


def test_errors_are_one_line_and_json_where_asked(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    line = shell.run("voz", "comment", "x" * 9216, code=3).decode()
    assert line.startswith("edge: the comment is 9,216 bytes")
    assert line.count("\n") == 1
    error = json.loads(shell.run("voz", "comment", " ", "--json", code=3))["error"]
    assert error["code"] == "refused"
    (shell.home / "edge.toml").write_text("group = [", "utf-8")
    shell.run("status", code=2)
    (shell.home / "edge.toml").write_text('group = "other"\n', "utf-8")
    shell.run("status", code=2)


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path, log_uri: str | None) -> None:
    shell = Shell(tmp_path, log_uri)
    shell.run("voz", "comment", "-", given=b"x " * 4000)
    for words in (["voz", "list"], ["voz", "list", "--json"], ["log", "tail", "-n", "99"], ["--help"]):
        edge = subprocess.Popen(
            [*EDGE, *words], env=shell.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert edge.stdout is not None
        assert edge.stderr is not None
        edge.stdout.close()
        said = edge.stderr.read()
        edge.stderr.close()
        assert (words, edge.wait(60), said) == (words, 0, b"")


def test_a_cold_start_loads_only_what_reading_needs(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.run("voz", "comment", "Devemos medir")
    for words in (["voz", "list"], ["status"], ["direction", "list"]):
        script = (
            "import sys; from edge.cli.main import main\n"
            f"sys.argv = ['edge', *{words!r}]\n"
            "try:\n    main()\n"
            f"finally:\n    print([m for m in {HEAVY + UNNEEDED!r} if m in sys.modules], file=sys.stderr)"
        )
        python = [sys.executable, "-c", script]
        done = subprocess.run(python, env=shell.environ, capture_output=True, check=True)
        assert done.stderr == b"[]\n"
        assert done.stdout
