"""The log on EventStoreDB. This package alone imports ``esdbclient``: its successor cannot live
in one process with it, so that changing over means changing nothing else."""

from adapters.eventlog.eventstoredb.log import EventStoreDBEventLog

__all__ = ["EventStoreDBEventLog"]
