"""What the program called ``claude`` does when it is started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

USAGE = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 20,
    "cache_read_input_tokens": 30,
    "output_tokens": 40,
}


def main(place: str) -> None:
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write("2.1.299 (Claude Code)\n")
        return
    here = Path(place)
    play = _next(here)
    prompt = "" if play.get("deaf") else sys.stdin.buffer.read().decode()
    record = {
        "argv": sys.argv[1:],
        "environ": dict(os.environ),
        "cwd": str(Path.cwd()),
        "files": [path.name for path in Path.cwd().iterdir()],
        "prompt": prompt,
        "pid": os.getpid(),
    }
    with (here / "asked.jsonl").open("a") as asked:
        asked.write(json.dumps(record) + "\n")
    if "held" in play:  # a pipe that a program it started holds too: it ends when both have
        held = os.open(play["held"], os.O_WRONLY)
        waits = [sys.executable, "-c", "import signal; signal.pause()"]
        subprocess.Popen(waits, pass_fds=(held,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.write(held, b"ready\n")
    if play.get("keeps"):
        _keep_session(prompt)
    if "answers" in play:  # to each question the first that has the fields it asks for
        play["answer"] = next(one for one in play["answers"] if all(f'"{name}"' in prompt for name in one))
    _play(play)


def _keep_session(prompt: str) -> None:
    """A transcript all the same, as if somebody had typed the question at a terminal."""
    slug = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects" / "p"
    slug.mkdir(parents=True, exist_ok=True)
    about = {"sessionId": "kept", "cwd": str(Path.cwd()), "entrypoint": "cli", "version": "2.1.299"}
    said = [("user", prompt), ("assistant", [{"type": "text", "text": "the model's answer"}])]
    records = [
        {"type": role, "uuid": f"u{n}", "timestamp": f"2026-11-30T12:00:0{n}.000Z", **about}
        | {"message": {"role": role, "content": content}}
        for n, (role, content) in enumerate(said)
    ]
    with (slug / "kept.jsonl").open("a") as transcript:
        transcript.writelines(json.dumps(record) + "\n" for record in records)


def _next(here: Path) -> dict[str, Any]:
    path = here / "plays.json"
    plays: list[dict[str, Any]] = json.loads(path.read_text())
    if len(plays) > 1:
        path.write_text(json.dumps(plays[1:]))
    return plays[0]


def _play(play: dict[str, Any]) -> None:
    if play.get("hang"):
        signal.pause()
    if play.get("die"):
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait()
    if "enormous" in play:
        for _ in range(play["enormous"]):
            sys.stdout.write("x" * 1024 * 1024)
    if "stdout" in play:
        sys.stdout.write(play["stdout"])
    elif "answer" in play or "result" in play:
        sys.stdout.write(json.dumps(_message(play)) + "\n")
    sys.stderr.write(play.get("stderr", ""))
    sys.stdout.flush()
    sys.exit(play.get("exit", 0))


def _message(play: dict[str, Any]) -> Any:
    text = play["result"] if "result" in play else json.dumps(play["answer"])
    message = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": text,
        "stop_reason": "end_turn",
        "session_id": "00000000-0000-4000-8000-000000000000",
        "usage": USAGE,
        **play.get("with", {}),
    }
    return [{"type": "system", "subtype": "init"}, message] if play.get("listed") else message
