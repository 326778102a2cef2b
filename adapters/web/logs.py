"""Structured logs of what was done, never of what was said: routes, ids, statuses, times."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import structlog


def logger() -> Any:
    """One JSON object a line, on standard error."""
    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.JSONRenderer(sort_keys=False),
        ],
        wrapper_class=structlog.BoundLogger,
        cache_logger_on_first_use=False,
    )


def where(error: BaseException) -> list[str]:
    """Where an error came from: files and lines, none of the values, which may be the operator's words."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
