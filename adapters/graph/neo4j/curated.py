"""What the operator promoted, as it goes into a group of its own."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from adapters.graph.neo4j import values
from edge.domain.knowledge import normalised
from edge.ports_knowledge import CuratedStatement

_CURATED: Final = uuid.UUID("7a5e0c7e-5c1e-5f5d-8e0e-0c9b2f1f7c64")
BEGAN: Final = "1970-01-01T00:00:00+00:00"


Curated: TypeAlias = CuratedStatement


def digest(curated: Sequence[Curated]) -> str:
    """The same for the same statements, in whatever order."""
    return hashlib.sha256(json.dumps(sorted(curated)).encode("utf-8", "replace")).hexdigest()


def entity_rows(curated: Sequence[Curated], group: str) -> list[dict[str, Any]]:
    """The entities the statements are about, one a name, in the order of their ids."""
    found: dict[str, dict[str, Any]] = {}
    for each in sorted(curated):
        for name in (each.source, each.target or each.source):
            row = found.setdefault(entity_id(name, group), {"at": _at(each)})
            row["at"] = min(row["at"], _at(each))
            row["name"] = min(row.get("name", name), name)
    return [
        {
            "uuid": id_,
            "first": None,
            "at": row["at"],
            "labels": ["Entity"],
            "props": {
                "uuid": id_,
                "name": values.key(row["name"]),
                "group_id": group,
                "summary": "",
            },
        }
        for id_, row in sorted(found.items())
    ]


def fact_rows(curated: Sequence[Curated], group: str) -> list[dict[str, Any]]:
    return [
        {
            "uuid": fact_id(each.id, group),
            "first": None,
            "at": _at(each),
            "times": [values.time(each.valid_from), None, None, None],
            "source": entity_id(each.source, group),
            "target": entity_id(each.target or each.source, group),
            "props": {
                "uuid": fact_id(each.id, group),
                "source_node_uuid": entity_id(each.source, group),
                "target_node_uuid": entity_id(each.target or each.source, group),
                "name": values.key(each.relation),
                "fact": values.text(each.statement),
                "group_id": group,
                "episodes": [values.text(id_) for id_ in each.evidence],
                "curated_id": values.text(each.id),
            },
        }
        for each in sorted(curated)
    ]


def entity_id(name: str, group: str) -> str:
    """No id a hypothesis has: Graphiti tells entities apart by it alone."""
    return str(uuid.uuid5(_CURATED, f"entity\n{group}\n{normalised(name)}"))


def fact_id(id_: str, group: str) -> str:
    return str(uuid.uuid5(_CURATED, f"fact\n{group}\n{id_}"))


def _at(each: Curated) -> str:
    return values.time(each.at) or BEGAN
