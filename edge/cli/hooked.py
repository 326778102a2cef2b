"""The process of ``edge hook``: ends with exit 0 within two seconds, whatever it is fed or meets.

A hook stands between the operator and the start of a session. So everything here is bounded: what
is read, how long it is read, and, by a thread that ends the process, the whole. Whatever goes wrong
is a line in the home's ``hook.log``, which ``edge status`` shows. Only the standard library is
imported before something is known to be there.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from edge.hook import Given, Told

LASTS = 1.6
"""Seconds from the start of the process to its last words."""
_LEAST = 0.2
_LAST_WORDS = 0.2
_UNKNOWN = 0.3
"""Seconds the interpreter is taken to have needed to get here, where the system does not tell."""
_SURELY = 60.0
"""Seconds no start takes: a clock that says so is another one."""
_LISTENS = 0.4
"""Seconds for the input to come; it is written before the hook is started."""
_INPUT = 1024 * 1024
_EVENT = 40


class Asked:
    """The words of the call: which event, and of which home. Unknown words are passed over."""

    def __init__(self, words: Sequence[str]) -> None:
        self.event, self.home = "", None
        rest = iter(words)
        for word in rest:
            if word == "--home":
                self.home = next(rest, None)
            elif word.startswith("--home="):
                self.home = word.removeprefix("--home=")
            elif not word.startswith("-") and not self.event:
                self.event = word[:_EVENT]


def main(words: Sequence[str]) -> NoReturn:
    """Run the hook and end the process: exit 0, whatever happened, before its time is over."""
    try:
        keep_standard_files_apart()
        asked = Asked(words)
        threading.Thread(target=_end_in_time, args=(asked, time.monotonic()), daemon=True).start()
        answer(asked)
    finally:  # also over an interrupt: a thread may still be reading, and nothing waits for it
        os._exit(0)


def answer(asked: Asked) -> None:
    """Print what the event has edge say, and leave the line that says so."""
    from edge.services import MODEL_CALL

    began = time.monotonic()
    if os.environ.get(MODEL_CALL):
        return  # edge itself is asking a model: what it starts has no hooks
    home = _home(asked)
    if home is None:
        return
    from edge.domain.refusal import EdgeError
    from edge.hook import Given, Told, given

    to = Given(None, None, False)
    try:
        to = given(_heard())
        told = _told(asked.event, to, home)
        _print(told.printed)
    except EdgeError as error:
        told = Told("", "failed", error.message)
    except Exception as error:  # noqa: BLE001  # it must not reach the session; the log's line tells it
        told = Told("", "failed", f"unexpected {type(error).__name__}: {error}")
    _note(home, asked.event, told.outcome, told.said, time.monotonic() - began, to.session)


def _told(event: str, to: Given, home: Path) -> Told:
    from edge.hook import BUDGET_TOKENS, told
    from edge.settings import load
    from edge.wiring_hook import admits, briefing_as_it_stands

    settings = load(home)
    here = to._replace(project=to.project or os.getcwd())  # noqa: PTH109  # pathlib costs nothing more
    return told(
        event,
        here,
        admits(settings),
        lambda: briefing_as_it_stands(settings, BUDGET_TOKENS),
        settings.lang,
    )


def _home(asked: Asked) -> Path | None:
    """The home; None where there is no install: then there is nothing to say, and nowhere to say it."""
    from edge.settings import FILE, home_of

    home = home_of(Path(asked.home) if asked.home else None)
    try:
        return home if (home / FILE).exists() else None
    except OSError:
        return None


def _heard() -> bytes:
    """The input so far as it comes in time, at most a MiB; nothing from a terminal."""
    if os.isatty(0):
        return b""
    heard, over = bytearray(), threading.Event()
    threading.Thread(target=_listen, args=(heard, over), daemon=True).start()
    over.wait(_LISTENS)
    return bytes(heard)


def _listen(heard: bytearray, over: threading.Event) -> None:
    with suppress(OSError):  # unreadable is as good as empty; what was heard before still counts
        while len(heard) <= _INPUT:
            chunk = os.read(0, 65536)
            if not chunk:
                break
            heard += chunk
            if _is_whole(heard):
                break
    over.set()


def _is_whole(heard: bytearray) -> bool:
    """Whether an object is complete, so that who keeps the pipe open is not waited for."""
    import json

    if not heard.rstrip().endswith(b"}"):
        return False
    try:
        json.loads(heard)
    except (ValueError, RecursionError):
        return False
    return True


def _print(text: str) -> None:
    """Write to the file itself: what a closed or full pipe does to a buffer would show at exit."""
    if not text:
        return
    if sys.stdout is not None:
        sys.stdout.flush()
    left = memoryview(text.encode("utf-8", "replace") + b"\n")
    while left:
        left = left[os.write(1, left) :]


def _note(home: Path, event: str, outcome: str, said: str, seconds: float, session: str | None) -> None:
    from datetime import UTC, datetime

    from edge.hooklog import Line, record

    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = Line(at, event, outcome, said, round(seconds, 3), session)  # type: ignore[arg-type]
    with suppress(OSError):  # a full or read-only home: the session starts all the same
        record(home, line)


def _end_in_time(asked: Asked, began: float) -> None:
    """Ends the process once its time is over; its last words may not keep it either."""
    time.sleep(max(_LEAST, LASTS - _age()))
    last = threading.Thread(target=_say_late, args=(asked, began), daemon=True)
    last.start()
    last.join(_LAST_WORDS)
    os._exit(0)


def _age() -> float:
    """Seconds since the process began: on a busy machine much of its time is over before it is here."""
    try:
        stat = Path("/proc/self/stat").read_bytes()
        began = int(stat.rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - began
    except (OSError, ValueError, IndexError, AttributeError):
        return _UNKNOWN
    return age if 0 <= age < _SURELY else _UNKNOWN


def _say_late(asked: Asked, began: float) -> None:
    home = _home(asked)
    if home is not None:
        said = f"not done within {LASTS} s, and given up"
        _note(home, asked.event, "failed", said, time.monotonic() - began, None)


def keep_standard_files_apart() -> None:
    """A closed standard file would be the next one opened, and what is printed would land in it."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(fd)
