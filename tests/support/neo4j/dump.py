"""What stands in the database, row by row, asked with the bare driver."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import Driver, GraphDatabase

from tests.support.neo4j.process import Server


@contextmanager
def bare(server: Server) -> Iterator[Driver]:
    with GraphDatabase.driver(
        server.uri, auth=("neo4j", server.password), notifications_min_severity="OFF"
    ) as driver:
        yield driver


def dump(driver: Driver, group: str) -> list[str]:
    """Every node and relationship of a group and of its curated one, sorted; a group's name and
    ids made of it are left out, so that two groups can be compared."""
    groups = [group, f"{group}_curated"]
    nodes = driver.execute_query(
        "MATCH (n) WHERE n.group_id IN $groups RETURN n.group_id = $groups[0] AS own, n.uuid AS uuid,"
        " labels(n) AS labels, properties(n) AS props",
        groups=groups,
    ).records
    edges = driver.execute_query(
        "MATCH (a)-[r]->(b) WHERE r.group_id IN $groups RETURN r.group_id = $groups[0] AS own,"
        " type(r) AS type, properties(r) AS props, a.uuid AS source, b.uuid AS target,"
        " a.name AS from, b.name AS to",
        groups=groups,
    ).records
    told = []
    for record in (*nodes, *edges):
        row = record.data()
        props = row.pop("props")
        if not row.pop("own"):
            row = {name: value for name, value in row.items() if name not in ("uuid", "source", "target")}
            props = {name: value for name, value in props.items() if not name.endswith("uuid")}
        told.append(f"{sorted(row.items())} {sorted(props.items())}".replace(group, "GROUP"))
    return sorted(told)


def checkpoint(driver: Driver, group: str) -> dict[str, object]:
    """The checkpoint's own properties."""
    found = driver.execute_query("MATCH (c:EdgeCheckpoint {group: $group}) RETURN c {.*} AS c", group=group)
    return dict(found.records[0]["c"]) if found.records else {}
