"""Long-running parts that `edge up` started end when it does, however it ended."""

from __future__ import annotations

import os
import signal
import sys
import threading


def end_with_parent() -> None:
    """Ask this process to stop when its standard input ends: the other end is held by its parent alone."""

    def wait() -> None:
        stdin = sys.stdin.buffer.raw if hasattr(sys.stdin.buffer, "raw") else sys.stdin.buffer
        while stdin.read(1024):
            continue
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True, name="parent").start()
