"""Runs one operation of edge again and again, killed before or after each call it makes on the log.

A script, so that what dies is a process: ``python -m tests.crash.kill_points TEMPLATE WORK OPERATION STRIDE``
copies the home TEMPLATE for every STRIDEth kill point, and in a process forked for it lets the operation
reach that point and SIGKILLs itself. It has no thread and no connection open when it forks. Each
home in WORK is left as the kill left it; the last one's operation got through.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from adapters.redaction.secrets import SecretRedactor
from edge.dispatch import Artefact, Closed
from edge.domain import catalogue, plan
from edge.domain.events import Appended, Event, NewEvent
from edge.domain.refusal import Refused
from edge.envelopes import import_envelopes
from edge.grill import Closed as RunClosed
from edge.lines import lines_of
from edge.ports import EventLog
from edge.ports_forget import FollowUp
from edge.wiring import Edge

Answer = TypeVar("Answer")

ASKED = "asked.json"
"""What the operation is asked for: a file in the home."""


class KillingLog:
    """A log that kills its process before or after the n-th call on it, counted from 1."""

    def __init__(self, log: EventLog, at: int, after: bool) -> None:
        self._log = log
        self._at = at
        self._after = after
        self._calls = 0

    def _called(self, call: Callable[[], Answer]) -> Answer:
        self._calls += 1
        here = self._calls == self._at
        if here and not self._after:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = call()
        if here:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    def append(self, stream: str, events: Sequence[NewEvent], expected: int) -> Appended:
        return self._called(lambda: self._log.append(stream, events, expected))

    def read(self, stream: str, **how: Any) -> Iterator[Event]:
        return iter(self._called(lambda: list(self._log.read(stream, **how))))

    def read_all(self, **how: Any) -> Iterator[Event]:
        return iter(self._called(lambda: list(self._log.read_all(**how))))

    def head(self) -> int:
        return self._called(self._log.head)

    def truncate_before(self, stream: str, revision: int) -> None:
        self._called(lambda: self._log.truncate_before(stream, revision))

    def beside(self, follow_up: FollowUp) -> FollowUp:
        """Something beside the log, which kills in its turn."""
        called = self._called

        class Killing:
            name = follow_up.name

            def follow(self, after: int) -> None:
                called(lambda: follow_up.follow(after))

        return Killing()

    def close(self) -> None:
        self._log.close()


def close_a_run(edge: Edge, asked: dict[str, Any]) -> RunClosed:
    return edge.grill.close(asked["run"], asked["plan"], "operator")


def resume_a_run(edge: Edge, asked: dict[str, Any]) -> RunClosed:
    return edge.grill.close(asked["run"], None, "operator")


def close_a_dispatch(edge: Edge, asked: dict[str, Any]) -> Closed:
    answered = {("comment", id_): ref for id_, ref in asked["answered"].items()}
    artefato = Artefact(asked["artefato"], republish=False)
    return edge.dispatches.close(asked["dispatch"], asked["intent"], artefato, answered)  # type: ignore[arg-type]


def open_a_dispatch(edge: Edge, _asked: dict[str, Any]) -> None:
    edge.dispatches.open("report", None, "operator", edge.sweep_for, lambda _: None, edge.briefing)


def extract(edge: Edge, _asked: dict[str, Any]) -> None:
    edge.knowledge.extract()


def forget(edge: Edge, asked: dict[str, Any]) -> None:
    """As the command does it. Of a project all of whose sessions are forgotten there is nothing to name."""
    edge.finish_forgetting()
    try:
        target = getattr(edge.forgetting, asked["kind"])(asked["name"])
    except Refused:
        assert asked["kind"] == "project"
        return
    assert edge.forgetting.forget(target).pending == []


def finish_forgetting(edge: Edge, _asked: dict[str, Any]) -> None:
    assert edge.finish_forgetting() == []


def rebuild(edge: Edge, _asked: dict[str, Any]) -> None:
    edge.rebuild()


def import_a_history(edge: Edge, asked: dict[str, Any]) -> None:
    with Path(asked["file"]).open("rb") as file:
        assert import_envelopes(edge.journal, lines_of(file)).refused == []


OPERATIONS: dict[str, Callable[[Edge, dict[str, Any]], object]] = {
    "close_a_run": close_a_run,
    "resume_a_run": resume_a_run,
    "close_a_dispatch": close_a_dispatch,
    "open_a_dispatch": open_a_dispatch,
    "forget": forget,
    "finish_forgetting": finish_forgetting,
    "extract": extract,
    "rebuild": rebuild,
    "import_a_history": import_a_history,
}


def asked_of(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / ASKED).read_text("utf-8"))
    return found


def perform(home: Path, operation: str, at: int, after: bool) -> None:
    """The operation in a home, by an edge whose log kills."""
    edge = Edge.at_home(home)
    log = KillingLog(edge.log, at, after)
    follow_ups = tuple(log.beside(follow_up) for follow_up in edge.follow_ups)
    edge.__dict__.update(log=log, follow_ups=follow_ups)
    OPERATIONS[operation](edge, asked_of(home))
    edge.close()


def killed(home: Path, operation: str, at: int, after: bool) -> bool:
    """Whether a process of its own died at that point; any other end but success is an error."""
    child = os.fork()
    if not child:
        perform(home, operation, at, after)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return True
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{operation} failed at point {at}")
    return False


def load_what_each_would_load() -> None:
    SecretRedactor().redact("loads what each process would else load")
    catalogue.validated("grill.abandoned", {"reason": "loads too"}, "grill")
    plan.parsed({"chats": []})


def load_graphiti_too() -> None:
    from adapters.graph.loading import load_graphiti

    load_graphiti(384)
    import_module("adapters.graph.extraction")
    import_module("adapters.graph.extractor")


def load_what_it_would_load(operation: str) -> None:
    load_what_each_would_load()
    if operation == "extract":
        load_graphiti_too()


def main(template: Path, work: Path, operation: str, stride: int) -> None:
    load_what_it_would_load(operation)
    for at in count(1, stride):
        for after in (False, True):
            home = work / f"{at:03}-{'after' if after else 'before'}"
            shutil.copytree(template, home)
            if not killed(home, operation, at, after):
                return


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
