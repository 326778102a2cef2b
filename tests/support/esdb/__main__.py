"""``python -m tests.support.esdb --db FILE --port 0``: serve until standard input ends.

The first line printed is the port. Each line of standard input is a command in JSON, answered
by a line: ``{"fault": {...}}``, ``{"clear": true}``, ``{"drop": true}``, ``{"scavenge": true}``,
``{"reset": true}``, ``{"leader": [host, port] | null}``, ``{"quiet": true}``,
``{"linked": true}`` (waits for links).
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from esdbclient.protos.Grpc.gossip_pb2_grpc import add_GossipServicer_to_server
from esdbclient.protos.Grpc.streams_pb2_grpc import add_StreamsServicer_to_server

from tests.support.esdb.faults import Fault, Faults
from tests.support.esdb.links import Linking
from tests.support.esdb.records import Records
from tests.support.esdb.service import Gossip, Node, Streams


def main() -> None:
    options = _options()
    records, faults = Records(options.db), Faults()
    server = grpc.server(
        ThreadPoolExecutor(64),
        options=[
            ("grpc.so_reuseport", 0),  # a taken port is an error, not a second server on it
            ("grpc.max_receive_message_length", 17 * 1024 * 1024),
        ],
    )
    port = _listen(server, options)
    node = Node(faults, options.user, options.password, port)
    add_StreamsServicer_to_server(Streams(node, records), server)  # type: ignore[no-untyped-call]  # generated
    add_GossipServicer_to_server(Gossip(node), server)  # type: ignore[no-untyped-call]  # generated
    server.start()
    if options.links:
        Linking(records).start()
    _say(port)
    for line in sys.stdin:
        _say(_obey(json.loads(line), faults, records))
    server.stop(0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("tests.support.esdb", description="A test double of EventStoreDB.")
    parser.add_argument("--db", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--links", action="store_true", help="run the system projections")
    parser.add_argument("--user")
    parser.add_argument("--password")
    parser.add_argument("--tls-key", type=Path)
    parser.add_argument("--tls-cert", type=Path)
    return parser.parse_args()


def _listen(server: Any, options: argparse.Namespace) -> int:
    address = f"127.0.0.1:{options.port}"
    if not options.tls_key:
        return int(server.add_insecure_port(address))
    pair = (options.tls_key.read_bytes(), options.tls_cert.read_bytes())
    return int(server.add_secure_port(address, grpc.ssl_server_credentials([pair])))


def _obey(command: dict[str, Any], faults: Faults, records: Records) -> Any:
    match command:
        case {"fault": fault}:
            with faults.lock:
                faults.planned.append(Fault(**fault))
        case {"clear": _}:
            with faults.lock:
                faults.planned.clear()
        case {"drop": _}:
            with records.changed:
                while not faults.open:  # there must be somebody to drop
                    records.changed.wait(0.01)
                faults.drops += 1
                records.changed.notify_all()
        case {"scavenge": _}:
            records.scavenge()
        case {"reset": _}:
            records.reset()
        case {"leader": leader}:
            faults.leader = (leader[0], leader[1]) if leader else None
        case {"quiet": quiet}:
            faults.quiet = quiet
        case {"linked": _}:
            with records.changed:
                while records.linked() < records.last_position():
                    records.changed.wait(0.05)
        case _:
            return f"unknown command: {command}"
    return "done"


def _say(answer: Any) -> None:
    print(json.dumps(answer), flush=True)  # noqa: T201  # how the process that started this one hears


if __name__ == "__main__":
    main()
