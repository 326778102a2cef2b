"""``edge install``: edge wired into an agent's program."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from edge.cli.common import Home, Json, group, say
from edge.domain.refusal import Misused
from edge.settings import Settings, home_of, load

app = group("edge wired into Claude Code")


@app.command(epilog="Example: edge install claude-code")
def install(
    program: Annotated[str, typer.Argument(metavar="claude-code")],
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take out what was put there.")] = False,
    project: Annotated[
        bool, typer.Option("--project", help="In this directory's .claude, not in your own.")
    ] = False,
    home: Home = None,
    json_: Json = False,
) -> None:
    """Put edge's skills and its SessionStart hook into Claude Code, or take them out.

    Settings are edited in place: nothing else in them moves, and taken out they are what they were.
    """
    from adapters.claude_code.installing import Wiring

    if program != "claude-code":
        raise Misused(f"edge cannot be installed into {program!r}", hint="claude-code")
    settings = load(home_of(home))
    wiring = Wiring(_place(project), _edge(), settings.home.absolute(), _typed(settings))
    changes = wiring.uninstall() if uninstall else wiring.install()
    lines = [f"{c.done}: {c.path}{f' ({c.why})' if c.why else ''}" for c in changes]
    if not uninstall:
        lines.append(
            "from the next session on it begins with the Briefing: `edge status` shows how that went"
        )
    data = {"home": str(wiring.home), "edge": list(wiring.edge), "files": [c._asdict() for c in changes]}
    say(json_, data, "\n".join(lines))


def _place(project: bool) -> Path:
    """Claude Code's directory: of the project one stands in, else the user's own."""
    if project:
        return Path.cwd() / ".claude"
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named).expanduser().absolute() if named else Path.home() / ".claude"


def _edge() -> list[str]:
    """The words that start this very edge, wherever they are typed."""
    script = Path(sys.executable).with_name("edge")
    return [str(script)] if script.exists() else [sys.executable, "-m", "edge"]


def _typed(settings: Settings) -> str:
    """The command as an agent's shell knows it: plain where that finds this edge and this home.

    EDGE_HOME does not count, since nobody knows what it is in that shell.
    """
    from platformdirs import user_data_path

    words, found = _edge(), shutil.which("edge")
    is_found = found is not None and len(words) == 1 and Path(found).resolve() == Path(words[0]).resolve()
    start = ["edge"] if is_found else words
    usual = settings.home.absolute() == user_data_path("edge")
    return shlex.join(start if usual else [*start, "--home", str(settings.home.absolute())])
