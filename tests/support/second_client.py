"""kurrentdbclient in a Python of its own: it cannot share one with esdbclient, not even an environment.

The environment is made once in a checkout, by whichever of several test processes comes first, and
anew where it has another release than is asked for here.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import venv
from pathlib import Path
from typing import Final

import pytest

from tests.support.esdb.process import ROOT

NAME: Final = "kurrentdbclient"
RELEASE: Final = "1.3.5"
PLACE: Final = ROOT / ".venv-kurrentdb"
WITHIN: Final = 300.0
"""Seconds for which an installation is waited for."""


def python_with_it(place: Path = PLACE) -> Path:
    """The interpreter that has the client. Where it cannot be had the test is skipped with the line
    that installs it; in CI it fails, since nobody reads there what was skipped."""
    python = place / "bin" / "python"
    with place.with_name(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # let go of by closing
        trouble = _missing(python) and _install(place, python)
    if not trouble:
        return python
    by_hand = f"python3 -m venv {place.name} && {place.name}/bin/pip install {NAME}=={RELEASE}"
    told = f"no second client, {trouble}; install it: {by_hand}"
    if os.environ.get("CI") == "true":
        pytest.fail(told, pytrace=False)
    pytest.skip(told)


def _missing(python: Path) -> str:
    return _failure(
        python, "-c", f"import importlib.metadata as m; assert m.version({NAME!r}) == {RELEASE!r}"
    )


def _install(place: Path, python: Path) -> str:
    """Make the environment; what went wrong, if anything did."""
    try:
        venv.create(place, clear=True, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"its environment cannot be made: {error}"
    options = ("--quiet", "--disable-pip-version-check", "--retries", "1")
    return _failure(python, "-m", "pip", "install", *options, f"{NAME}=={RELEASE}")


def _failure(python: Path, *words: str) -> str:
    """The last line that Python says of why it failed; nothing where it did not."""
    try:
        done = subprocess.run(
            [str(python), *words], capture_output=True, text=True, timeout=WITHIN, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{python}: {error}"
    return (done.stderr.strip().splitlines() or ["it failed"])[-1] if done.returncode else ""
