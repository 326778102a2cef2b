"""Transcripts as Claude Code writes them, said by a person in one session each."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any


def session(
    store: Path, name: str, *said: str, at: str = "2026-11-20T09:00:00.000Z", cwd: str = "/op/x"
) -> Path:
    """A session in which the operator typed these, one turn each."""
    id_ = str(uuid.uuid5(uuid.NAMESPACE_OID, name))
    path = store / "projects" / cwd.replace("/", "-") / f"{id_}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    records: list[dict[str, Any]] = []
    for n, text in enumerate(said):
        records.append(
            {
                "type": "user",
                "parentUuid": records[-1]["uuid"] if records else None,
                "isSidechain": False,
                "userType": "external",
                "cwd": cwd,
                "sessionId": id_,
                "version": "2.1.270",
                "entrypoint": "cli",
                "message": {"role": "user", "content": text},
                "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{name} {n}")),
                "timestamp": at,
                "permissionMode": "default",
                "promptSource": "typed",
                "origin": {"kind": "human"},
            }
        )
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path
