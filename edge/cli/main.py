"""The ``edge`` command: finds the group that was named, runs it, and says errors in one line.

Only the module of the command that was named is imported.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from importlib import import_module
from typing import Any, Final, TextIO

import typer
from typer.core import TyperGroup

from edge.cli.terminal import shown
from edge.domain.refusal import EdgeError, Misused

_MODULES: Final[dict[str, tuple[str, str]]] = {
    # command: (module, what it does)
    "init": ("edge.cli.home", "Give this install its identity and settings"),
    "open": ("edge.cli.dispatches", "Open a dispatch: sweep, then the Briefing"),
    "close": ("edge.cli.dispatches", "Close a dispatch: publish, receipts, gate"),
    "briefing": ("edge.cli.dispatches", "Print the Briefing, now or as it was shown"),
    "sweep": ("edge.cli.dispatches", "Take in what is new in the transcript store"),
    "voz": ("edge.cli.voz", "The operator's voice, and what each act is owed"),
    "grill": ("edge.cli.grill", "Close chats: start, plan, close, run, show, abandon"),
    "direction": ("edge.cli.direction", "The strategy: list, show, propose, set, drop"),
    "knowledge": ("edge.cli.knowledge", "What sessions suggest, and what you made of it"),
    "sources": ("edge.cli.sources", "What edge drew on, and what it turned out to be worth"),
    "artefato": ("edge.cli.artefato", "What edge has published: list, show"),
    "wiki": ("edge.cli.wiki", "Pages of what is known, decided and published"),
    "at": ("edge.cli.home", "Any read model as of a position or a time"),
    "why": ("edge.cli.why", "The chain of events behind what edge says"),
    "log": ("edge.cli.log", "The log itself: tail, show, export, import, backup"),
    "worker": ("edge.cli.worker", "Keep this host's read models current while it runs"),
    "dashboard": ("edge.cli.dashboard", "Your private pages in a browser: the Voz rail and all else"),
    "up": ("edge.cli.up", "Worker and dashboard together, kept running"),
    "metrics": ("edge.cli.dashboard", "The health strip as Prometheus text"),
    "status": ("edge.cli.home", "The health strip"),
    "mcp": ("edge.cli.mcp", "The tools an agent's program may call"),
    "install": ("edge.cli.install", "Wire edge into Claude Code, or out of it"),
    "hook": ("edge.cli.hook", "What Claude Code's hooks run"),
    "doctor": ("edge.cli.home", "What this install stands on, checked"),
    "rebuild": ("edge.cli.home", "Fold the read models anew from the log"),
    "forget": ("edge.cli.forget", "Take a session, project, comment or artefato out, for good"),
}
_GROUPS: Final = frozenset(("voz", "grill", "direction", "knowledge", "sources", "artefato", "log"))


class _Commands(TyperGroup):
    """Loads a command's module when the command is named."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _MODULES:
            return None
        module, summary = _MODULES[cmd_name]
        command: Any = typer.main.get_command(import_module(module).app)
        if cmd_name in _GROUPS:
            command.name, command.help = cmd_name, command.help or summary
            return command
        return getattr(command, "commands", {cmd_name: command})[cmd_name]  # one alone is no group

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _MODULES.items()])


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


@app.callback(epilog="Example: edge init --group me && edge open beat")
def edge(
    home: str = typer.Option(None, "--home", metavar="DIR", help="The install's home; else EDGE_HOME."),
    debug: bool = typer.Option(False, "--debug", help="Add the trace to an error."),
) -> None:
    """The event-sourced nervous system of edge, the mentor beside Claude Code."""
    if home:
        os.environ["EDGE_HOME"] = home
    if debug:
        os.environ["EDGE_DEBUG"] = "1"


def main() -> None:
    """Run the command line; ends the process with the exit code that says what happened."""
    _stand_in_for_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # texts of any script pass unharmed, whatever the locale
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    words = [_unharmed(word) for word in sys.argv[1:]]
    command: Any = typer.main.get_command(app)
    try:
        code = command.main(args=words, prog_name="edge", standalone_mode=False)
        sys.stdout.flush()
    except EdgeError as error:
        code = _fail(words, error)
    except typer.TyperException as error:
        code = _misused(words, error)
    except (KeyboardInterrupt, typer.Abort):
        print("stopped: what was done is kept, the rest goes on next time", file=sys.stderr)  # noqa: T201
        code = 130
    except SystemExit:  # so typer ends where the reader of a pipe has what it wanted, and nowhere else
        code = 0
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has what it wanted
        code = 0
    except OSError as error:
        code = _fail(words, EdgeError(f"{error.filename or 'the system'}: {error.strerror or error}"))
    except Exception as error:  # noqa: BLE001  # said in one line, exit 1; --debug shows where
        code = _fail(
            words, EdgeError(f"unexpected {type(error).__name__}: {error}", hint="--debug adds the trace")
        )
    code = code if isinstance(code, int) else 0
    sys.exit(code if _let_go(sys.stdout) & _let_go(sys.stderr) else code or 1)


def _let_go(stream: TextIO) -> bool:
    """Write out what is left of a stream; False where it takes no more, as on a full disk."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # else the interpreter tries again
        return False
    return True


def _stand_in_for_closed_streams() -> None:
    """A shell may start a program without standard streams: what is said there goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  # for good


def _unharmed(word: str) -> str:
    """An argument as the UTF-8 it was typed in, also where the locale made it something else."""
    return os.fsencode(word).decode("utf-8", "replace")


def _misused(words: list[str], error: typer.TyperException) -> int:
    """What typer could not take; a group named without a command shows its help as it is."""
    if type(error).__name__ == "NoArgsIsHelpError":  # as typer itself tells it
        print(error.format_message(), file=sys.stderr)  # noqa: T201
        return Misused.code
    context: Any = getattr(error, "ctx", None)  # a usage error knows which command it is about
    where = context.command_path if context else "edge"
    return _fail(words, Misused(error.format_message(), hint=f"`{where} --help` shows how"))


def _fail(words: list[str], error: EdgeError) -> int:
    """One line on stderr: what, why, what to do. As JSON where JSON was asked for."""
    if os.environ.get("EDGE_DEBUG") or "--debug" in words:
        traceback.print_exc()
    if "--json" in words:
        said = json.dumps(
            {"error": {"code": error.name, "message": error.message, "hint": error.hint}}, ensure_ascii=False
        )
    else:
        hint = f" — {error.hint}" if error.hint else ""
        said = shown(f"edge: {' '.join(error.message.split())}{hint}")
    with contextlib.suppress(OSError):  # nobody to say it to: the exit code still does
        print(said, file=sys.stderr)  # noqa: T201  # the one place errors are said
    return error.code
