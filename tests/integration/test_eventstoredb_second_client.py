"""A second, independent client reads what was written: kurrentdbclient, in a Python of its own.

It cannot live in one process with esdbclient, so the test needs its interpreter named.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from adapters.eventlog.eventstoredb import EventStoreDBEventLog
from edge.domain.events import NO_STREAM
from tests.contracts.probes import event, events, ids
from tests.support.esdb.process import EventStoreProcess

PYTHON = os.environ.get("EDGE_KURRENTDB_PYTHON")

READS = """
import json, sys
from kurrentdbclient import KurrentDBClient

with KurrentDBClient(sys.argv[1]) as client:
    seen = [
        [str(e.id), e.type, e.stream_name, e.stream_position, e.commit_position,
         json.loads(e.data), json.loads(e.metadata)]
        for e in client.read_all()
    ]
    linked = [str(e.id) for e in client.get_stream("$ce-voz", resolve_links=True)]
print(json.dumps([seen, linked]))
"""


@pytest.mark.skipif(
    not PYTHON, reason="set EDGE_KURRENTDB_PYTHON to a python of a venv with kurrentdbclient installed"
)
def test_another_client_reads_the_same(tmp_path: Path) -> None:
    with EventStoreProcess(tmp_path / "esdb.db", "--links") as server:
        log = EventStoreDBEventLog(server.uri)
        log.append("voz-g.a", events(3), NO_STREAM)
        log.append("voz-g.b", [event("probe.a", text="olá 🜂")], NO_STREAM)
        log.append("voz-g.a", events(2), 2)
        server.tell(linked=True)
        done = subprocess.run(
            [str(PYTHON), "-c", READS, server.uri], capture_output=True, text=True, check=True
        )
        seen, linked = json.loads(done.stdout)
        mine = list(log.read_all())
        log.close()
    assert [tuple(one) for one in seen] == mine
    assert linked == ids(iter(mine))
