"""The double as a process: started, told what to do wrong, frozen, killed and started again."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 30.0


class EventStoreProcess:
    """A double over one file. It keeps its port over restarts, as a server does."""

    def __init__(self, db: Path, *options: str) -> None:
        self._command = [sys.executable, "-m", "tests.support.esdb", "--db", str(db), *options]
        self.port = 0
        self._process: subprocess.Popen[str] | None = None
        self.start()

    @property
    def uri(self) -> str:
        return f"esdb://{self.address}?Tls=false"

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and return once it answers."""
        self._process = subprocess.Popen(
            [*self._command, "--port", str(self.port)],
            cwd=ROOT,
            env={**os.environ, "GRPC_VERBOSITY": "NONE"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = self._heard()

    def tell(self, **command: Any) -> None:
        """Give a command, and return once it is obeyed."""
        assert self._process
        assert self._process.stdin
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        assert self._heard() == "done"

    def fault(self, on: str, **fault: Any) -> None:
        """Plan a fault; see :class:`tests.support.esdb.faults.Fault`."""
        self.tell(fault={"on": on, **fault})

    def _heard(self) -> Any:
        assert self._process
        assert self._process.stdout
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        line = self._process.stdout.readline() if ready else ""
        assert line, "the double said nothing"
        return json.loads(line)

    def freeze(self) -> None:
        """Go silent with every connection open, as a host does that lost power behind a switch."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it as SIGKILL does, at once and with nothing said."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait(PATIENCE)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        self._process = None

    def restart(self) -> None:
        self.kill()
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
