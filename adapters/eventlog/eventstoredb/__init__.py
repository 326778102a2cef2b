"""The log on EventStoreDB. This package alone imports ``esdbclient``: its successor cannot live
in one process with it, so that changing over means changing nothing else."""

import os

# Before it is imported: gRPC would write lines of its own beside the one that says what is wrong.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from adapters.eventlog.eventstoredb.log import EventStoreDBEventLog

__all__ = ["EventStoreDBEventLog"]
