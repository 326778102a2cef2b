"""Debian's Chromium, driven by Playwright; axe-core from npm, kept in a cache of this checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.lived_in import lived_in
from tests.web.served import Served

pytest.importorskip("playwright.sync_api", reason="Playwright: `make test` installs it")

from playwright.sync_api import Browser, sync_playwright  # only where it is installed

REPO: Final = Path(__file__).parents[2]
AXE: Final = REPO / ".axe"
NO_CHROMIUM: Final = "Chromium: apt-get install chromium"
NO_AXE: Final = "axe-core: apt-get install npm, and a package index"


def missing(what: str) -> None:
    """Skip, saying what to install; in CI its absence is an error."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"not installed: {what}")
    pytest.skip(what)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Ended with these tests: while it is open an event loop runs, and no other test could run one."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        missing(NO_CHROMIUM)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    script = AXE / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            missing(NO_AXE)
        AXE.mkdir(exist_ok=True)
        install = [str(npm), "install", "--prefix", str(AXE), "--silent", "--no-audit", "--no-fund"]
        done = subprocess.run([*install, "axe-core@4.10.3"], capture_output=True, text=True, check=False)
        if done.returncode:
            missing(f"{NO_AXE} ({done.stderr.strip()[:200]})")
    return script.read_text("utf-8")


@pytest.fixture
def served(lived_in_home: Path, tmp_path: Path) -> Iterator[Served]:
    home = tmp_path / "home"
    shutil.copytree(lived_in_home, home)
    with Served(home) as running:
        yield running


@pytest.fixture(scope="session")
def lived_in_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("browsed") / "home"
    lived_in(home).close()
    return home
