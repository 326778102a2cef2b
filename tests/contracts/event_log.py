"""The contract of the port EventLog: a suite any adapter passes by overriding one fixture.

    class TestMyLog(EventLogContract):
        @pytest.fixture
        def log(self): ...

The log may hold foreign events: every test writes to categories of its own, and reads all
streams from the head it began at.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from edge.ports import EventLog
from tests.contracts.log_appends import AppendContract
from tests.contracts.log_reads import ReadContract
from tests.contracts.log_subscriptions import SubscriptionContract


class EventLogContract(AppendContract, ReadContract, SubscriptionContract):
    @pytest.fixture
    def log(self) -> Iterator[EventLog]:
        raise NotImplementedError("override with the adapter under test")
