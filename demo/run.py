"""One whole dispatch on bundled sample sessions (or your own), typed as a person would type it.

``make run`` starts it. Every command is the real ``edge``, echoed before its output. It works in
a home of its own, and says outright that it speaks as the operator, so that it does the same
inside an agent's shell.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EDGE = Path(sys.executable).parent / "edge"
HOME = HERE.parent / ".run" / "demo"
STUDY, META, SLUG = HERE / "study.md", HERE / "study.json", "retry-study"


def main() -> None:
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # whatever the locale
    args = _arguments()
    home = args.home or _emptied(HOME)
    store = (args.store or HERE / "sessions").expanduser().resolve()
    if not store.is_dir():
        sys.exit(f"demo: there is no transcript store at {store}; name a directory like ~/.claude")
    shell = Shell(home)
    print(f"$ export EDGE_HOME={shlex.quote(shown(home))} EDGE_ACTOR=operator")
    begin(shell, store)
    publish(shell)
    comment_and_be_asked(shell)
    answer(shell)
    give_thanks(shell)
    look_back(shell)
    print(NEXT.format(edge=shown(EDGE), home=shown(home)))


# -- the story ------------------------------------------------------------------------------


def begin(shell: Shell, store: Path) -> None:
    shell.says("An install of its own, and what the sessions say taken in. The store is only read.")
    shell.types("init", "--group", "demo", "--lang", "en", "--store", shown(store))
    shell.types("sweep")
    shell.says("A dispatch opens with the Briefing. There is not much to brief on yet.")
    shell.types("open", "report", "--theme", "retries")


def publish(shell: Shell) -> None:
    shell.says("The work is done; closing the dispatch publishes it, together with its why.")
    why = "The partner wants our retry policy, and it stood only in the code"
    files = ("--artefato", shown(STUDY), "--slug", SLUG, "--meta", shown(META))
    shell.types("close", "--intent", why, *files)


def comment_and_be_asked(shell: Shell) -> None:
    shell.says("The operator reads it and comments. A grill by rules will not guess: it asks.")
    said = "From now on everything we send must carry an idempotency key"
    shell.types("voz", "comment", said, "--on", SLUG, "--harm", "20")
    shell.types("grill", "run", "--unattended")


def answer(shell: Shell) -> None:
    shell.says("The comment is parked until the operator answers. The next grill acts on the answer.")
    parked = shell.types("voz", "list", "--parked")
    question = re.search(r"([0-9a-f]{32})  asks:", parked)
    if question is None:
        sys.exit("demo: the comment was not asked about")
    shell.types("voz", "answer", question[1][:8], "yes")
    shell.types("grill", "run", "--unattended")
    shell.types("direction", "list")


def give_thanks(shell: Shell) -> None:
    shell.says("Thanks need no question; a vote needs only its receipt, which the next close gives.")
    shell.types("voz", "comment", "Obrigado, ótimo trabalho!", "--on", SLUG)
    shell.types("voz", "vote", SLUG, "up")
    shell.types("grill", "run", "--unattended")
    shell.types("open", "beat", echo_output=False)
    shell.types("close", "--intent", "The retry policy is with the partner; notify.py is what is left")


def look_back(shell: Shell) -> None:
    shell.says("The next dispatch begins with this Briefing.")
    shell.types("briefing")
    shell.says("And this became of the comments: one folded into Direction, one acknowledged.")
    shell.types("voz", "list", "--closed")
    shell.types("status")


NEXT = """
Next, look around in the demo's home:
    export EDGE_HOME={home}
    {edge} grill show
    {edge} log tail
    {edge} at 15 chats
or begin with your own sessions (in a home of their own, which `edge init` makes):
    unset EDGE_HOME
    {edge} init --group me
    {edge} open beat
README.md and docs/operating.md go on from here."""


# -- the terminal ---------------------------------------------------------------------------


class Shell:
    """Runs ``edge`` in one home, showing what is typed and what it answers."""

    def __init__(self, home: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("EDGE_")}
        self._env = kept | {"EDGE_HOME": str(home), "EDGE_ACTOR": "operator"}

    def says(self, text: str) -> None:
        print(f"\n# {text}", flush=True)

    def types(self, *words: str, echo_output: bool = True) -> str:
        """Run one command; the demo ends where it fails. Returns what it printed."""
        print(f"$ edge {shlex.join(words)}{'' if echo_output else ' > /dev/null'}", flush=True)
        done = subprocess.run(
            [EDGE, *words], env=self._env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False
        )
        output = done.stdout.decode("utf-8")
        if echo_output:
            print(output, end="", flush=True)
        if done.returncode:
            sys.exit(f"demo: `edge {words[0]}` ended with exit {done.returncode}")
        return output


def shown(path: Path) -> str:
    """The path as a person here would type it."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def _emptied(home: Path) -> Path:
    """The demo's own home, without what an earlier run left there."""
    shutil.rmtree(home, ignore_errors=True)
    return home


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, help="transcripts to read instead of the bundled ones")
    parser.add_argument("--home", type=Path, help="a home to make instead of .run/demo")
    return parser.parse_args()


if __name__ == "__main__":
    main()
