"""Neo4j as a process of the tests: one for all workers of a run, or one of its own."""

from __future__ import annotations

import fcntl
import os
import secrets
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
JARS = ROOT / ".neo4j" / "jars"
MAIN = Path(__file__).with_name("Server.java")
PATIENCE = 300.0
HEAP = "320m"


class Server(NamedTuple):
    """Where it is, and the password of the user ``neo4j``."""

    uri: str
    password: str


def missing() -> str | None:
    """What this machine lacks for it, and how to have it."""
    if shutil.which("java") is None:
        return "no Java here: install one of 17 or newer, like openjdk-17-jre-headless, and maven"
    if not any(JARS.glob("neo4j-harness-*.jar")):
        return "no jars of Neo4j here: install maven, then `make neo4j`"
    return None


class Neo4jProcess:
    """A Neo4j in ``directory``, empty, until :meth:`stop` or the end of whoever holds its stdin."""

    def __init__(self, directory: Path, *options: str, stdin: int = subprocess.PIPE) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        password = secrets.token_urlsafe(12)
        # It lives for some minutes: code compiled twice would not pay any more.
        memory = (
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            f"-Xmx{HEAP}",
            "-XX:MaxDirectMemorySize=96m",
        )
        told = directory / "stderr"
        with told.open("wb") as stderr:
            self._process = subprocess.Popen(
                ["java", *memory, "-cp", f"{JARS}/*", str(MAIN), str(directory), password, *options],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        assert self._process.stdout
        with self._process.stdout as stdout:  # it says one line only
            ready, _, _ = select.select([stdout], [], [], PATIENCE)
            uri = stdout.readline().strip() if ready else ""
        assert uri, f"Neo4j did not start: {told.read_text('utf-8', 'replace')[-2000:]}"
        self.server = Server(uri.rstrip("/"), password)

    def freeze(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def leave(self) -> None:
        """Do not wait for it: it may outlive this process."""
        self._process.returncode = 0

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()


@contextmanager
def shared(directory: Path) -> Iterator[Server]:
    """The one server of all processes that say this directory; the first starts it.

    Its stdin is a named pipe that each of them holds open: it ends when the last has gone, in
    whatever way it went.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with _locked(directory):
        server, held = _joined(directory) or _started(directory)
        _count(directory, +1)
    try:
        yield server
    finally:
        with _locked(directory):
            if _count(directory, -1) == 0:
                (directory / "server").unlink()
            os.close(held)


def _joined(directory: Path) -> tuple[Server, int] | None:
    told = directory / "server"
    if not told.exists():
        return None
    try:
        held = os.open(directory / "stdin", os.O_WRONLY | os.O_NONBLOCK)
    except OSError:  # nobody reads there: it died
        return None
    return Server(*told.read_text("utf-8").split("\n")), held


def _started(directory: Path) -> tuple[Server, int]:
    pipe = directory / "stdin"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    held = os.open(pipe, os.O_WRONLY)
    os.set_blocking(reading, True)
    started = Neo4jProcess(directory / secrets.token_hex(4), stdin=reading)
    os.close(reading)
    started.leave()
    (directory / "server").write_text("\n".join(started.server), "utf-8")
    (directory / "users").write_text("0", "utf-8")
    return started.server, held


def _count(directory: Path, more: int) -> int:
    users = directory / "users"
    count = int(users.read_text("utf-8")) + more
    users.write_text(str(count), "utf-8")
    return count


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
