"""Prints the tables of docs/recap-precision.md."""

from __future__ import annotations

from tests.support.recap_pairs.measured import tables

print("\n\n".join(tables()))  # noqa: T201
