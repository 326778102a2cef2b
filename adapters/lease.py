"""A lease on this host: a locked file that names who holds it, and that a kill lets go of."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edge.domain.refusal import Failed


class FileLease:
    """See :class:`edge.extraction.Lease`. The lock is the kernel's, so nothing stale is left behind."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self) -> Iterator[str | None]:
        """None where the lease is ours until the end of the block, else its holder's name."""
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Failed(f"the lease {self._path} cannot be opened: {error.strerror}") from None
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield os.pread(file, 200, 0).decode("utf-8", "replace").strip() or "not named yet"
                return
            os.truncate(file, 0)
            os.pwrite(file, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
            yield None
        finally:
            os.close(file)
