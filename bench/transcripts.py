"""Transcript stores as Claude Code leaves them: of all lines 56 % are user or assistant records.

The rest is progress, attachments, snapshots and metadata; of the bytes most are tool results,
which every such line holds twice. One text in two hundred looks as if it held a secret.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench.days import WORDS

PROJECTS: Final = 40
SUSPICIOUS: Final = 200
"""One in so many of the texts has something that redaction must look at closely."""


def store(root: Path, files: int, size: int) -> int:
    """A store of so many sessions and about so many bytes, of uneven length; its size as written."""
    shares = [1 + (n * 37 % 23) for n in range(files)]
    written = 0
    for n, share in enumerate(shares):
        written += _write(_path(root, n), _session(n, size * share // sum(shares), "cli"))
    return written


def many(root: Path, files: int) -> None:
    """A store of many short sessions, each third one a program's own."""
    for n in range(files):
        entrypoint = "sdk-cli" if n % 3 == 0 else "cli"
        _write(_path(root, n), _session(n, 4_000, entrypoint))


def _path(root: Path, n: int) -> Path:
    directory = root / "projects" / f"-home-op-projects-p{n % PROJECTS}"
    directory.mkdir(parents=True, exist_ok=True)
    return directory / f"{_session_id(n)}.jsonl"


def _session_id(n: int) -> str:
    return f"{n:08d}-0000-4000-8000-000000000000"


def _write(path: Path, lines: Iterator[str]) -> int:
    with path.open("w", encoding="utf-8") as file:
        return sum(file.write(line + "\n") for line in lines)


def _session(n: int, size: int, entrypoint: str) -> Iterator[str]:
    """Lines of one session until it has about ``size`` characters."""
    made = _Records(n, entrypoint)
    written = 0
    for record in made.begin():
        line = json.dumps(record, ensure_ascii=False)
        written += len(line)
        yield line
    while True:
        for record in made.turn():
            line = json.dumps(record, ensure_ascii=False)
            written += len(line)
            yield line
            if written >= size:
                return


class _Records:
    """The records of one session, in the shapes the program writes."""

    def __init__(self, n: int, entrypoint: str) -> None:
        self._rng = random.Random(n)
        self._session = _session_id(n)
        self._entrypoint = entrypoint
        self._cwd = f"/home/op/projects/p{n % PROJECTS}"
        self._nth = 0
        self._last: str | None = None

    def begin(self) -> Iterator[dict[str, Any]]:
        if self._entrypoint == "cli":
            yield {"type": "permission-mode", "permissionMode": "default", "sessionId": self._session}
        else:
            for operation in ("enqueue", "dequeue"):
                yield {**self._queue(operation)}

    def _queue(self, operation: str) -> dict[str, Any]:
        return {
            "type": "queue-operation",
            "operation": operation,
            "timestamp": self._now(),
            "sessionId": self._session,
        }

    def turn(self) -> Iterator[dict[str, Any]]:
        """25 records: 14 of them user or assistant."""
        yield self._user(self._text(180))
        yield self._record("attachment", attachment=self._attachment(1_500))
        yield self._record("attachment", attachment=self._attachment(300))
        for step in range(5):
            if step % 2 == 0:
                yield self._assistant({"type": "text", "text": self._text(500)})
            call = f"toolu_{self._rng.getrandbits(64):016x}"
            yield self._assistant({"type": "tool_use", "id": call, "name": "Bash", "input": self._input()})
            yield self._progress(call)
            yield self._result(call)
        yield self._progress("toolu_last")
        yield {"type": "file-history-snapshot", "messageId": self._uuid(), "snapshot": self._snapshot()}
        yield self._record("system", subtype="turn_duration", durationMs=self._rng.randrange(90_000))
        yield {"type": "last-prompt", "lastPrompt": self._words(100), "sessionId": self._session}

    def _record(self, type_: str, **fields: Any) -> dict[str, Any]:
        uuid, parent = self._uuid(), self._last
        self._last = uuid
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self._session,
            "version": "2.1.270",
            "gitBranch": "main",
            "entrypoint": self._entrypoint,
            "type": type_,
            "uuid": uuid,
            "timestamp": self._now(),
            **fields,
        }

    def _user(self, text: str) -> dict[str, Any]:
        message = {"role": "user", "content": text}
        human = self._entrypoint == "cli"
        origin = {"origin": {"kind": "human"}, "promptSource": "typed"} if human else {"promptSource": "sdk"}
        return self._record("user", message=message, permissionMode="default", **origin)

    def _assistant(self, block: dict[str, Any]) -> dict[str, Any]:
        usage = {"input_tokens": 12, "cache_read_input_tokens": 48_211, "output_tokens": 311}
        message = {
            "id": f"msg_{self._nth}",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [block],
            "stop_reason": None,
            "usage": usage,
        }
        return self._record("assistant", message=message, requestId=f"req_{self._nth}")

    def _result(self, call: str) -> dict[str, Any]:
        output = self._words(int(200 * 1.6 ** self._rng.randrange(11)))
        block = {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": False}
        stored = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return self._record("user", message={"role": "user", "content": [block]}, toolUseResult=stored)

    def _progress(self, call: str) -> dict[str, Any]:
        data = {"type": "bash_progress", "output": self._words(200), "elapsedTimeSeconds": 3, "totalLines": 9}
        return self._record("progress", data=data, toolUseID=call, parentToolUseID=call)

    def _attachment(self, size: int) -> dict[str, Any]:
        return {"type": "skill_listing", "content": self._words(size), "skillCount": 9, "isInitial": False}

    def _input(self) -> dict[str, str]:
        return {"command": f"rg -n {self._words(40)!r} src", "description": self._words(40)}

    def _snapshot(self) -> dict[str, Any]:
        return {"messageId": self._uuid(), "trackedFileBackups": {}, "timestamp": self._now()}

    def _text(self, size: int) -> str:
        self._nth += 1
        text = f"{self._words(size)} ({self._nth})"
        if self._rng.randrange(SUSPICIOUS) == 0:
            text += f" password = 'k{self._rng.getrandbits(48):012x}!'"
        return text

    def _words(self, size: int) -> str:
        return " ".join(self._rng.choices(WORDS, k=max(1, size // 5)))

    def _uuid(self) -> str:
        bits = f"{self._rng.getrandbits(128):032x}"
        return f"{bits[:8]}-{bits[8:12]}-4{bits[13:16]}-8{bits[17:20]}-{bits[20:]}"

    def _now(self) -> str:
        self._nth += 1
        hours, rest = divmod(self._nth, 3_600)
        day, hour = 1 + hours // 24 % 28, hours % 24
        return f"2026-11-{day:02d}T{hour:02d}:{rest // 60:02d}:{rest % 60:02d}.000Z"
