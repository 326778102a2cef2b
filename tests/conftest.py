"""What was left out is said at the end, in CI too: a green run must not hide it. So is what was counted."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from tests.support.neo4j.fixture import neo4j_server
from tests.support.soak import SEED, chance_of, taken

__all__ = ["neo4j_server"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak-report", type=Path, metavar="FILE", help="where to write what was counted")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    try:
        return (yield)
    finally:
        item.user_properties += taken()


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> Random:
    """Chance of a test's own: each of its repetitions draws other lots."""
    return chance_of(request.node.nodeid)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, times in sorted(reasons.items()):
        terminalreporter.write_line(f"not run, {times}: {reason}")
    counts = _counts(terminalreporter)
    for what, n in sorted(counts.items()):
        terminalreporter.write_line(f"{what}: {n:,}")
    is_one_of_several = hasattr(terminalreporter.config, "workerinput")
    report = terminalreporter.config.getoption("soak_report")
    if report and not is_one_of_several:
        report.write_text(_written(terminalreporter, counts), "utf-8")


def _counts(reporter: pytest.TerminalReporter) -> Counter[str]:
    counts: Counter[str] = Counter()
    for ended in ("passed", "failed"):
        for report in reporter.stats.get(ended, []):
            for what, n in report.user_properties if report.when == "call" else ():
                counts[what] += n
    return counts


def _written(reporter: pytest.TerminalReporter, counts: Counter[str]) -> str:
    ended = {name: len(reporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped")}
    findings = [report.nodeid for name in ("failed", "error") for report in reporter.stats.get(name, [])]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} CPUs, {platform.system()}"
    lines = [
        "# Soaked",
        "",
        f"`make soak SEED={SEED}`, {datetime.now(UTC):%Y-%m-%d}, {machine}",
        "",
        f"{ended['passed']:,} tests passed, {ended['skipped']:,} skipped, {len(findings)} found something.",
        "",
        *(f"- {finding}" for finding in findings),
        *([""] if findings else []),
        "| tried | times |",
        "|---|---:|",
        *(f"| {what} | {n:,} |" for what, n in sorted(counts.items())),
    ]
    return "\n".join(lines) + "\n"
