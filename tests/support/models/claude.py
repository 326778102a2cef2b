"""A program called ``claude`` that plays: good answers, errors, silence, nonsense.

What it is to play next stands beside it, and so does what it was asked: its environment is
guarded, so nothing can be told to it that way.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

REPO = Path(__file__).parents[3]

_PROGRAM = """#!{python}
import sys
sys.path.insert(0, {repo!r})
from tests.support.models.claude_playing import main
main({place!r})
"""


class StandInClaude:
    """The program, in a directory of its own to put on PATH. The last play is played for ever."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir(parents=True, exist_ok=True)
        self.program = place / "claude"
        self.program.write_text(_PROGRAM.format(python=sys.executable, repo=str(REPO), place=str(place)))
        self.program.chmod(0o755)
        self.plays({"answer": {}})

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a shell inside an agent's session, with secrets in it."""
        return {
            "PATH": f"{self.place}{os.pathsep}{os.defpath}",
            "HOME": str(self.place),
            "CLAUDECODE": "1",
            "CLAUDE_CODE_ENTRYPOINT": "cli",
            "CLAUDE_CODE_SSE_PORT": "1234",
            "CLAUDE_CONFIG_DIR": str(self.place / "config"),
            "ANTHROPIC_BASE_URL": "http://gateway.example",
            "EDGE_HOME": "/somewhere",
            "EDGE_ACTOR": "operator",
            "EDGE_MODEL_KEY": "s3cret",
            "EDGE_LOG_PASSWORD": "s3cret",
        }

    def plays(self, *plays: dict[str, Any]) -> None:
        """What it does when it is started next, one after another."""
        (self.place / "plays.json").write_text(json.dumps(plays))
        (self.place / "asked.jsonl").unlink(missing_ok=True)

    @property
    def asked(self) -> list[dict[str, Any]]:
        """Every start: ``argv``, ``environ``, ``cwd``, ``files`` in it, ``prompt``, ``pid``."""
        try:
            lines = (self.place / "asked.jsonl").read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]
