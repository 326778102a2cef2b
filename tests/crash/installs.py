"""Homes for processes to die in: made once, each the beginning of many."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from edge.domain.events import Event
from edge.init import initialise
from edge.settings import Settings
from edge.wiring import Edge
from tests.crash.kill_points import ASKED
from tests.support.house import dump, folded
from tests.support.soak import counted

REPO = Path(__file__).parents[2]
NOW = "2026-11-20T12:00:00Z"
ENVIRON = {
    "PATH": os.environ.get("PATH", ""),
    "EDGE_NOW": NOW,
    "EDGE_ACTOR": "operator",
    "PYTHONPATH": str(REPO),
}


def install(home: Path) -> None:
    store = home.parent / f"{home.name}-transcripts"
    store.mkdir()
    initialise(Settings(home, "g", root=str(store)))


@contextmanager
def opened(home: Path) -> Iterator[Edge]:
    with closing(Edge.at_home(home)) as edge:
        yield edge


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "edge", *map(str, words)]


def run(home: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The command line in a home, as a process of its own."""
    environ = ENVIRON | {"EDGE_HOME": str(home)}
    return subprocess.run(command(*words), env=environ, cwd=REPO, capture_output=True, text=True, check=False)


def together(home: Path, *commands: tuple[object, ...]) -> list[tuple[int, str, str]]:
    """Several command lines at once: exit code, output and errors of each."""
    environ = ENVIRON | {"EDGE_HOME": str(home)}
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen(command(*words), env=environ, cwd=REPO, stdout=pipe, stderr=pipe, text=True)
        for words in commands
    ]
    counted(f"commands run {len(commands)} at once", len(commands))
    ends = [(process, *process.communicate(timeout=120)) for process in processes]
    return [(process.returncode, out, err) for process, out, err in ends]


def kill_points(template: Path, work: Path, operation: str, stride: int = 1) -> list[Path]:
    """The homes left by every kill of the operation in a copy of the template; the last got through."""
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.kill_points", str(template), str(work), operation, str(stride)],
        env=ENVIRON,
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    homes = sorted(work.iterdir())
    counted(f"kills before or after a call of {operation} on the log", len(homes) - 1)
    return homes


def ask(home: Path, asked: dict[str, Any]) -> None:
    (home / ASKED).write_text(json.dumps(asked), "utf-8")


def history(edge: Edge, but: Callable[[Event], bool] = lambda _: False) -> list[Any]:
    """What stands in each stream, in order: types and data, and ids where a plan or a rule fixes them."""
    streams: dict[str, list[Any]] = {}
    for event in edge.log.read_all():
        if not but(event):
            fixed = event.id if _has_a_fixed_id(event) else None
            streams.setdefault(event.stream, []).append((event.type, event.data, fixed, event.actor))
    return sorted(streams.items())


def _has_a_fixed_id(event: Event) -> bool:
    return event.stream.startswith("voz-") and (event.actor == "grill" or is_receipt(event))


def is_receipt(event: Event) -> bool:
    return event.type == "voz.disposition" and event.data["state"] == "receipt_sent"


def assert_derived_from_its_log(edge: Edge) -> None:
    """The log is sound and the read store is what a rebuilt one would be."""
    if edge.settings.log is None:
        assert edge.embedded_log.verify() == []
    edge.current()
    assert dump(edge.store.connection) == dump(folded(edge.log, edge.log_id).connection)
