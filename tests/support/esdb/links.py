"""The system projections: links by category, event type and correlation, written a while after."""

from __future__ import annotations

import json
import threading
import uuid

from tests.support.esdb.records import Proposed, Record, Records

PAGE = 100


class Linking(threading.Thread):
    """Follows the log and links what comes, as ``$by_category`` and its kind do."""

    def __init__(self, records: Records) -> None:
        super().__init__(daemon=True)
        self._records = records

    def run(self) -> None:
        position = self._records.linked()
        while True:
            page = self._records.in_all(position + 1, False, PAGE)
            if not page:
                with self._records.changed:
                    if self._records.last_position() <= position:
                        self._records.changed.wait(1)
                continue
            position = page[-1].position
            self._records.link([found for record in page for found in _links(record)], position)


def _links(record: Record) -> list[tuple[str, Proposed]]:
    """Where an event is linked. System streams and links themselves are not."""
    if record.stream.startswith("$") or record.type == "$>":
        return []
    names = [f"$et-{record.type}"]
    if "-" in record.stream:
        names.append(f"$ce-{record.stream.partition('-')[0]}")
    correlation = _correlation(record)
    if correlation:
        names.append(f"$bc-{correlation}")
    target = f"{record.revision}@{record.stream}".encode()
    caused = json.dumps({"$causedBy": record.id}).encode()
    return [
        (name, Proposed(str(uuid.uuid4()), "$>", "application/octet-stream", caused, target))
        for name in names
    ]


def _correlation(record: Record) -> str | None:
    try:
        found = json.loads(record.metadata or b"{}")
    except ValueError:
        return None
    return found.get("$correlationId") if isinstance(found, dict) else None
