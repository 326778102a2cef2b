"""That the bench runs and writes what it measured. What the figures are is no matter of a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_bench_writes_its_table(tmp_path: Path) -> None:
    out = tmp_path / "results.md"
    command = [sys.executable, "-m", "bench", "--quick", "--only", "P7", "--rounds", "1", "--out", str(out)]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True, timeout=120)
    lines = out.read_text("utf-8").splitlines()
    table = [line for line in lines if line.startswith("| P7 |")]
    assert [line.split("|")[2].strip() for line in table] == [
        "`edge voz list --open`, whole process",
        "`edge voz list`, whole process",
        "`edge status`, whole process",
        "`edge hook session-start`, whole process",
        "`edge hook session-start`, whole process",
    ]
    assert any("SQLite" in line and "CPUs" in line for line in lines)
