"""Every command says how it is used, by an example that its own options take."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from edge.cli.main import app


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    names = command.list_commands(None) if hasattr(command, "list_commands") else []
    if not names:
        yield path, command
    for name in names:
        yield from commands(command.get_command(None, name), (*path, name))


ROOT: Any = typer.main.get_command(app)
LEAVES = dict(commands(ROOT))
RUNS_ON = [("worker",), ("mcp",), ("hook",), ("dashboard",), ("up",)]
"""Commands that print no data of their own: they run on, or speak a program's language."""
READ = pytest.mark.parametrize("path", LEAVES, ids=" ".join)


def example(path: tuple[str, ...]) -> list[list[str]]:
    """The command lines of a command's example."""
    epilog = LEAVES[path].epilog
    assert epilog.startswith("Example: edge ")
    lines = epilog.removeprefix("Example: ").split(" && ")
    return [shlex.split(line) for line in lines]


def taken(words: list[str]) -> tuple[str, ...]:
    """The command of a line, once it has parsed the rest."""
    assert words[0] == "edge"
    path: tuple[str, ...] = ()
    command, rest = ROOT, words[1:]
    while hasattr(command, "list_commands"):
        path, command, rest = (*path, rest[0]), command.get_command(None, rest[0]), rest[1:]
    command.make_context(words[0], list(rest))  # raises where an option or argument is not taken
    return path


@READ
def test_its_help_ends_with_an_example_of_itself(path: tuple[str, ...]) -> None:
    context = LEAVES[path].make_context(" ".join(("edge", *path)), [], resilient_parsing=True)
    said = context.get_help()
    assert "Example: edge " in said
    assert LEAVES[path].help.strip()
    assert taken(example(path)[0]) == path
    for line in example(path)[1:]:
        assert taken(line) in LEAVES


@READ
def test_it_takes_a_home_and_prints_json_where_it_prints_data(path: tuple[str, ...]) -> None:
    options = {name for p in LEAVES[path].params for name in p.opts}
    assert "--home" in options
    assert "--json" in options or path in RUNS_ON


def test_every_command_of_the_loop_is_there() -> None:
    surface = """
        init open close briefing sweep at status doctor rebuild forget wiki
        knowledge.list knowledge.search knowledge.show knowledge.clusters
        knowledge.promote knowledge.contest knowledge.merge knowledge.retire
        voz.comment voz.vote voz.answer voz.withdraw voz.list voz.show voz.timeline voz.pending voz.dispose
        grill.start grill.close grill.run grill.show grill.abandon
        direction.list direction.show direction.propose direction.set direction.drop
        artefato.list artefato.show
        log.tail log.streams log.show log.export log.import log.verify log.backup log.restore
    """.split()
    assert set(surface) <= {".".join(path) for path in LEAVES}


def test_the_help_of_edge_itself_names_every_command_and_an_example() -> None:
    said = ROOT.make_context("edge", ["--help"], resilient_parsing=True).get_help()
    assert "Example: edge init" in said
    for name in {path[0] for path in LEAVES}:
        assert any(line.split()[:1] == [name] for line in said.splitlines()), name
