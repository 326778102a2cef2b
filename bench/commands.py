"""Commands as a shell starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

IMPORTS: Final = [sys.executable, "-c", "import typer, pydantic, sqlite3"]
"""What any program with these libraries pays before it does anything."""


def edge(home: Path, *args: str) -> list[str]:
    """An edge command over a home, by the installed script where there is one."""
    script = Path(sys.executable).with_name("edge")
    begin = [str(script)] if script.exists() else [sys.executable, "-m", "edge"]
    return [*begin, *args, "--home", str(home)]


def run(command: list[str]) -> bytes:
    """Run it to its end; what it printed. Raises where it failed."""
    environment = {**os.environ, "EDGE_ACTOR": "operator"}
    return subprocess.run(
        command, check=True, stdin=subprocess.DEVNULL, capture_output=True, env=environment
    ).stdout
