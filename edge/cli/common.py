"""What every command shares: its options, the opened install, and how it prints."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from edge.cli.terminal import shown
from edge.domain.refusal import Failed, Misused
from edge.ports import Queries, Report
from edge.settings import home_of
from edge.wiring import Edge

Home = Annotated[
    Path | None, typer.Option("--home", metavar="DIR", help="The install's home; else EDGE_HOME.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
At = Annotated[str | None, typer.Option("--at", metavar="P", help="As of a position or an ISO time.")]

_EVERY_SECONDS: Final = 1.0


def group(summary: str) -> typer.Typer:
    """An app for one group of commands."""
    return typer.Typer(
        help=summary,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
    )


@contextmanager
def opened(home: Path | None) -> Iterator[Edge]:
    """The install, with progress shown where somebody looks; closed after."""
    with progress() as report:
        edge = Edge.at_home(home_of(home), report)
        try:
            yield edge
        finally:
            edge.close()


def queries(edge: Edge, at: str | None) -> Queries:
    """The read models at the head, or as they were."""
    return edge.current() if at is None else edge.at(at)


@contextmanager
def progress() -> Iterator[Report]:
    """A progress bar on a terminal, and a plain line now and then elsewhere; silent while work is short."""
    if "--json" in sys.argv:  # there stderr holds the error as JSON, and nothing else
        yield lambda _what, _done, _total: None
        return
    bar = _Bar() if sys.stderr.isatty() else _Lines()
    try:
        yield bar.report
    finally:
        bar.close()


class _Lines:
    """A line a second on stderr, once work has lasted that long."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def report(self, what: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._last >= _EVERY_SECONDS:
            self._last = now
            of = f" of {total}" if total else ""
            print(f"{what}: {done}{of}", file=sys.stderr, flush=True)  # noqa: T201

    def close(self) -> None:
        """Nothing to take away: lines stay."""


class _Bar:
    """rich's bar, brought up only when work has lasted a moment."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def report(self, what: str, done: int, total: int | None) -> None:
        if self._bar is None:
            if time.monotonic() - self._began < _EVERY_SECONDS / 4:
                return
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
        if what not in self._tasks:
            self._tasks[what] = self._bar.add_task(what, total=total)
        self._bar.update(self._tasks[what], completed=done, total=total)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def say(as_json: bool, data: Any, text: str) -> None:
    """Print the data as JSON, or the text for a person."""
    print(json.dumps(data, ensure_ascii=False) if as_json else shown(text.rstrip("\n")))  # noqa: T201


def counted(n: int, one: str) -> str:
    """A number with its noun: ``1 session``, ``2 sessions``."""
    return f"{n:,} {one}{'' if n == 1 else 's'}"


def text_of(given: str) -> str:
    """A text argument; ``-`` reads standard input."""
    if given != "-":
        return given
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def document_of(path: str) -> Any:
    """The JSON document in a file, or on standard input for ``-``; exit 2 where it is none."""
    name = "standard input" if path == "-" else path
    try:
        text = text_of("-") if path == "-" else Path(path).read_text("utf-8")
    except OSError as error:
        raise Misused(
            f"{name} cannot be read: {error.strerror}", hint="check its path and permissions"
        ) from None
    except UnicodeDecodeError:
        raise Misused(f"{name} is not UTF-8") from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misused(f"{name} is not JSON: {error}", hint="write the plan as one JSON object") from None


def read_text(path: Path) -> str:
    """The text of a file; exit 1 where it cannot be read as such."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise Failed(
            f"{path} cannot be read: {error.strerror}", hint="check its path and permissions"
        ) from None
    except UnicodeDecodeError:
        raise Failed(f"{path} is not UTF-8 text") from None
