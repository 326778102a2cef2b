"""``python -m tests.browser.pictures``: the pictures in docs/, taken anew of a lived-in install."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from tests.support.lived_in import NOW, SLUG, lived_in
from tests.web.served import Served

INTO: Final = Path(__file__).parents[2] / "docs" / "pictures"
DESKTOP: Final[dict[str, Any]] = {"viewport": {"width": 1000, "height": 760}, "color_scheme": "light"}
PHONE: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 780}, "color_scheme": "dark"}
TAKEN: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "voz-desktop": ("/voz", DESKTOP),
    "voz-phone-dark": ("/voz", PHONE),
    "direction-phone-dark": ("/direction", PHONE),
    "direction-desktop": ("/direction", DESKTOP),
    "knowledge-desktop": ("/knowledge", DESKTOP),
    "health-desktop": ("/health", DESKTOP),
    "artefato-phone-dark": (f"/artefatos/{SLUG}", PHONE),
}


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("apt-get install chromium")
    INTO.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        lived_in(home).close()
        with Served(home, EDGE_NOW=NOW.isoformat()) as served, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for name, (path, how) in TAKEN.items():
                page = browser.new_context(base_url=served.address, **how).new_page()
                page.goto(served.token_path())
                page.goto(path)
                page.screenshot(path=INTO / f"{name}.png")
            browser.close()


if __name__ == "__main__":
    main()
