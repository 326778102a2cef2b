"""A test double of EventStoreDB: its gRPC protocol over a SQLite file, as strict as the server.

It is made for tests only and is no product: it keeps what a client can observe (expectations,
idempotency, positions, filters, checkpoints, links) and none of what makes a database of it.
It runs as a process of its own, so that it can be killed, frozen and started again; see
:mod:`tests.support.esdb.process`.
"""
