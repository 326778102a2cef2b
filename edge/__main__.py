"""``python -m edge`` is ``edge``. A hook is told apart here: it may not wait for the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """The ``edge`` command."""
    words = sys.argv[1:]
    if _is_hook(words):
        from edge.cli.hooked import main as hooked

        hooked([word for word in words if word != "hook"])
    from edge.cli.main import main as typed

    typed()


def _is_hook(words: list[str]) -> bool:
    """Whether the command is `hook` and no help is asked for; options may stand before it."""
    rest = iter(words)
    for word in rest:
        if word == "--home":
            next(rest, None)
        elif word == "hook":
            return "--help" not in words
        elif not word.startswith(("--home=", "--debug")):
            return False
    return False


if __name__ == "__main__":
    main()
