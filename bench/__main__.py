"""``python -m bench``: every measure side by side on this machine, into ``bench/RESULTS.md``."""

from __future__ import annotations

import argparse
import compileall
import importlib
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from bench.context import Context
from bench.histories import Histories
from bench.report import Row, document

MEASURES: Final = {
    "P1": "bench.p1_queries",
    "P2": "bench.p2_close",
    "P3": "bench.p3_catch_up",
    "P4": "bench.p4_sweep",
    "P5": "bench.p5_nothing_new",
    "P6": "bench.p6_open",
    "P7": "bench.p7_cli",
    "P8": "bench.p8_subscription",
    "P9": "bench.p9_extraction",
    "P9-Neo4j": "bench.p9_neo4j",
    "P10": "bench.p10_dashboard",
    "P11": "bench.p11_search",
}
RESULTS: Final = Path(__file__).with_name("RESULTS.md")
_MEMORY: Final = Path("/dev/shm")


def main(arguments: list[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    _compiled()
    chosen = asked.only or list(MEASURES)
    memory = _place(_MEMORY if _MEMORY.is_dir() else None)
    disk = _place(None)
    try:
        context = Context(memory, disk, asked.quick, Histories(memory), asked.rounds)
        rows = _measured(chosen, context)
    finally:
        shutil.rmtree(memory, ignore_errors=True)
        shutil.rmtree(disk, ignore_errors=True)
    command = " ".join(["python -m bench", *(sys.argv[1:] if arguments is None else arguments)])
    text = document(rows, command, context.notes)
    target: Path | None = asked.out or (RESULTS if not asked.quick and not asked.only else None)
    if target:
        target.write_text(text, "utf-8")
    print(text)
    return 0


def _compiled() -> None:
    """Byte code as an installation has it: an environment that keeps none would be measured compiling."""
    for package in ("edge", "projections", "adapters"):
        compileall.compile_dir(RESULTS.parents[1] / package, quiet=1)


def _measured(chosen: list[str], context: Context) -> list[Row]:
    rows: list[Row] = []
    for name in chosen:
        began = time.perf_counter()
        rows += importlib.import_module(MEASURES[name]).measure(context)
        print(f"{name} measured in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return rows


def _place(parent: Path | None) -> Path:
    return Path(tempfile.mkdtemp(prefix="edge-bench-", dir=parent))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", action="append", choices=list(MEASURES), help="one measure; repeatable")
    parser.add_argument("--quick", action="store_true", help="1k and 100k events, smaller stores")
    parser.add_argument("--rounds", type=int, default=5, help="rounds each contender runs")
    parser.add_argument(
        "--out", type=Path, help="where the table goes; by default, of a full run, RESULTS.md"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
