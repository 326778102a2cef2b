"""A home for a test, and histories taken into it through the same path as ``edge log import``."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from adapters.eventlog.memory import MemoryEventLog
from adapters.importers.edge_of_chaos import EdgeOfChaos
from edge.domain.events import NO_STREAM, Draft
from edge.envelopes import import_envelopes
from edge.exchange import Tally, exported, import_foreign
from edge.init import initialise
from edge.journal import Act
from edge.lines import format_of, lines_of
from edge.settings import Settings
from edge.wiring import Edge
from projections.models import MODELS
from projections.store import ReadStore

Record = dict[str, Any]


def install(home: Path, group: str = "g", log: str | None = None) -> Edge:
    initialise(Settings(home, group, log=log))
    return Edge.at_home(home)


def in_memory(group: str = "g") -> Edge:
    """An install without a file, for examples by the hundred; its positions have gaps."""
    edge = Edge(Settings(Path("nowhere"), group))
    edge.__dict__["log"] = MemoryEventLog()
    created = Draft("log.created", {"log_id": edge.journal.new_id()})
    edge.journal.append(edge.streams.log, [created], NO_STREAM, Act("operator"))
    edge.__dict__["store"] = ReadStore(None, MODELS, edge.log_id)
    return edge


def line(seq: int | None, type_: str, payload: Any, ts: str = "2026-05-01T10:00:00Z", **more: Any) -> Record:
    """One record of the older log."""
    record = {"ts": ts, "type": type_, "subject": "voz", "payload": payload, **more}
    return record if seq is None else {"seq": seq, **record}


def jsonl(records: Iterable[Record]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def take_in(edge: Edge, content: bytes) -> Tally:
    """Import a file's bytes, its format told by what is in it."""
    found, lines = format_of(lines_of(io.BytesIO(content)))
    if found == "envelopes":
        return import_envelopes(edge.journal, lines)
    importer = EdgeOfChaos(edge.streams, lambda types: edge.log.read_all(types=types))
    return import_foreign(edge.journal, lines, importer)


def contents(edge: Edge) -> list[Record]:
    """The log but for its own creation, positions left out: what must be equal between two logs."""
    envelopes = [json.loads(one) for one in exported(edge.log)]
    return [{k: v for k, v in e.items() if k != "position"} for e in envelopes if e["type"] != "log.created"]
