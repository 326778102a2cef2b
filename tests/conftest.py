"""What was left out is said at the end, in CI too: a green run must not hide it."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.neo4j.fixture import neo4j_server

__all__ = ["neo4j_server"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, times in sorted(reasons.items()):
        terminalreporter.write_line(f"not run, {times}: {reason}")
